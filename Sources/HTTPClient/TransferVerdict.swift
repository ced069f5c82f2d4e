internal import CCurl

/// What is known about a transfer that ended without an answer.
struct TransferEvidence {
  /// libcurl's result code.
  var code: CURLcode
  /// The last byte of the body was given to libcurl. Before that no server can have a complete request.
  var bodyComplete: Bool
  /// The read callback stopped it because the lease had run out.
  var leaseExpired = false
  /// libcurl reported REFUSED_STREAM for it (RST_STREAM, or a GOAWAY below its stream id): not processed, by RFC 9113.
  var refused = false
  /// Its stream id is this or higher.
  var leastStream = 0
}

/// Tells "never sent" from "unknown". Where in doubt it is unknown.
enum TransferVerdict: Equatable {
  /// Not processed; may move to another connection.
  case movable
  /// Not processed, and must not be sent any more.
  case leaseExpired
  case unknown(UnknownCause)

  init(_ evidence: TransferEvidence) {
    if evidence.leaseExpired && !evidence.bodyComplete {
      self = .leaseExpired
    } else if !evidence.bodyComplete || evidence.refused {
      self = .movable
    } else if evidence.code == CURLE_HTTP2_STREAM {
      self = .unknown(.streamReset)
    } else if evidence.code == CURLE_OPERATION_TIMEDOUT {
      self = .unknown(.deadline)
    } else {
      self = .unknown(.connectionLost(code: Int(evidence.code.rawValue)))
    }
  }

  /// Whether the connection is of no more use after this result. A stream reset and our own abort leave it alone.
  static func endsConnection(_ code: CURLcode) -> Bool {
    switch code {
    case CURLE_OK, CURLE_HTTP2_STREAM, CURLE_ABORTED_BY_CALLBACK, CURLE_OPERATION_TIMEDOUT, CURLE_WRITE_ERROR: false
    default: true
    }
  }

  /// Failures to connect that no further attempt can change: certificate, pin, anchors, address.
  static func isConfigurationFault(_ code: Int) -> Bool {
    let faults = [
      CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
      CURLE_URL_MALFORMAT, CURLE_UNSUPPORTED_PROTOCOL,
    ]
    return faults.contains { Int($0.rawValue) == code }
  }
}
