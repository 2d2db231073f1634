import Glibc
import TestSupport
import Testing

/// Bytes of this process that are in memory.
func residentBytes() throws -> Int {
    let descriptor = open("/proc/self/statm", O_RDONLY)
    defer { close(descriptor) }
    var text = [UInt8](repeating: 0, count: 128)
    let count = read(descriptor, &text, text.count)
    try #require(count > 0)
    let pages = String(decoding: text[..<count], as: UTF8.self).split(separator: " ")
    return try #require(Int(pages[1])) * Int(getpagesize())
}
