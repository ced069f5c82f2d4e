extension Stage {
  /// Where everything is, for looking at it.
  var addresses: String {
    """
    server http://127.0.0.1:\(apiPort), admin http://127.0.0.1:\(adminPort), pid \(server.processID)
    simulator admin http://127.0.0.1:\(simulator.adminPort), checking http://127.0.0.1:\(checkingSimulator.adminPort)
    database \(databaseURL)
    log \(directory)/kits.log
    """
  }
}
