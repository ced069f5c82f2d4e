import Foundation
import JSON
import KitsCore
import Testing

@testable import KitsAPI

@Suite("Tags of many clients at once")
struct TagRaceTests {
  private static func patiently(_ call: () async throws -> Reply) async throws -> Int {
    // More than eight at a time for one installation are told to come again.
    var status = 503
    while status == 503 { status = try await call().status }
    return status
  }

  @Test("sixteen clients of two nodes that tag one installation lose nothing")
  func oneInstallation() async throws {
    let device = try await Tenant.make().device()
    let other = Device(running: try await RunningAPI(sharing: device.running), id: device.id, token: device.token)
    let binding = try await device.binding().id
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for client in 0..<16 {
        for number in 0..<4 {
          group.addTask {
            try await Self.patiently {
              try await (client % 2 == 0 ? device : other).tag(["c\(client)-\(number)": "x"], expecting: binding)
            }
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses == Array(repeating: 200, count: 64))
    #expect(try await device.tags().count == 64)
  }

  @Test("new keys that two nodes meet in any order are listed once each")
  func sameKeys() async throws {
    let backend = try await Backend.make([.segmentsRead])
    let other = try await RunningAPI(sharing: backend.running)
    var devices: [Device] = []
    for number in 0..<24 {
      let device = try await backend.tenant.device()
      devices.append(
        number % 2 == 0 ? device : Device(running: other, id: device.id, token: device.token))
    }
    let statuses = try await withThrowingTaskGroup(of: Int.self) { group in
      for device in devices {
        group.addTask {
          let binding = try await device.binding().id
          let values = Dictionary(uniqueKeysWithValues: (0..<60).shuffled().map { ("k\($0)", "1") })
          return try await Self.patiently { try await device.tag(values, expecting: binding) }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(statuses.allSatisfy { $0 == 200 })
    #expect(try await backend.get("/v1/tag-keys?limit=100").json["data"]?.array?.count == 60)
  }

  @Test("tags never land with the next user, whoever comes first (K7)")
  func nextUser() async throws {
    let device = try await Tenant.make().device()
    for round in 0..<20 {
      let binding = try await device.binding().id
      let values = ["round": "\(round)"]
      async let tagged = device.tag(values, expecting: binding)
      async let login = device.login("user \(round)", expecting: binding)
      let (reply, bound) = try await (tagged, login)
      #expect(bound.status == 200)
      #expect(reply.status == 200 || reply.code == "BINDING_CHANGED")
      #expect(try await device.tags() == [:])
    }
  }
}
