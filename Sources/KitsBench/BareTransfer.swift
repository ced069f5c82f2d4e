import CCurl
import Foundation

/// One reused easy handle: the headers and the body that the server sends, with other digits each time.
final class BareTransfer {
  let handle: UnsafeMutableRawPointer
  private let text: UnsafeMutableBufferPointer<UInt8>
  private let nodes: UnsafeMutablePointer<curl_slist>
  private let tokenPlace: Int
  private let idPlaces: [Int]

  init(_ job: BareJob) throws(BenchError) {
    guard let handle = curl_easy_init() else { throw BenchError("curl_easy_init failed") }
    self.handle = handle
    let lines = job.lines
    text = .allocate(capacity: lines.reduce(0) { $0 + $1.utf8.count + 1 })
    nodes = .allocate(capacity: lines.count - 1)
    var starts: [Int] = []
    var end = 0
    for line in lines {
      starts.append(end)
      for byte in line.utf8 + [0] {
        text[end] = byte
        end += 1
      }
    }
    tokenPlace = lines[0].utf8.count - HexField.emptyToken.utf8.count
    idPlaces = lines.indices.dropFirst().compactMap { index in
      lines[index].hasSuffix(HexField.emptyUUID) ? starts[index] + lines[index].utf8.count - 36 : nil
    }
    for (index, start) in starts.dropFirst().enumerated() {
      let next = index + 2 < starts.count ? nodes + index + 1 : nil
      let line = text.baseAddress.map { UnsafeMutableRawPointer($0 + start).assumingMemoryBound(to: CChar.self) }
      (nodes + index).initialize(to: curl_slist(data: line, next: next))
    }
    setOptions(job)
  }

  deinit {
    curl_easy_cleanup(handle)
    text.deallocate()
    nodes.deallocate()
  }

  func renew(_ random: inout SplitMix) {
    guard let bytes = text.baseAddress else { return }
    HexField.fill(bytes + tokenPlace, 64, &random)
    for place in idPlaces { HexField.fillUUID(bytes + place, &random) }
    kits_easy_set_pointer(handle, CURLOPT_URL, bytes)
    kits_easy_set_pointer(handle, CURLOPT_HTTPHEADER, nodes)
  }

  var status: Int {
    var value = 0
    kits_easy_get_long(handle, CURLINFO_RESPONSE_CODE, &value)
    return value
  }

  private func setOptions(_ job: BareJob) {
    kits_easy_set_pointer(handle, CURLOPT_PRIVATE, Unmanaged.passUnretained(self).toOpaque())
    kits_easy_set_long(handle, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
    kits_easy_set_long(handle, CURLOPT_PIPEWAIT, 1)
    kits_easy_set_long(handle, CURLOPT_NOSIGNAL, 1)
    kits_easy_set_long(handle, CURLOPT_POST, 1)
    kits_easy_set_pointer(handle, CURLOPT_PROXY, "")
    kits_easy_set_pointer(handle, CURLOPT_CAINFO, job.certificateFile)
    kits_easy_set_long(handle, CURLOPT_POSTFIELDSIZE, job.payload.count)
    job.payload.withUnsafeBytes { _ = kits_easy_set_pointer(handle, CURLOPT_COPYPOSTFIELDS, $0.baseAddress) }
    kits_easy_set_write(handle) { _, size, count, _ in size * count }
  }
}
