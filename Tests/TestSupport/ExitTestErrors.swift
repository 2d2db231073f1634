internal import Glibc

/// Shows the standard error of an exit test with its standard output, which is that of the tests. Else
/// it is thrown away, and with it the error that ended the test.
///
/// Call it first in the body of an exit test that is to succeed.
public func showExitTestErrors() { dup2(STDOUT_FILENO, STDERR_FILENO) }
