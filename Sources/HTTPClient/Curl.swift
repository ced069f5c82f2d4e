internal import CCurl

/// Library-wide set-up, done once before the first handle.
enum Curl {
  static let ready: Void = {
    curl_global_init(Int(CURL_GLOBAL_DEFAULT))
  }()

  static func text(_ code: CURLcode) -> String { String(cString: curl_easy_strerror(code)) }
}

/// An easy handle that is owned elsewhere: only names for the option calls.
///
/// Setting an option fails only for an unknown option or no memory, so a failure here is a wrong build, not an event.
struct Easy {
  let handle: UnsafeMutableRawPointer

  func set(_ option: CURLoption, _ value: Int) { must(kits_easy_set_long(handle, option, value)) }
  func set(_ option: CURLoption, offset value: Int) {
    must(kits_easy_set_offset(handle, option, curl_off_t(value)))
  }
  func set(_ option: CURLoption, _ value: UnsafeRawPointer?) { must(kits_easy_set_pointer(handle, option, value)) }
  func set(_ option: CURLoption, _ value: String) {
    value.withCString { must(kits_easy_set_pointer(handle, option, $0)) }
  }
  func set(_ option: CURLoption, blob: [UInt8]) {
    var bytes = blob
    bytes.withUnsafeMutableBytes { buffer in
      var blob = curl_blob(data: buffer.baseAddress, len: buffer.count, flags: UInt32(CURL_BLOB_COPY))
      withUnsafePointer(to: &blob) { must(kits_easy_set_pointer(handle, option, $0)) }
    }
  }

  func long(_ info: CURLINFO) -> Int {
    var value = 0
    return kits_easy_get_long(handle, info, &value) == CURLE_OK ? value : 0
  }
  func offset(_ info: CURLINFO) -> Int {
    var value: curl_off_t = 0
    return kits_easy_get_offset(handle, info, &value) == CURLE_OK ? Int(value) : 0
  }
  var privatePointer: UnsafeMutableRawPointer? {
    var value: UnsafeMutableRawPointer?
    return kits_easy_get_pointer(handle, CURLINFO_PRIVATE, &value) == CURLE_OK ? value : nil
  }

  private func must(_ code: CURLcode) {
    precondition(code == CURLE_OK, "libcurl refused an option: \(Curl.text(code))")
  }
}
