import Glibc

// What libFuzzer calls: `fuzz --parser=NAME [its own options] FOLDER…`. Only in the build of
// `make fuzz`, where libFuzzer has the `main`. `@_cdecl` is what `@c` is called before Swift 6.3.

/// The parser that is fuzzed.
private let parser: ParserCheck = {
    let option = "--parser="
    let name = CommandLine.arguments.first { $0.hasPrefix(option) }?.dropFirst(option.count)
    guard let parser = ParserCheck.all.first(where: { $0.name == name ?? "" }) else {
        for parser in ParserCheck.all { print(parser.name, parser.bytesMax) }
        exit(name == "list" ? 0 : 2)
    }
    return parser
}()

/// Called once, before everything else.
@_cdecl("LLVMFuzzerInitialize")
public func initializeFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> Int32 {
    _ = parser
    return 0
}

/// Called with every input.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do {
        try parser.check(UnsafeRawBufferPointer(start: bytes, count: count))
    } catch {
        fatalError("\(parser.name): \(error)")
    }
    return 0
}
