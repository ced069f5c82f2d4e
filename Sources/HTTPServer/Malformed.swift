/// Why a request is no HTTP that we would act on; the words go to the client in the 400.
struct Malformed: Error, Sendable, Equatable {
  let reason: String

  init(_ reason: String) {
    self.reason = reason
  }
}
