/// What went wrong in the surroundings of a test.
package struct TestFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) {
    self.description = description
  }
}
