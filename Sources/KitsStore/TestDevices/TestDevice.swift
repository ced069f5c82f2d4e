package import KitsCore
import Postgres

/// An installation that a message to test devices goes to (K8).
package struct TestDevice: Sendable, Equatable {
  package let installation: InstallationID
  package let app: AppID
  package let platform: Platform
  package let model: String?
  package let externalID: String?
  package let isReachable: Bool
  package let markedAt: Timestamp

  package enum Marking: Sendable, Equatable {
    case marked(TestDevice)
    /// The app has `Limits.testDevicesPerApp` others.
    case full
  }
}

/// The columns in the order in which `decode` reads them. Queries name the app `a`, the installation `i`, the mark `m`.
enum TestDeviceRow {
  static let columns = """
    i.installation_id, a.app_id, i.platform, i.model, i.external_id, i.reachable AND \(InstallationRow.ownsToken),
    m.marked_at
    """

  static func decode(_ row: inout RowReader) throws(PostgresError) -> TestDevice {
    TestDevice(
      installation: InstallationID(try row.uuid()), app: AppID(try row.uuid()),
      platform: try row.known(Platform.self), model: try row.stringOrNil(), externalID: try row.stringOrNil(),
      isReachable: try row.bool(), markedAt: Timestamp(microseconds: try row.timestamp()))
  }
}
