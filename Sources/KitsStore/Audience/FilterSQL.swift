/// What SQL asks of a stored filter without reading it.
enum FilterSQL {
  /// A path that exists in filters that depend on the user (`Filter.dependsOnUser`).
  static let asksAboutUser = """
    $.**.field ? (@ starts with "tag." || @ == "identified" || @ == "external_id" || @ == "message")
    """
}
