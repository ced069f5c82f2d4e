import FoundationEssentials

/// The files of the repository, found from where this file lies.
enum SourceTree {
  static let root: String = {
    var parts = #filePath.split(separator: "/", omittingEmptySubsequences: false)
    parts.removeLast(3)
    return parts.joined(separator: "/")
  }()

  /// Third-party test data and what a build or a run leaves behind; no rule is about them.
  private static let foreign: Set<String> = [".build", ".git", ".local", "Vectors", "__pycache__"]

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: "\(root)/\(path)")
  }

  /// The UTF-8 files under a folder (or that one file) that end in one of the suffixes; none when it doesn't exist.
  static func files(_ path: String, suffixes: [String]) throws -> [SourceFile] {
    try paths(path).filter { name in suffixes.contains { name.hasSuffix($0) } }.compactMap { name in
      guard let data = FileManager.default.contents(atPath: "\(root)/\(name)") else { throw Unreadable(path: name) }
      guard let text = String(validating: data, as: UTF8.self) else { return nil }
      return SourceFile(path: name, text: text)
    }
  }

  /// Swift sources under `Sources`, `Tests`, or a folder of these.
  static func swift(_ folders: String...) throws -> [SourceFile] {
    let all = try swiftFiles.get()
    return folders.flatMap { folder in all.filter { $0.path.hasPrefix(folder + "/") } }
  }

  /// Split once for all rules.
  private static let swiftFiles = Result {
    try ["Sources", "Tests"].flatMap { try files($0, suffixes: [".swift"]) }
  }

  private static func paths(_ path: String) throws -> [String] {
    var isFolder = false
    let full = path.isEmpty ? root : "\(root)/\(path)"
    guard FileManager.default.fileExists(atPath: full, isDirectory: &isFolder) else { return [] }
    if !isFolder { return [path] }
    return try FileManager.default.contentsOfDirectory(atPath: full).sorted()
      .filter { !foreign.contains($0) }
      .flatMap { try paths(path.isEmpty ? $0 : "\(path)/\($0)") }
  }

  /// A file that is listed and can't be read: the rules would silently skip it.
  struct Unreadable: Error {
    let path: String
  }
}
