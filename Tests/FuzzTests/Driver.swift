import Foundation

// What libFuzzer calls: `fuzz --parser=NAME [its own options] FOLDER…`. libFuzzer takes folders of
// inputs, and the repository has one file for each parser. `fuzz --parser=NAME --unpack=FOLDER`
// writes the inputs of the file into a folder, and `--pack=FOLDER` writes the file from a folder.
// Only in the build of `make fuzz`, where libFuzzer has the `main`. Swift has `@c` from 6.3 on.

/// What the command line says behind `--NAME=`.
private func option(_ name: String) -> String? {
    CommandLine.arguments.first { $0.hasPrefix("--\(name)=") }
        .map { String($0.dropFirst(name.count + 3)) }
}

/// The parser that is fuzzed.
private let parser: ParserCheck = {
    let name = option("parser")
    guard let parser = ParserCheck.all.first(where: { $0.name == name }) else {
        for parser in ParserCheck.all { print(parser.name, parser.bytesMax) }
        exit(name == "list" ? 0 : 2)
    }
    return parser
}()

/// Packs or unpacks and ends the program, if the command line asks for it.
private func packOrUnpack() throws {
    if let folder = option("unpack") {
        try parser.corpusText().unpack(into: URL(fileURLWithPath: folder))
        exit(0)
    }
    if let folder = option("pack") {
        try CorpusText(packing: URL(fileURLWithPath: folder)).write(to: parser.corpusFile)
        exit(0)
    }
}

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
    do {
        try packOrUnpack()
    } catch {
        let sentence = "fuzz: \(parser.corpusFile.lastPathComponent): \(error)\n"
        FileHandle.standardError.write(Data(sentence.utf8))
        exit(1)
    }
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
