import Foundation
import Postgres
import TestSupport
import Testing

@testable import KitsStore

/// All SQL of the product, in one place.
enum StatementCatalogue {
  static let all: [any Statement.Type] = [
    AckSingles.self,
    AckWindow.self,
    AddIdentityKey.self,
    AddMasterKeyChecks.self,
    AddReason.self,
    AddTestDevice.self,
    AdmitMessageCreations.self,
    AdvanceImportRun.self,
    ApplyIdentityOperations.self,
    AuthenticateServerKeys.self,
    BeginImportRun.self,
    CancelMessage.self,
    ChangeEnvironment.self,
    ChangeSigning.self,
    ChangeTags.self,
    ClaimChunk.self,
    ClaimMaintenance.self,
    ClaimPlan.self,
    ClaimRetries.self,
    ClaimSingles.self,
    CountLedgerMismatches.self,
    CountMissingRollUps.self,
    CountOpenOfDay.self,
    CountOutcomes.self,
    CreateApp.self,
    CreateEnvironment.self,
    CreateMessages.self,
    CreateProject.self,
    CreateSegment.self,
    CreateServerKey.self,
    CreateSigningSecret.self,
    DeleteEnvironmentInstallation.self,
    DeleteOwnInstallation.self,
    DeleteSegment.self,
    EnsurePartitions.self,
    EraseUser.self,
    ExamineSuspects.self,
    FindAppHome.self,
    FindEarlierSegment.self,
    FindEnvironment.self,
    FindIdentityKey.self,
    FindImportRun.self,
    FindImportTarget.self,
    FindPartitions.self,
    FindRegistration.self,
    FindSigning.self,
    FindUnmatched.self,
    FindUnmatchedUsers.self,
    FinishMessage.self,
    FinishRetry.self,
    FixAudience.self,
    ForgetAudit.self,
    ForgetContents.self,
    ForgetErasedUsers.self,
    ForgetIdempotencyKeys.self,
    ForgetIdentityOperations.self,
    ForgetMessages.self,
    ForgetProviderTokens.self,
    ForgetRegistrationKeys.self,
    ForgetRejections.self,
    ForgetSummaries.self,
    ForgetTagKeys.self,
    HastenRetries.self,
    InsertStagedInstallations.self,
    ListAppKeys.self,
    ListApps.self,
    ListAppsWithSingles.self,
    ListAudit.self,
    ListEnvironments.self,
    ListFinishable.self,
    ListIdentityKeys.self,
    ListInstallations.self,
    ListInvalidIndexes.self,
    ListLongTransactions.self,
    ListMasterKeyChecks.self,
    ListMessages.self,
    ListMissingDays.self,
    ListOpenMessages.self,
    ListPartitions.self,
    ListPauses.self,
    ListRejections.self,
    ListSegmentUses.self,
    ListSegments.self,
    ListServerKeys.self,
    ListSigningSealers.self,
    ListTagKeys.self,
    ListTestDevices.self,
    ListUncheckedAPNsKeys.self,
    ListUserInstallations.self,
    OpenCircuit.self,
    PauseApp.self,
    PlanPageOfEveryone.self,
    PlanPageOfNamed.self,
    PostponeRetry.self,
    ReadAckedTo.self,
    ReadAppByPublicKey.self,
    ReadAudience.self,
    ReadBacklog.self,
    ReadClock.self,
    ReadDispatchable.self,
    ReadEnvironmentIdentity.self,
    ReadEnvironmentInstallation.self,
    ReadMessage.self,
    ReadMessageSegments.self,
    ReadOwnIdentity.self,
    ReadOwnInstallation.self,
    ReadProviderToken.self,
    ReadReasons.self,
    ReadSegment.self,
    ReadSegments.self,
    ReadServer.self,
    ReadSigningOfApp.self,
    ReadSigningOfPublicKey.self,
    ReadWork.self,
    RecordFeedback.self,
    RecordRefusal.self,
    RecordSessions.self,
    RefusePlan.self,
    RegisterInstallations.self,
    ReleaseChunk.self,
    ReleaseMaintenance.self,
    ReleaseSingles.self,
    RememberSuspects.self,
    RemoveTestDevice.self,
    RenewMaintenance.self,
    ReplaceProviderToken.self,
    ReplaceSegment.self,
    ResumeApp.self,
    RevealSigningSecrets.self,
    RevokeIdentityKey.self,
    RevokePreviousSigningSecret.self,
    RevokeServerKey.self,
    RollUpMessages.self,
    RotateSigningSecret.self,
    SearchInstallationsByToken.self,
    SearchInstallationsByUser.self,
    SearchTestDevices.self,
    SetAPNsKey.self,
    StopExpiredPlans.self,
    SupersedeInstallations.self,
    SweepChunks.self,
    SweepReplacedImports.self,
    SweepTokenOwners.self,
    UpdateInstallations.self,
  ]
}

struct StatementCatalogueTests {
  @Test("Every statement of the sources is in the catalogue")
  func complete() throws {
    let root = TestCluster.repository + "/Sources/KitsStore"
    let files = try #require(FileManager.default.subpaths(atPath: root)).filter { $0.hasSuffix(".swift") }
    var declared: Set<String> = []
    for file in files {
      let text = try String(contentsOfFile: "\(root)/\(file)", encoding: .utf8)
      for match in text.matches(of: /struct (\w+): [^{\n]*\bStatement\b/) { declared.insert(String(match.1)) }
    }
    #expect(declared == Set(StatementCatalogue.all.map { "\($0)" }))
  }

  @Test("Every statement can be prepared against the migrated schema")
  func prepares() async throws {
    try await withDatabase { url in
      var configuration = PoolConfiguration(url: url)
      configuration.size = 1
      let pool = ConnectionPool(configuration)
      try await pool.script(ImportStaging.ddl)
      for (index, statement) in StatementCatalogue.all.enumerated() {
        await #expect(throws: Never.self, "\(statement)") {
          try await pool.script("PREPARE s\(index) AS \(statement.sql)")
        }
      }
      await pool.close()
    }
  }
}
