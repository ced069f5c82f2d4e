import Foundation
import JSON
import TestSupport

/// A customer's receiver: a process of its own in Python that verifies with the `standardwebhooks` package and
/// misbehaves as the path says. It writes a line for everything that reaches it.
final class WebhookReceiver: Sendable {
  /// What reached it.
  struct Request: Sendable {
    let path: String
    let id: String
    let body: String
    let isVerified: Bool
    let status: Int
    /// How many requests with this path and id were being answered, this one included.
    let atOnce: Int
    /// Its place in the order in which requests came; they are written down when they end.
    let turn: Int64

    var type: String { object["type"]?.string ?? "" }
    var message: String { object["data"]?.object?["message_id"]?.string ?? "" }
    private var object: JSONObject { (try? JSON.parse(Array(body.utf8)))?.object ?? JSONObject() }
  }

  static let secret = "whsec_" + Data((0..<32).map { UInt8($0) }).base64EncodedString()

  let port: Int
  private let process: Process
  private let directory: String

  /// - Parameter certificate: PEM files of a certificate and its key, to speak TLS.
  init(certificate: (certificate: String, key: String)? = nil) async throws {
    let python = try PythonPackage.standardWebhooks.python()
    directory = NSTemporaryDirectory() + "kits-receiver-\(UUID().uuidString.lowercased())"
    try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
    let script = directory + "/receiver.py"
    try Data(Self.script.utf8).write(to: URL(fileURLWithPath: script))
    try Data(Self.secret.utf8).write(to: URL(fileURLWithPath: directory + "/secrets"))
    process = Process()
    process.executableURL = URL(fileURLWithPath: python)
    process.arguments = [script, directory] + (certificate.map { [$0.certificate, $0.key] } ?? [])
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = FileHandle.nullDevice
    let errors = directory + "/errors"
    _ = FileManager.default.createFile(atPath: errors, contents: nil)
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    let file = directory + "/port"
    let (running, place) = (process, directory)
    port = try await eventually("the receiver listens") {
      if !running.isRunning {
        throw TestFailure((try? String(contentsOfFile: place + "/errors", encoding: .utf8)) ?? "")
      }
      return (try? String(contentsOfFile: file, encoding: .utf8)).flatMap { Int($0) }
    }
  }

  deinit {
    // It has nothing to tidy, and may have inherited a mask that blocks gentler signals.
    kill(process.processIdentifier, SIGKILL)
    try? FileManager.default.removeItem(atPath: directory)
  }

  func url(_ path: String) -> String { "http://127.0.0.1:\(port)/\(path)" }

  /// From now on it knows these secrets alone.
  func trust(_ secrets: [String]) throws {
    try Data(secrets.joined(separator: "\n").utf8).write(
      to: URL(fileURLWithPath: directory + "/secrets"), options: .atomic)
  }

  /// Refuses what is about these messages, or none.
  func refuse(_ messages: [String]) throws {
    try Data(messages.joined(separator: "\n").utf8).write(
      to: URL(fileURLWithPath: directory + "/refused"), options: .atomic)
  }

  var requests: [Request] {
    let text = (try? String(contentsOfFile: directory + "/log", encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { line in
      guard let json = (try? JSON.parse(Array(line.utf8)))?.object else { return nil }
      return Request(
        path: json["path"]?.string ?? "", id: json["id"]?.string ?? "", body: json["body"]?.string ?? "",
        isVerified: json["verified"]?.bool ?? false, status: Int(json["status"]?.integer ?? 0),
        atOnce: Int(json["at_once"]?.integer ?? 0), turn: json["turn"]?.integer ?? 0)
    }.sorted { $0.turn < $1.turn }
  }

  /// What a path has taken, in the order in which it first did.
  func taken(_ path: String) -> [Request] {
    var seen: Set<String> = []
    return requests.filter { $0.path == "/" + path && $0.status == 200 && seen.insert($0.id).inserted }
  }

  private static let script = #"""
    import json, os, socket, ssl, struct, sys, threading, time
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
    from standardwebhooks import Webhook, WebhookVerificationError

    place = sys.argv[1]
    lock = threading.Lock()
    attempts, active, turns = {}, {}, iter(range(1, 1 << 40))

    def lines(name):
        try:
            with open(os.path.join(place, name)) as file:
                return [line for line in file.read().split("\n") if line]
        except FileNotFoundError:
            return []

    def verified(body, headers):
        for secret in lines("secrets"):
            try:
                Webhook(secret).verify(body, headers)
            except WebhookVerificationError:
                return False
        return True

    class Receiver(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *arguments):
            pass

        def answer(self, status, headers=(), body=b""):
            self.send_response(status)
            for name, value in headers:
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_GET(self):
            self.do_POST()

        def do_POST(self):
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            event = self.headers.get("webhook-id") or ""
            key = (self.path, event)
            with lock:
                attempts[key] = attempts.get(key, 0) + 1
                active[key] = active.get(key, 0) + 1
                attempt, at_once, turn = attempts[key], active[key], next(turns)
            try:
                status = self.act(body, event, attempt)
            finally:
                with lock:
                    active[key] -= 1
            line = {
                "path": self.path, "id": event, "body": body.decode(), "status": status, "at_once": at_once,
                "turn": turn, "verified": verified(body, dict(self.headers)),
            }
            with lock, open(os.path.join(place, "log"), "a") as log:
                log.write(json.dumps(line) + "\n")

        def act(self, body, event, attempt):
            kind = self.path.strip("/")
            first = attempt == 1
            if any(message in body.decode() for message in lines("refused")) and kind == "poison":
                self.answer(500)
                return 500
            if kind == "flaky" and first:
                self.answer(500)
                return 500
            if kind == "down":
                self.answer(503)
                return 503
            if kind == "gone":
                self.answer(410)
                return 410
            if kind == "redirect" and first:
                port = self.server.server_address[1]
                self.answer(302 + attempt % 2 * 5, [("Location", f"http://127.0.0.1:{port}/inside")])
                return 307
            if kind == "reset" and first:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
                self.wfile = open(os.devnull, "wb")
                return 0
            if kind == "slow" and first:
                time.sleep(3)
                return 0
            if kind == "huge":
                self.send_response(200)
                self.send_header("Content-Length", str(1 << 40))
                self.end_headers()
                try:
                    while True:
                        self.wfile.write(b"x" * 65536)
                except OSError:
                    self.close_connection = True
                self.wfile = open(os.devnull, "wb")
                return 200
            self.answer(200)
            return 200

    server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    server.daemon_threads = True
    if len(sys.argv) > 2:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        server.socket = context.wrap_socket(server.socket, server_side=True)
    draft = os.path.join(place, "port.draft")
    with open(draft, "w") as file:
        file.write(str(server.server_address[1]))
    os.rename(draft, os.path.join(place, "port"))
    # However the tests end, this ends with them.
    tests = os.getppid()
    threading.Thread(target=server.serve_forever, daemon=True).start()
    while os.getppid() == tests:
        time.sleep(0.5)
    """#
}
