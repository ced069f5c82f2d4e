internal import CCurl

/// An origin that libcurl has taken apart, for all requests of one connection.
final class Address {
  let handle: OpaquePointer

  init(_ origin: Origin) throws(HTTPClientError) {
    guard let handle = curl_url() else { throw .system(call: "curl_url", errno: 12) }
    self.handle = handle
    let code = curl_url_set(handle, CURLUPART_URL, origin.description, 0)
    guard code == CURLUE_OK else { throw .invalidOrigin(origin.description) }
  }

  deinit { curl_url_cleanup(handle) }
}
