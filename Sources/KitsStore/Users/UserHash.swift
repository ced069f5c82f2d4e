/// How an erased user is remembered: SHA-256 of the environment's id as text, a NUL, and the bytes of the external id.
enum UserHash {
  /// An expression for the hash, a `bytea`.
  static func sql(environment: String, user: String) -> String {
    #"sha256(convert_to(\#(environment)::text, 'UTF8') || '\x00'::bytea || convert_to(\#(user), 'UTF8'))"#
  }
}
