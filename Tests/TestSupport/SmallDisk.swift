internal import Glibc

/// A file system of a chosen size, mounted where only programs that are run on it see it, and gone
/// when this object is.
///
/// It lies in memory, and in a mount namespace that is held by a child; who is not root gets a user
/// namespace for it. The tests themselves reach its files through ``outside(_:)``.
///
/// Not for use from two threads at once.
public final class SmallDisk {
    /// Why a disk could not be had or changed.
    public struct Failure: Error {
        let sentence: String
    }

    /// Where programs on it find it.
    public var path: String { folder.path }

    private let folder = TemporaryFolder()
    private let holder: ChildProcess

    /// Mounts an empty one.
    public init(bytes: Int) throws {
        let user = geteuid() == 0 ? "" : "--map-root-user"
        holder = try ChildProcess(
            "/bin/sh",
            [
                "-c",
                """
                exec unshare --mount \(user) sh -ec '
                    mount -t tmpfs -o size=\(bytes),mode=0700 tmpfs \(folder.path)
                    echo mounted; exec cat'
                """,
            ])
        do {
            _ = try holder.line(from: .output) { $0 == "mounted" }
        } catch {
            throw Failure(sentence: "no disk of its own could be mounted: \(error)")
        }
    }

    /// The program and its arguments that run another program on the disk, in the same process.
    public var entrance: [String] {
        let user = geteuid() == 0 ? [] : ["--user", "--preserve-credentials"]
        return ["/usr/bin/nsenter", "--target", "\(holder.pid)", "--mount"] + user
    }

    /// Where this process finds a file of it.
    public func outside(_ name: String) -> String {
        "/proc/\(holder.pid)/root\(folder.path)/\(name)"
    }

    /// Takes all room that is left, by a file of that name.
    public func fill(_ name: String) throws {
        let file = open(outside(name), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw Failure(sentence: "\(name): errno \(errno)") }
        defer { close(file) }
        let bytes = [UInt8](repeating: 0, count: 1 << 16)
        var count = bytes.count
        while count > 0 {
            if write(file, bytes, count) >= 0 { continue }
            guard errno == ENOSPC else { throw Failure(sentence: "\(name): errno \(errno)") }
            count /= 2
        }
    }

    /// Removes a file of it.
    public func remove(_ name: String) throws {
        guard unlink(outside(name)) == 0 else {
            throw Failure(sentence: "\(name): errno \(errno)")
        }
    }

    /// Lets nobody write to it, or everybody again; nobody may have a file of it open to write.
    public func setReadOnly(_ isReadOnly: Bool) throws {
        let command =
            entrance + [
                "mount", "-o", "remount,\(isReadOnly ? "ro" : "rw")", folder.path,
            ]
        let mount = try ChildProcess(command[0], Array(command.dropFirst()))
        guard try mount.wait() == .exited(0) else {
            throw Failure(sentence: "not mounted anew: \(mount.text(of: .errors))")
        }
    }
}
