internal import Glibc

/// A value for the body of an exit test, which runs in a process of its own.
///
/// Swift 6.2 has no captures there. The value is in a file that is named after this process, the
/// parent of the other one. A name holds one value at a time: the cases of its test are serialized.
public final class ExitTestValue {
    private let path: String

    /// Leaves a value for ``taken(_:)`` until this object is gone.
    public init(_ value: some LosslessStringConvertible, named name: String) {
        path = Self.path(of: getpid(), name)
        guard let stream = fopen(path, "we") else {
            preconditionFailure("\(path) could not be written: errno \(errno)")
        }
        fputs(value.description, stream)
        fclose(stream)
    }

    deinit {
        unlink(path)
    }

    /// What the parent of this process left under a name; the process stops where it is not there.
    public static func taken<Value: LosslessStringConvertible>(_ name: String) -> Value {
        let path = path(of: getppid(), name)
        guard let stream = fopen(path, "re") else {
            preconditionFailure("\(path) could not be read: errno \(errno)")
        }
        defer { fclose(stream) }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = fread(&bytes, 1, bytes.count, stream)
        guard let value = Value(String(decoding: bytes[..<count], as: UTF8.self)) else {
            preconditionFailure("\(path) does not hold a \(Value.self)")
        }
        return value
    }

    private static func path(of process: pid_t, _ name: String) -> String {
        "/tmp/belfry-exit-test-\(process)-\(name)"
    }
}
