extension Telemetry {
  func record(_ event: ServiceGroup.Event) {
    switch event {
    case .started(let name): log(.info, "service_started", [("service", .string(name))])
    case .failed(let name, let reason):
      log(.error, "service_failed", [("service", .string(name)), ("reason", .string(reason))])
    case .signalled(let number): log(.notice, "signal_received", [("signal", .integer(Int(number)))])
    case .stopped(let name): log(.info, "service_stopped", [("service", .string(name))])
    case .drainDeadlineExceeded(let names):
      log(.error, "drain_deadline_exceeded", [("services", .list(names))])
    case .finished(let code): log(.notice, "process_finished", [("exit_code", .integer(Int(code.rawValue)))])
    }
  }
}
