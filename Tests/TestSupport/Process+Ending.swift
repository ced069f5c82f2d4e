package import Foundation

extension Process {
  /// Blocks until it has ended: its exit status, or minus the signal that killed it.
  ///
  /// Asks the system: on a busy machine Foundation can miss the end of a process and then waits for ever.
  package func endedStatus() -> Int32 {
    var end = siginfo_t()
    while waitid(P_PID, id_t(processIdentifier), &end, WEXITED | WNOWAIT) != 0 {
      if errno == EINTR { continue }
      // Foundation has collected it already.
      waitUntilExit()
      return terminationReason == .exit ? terminationStatus : -terminationStatus
    }
    let status = end._sifields._sigchld.si_status
    return end.si_code == CLD_EXITED ? status : -status
  }
}
