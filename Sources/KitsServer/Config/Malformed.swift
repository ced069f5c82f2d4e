/// What is wrong with one value, as the end of a sentence that starts with the variable's name.
struct Malformed: Error, Equatable {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
