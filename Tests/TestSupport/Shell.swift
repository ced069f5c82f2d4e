internal import Glibc

/// Runs a program with posix_spawn and plain waits. (Foundation's Process needs a run loop to notice the end of its
/// child, which the threads that tests run on don't have.)
package enum Shell {
  package struct Output: Sendable {
    package let status: Int32
    package let text: String
  }

  /// Blocks until it ends; standard output and errors together.
  package static func run(_ arguments: [String], environment: [String: String] = [:]) -> Output {
    var ends: [Int32] = [0, 0]
    guard channel(&ends) else { return Output(status: -1, text: "no pipe") }
    let child = spawn(arguments, environment, input: nil, output: ends[1])
    close(ends[1])
    let text = readAll(ends[0])
    close(ends[0])
    guard let child else { return Output(status: -1, text: "\(arguments[0]) could not be started") }
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
    return Output(status: (status >> 8) & 0xff, text: text)
  }

  /// Starts a shell script that runs when this process ends, however it ends: its standard input is a pipe whose
  /// other end only this process has.
  package static func atExit(_ script: String, _ arguments: [String]) {
    var ends: [Int32] = [0, 0]
    guard channel(&ends) else { return }
    let waiting = "trap '' INT TERM HUP; cat >/dev/null; " + script
    // The writing end stays open on purpose.
    _ = spawn(["/bin/sh", "-c", waiting, "sh"] + arguments, [:], input: ends[0], output: nil)
    close(ends[0])
  }

  /// A socket pair rather than a pipe, because it can be closed-on-exec from the start: a child of another thread
  /// must not inherit it.
  private static func channel(_ ends: inout [Int32]) -> Bool {
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    return socketpair(AF_UNIX, type, 0, &ends) == 0
  }

  private static func spawn(
    _ arguments: [String], _ environment: [String: String], input: Int32?, output: Int32?
  ) -> pid_t? {
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    open(input, 0, O_RDONLY, &actions)
    open(output, 1, O_WRONLY, &actions)
    open(output, 2, O_WRONLY, &actions)
    // Or a pipe that another test is just making would stay open in what runs until the end.
    // Closing what isn't open is no error.
    for descriptor in Int32(3)..<256 { posix_spawn_file_actions_addclose(&actions, descriptor) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // A group of its own, so that Ctrl-C on the tests doesn't end what cleans up after them.
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETPGROUP))
    let argv = arguments.map { strdup($0) } + [nil]
    let variables = inherited().merging(environment) { $1 }
    let envp = variables.map { strdup("\($0.key)=\($0.value)") } + [nil]
    defer { for pointer in argv + envp { free(pointer) } }
    var child = pid_t()
    return posix_spawn(&child, arguments[0], &actions, &attributes, argv, envp) == 0 ? child : nil
  }

  private static func open(
    _ descriptor: Int32?, _ target: Int32, _ mode: Int32, _ actions: inout posix_spawn_file_actions_t
  ) {
    if let descriptor {
      posix_spawn_file_actions_adddup2(&actions, descriptor, target)
    } else {
      posix_spawn_file_actions_addopen(&actions, target, "/dev/null", mode, 0)
    }
  }

  private static func inherited() -> [String: String] {
    let names = ["PATH", "HOME", "LANG", "TMPDIR", "USER"]
    return names.reduce(into: [:]) { all, name in
      if let value = getenv(name) { all[name] = String(cString: value) }
    }
  }

  private static func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = read(descriptor, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return String(decoding: bytes, as: UTF8.self) }
      bytes += buffer[..<count]
    }
  }
}
