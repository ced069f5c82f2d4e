internal import CCurl

extension Easy {
  /// Verification stays on whatever happens; anchors add to the system's, pins are checked on top.
  func applyTLS(_ options: TLSOptions, host: String) {
    set(CURLOPT_SSL_VERIFYPEER, 1)
    set(CURLOPT_SSL_VERIFYHOST, 2)
    set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    // The system's directory of anchors stays in force beside the blob; Debian's libcurl knows it by default.
    if let anchors = options.anchors { set(CURLOPT_CAINFO_BLOB, blob: anchors.pem) }
    if let pins = options.pinList(for: host) { set(CURLOPT_PINNEDPUBLICKEY, pins) }
  }
}
