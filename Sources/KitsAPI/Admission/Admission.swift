internal import HTTPServer

/// What every request passes between the route's own look at its head and the route's work.
struct Admission: Sendable {
  let rates: RateCheck
  let signatures: SignatureCheck
  let answers: Answers

  func guarding(_ route: Route) -> Route {
    let isExempt = SignatureCheck.isExempt(route)
    return route.guarded(
      admit: { head in
        answers.admit(head) { () throws(Problem) in
          try rates.admit(head)
          if !isExempt { try signatures.admit(head) }
        }
      },
      handle: { request, work in
        if !isExempt {
          do throws(Problem) { try await signatures.check(request) } catch {
            return answers.problem(error, requestID: request.head.requestID)
          }
        }
        return await work(request)
      })
  }
}
