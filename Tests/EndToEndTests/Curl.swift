import TestSupport
import Testing

/// The real curl, as scripts call it.
enum Curl {
    /// Publishes bytes from its standard input and returns the answer's body.
    static func publish(
        _ bytes: [UInt8], to url: String, options: [String] = []
    ) throws -> String {
        let curl = try ChildProcess(
            ChildProcess.curl,
            ["-sS", "--fail-with-body", "--max-time", "60", "--data-binary", "@-"] + options
                + [url])
        try curl.write(bytes)
        let ending = try curl.wait(within: 90)
        try #require(
            ending == .exited(0), "\(url): \(curl.text(of: .errors)) \(curl.text(of: .output))")
        return curl.text(of: .output)
    }
}
