/// What mandoc says of a page of the manual.
public enum ManualLint {
    /// Its warnings and errors, one a line; nothing for a page without a fault.
    ///
    /// - Parameter page: The page, in roff.
    public static func faults(of page: String) throws(ChildProcess.Failure) -> String {
        // Pages of others that a page names need not be installed.
        let mandoc = try ChildProcess("/usr/bin/mandoc", ["-T", "lint", "-W", "warning"])
        try mandoc.write(Array(page.utf8))
        mandoc.closeInput()
        _ = try mandoc.wait()
        return mandoc.text(of: .output) + mandoc.text(of: .errors)
    }
}
