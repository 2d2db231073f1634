extension String {
    /// A media type without its parameters.
    public var mediaType: Substring {
        Substring(utf8.prefix { $0 != UInt8(ascii: ";") }).trimmingBlanks
    }
}

extension Substring {
    /// The text without the blanks and tabs around it.
    public var trimmingBlanks: Substring {
        var text = self
        while let first = text.utf8.first, first == 0x20 || first == 0x09 {
            text = Substring(text.utf8.dropFirst())
        }
        while let last = text.utf8.last, last == 0x20 || last == 0x09 {
            text = Substring(text.utf8.dropLast())
        }
        return text
    }
}
