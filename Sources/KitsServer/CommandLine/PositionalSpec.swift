/// One argument that has a place instead of a name; all of them are required.
struct PositionalSpec: Sendable {
  let name: String
  let help: String
}
