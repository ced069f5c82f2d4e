/// A message to everyone, and other clients of the push service that send as many to the same simulator.
struct PeerMeasurement {
  let stage: Stage
  let options: BenchOptions

  func run() throws(BenchError) -> [Figure] {
    try Audience(stage: stage, app: .counted).load(options.installations)
    Progress.say("peers: Kits")
    let kits = try Fanout(stage: stage, count: options.installations).run()
    var figures: [Figure] = []
    for peer in Peer.allCases {
      Progress.say("peers: \(peer.name)")
      do {
        figures += Self.figures(kits, peer, try send(peer))
      } catch {
        // Not a failure: the others are measured without it.
        Progress.say("\(peer.name) is left out: \(error)")
        figures.append(Figure("deliveries, end to end", kits.rate, "/s", note: "\(peer.name) left out: \(error)"))
      }
    }
    return figures
  }

  private func send(_ peer: Peer) throws(BenchError) -> PeerResult {
    let command = try peer.prepare(root: stage.root, directory: stage.directory)
    let simulator = peer.needsIDs ? stage.checkingSimulator : stage.simulator
    try simulator.reset()
    let job = PeerJob(
      port: simulator.port, certificateFile: simulator.certificateFile, credential: stage.credential,
      payload: try stage.payload(of: .counted), count: min(options.installations, peer.limit),
      concurrency: peer.concurrency)
    let file = "\(stage.directory)/peer.json"
    try TextFile.write(job.json, to: file)
    return try PeerResult(Child.output(of: command + [file]), expected: job.count)
  }

  private static func figures(_ kits: Fanout.Result, _ peer: Peer, _ result: PeerResult) -> [Figure] {
    [
      Figure(
        "deliveries, end to end", kits.rate, "/s", against: result.rate, peer.name,
        note: "\(peer.concurrency) requests in flight"),
      Figure(
        "deliveries, CPU of the process per 100 k", kits.per100k(kits.serverCPU), "s", against: result.cpuPer100k,
        peer.name),
    ]
  }
}
