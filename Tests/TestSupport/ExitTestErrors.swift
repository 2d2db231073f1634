internal import Glibc

/// Shows the standard error of an exit test with that of the tests. Else it is thrown away, and with it
/// the error that ended the test and the report of a sanitizer.
///
/// Call it first in the body of an exit test that is to succeed. Where the standard error of the tests
/// cannot be opened, as it is a socket, nothing is shown.
public func showExitTestErrors() {
    // The process that runs the tests is the parent of an exit test.
    let file = open("/proc/\(getppid())/fd/\(STDERR_FILENO)", O_WRONLY | O_APPEND | O_CLOEXEC)
    guard file >= 0 else { return }
    dup2(file, STDERR_FILENO)
    close(file)
}
