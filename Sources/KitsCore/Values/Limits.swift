/// Every limit on what a client may send, in one place. Bytes are UTF-8 bytes. Each is tested at its edge.
package enum Limits {
  // Requests
  package static let bodyBytes = 256 * 1024
  package static let messageBodyBytes = 2 * 1024 * 1024
  package static let jsonDepth = 32
  package static let idempotencyKeyBytes = 1...255
  package static let pageSize = 1...100
  package static let defaultPageSize = 20

  // Installations
  package static let iosPushTokenCharacters = 8...200
  package static let androidPushTokenCharacters = 1...4_096
  package static let versionBytes = 1...64
  package static let modelBytes = 1...64
  package static let languageBytes = 2...64
  package static let timeZoneBytes = 1...64
  package static let externalIDBytes = 1...256
  package static let externalDeviceIDBytes = 1...256
  package static let identifierMessageBytes = 0...256
  package static let identifierHashDigits = 64
  package static let identifierValueBytes = 1...256
  package static let stateRevision: ClosedRange<Int64> = 1...9_007_199_254_740_991

  // Sessions
  package static let sessionNumber: ClosedRange<Int64> = 1...9_007_199_254_740_991
  /// Thirty days: nobody has an app in the foreground for longer without a break.
  package static let sessionForegroundSeconds: ClosedRange<Int64> = 0...2_592_000
  /// How far a device's clock may be ahead of ours, and how far back a start may lie. What is beyond is taken for the
  /// bound.
  package static let sessionSkewSeconds: Int64 = 300
  package static let sessionAgeSeconds: Int64 = 2_592_000
  /// The newest sessions of an installation by number, about which reports are still taken.
  package static let sessionsKept = 16

  // Request signing
  package static let signingBucketSeconds: ClosedRange<Int64> = 60...3_600

  // Identity
  package static let identityTokenBytes = 1...8_192
  package static let identityKeyIDBytes = 1...64
  package static let identityKeys = 100
  package static let identityTokenLifetimeSeconds: ClosedRange<Int64> = 1...3_600
  /// How far a customer's clock may be ahead of ours: tolerated for `iat` and `nbf`, never added to `exp`.
  package static let identityTokenSkewSeconds: Int64 = 60
  /// 1970-01-01T00:00:01Z to the end of 9999: milliseconds in place of seconds are beyond it.
  package static let identityTokenTime: ClosedRange<Int64> = 1...253_402_300_799
  package static let policyRevision: ClosedRange<Int64> = 1...9_007_199_254_740_991
  /// How long a `kitid1.…` proof lives.
  package static let legacyProofSeconds: ClosedRange<Int64> = 1...300

  // Events of notifications, and activity
  package static let eventsPerCall = 100
  /// How long after its sending a delivery's events are taken.
  package static let eventAgeSeconds: Int64 = 2_592_000
  package static let receiptBodyBytes = 4 * 1024
  /// Of a delivery id and of a receipt token; genuine ones have a fixed length.
  package static let markBytes = 1...512
  package static let activityNameBytes = 1...64
  package static let activityPropertiesBytes = 4 * 1024
  /// Names of all types that an app may use.
  package static let activityNames = 1_000

  // Tags and test devices
  package static let tags = 64
  package static let tagKeyBytes = 64
  package static let tagValueBytes = 256
  /// Keys and values of one installation together.
  package static let tagsBytes = 8_192
  /// Keys of an app that are listed. Devices may have others.
  package static let tagKeysPerApp = 10_000
  package static let testDevicesPerApp = 100
  package static let pushTokenSuffixCharacters = 8...256

  // Messages
  package static let targetIDs = 1...20_000
  package static let unmatchedSample = 20
  package static let textBytes = 1...4_000
  package static let localizations = 100
  package static let urlBytes = 1...2_048
  package static let categoryBytes = 1...64
  package static let soundNameBytes = 1...128
  package static let threadIDBytes = 1...256
  package static let collapseIDBytes = 1...64
  package static let soundVolume: ClosedRange<Double> = 0...1
  package static let relevanceScore: ClosedRange<Double> = 0...1
  package static let badge: ClosedRange<Int64> = 0...2_147_483_647
  package static let ttlSeconds: ClosedRange<Int64> = 0...2_419_200
  package static let defaultTTLSeconds: Int64 = 259_200
  package static let maxRecipients: ClosedRange<Int64> = 1...9_007_199_254_740_991
  package static let expectedCount: ClosedRange<Int64> = 0...9_007_199_254_740_991
  /// How far ahead a message may be scheduled: ninety days.
  package static let scheduleAheadSeconds: Int64 = 7_776_000
  /// How far back a time may lie, so that a request that was slow isn't refused; the message then starts at once.
  package static let schedulePastSeconds: Int64 = 60
  package static let messageRevision: ClosedRange<Int64> = 1...9_007_199_254_740_991
  package static let throttlePerMinute: ClosedRange<Int64> = 1...6_000_000
  /// Apple, "Generating a remote notification": 4,096 bytes for everything but VoIP.
  package static let apnsPayloadBytes = 4_096

  // Reading what became of messages
  package static let deliveriesPage = 1...1_000
  package static let defaultDeliveriesPage = 100
  package static let reasonBytes = 1...64
  /// How long after its start a timeline goes on to now, and is worth asking for again and again.
  package static let timelineYoungSeconds: Int64 = 86_400
  package static let timelineRefreshSeconds = 5
  /// How many messages to more than one device are looked through for the history of a device.
  package static let historyLargerMessages = 200

  // Filters and segments
  /// Groups on the way to a condition, and the condition.
  package static let filterDepth = 8
  /// Conditions; a group without any counts as one.
  package static let filterLeaves = 200
  package static let filterValues = 1...100
  package static let filterCount: ClosedRange<Int64> = 0...9_007_199_254_740_991
  /// A hundred years.
  package static let filterSeconds: ClosedRange<Int64> = 1...3_155_760_000
  package static let filterDecimalBytes = 1...64
  package static let segmentNameBytes = 1...128
  package static let segmentsPerApp = 1_000
  package static let segmentsPerAudience = 1...20
  package static let segmentRevision: ClosedRange<Int64> = 1...9_007_199_254_740_991
  package static let segmentUses = 20
  package static let previewSample = 20

  // Reports
  package static let reportDays = 400
  package static let reportHourlyDays = 31
  package static let reportDefaultDays = 30
  /// Versions that an uninstall report tells apart; the others are one group.
  package static let reportGroups = 50

  // Webhooks
  /// Of an environment.
  package static let webhooks = 20
  package static let webhookURLBytes = 1...2_048
  package static let webhookDescriptionBytes = 1...256
  /// Before base64.
  package static let webhookSecretBytes = 24...64
  /// How long the secret before the current one signs too.
  package static let webhookSecretOverlapSeconds = 86_400
  /// Three days of attempts, then an event is given up.
  package static let webhookRetrySeconds = 259_200
  /// Events that wait for one endpoint; with more of them it gets nothing new.
  package static let webhookWaiting = 10_000
  /// The longest rest of an endpoint that takes nothing.
  package static let webhookPauseMilliseconds = 30_000
  package static let redeliveries = 1...100
  /// Devices that one event tells of.
  package static let notificationsPerEvent = 100
  package static let eventPageSize = 1...500
  package static let defaultEventPageSize = 100

  // Imports
  /// One row of a file, which may have line breaks in its cells.
  package static let importRowBytes = 65_536
  package static let importColumns = 256
  /// Rows of one transaction.
  package static let importBatchRows = 5_000
  /// Faults that are shown; a report file has all of them.
  package static let importFaultsShown = 20
  package static let importSessionCount: ClosedRange<Int64> = 0...9_007_199_254_740_991
  package static let importForegroundSeconds: ClosedRange<Int64> = 0...9_007_199_254_740_991
  /// In seconds since 1970: 2000-01-01 to the end of 9999. Milliseconds in place of seconds are beyond it.
  package static let importMoment: ClosedRange<Int64> = 946_684_800...253_402_300_799
  package static let populationSize = 1...100_000_000

  // Names given by operators
  package static let nameBytes = 1...128
  package static let pauseReasonBytes = 1...256
  package static let bundleIDBytes = 1...155
}
