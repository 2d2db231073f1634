internal import Glibc

extension String {
    /// How often `word`, which is not empty, stands in the text, counted without overlaps.
    ///
    /// By the C library: a search by `Regex` takes seconds for a large answer in a debug build.
    public func count(of word: String) -> Int {
        var count = 0
        eachPlace(of: word) { _ in
            count += 1
            return true
        }
        return count
    }

    /// Whether `word`, which is not empty, stands in the text, byte for byte.
    public func has(_ word: String) -> Bool {
        var isThere = false
        eachPlace(of: word) { _ in
            isThere = true
            return false
        }
        return isThere
    }

    /// What stands between each `start`, which is not empty, and the next quotation mark.
    public func quoted(behind start: String) -> [String] {
        var places: [Int] = []
        eachPlace(of: start) { place in
            places.append(place + start.utf8.count)
            return true
        }
        let bytes = Array(utf8)
        return places.map { place in
            String(decoding: bytes[place...].prefix { $0 != UInt8(ascii: "\"") }, as: UTF8.self)
        }
    }

    /// Calls `body` with the offset of each place, until it returns false.
    private func eachPlace(of word: String, _ body: (Int) -> Bool) {
        precondition(!word.isEmpty, "an empty word stands everywhere")
        var text = self
        var word = word
        text.withUTF8 { text in
            word.withUTF8 { word in
                guard let start = text.baseAddress else { return }
                var offset = 0
                while offset + word.count <= text.count,
                    let found = memchr(
                        start + offset, Int32(word[0]), text.count - word.count - offset + 1)
                {
                    let place = UnsafeRawPointer(found) - UnsafeRawPointer(start)
                    offset = place + 1
                    guard memcmp(found, word.baseAddress!, word.count) == 0 else { continue }
                    guard body(place) else { return }
                    offset = place + word.count
                }
            }
        }
    }
}
