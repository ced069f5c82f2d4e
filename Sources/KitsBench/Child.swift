import Foundation

/// A program that was started from here.
final class Child {
  let name: String
  let processID: pid_t
  private var status: Int32?

  /// - Parameter output: where its standard output goes; errors go there too when `mergesErrors`.
  init(
    _ arguments: [String], environment: [String: String] = [:], input: Int32? = nil, output: Int32? = nil,
    mergesErrors: Bool = false
  ) throws(BenchError) {
    name = arguments[0].split(separator: "/").last.map(String.init) ?? arguments[0]
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    Self.connect(input, 0, &actions)
    Self.connect(output, 1, &actions)
    if mergesErrors { posix_spawn_file_actions_adddup2(&actions, 1, 2) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A group of its own: Ctrl-C is for this program, whose end ends the others in order.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let argv = arguments.map { strdup($0) } + [nil]
    let envp = Self.inherited.merging(environment) { $1 }.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var child = pid_t()
    let result = posix_spawnp(&child, arguments[0], &actions, &attributes, argv, envp)
    guard result == 0 else { throw BenchError("\(arguments[0]): \(String(cString: strerror(result)))") }
    processID = child
  }

  /// Blocks until it ends; 128 + n for signal n.
  @discardableResult
  func wait() -> Int32 {
    if let status { return status }
    var raw: Int32 = 0
    while waitpid(processID, &raw, 0) < 0, errno == EINTR {}
    let status = raw & 0x7f == 0 ? (raw >> 8) & 0xff : 128 + (raw & 0x7f)
    self.status = status
    return status
  }

  var isRunning: Bool {
    guard status == nil else { return false }
    var raw: Int32 = 0
    guard waitpid(processID, &raw, WNOHANG) == processID else { return true }
    status = raw & 0x7f == 0 ? (raw >> 8) & 0xff : 128 + (raw & 0x7f)
    return false
  }

  func signal(_ number: Int32) {
    if status == nil { kill(processID, number) }
  }

  /// Its standard output, once it has ended with status 0; errors too when `mergesErrors`.
  static func output(
    of arguments: [String], environment: [String: String] = [:], input: String = "", mergesErrors: Bool = false
  ) throws(BenchError) -> String {
    let toChild = try Channel.open()
    let fromChild = try Channel.open()
    defer { close(fromChild.near) }
    let child: Child
    do {
      defer {
        close(toChild.far)
        close(fromChild.far)
      }
      child = try Child(
        arguments, environment: environment, input: toChild.far, output: fromChild.far, mergesErrors: mergesErrors)
    }
    // Inputs are short: they fit into the socket.
    _ = write(toChild.near, input, input.utf8.count)
    close(toChild.near)
    let text = readAll(fromChild.near)
    let status = child.wait()
    guard status == 0 else {
      throw BenchError("\(arguments.prefix(3).joined(separator: " ")) ended with status \(status). \(text)")
    }
    return text
  }

  private static func connect(_ descriptor: Int32?, _ target: Int32, _ actions: inout posix_spawn_file_actions_t) {
    if let descriptor {
      posix_spawn_file_actions_adddup2(&actions, descriptor, target)
    } else {
      posix_spawn_file_actions_addopen(&actions, target, "/dev/null", target == 0 ? O_RDONLY : O_WRONLY, 0)
    }
  }

  /// Those of these variables that this program was started with. Children get the ones they need: a server refuses
  /// settings that it doesn't know.
  static func variables(_ names: [String]) -> [String: String] {
    names.reduce(into: [:]) {
      if let value = getenv($1) { $0[$1] = String(cString: value) }
    }
  }

  private static let inherited = variables(["PATH", "HOME", "LANG", "TMPDIR", "USER"])

  private static func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
