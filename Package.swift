// swift-tools-version: 6.2
import Foundation
import PackageDescription

// Debian's libraries, one thin system module each: module.modulemap and shim.h, nothing else.
let libraries: [(module: String, pkgConfig: String, package: String)] = [
  ("CPostgres", "libpq", "libpq-dev"),
  ("CCurl", "libcurl", "libcurl4-openssl-dev"),
  ("COpenSSL", "openssl", "libssl-dev"),
  ("CMicrohttpd", "libmicrohttpd", "libmicrohttpd-dev"),
  ("CJansson", "jansson", "libjansson-dev"),
  ("CNghttp2", "libnghttp2", "libnghttp2-dev"),
]

// Who may import whom (the build is run with --explicit-target-dependency-import-check error).
let rings: [(name: String, imports: [String])] = [
  ("Postgres", ["CPostgres"]),
  ("HTTPServer", ["CMicrohttpd"]),
  ("HTTPClient", ["CCurl"]),
  ("Crypto", ["COpenSSL"]),
  ("JSON", ["CJansson"]),
  ("KitsCore", []),
  ("KitsStore", ["KitsCore", "Postgres", "JSON"]),
  ("APNs", ["KitsCore", "HTTPClient", "Crypto", "JSON"]),
  ("KitsAPI", ["KitsCore", "KitsStore", "HTTPServer", "Crypto", "JSON"]),
  ("KitsDelivery", ["KitsCore", "KitsStore", "APNs", "Crypto"]),
]

let programs: [(name: String, product: String, imports: [String])] = [
  (
    "KitsServer", "kits",
    [
      "Postgres", "HTTPServer", "HTTPClient", "Crypto", "JSON", "KitsCore", "KitsStore", "APNs", "KitsAPI",
      "KitsDelivery",
    ]
  ),
  ("APNsSimulator", "apns-simulator", ["CNghttp2", "COpenSSL", "Crypto", "JSON", "HTTPServer"]),
  ("KitsBench", "kits-bench", ["CCurl", "CPostgres", "Postgres", "HTTPClient", "Crypto", "JSON"]),
]

let house: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .treatAllWarnings(as: .error),
]

func exists(_ path: String) -> Bool {
  FileManager.default.fileExists(atPath: "\(Context.packageDirectory)/\(path)")
}

func dependencies(_ names: [String]) -> [Target.Dependency] {
  names.filter { exists("Sources/\($0)") }.map { .byName(name: $0) }
}

var targets: [Target] = libraries.map {
  .systemLibrary(
    name: $0.module, path: "Sources/\($0.module)", pkgConfig: $0.pkgConfig, providers: [.apt([$0.package])])
}
targets += rings.filter { exists("Sources/\($0.name)") }.map {
  .target(name: $0.name, dependencies: dependencies($0.imports), swiftSettings: house)
}
targets += programs.filter { exists("Sources/\($0.name)") }.map {
  .executableTarget(name: $0.name, dependencies: dependencies($0.imports), swiftSettings: house)
}
let everything = rings.map(\.name) + programs.map(\.name)
if exists("Tests/TestSupport") {
  targets.append(
    .target(
      name: "TestSupport", dependencies: dependencies(everything), path: "Tests/TestSupport", swiftSettings: house))
}
targets += (everything + ["Tidy"]).filter { exists("Tests/\($0)Tests") }.map { name in
  .testTarget(
    name: "\(name)Tests",
    dependencies: dependencies(everything) + (exists("Tests/TestSupport") ? [.byName(name: "TestSupport")] : []),
    exclude: exists("Tests/\(name)Tests/Vectors") ? ["Vectors"] : [],
    swiftSettings: house)
}

let package = Package(
  name: "kits",
  products: programs.filter { exists("Sources/\($0.name)") }.map { .executable(name: $0.product, targets: [$0.name]) },
  targets: targets,
  swiftLanguageModes: [.v6]
)
