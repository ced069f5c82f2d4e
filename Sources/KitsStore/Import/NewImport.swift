package import KitsCore

/// An imported row with the ids that it gets when its push token is new.
package struct NewImport: Sendable {
  package let id: InstallationID
  package let bindingID: BindingID
  package let installation: ImportedInstallation

  package init(id: InstallationID, bindingID: BindingID, installation: ImportedInstallation) {
    self.id = id
    self.bindingID = bindingID
    self.installation = installation
  }
}
