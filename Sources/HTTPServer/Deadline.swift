/// The four clocks of a connection; one runs at a time, none while a handler works.
package enum Deadline: String, Sendable {
  case idle, head, body, write
}
