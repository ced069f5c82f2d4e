internal import Glibc

/// Between two looks at a condition that no event announces. The condition decides, never the time; the tests' time
/// limit ends a wait that is in vain.
package func lookAgain() async {
  // Nothing tells when a condition of another process becomes true.
  try? await Task.sleep(for: .milliseconds(2))
}

/// A peer that takes its time: slowness itself is what is tested.
package func dawdle(milliseconds: UInt32) {
  // Not a wait for something: the pause is the behaviour of the peer.
  usleep(milliseconds * 1_000)
}
