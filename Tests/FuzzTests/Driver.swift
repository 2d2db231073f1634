import Glibc

// What libFuzzer calls: `fuzz --parser=NAME [its own options] FOLDER…`. Only in the build of
// `make fuzz`, where libFuzzer has the `main`. Swift has `@c` from 6.3 on.

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
#if compiler(>=6.3)
    @c(LLVMFuzzerInitialize)
#else
    @_cdecl("LLVMFuzzerInitialize")
#endif
public func initializeFuzzer(
    _ count: UnsafeMutablePointer<Int32>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>
) -> Int32 {
    _ = parser
    return 0
}

/// Called with every input.
#if compiler(>=6.3)
    @c(LLVMFuzzerTestOneInput)
#else
    @_cdecl("LLVMFuzzerTestOneInput")
#endif
public func fuzz(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> Int32 {
    do {
        try parser.check(UnsafeRawBufferPointer(start: bytes, count: count))
    } catch {
        fatalError("\(parser.name): \(error)")
    }
    return 0
}
