internal import HTTPServer
internal import KitsCore

/// Runs the work of a route and turns every way in which it can end into a response.
struct Answers: Sendable {
  let observe: @Sendable (APIEvent) -> Void

  /// For `handle`: the response of the work, or of the problem that ended it.
  func answer(
    _ request: Request, _ work: (Request) async throws(Problem) -> Response
  ) async -> Response {
    do {
      return try await work(request)
    } catch {
      return problem(error, requestID: request.head.requestID)
    }
  }

  /// For `admit`: nil lets the request through.
  func admit(_ head: RequestHead, _ check: () throws(Problem) -> Void) -> Response? {
    do {
      try check()
      return nil
    } catch {
      return problem(error, requestID: head.requestID)
    }
  }

  func problem(_ problem: Problem, requestID id: String) -> Response {
    observe(.refused(code: problem.code))
    if let cause = problem.cause {
      if problem.code == .internalFault {
        observe(.internalFault(requestID: id, cause: cause))
      } else {
        observe(.databaseFault(requestID: id, code: problem.code, cause: cause))
      }
    }
    return problem.response(requestID: id)
  }
}
