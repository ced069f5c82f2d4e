/// Numbers of messages carry the time, so that days can be dropped: they are given when something starts, or ends
/// without having started.
enum MessageNumberSQL {
  static let next = "((extract(epoch FROM now()) * 1000)::bigint << 22) | nextval('message_no_seq')"
}
