import Foundation
import HTTPServer
import JSON

/// The line that tells where everything is.
enum ReadyLine {
  static func write(_ setup: Setup, _ options: Options) -> [UInt8] {
    var writer = JSONWriter()
    writer.beginObject()
    writer.member("pid", Int(getpid()))
    writer.member("address", options.address)
    writer.member("port", Int(setup.listener.port))
    writer.member("admin_port", setup.admin.port)
    writer.member("ca_file", options.certificateFile)
    writer.member("fast", options.isFast)
    writer.endObject()
    return writer.bytes + [0x0A]
  }
}
