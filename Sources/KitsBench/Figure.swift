/// One line of the table.
struct Figure {
  let name: String
  let value: Double
  let unit: String
  /// What the value is held against, and what that is.
  let reference: Double?
  let referenceName: String
  let target: Target?
  let note: String

  init(
    _ name: String, _ value: Double, _ unit: String, against reference: Double? = nil, _ referenceName: String = "",
    target: Target? = nil, note: String = ""
  ) {
    self.name = name
    self.value = value
    self.unit = unit
    self.reference = reference
    self.referenceName = referenceName
    self.target = target
    self.note = note
  }

  var ratio: Double? { reference.flatMap { $0 > 0 ? value / $0 : nil } }

  var isMet: Bool? { target.map { $0.isMet(by: ratio ?? value) } }
}
