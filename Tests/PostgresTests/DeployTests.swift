import Foundation
import Postgres
import TestSupport
import Testing

@Suite("deploy/postgres")
struct DeployTests {
  static let tool = TestCluster.repository + "/deploy/postgres"

  /// A socket that listens on 127.0.0.1, and its port.
  static func listener() throws -> (descriptor: Int32, port: Int) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    var length = socklen_t(MemoryLayout<sockaddr_in>.size)
    let port = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer -> Int? in
        guard bind(descriptor, pointer, length) == 0, listen(descriptor, 1) == 0,
          getsockname(descriptor, pointer, &length) == 0
        else { return nil }
        return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
          Int(UInt16(bigEndian: $0.pointee.sin_port))
        }
      }
    }
    return (descriptor, try #require(port))
  }

  @Test("says in a sentence what is wrong: a taken port, a port that is none, no command")
  func complaints() throws {
    let directory = NSTemporaryDirectory() + "/kits-deploy-\(UUID())"
    defer { _ = Shell.run([Self.tool, "remove", directory]) }
    let (descriptor, port) = try Self.listener()
    defer { close(descriptor) }
    let taken = Shell.run([Self.tool, "start", directory, "\(port)"])
    #expect(taken.status == 1)
    #expect(taken.text.contains("port 127.0.0.1:\(port) is taken by another program; choose another port."))
    let wrong = Shell.run([Self.tool, "start", directory, "70000"])
    #expect(wrong.status == 1)
    #expect(wrong.text.contains("the port must be a number"))
    #expect(Shell.run([Self.tool, "status", directory]).status == 3)
    let usage = Shell.run([Self.tool, "start"])
    #expect(usage.status == 2)
    #expect(usage.text.contains("deploy/postgres start DIR PORT"))
  }

  @Test("start and stop may be repeated; the URL works and the data stays")
  func repeated() async throws {
    let cluster = try TestCluster()
    let pool = ConnectionPool(PoolConfiguration(url: cluster.url))
    try await pool.script("CREATE TABLE t (id bigint)")
    try cluster.start()
    #expect(Shell.run([Self.tool, "status", cluster.directory]).status == 0)
    try cluster.stop()
    try cluster.stop()
    try cluster.start()
    #expect(try await pool.run(Count()) == [0])
    await pool.close()
    try cluster.remove()
    #expect(!FileManager.default.fileExists(atPath: cluster.directory))
  }
}
