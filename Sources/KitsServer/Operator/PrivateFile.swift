import Glibc

/// Makes a file that its owner alone may read, for a key that exists nowhere else.
enum PrivateFile {
  /// Never replaces what is there: it may be the key that tokens are signed with today.
  static func create(_ path: String, _ text: String) throws(CommandFailure) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw failure(path, errno) }
    var number = Output.write(text, to: descriptor)
    if number == 0, fsync(descriptor) != 0, errno != EINVAL { number = errno }
    if close(descriptor) != 0, number == 0 { number = errno }
    guard number != 0 else { return }
    // Half a key is none.
    unlink(path)
    throw failure(path, number)
  }

  private static func failure(_ path: String, _ number: Int32) -> CommandFailure {
    let hint = number == EEXIST ? "; it is never overwritten" : ""
    return .refused("can't write \(LogText.escaped(path)): \(String(cString: strerror(number)))\(hint)")
  }
}
