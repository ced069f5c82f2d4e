// swift-tools-version: 6.2
import PackageDescription

/// Debian's libraries, one thin system module each: module.modulemap and shim.h, nothing else.
let libraries: [Target] = [
  .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
  .systemLibrary(name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
  .systemLibrary(name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
  .systemLibrary(name: "CMicrohttpd", pkgConfig: "libmicrohttpd", providers: [.apt(["libmicrohttpd-dev"])]),
  .systemLibrary(name: "CJansson", pkgConfig: "jansson", providers: [.apt(["libjansson-dev"])]),
  .systemLibrary(name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
]

let house: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

func target(_ name: String, imports: [String]) -> Target {
  .target(name: name, dependencies: imports.map { .byName(name: $0) }, swiftSettings: house)
}

func program(_ name: String, imports: [String]) -> Target {
  .executableTarget(name: name, dependencies: imports.map { .byName(name: $0) }, swiftSettings: house)
}

func tests(of name: String, imports: [String], vectors: Bool = false) -> Target {
  .testTarget(
    name: "\(name)Tests", dependencies: imports.map { .byName(name: $0) }, exclude: vectors ? ["Vectors"] : [],
    swiftSettings: house)
}

/// Who may import whom. The build is run with --explicit-target-dependency-import-check error, so this is the law.
let rings: [Target] = [
  target("Postgres", imports: ["CPostgres"]),
  target("HTTPServer", imports: ["CMicrohttpd"]),
  target("HTTPClient", imports: ["CCurl"]),
  target("Crypto", imports: ["COpenSSL"]),
  target("JSON", imports: ["CJansson"]),
  target("KitsCore", imports: []),
  target("KitsStore", imports: ["KitsCore", "Postgres", "JSON"]),
  target("APNs", imports: ["KitsCore", "HTTPClient", "Crypto", "JSON"]),
  target("KitsAPI", imports: ["KitsCore", "KitsStore", "HTTPServer", "Crypto", "JSON"]),
  target("KitsDelivery", imports: ["KitsCore", "KitsStore", "APNs", "HTTPClient", "Crypto"]),
  target("KitsIdentity", imports: ["KitsCore", "Crypto"]),
]

let product = [
  "Postgres", "HTTPServer", "HTTPClient", "Crypto", "JSON", "KitsCore", "KitsStore", "APNs", "KitsAPI", "KitsDelivery",
  "KitsIdentity",
]

let programs: [Target] = [
  program("KitsServer", imports: product),
  program("APNsSimulator", imports: ["CNghttp2", "COpenSSL", "Crypto", "JSON", "HTTPServer"]),
  program("KitsBench", imports: ["CCurl", "CPostgres", "Crypto", "JSON", "KitsAPI", "KitsIdentity"]),
]

let checks: [Target] = [
  .target(
    name: "TestSupport", dependencies: product.map { .byName(name: $0) }, path: "Tests/TestSupport",
    swiftSettings: house),
  tests(of: "Postgres", imports: ["Postgres", "TestSupport"]),
  tests(of: "HTTPServer", imports: ["HTTPServer", "CMicrohttpd", "TestSupport"], vectors: true),
  tests(of: "HTTPClient", imports: ["HTTPClient", "APNsSimulator", "TestSupport"], vectors: true),
  tests(of: "Crypto", imports: ["Crypto", "JSON"], vectors: true),
  tests(of: "JSON", imports: ["JSON"], vectors: true),
  tests(of: "KitsCore", imports: ["KitsCore"], vectors: true),
  tests(of: "KitsStore", imports: ["KitsCore", "KitsStore", "Postgres", "TestSupport"]),
  tests(
    of: "KitsAPI",
    imports: ["KitsAPI", "KitsCore", "KitsStore", "HTTPServer", "Crypto", "JSON", "Postgres", "TestSupport"],
    vectors: true),
  tests(
    of: "APNs", imports: ["APNs", "HTTPClient", "Crypto", "JSON", "KitsCore", "APNsSimulator", "TestSupport"]),
  tests(of: "KitsDelivery", imports: ["KitsCore", "KitsStore", "KitsDelivery", "APNs", "Postgres", "TestSupport"]),
  tests(of: "KitsIdentity", imports: ["KitsIdentity", "KitsAPI", "Crypto", "JSON", "TestSupport"]),
  tests(of: "KitsFault", imports: ["KitsServer", "APNsSimulator", "TestSupport", "Crypto", "JSON"]),
  tests(of: "KitsServer", imports: ["KitsServer", "APNsSimulator", "TestSupport"] + product),
  tests(of: "APNsSimulator", imports: ["APNsSimulator", "Crypto", "TestSupport"]),
  tests(of: "Tidy", imports: []),
]

let package = Package(
  name: "kits",
  products: [
    .executable(name: "kits", targets: ["KitsServer"]),
    .executable(name: "apns-simulator", targets: ["APNsSimulator"]),
    .executable(name: "kits-bench", targets: ["KitsBench"]),
    .library(name: "KitsIdentity", targets: ["KitsIdentity"]),
  ],
  targets: libraries + rings + programs + checks,
  swiftLanguageModes: [.v6]
)
