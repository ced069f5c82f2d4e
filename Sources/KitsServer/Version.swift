/// The version of this build, as `kits version` and the metrics say it.
enum Version {
  static let text = "0.1.0"
}
