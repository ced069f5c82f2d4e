import HTTPServer
import KitsCore
import Testing

@testable import KitsAPI

/// `openapi.yaml` and the code say the same.
struct ContractTests {
  @Test("The routes are those of the contract")
  func routes() async throws {
    let routes = try await RunningAPI.shared.value.api.routes
    #expect(Set(routes.map { "\($0.method.rawValue) \($0.pattern)" }) == Contract.operations)
    #expect(!routes.isEmpty)
  }

  @Test("Every code has the status that the contract gives it, and the contract has no other")
  func codes() {
    #expect(Set(Contract.codes.keys) == Set(KitsError.Code.allCases.map(\.rawValue)))
  }

  @Test("A code's status and whether a retry can help are those of the contract", arguments: KitsError.Code.allCases)
  func code(_ code: KitsError.Code) throws {
    let contract = try #require(Contract.codes[code.rawValue])
    #expect(code.status == contract.status)
    #expect(code.isRetryable == (contract.retryable != "false"))
    #expect(!code.title.isEmpty)
  }

  @Test("The field codes are those of the contract")
  func fieldCodes() {
    #expect(Contract.fieldCodes == Set(KitsError.FieldCode.allCases.map(\.rawValue)))
  }
}
