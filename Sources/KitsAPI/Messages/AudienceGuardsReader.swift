internal import JSON
internal import KitsCore

/// Reads what must hold of the recipients before anything is sent: `max_recipients` and `expected_audience`.
struct AudienceGuardsReader {
  private let reader: ObjectReader

  init(_ reader: ObjectReader) {
    self.reader = reader
  }

  func read() -> AudienceGuards {
    let most = reader.integer("max_recipients", in: Limits.maxRecipients, nullIsAbsent: true)
    return AudienceGuards(maxRecipients: most, expected: expected())
  }

  private func expected() -> ExpectedAudience? {
    guard let object = reader.object("expected_audience", nullIsAbsent: true) else { return nil }
    let count = object.integer("count", in: Limits.expectedCount, nullIsAbsent: true)
    let digest = digest(object)
    object.refuseUnknown()
    return digest.map { ExpectedAudience(digest: $0, count: count) }
  }

  private func digest(_ object: ObjectReader) -> AudienceDigest? {
    guard let member = object.requiredMember("digest") else { return nil }
    guard let text = member.string(bytes: 0...AudienceDigest.digits) else { return nil }
    guard let digest = AudienceDigest(parsing: text) else {
      return member.refuse(.badFormat, "It must be the digest of an exact preview: 16 hexadecimal digits.")
    }
    return digest
  }
}
