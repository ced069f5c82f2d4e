/// Carries a value from one test thread to the next, which never use it at the same time.
struct Unchecked<Value>: @unchecked Sendable {
  let value: Value

  init(_ value: Value) {
    self.value = value
  }
}
