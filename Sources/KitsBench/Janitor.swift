import Foundation

/// A shell that cleans up when this process is gone, however it went: its standard input is a socket whose other end
/// only this process holds open. So nothing is left after a failure, Ctrl-C or a kill.
final class Janitor {
  private let shell: Child
  private let line: Int32

  private static let script = """
    trap '' INT TERM HUP
    pids=
    while read -r pid; do
      case "$pid" in
        done) pids= ;;
        -*) rest=; for p in $pids; do [ "-$p" = "$pid" ] || rest="$rest $p"; done; pids=$rest ;;
        *) pids="$pids $pid" ;;
      esac
    done
    if [ -n "$pids" ]; then
      kill -CONT $pids 2>/dev/null
      kill -TERM $pids 2>/dev/null
      for i in $(seq 50); do kill -0 $pids 2>/dev/null || break; sleep 0.1; done
      kill -KILL $pids 2>/dev/null
    fi
    "$1/deploy/postgres" remove "$2/postgres" >/dev/null 2>&1
    rm -rf "$2"
    """

  init(root: String, directory: String) throws(BenchError) {
    let channel = try Channel.open()
    defer { close(channel.far) }
    shell = try Child(["/bin/sh", "-c", Self.script, "sh", root, directory], input: channel.far)
    line = channel.near
  }

  /// To be ended with this process.
  func watch(_ child: Child) { tell("\(child.processID)\n") }

  /// It has ended: its number may become another's.
  func forget(_ child: Child) { tell("-\(child.processID)\n") }

  /// Ends the children, newest first, and returns when everything is removed.
  func clean(_ children: [Child]) {
    for child in children.reversed() {
      child.signal(SIGCONT)
      child.signal(SIGTERM)
      child.wait()
    }
    tell("done\n")
    close(line)
    shell.wait()
  }

  private func tell(_ text: String) { _ = write(line, text, text.utf8.count) }
}
