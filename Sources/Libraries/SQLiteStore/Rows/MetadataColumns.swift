internal import Topics

/// The attributes in rows of `events`. A row often has those of the row before, which it then
/// shares.
struct MetadataColumns {
    private var last = EventMetadata.none

    /// The attributes of a row that has all of ``EventColumns``.
    ///
    /// - Throws: The error of a damaged file, where no event can have these attributes.
    mutating func read(_ row: Statement) throws(DatabaseError) -> EventMetadata {
        var texts = MetadataTexts()
        var isAsBefore = true
        for field in MetadataField.all {
            texts[field] = row.text(EventColumns.of(field))
            if texts[field] != last[field] { isAsBefore = false }
        }
        let expires = try row.optionalInteger(EventColumns.expires, .eventExpires)
            .map(Timestamp.init(microseconds:))
        let attributes = row.text(EventColumns.attributes)
        if isAsBefore, attributes == nil, last.attributes.isEmpty, expires == last.expires {
            return last
        }
        do {
            last = try EventMetadata(texts).with(
                attributes.map { try EventAttributes(text: $0) } ?? .none, expires: expires)
        } catch {
            throw .damaged("\(error)")
        }
        return last
    }
}
