internal import CCurl

/// What can go wrong before a request exists, or in a call that has no outcome type of its own.
package enum HTTPClientError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The text isn't `https://host[:port]`.
  case invalidOrigin(String)
  /// A pin isn't `sha256/` + base64 of 32 bytes, or primary and backup are the same, or the mask is empty.
  case invalidPin(String)
  /// The bytes hold neither a PEM certificate nor a DER one.
  case invalidTrustAnchors(String)
  /// The answer was larger than the caller allowed.
  case responseTooLarge(limit: Int)
  /// The host has no address that may be connected to.
  case addressRefused
  /// libcurl said no; `code` is its result code.
  case curl(code: Int, String)
  /// The system said no.
  case system(call: String, errno: Int32)

  package var description: String {
    switch self {
    case .invalidOrigin(let text): "not an https://host[:port] address: \(text)"
    case .invalidPin(let why): "invalid pin: \(why)"
    case .invalidTrustAnchors(let why): "invalid trust anchors: \(why)"
    case .responseTooLarge(let limit): "the answer is larger than \(limit) bytes"
    case .addressRefused: "the host's address is not public"
    case .curl(let code, let text): "\(text) (libcurl \(code))"
    case .system(let call, let number): "\(call) failed with errno \(number)"
    }
  }
}

/// Turns a libcurl result code into an error.
func check(_ code: CURLcode) throws(HTTPClientError) {
  guard code != CURLE_OK else { return }
  throw .curl(code: Int(code.rawValue), String(cString: curl_easy_strerror(code)))
}

func check(_ code: CURLMcode) throws(HTTPClientError) {
  guard code != CURLM_OK else { return }
  throw .curl(code: Int(code.rawValue), String(cString: curl_multi_strerror(code)))
}
