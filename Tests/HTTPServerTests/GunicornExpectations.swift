/// The statuses that each case of the corpus gets once it has a Host (see `GunicornCorpusTests.withHost`).
enum GunicornExpectations {
  /// Taken by the project, refused here: bodies on GET, transfer codings beside chunked, raw bytes in the target,
  /// unknown methods, CONNECT, folding, PROXY lines, empty path segments, long targets, cut requests, a second host.
  static let refusedHere: Set<String> = [
    "valid/008", "valid/009", "valid/020", "valid/024", "valid/025", "valid/025_line", "valid/027", "valid/028",
    "valid/029", "valid/030", "valid/031", "valid/031compat", "valid/031compat2", "valid/040", "valid/040_compat",
    "valid/099", "valid/100", "valid/compat_obs_fold", "valid/compat_obs_fold_huge", "valid/pp_01", "valid/pp_02",
    "valid/pp_04", "valid/pp_05", "valid/rfc9110_body_framing_get_cl_nonzero_01",
    "valid/rfc9112_smuggle_gzip_chunked_01", "valid/rfc9112_smuggle_te_identity_chunked_01",
    "valid/rfc9112_target_absolute_userinfo_01", "valid/rfc9112_target_asterisk_options_01",
    "valid/rfc9112_target_authority_connect_01", "valid/rfc9112_target_authority_ipv6_01",
  ]

  /// Refused by the project, taken here: its limits or settings are others (nearly all), and a bare CR in a chunk
  /// extension, which the library swallows; the connection is closed after every chunked request.
  static let takenHere: Set<String> = [
    "invalid/007", "invalid/008", "invalid/010", "invalid/011", "invalid/012", "invalid/017", "invalid/019",
    "invalid/041", "invalid/chunked_07", "invalid/chunked_14", "invalid/limit_header_default_01",
  ]

  /// Two requests in one case, both to be answered; every other case gets at most one answer.
  static let answeredTwice: Set<String> = ["valid/018", "valid/022"]

  /// Statuses that aren't 400, for what is refused.
  static let otherStatus: [String: Int] = [
    "invalid/003c": 501,
    "invalid/006": 414,
    "invalid/009": 431,
    "invalid/version_02": 505,
    "valid/024": 414,
    "valid/031": 501,
    "valid/031compat": 501,
    "valid/031compat2": 501,
    "valid/100": 404,
    "valid/rfc9112_target_asterisk_options_01": 404,
    "valid/rfc9112_target_authority_connect_01": 501,
    "valid/rfc9112_target_authority_ipv6_01": 501,
  ]

  /// Cut short before a request was there: closed, or 408 when the deadline was faster.
  static let closedSilently: Set<String> = [
    "invalid/rfc9112_chunked_missing_final_crlf_01", "valid/099",
    "invalid/001", "invalid/003", "valid/pp_04", "valid/pp_05",
  ]
}
