/// Tells a folded header by where its name and value lie in memory.
///
/// libmicrohttpd 0.9.75 glues a continuation line to the *name* of the header before it, and the
/// value shows no trace. But an unfolded header's value lies behind its name in the same buffer
/// with only what separates them between, and a name that was glued together has moved. A newer
/// libmicrohttpd refuses folds by itself, and this can go.
enum HeaderFolding {
    /// Whether a header cannot have been written on one line.
    ///
    /// Reads the bytes between name and value while they are NUL, blank or tab, so both must lie in
    /// one buffer of libmicrohttpd, as the name and value of one header do.
    static func isFolded(
        nameBase: UnsafeRawPointer, nameCount: Int, valueBase: UnsafeRawPointer
    ) -> Bool {
        var between = nameBase + nameCount
        guard valueBase > between else { return true }
        while between < valueBase {
            let byte = between.load(as: UInt8.self)
            guard byte == 0 || byte.isBlank else { return true }
            between += 1
        }
        return false
    }
}
