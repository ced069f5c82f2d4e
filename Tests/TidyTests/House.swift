/// The tables of CONTRIBUTING.md: who may import whom, and which targets stand at the rim.
enum House {
  /// Modules of the package that a target may import.
  static let imports: [String: Set<String>] = [
    "Postgres": ["CPostgres"],
    "HTTPServer": ["CMicrohttpd"],
    "HTTPClient": ["CCurl"],
    "Crypto": ["COpenSSL"],
    "JSON": ["CJansson"],
    "KitsCore": [],
    "KitsStore": ["KitsCore", "Postgres", "JSON"],
    "APNs": ["KitsCore", "HTTPClient", "Crypto", "JSON"],
    "KitsAPI": ["KitsCore", "KitsStore", "HTTPServer", "Crypto", "JSON"],
    "KitsDelivery": ["KitsCore", "KitsStore", "APNs", "HTTPClient", "Crypto"],
    "KitsIdentity": ["KitsCore", "Crypto"],
    "KitsServer": [
      "Postgres", "HTTPServer", "HTTPClient", "Crypto", "JSON", "KitsCore", "KitsStore", "APNs", "KitsAPI",
      "KitsDelivery", "KitsIdentity",
    ],
    "APNsSimulator": ["CNghttp2", "COpenSSL", "Crypto", "JSON", "HTTPServer"],
    "KitsBench": ["CCurl", "CPostgres", "Postgres", "HTTPClient", "Crypto", "JSON", "KitsAPI", "KitsIdentity"],
  ]

  /// Modules of the toolchain. Foundation is not among them: FoundationEssentials suffices and is a tenth of the size.
  static let toolchain: Set<String> = ["FoundationEssentials", "Glibc", "Synchronization", "Dispatch"]

  /// The wrappers of the C libraries: the only ones that may promise the compiler what it can't check.
  static let wrappers: Set<String> = ["Postgres", "HTTPServer", "HTTPClient", "Crypto", "JSON"]

  /// The programs: the only ones that read the environment and write to the terminal.
  static let programs: Set<String> = ["KitsServer", "APNsSimulator", "KitsBench"]

  /// Programs for developing, not for running: what they weigh doesn't matter.
  static let tools: Set<String> = ["APNsSimulator", "KitsBench"]

  static func mayImport(_ module: String, target: String) -> Bool {
    if imports[target, default: []].contains(module) { return true }
    if tools.contains(target) && module == "Foundation" { return true }
    return target == "KitsCore" ? module == "FoundationEssentials" : toolchain.contains(module)
  }
}
