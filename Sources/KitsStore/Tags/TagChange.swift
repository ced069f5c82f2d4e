package import KitsCore

/// What an installation tells about the tags of its user (K7).
package struct TagChange: Sendable {
  package let app: AppNumber
  package let installation: InstallationNumber
  package let generation: Int32
  /// The binding that the tags are meant for.
  package let expectedBinding: BindingID
  package let values: [String: String]
  package let removed: Set<String>

  package init(
    app: AppNumber, installation: InstallationNumber, generation: Int32, expectedBinding: BindingID,
    values: [String: String], removed: Set<String>
  ) {
    self.app = app
    self.installation = installation
    self.generation = generation
    self.expectedBinding = expectedBinding
    self.values = values
    self.removed = removed
  }

  package enum Answer: Sendable, Equatable {
    /// All tags of the binding as they are now.
    case tags([String: String])
    /// Another user's by now, or nobody's: nothing changed.
    case bindingChanged(BindingState)
    /// The device doesn't consent to it (K2): nothing changed.
    case collectionOff
    /// There would be more than `Limits.tags`: nothing changed.
    case tooMany
    /// Keys and values would be more than `Limits.tagsBytes`: nothing changed.
    case tooLarge
    /// The device token is of an older generation, or its installation is gone.
    case tokenInvalid
  }
}

extension TagChange {
  /// About what it takes in a batch.
  var byteCount: Int {
    values.reduce(128) { $0 + $1.key.utf8.count + $1.value.utf8.count } + removed.reduce(0) { $0 + $1.utf8.count }
  }
}
