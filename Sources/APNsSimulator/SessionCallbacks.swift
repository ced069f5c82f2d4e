import CNghttp2

/// nghttp2's callbacks, set once per worker. Each finds its `Connection` in the session's user data, which the
/// connection outlives by construction: it deletes the session in its `deinit`.
final class SessionCallbacks {
  let pointer: OpaquePointer

  init() {
    var callbacks: OpaquePointer?
    guard nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks else {
      fatalError("nghttp2 has no memory for its callbacks: the process has just started and cannot go on")
    }
    pointer = callbacks
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { _, frame, user in
      if let frame, frame.pointee.hd.type == UInt8(NGHTTP2_HEADERS.rawValue),
        frame.pointee.headers.cat == NGHTTP2_HCAT_REQUEST
      {
        connection(user)?.streamOpened(frame.pointee.hd.stream_id)
      }
      return 0
    }
    nghttp2_session_callbacks_set_on_header_callback(callbacks) {
      _, frame, name, nameLength, value, valueLength, _, user in
      guard let frame else { return 0 }
      connection(user)?.header(
        frame.pointee.hd.stream_id, name: UnsafeBufferPointer(start: name, count: nameLength),
        value: UnsafeBufferPointer(start: value, count: valueLength))
      return 0
    }
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) { _, _, stream, bytes, count, user in
      connection(user)?.data(stream, UnsafeBufferPointer(start: bytes, count: count))
      return 0
    }
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, user in
      guard let frame else { return 0 }
      frameReceived(frame, user)
      return 0
    }
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, stream, _, user in
      connection(user)?.streamClosed(stream)
      return 0
    }
  }

  deinit { nghttp2_session_callbacks_del(pointer) }
}

private func connection(_ user: UnsafeMutableRawPointer?) -> Connection? {
  user.map { Unmanaged<Connection>.fromOpaque($0).takeUnretainedValue() }
}

private func frameReceived(_ frame: UnsafePointer<nghttp2_frame>, _ user: UnsafeMutableRawPointer?) {
  let head = frame.pointee.hd
  switch UInt32(head.type) {
  case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
    if UInt32(head.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0 {
      connection(user)?.requestComplete(head.stream_id)
    }
  case NGHTTP2_RST_STREAM.rawValue:
    connection(user)?.worker.tally.resetsReceived += 1
  default: break
  }
}
