internal import KitsCore

extension Platform {
  static let names = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
}

extension APNsEnvironment {
  static let names = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
}

extension Permission {
  static let names = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })
}
