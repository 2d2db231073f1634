internal import Topics

/// A cursor of a list of topics, as clients keep it: a moment, and the mark of the topics and of
/// the life of the bus that it belongs to.
struct ListCursor {
    let moment: ListMoment
    private let mark: Int

    /// The cursor of a moment, for the topics and the life of the bus that a mark stands for.
    init(_ moment: ListMoment, _ mark: Int) {
        self.moment = moment
        self.mark = mark
    }

    /// The cursor of a request; nil for 0, and for numbers that no list has ever had.
    init?(request text: String) throws(Refusal) {
        if text == "0" { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy { !$0.isEmpty && $0.utf8.allSatisfy { 0x30...0x39 ~= $0 } }
        guard areDigits, parts.count == 3 else {
            throw Refusal(
                .cursorInvalid,
                "'since' is '\(text)'; it takes 'next' of an earlier list of topics, or 0 for all. "
                    + "An id is for reading events, at /topics/{selector}.")
        }
        guard let newest = EventID(decimal: parts[0]), let number = UInt64(parts[1]),
            let mark = UInt(parts[2])
        else { return nil }
        moment = ListMoment(newest: newest, number: number)
        self.mark = Int(bitPattern: mark)
    }

    /// The moment, if it is one of this mark.
    func moment(of mark: Int) -> ListMoment? { self.mark == mark ? moment : nil }

    /// The cursor as ``init(request:)`` reads it.
    var text: String {
        "\(moment.newest).\(moment.number).\(UInt(bitPattern: mark))"
    }
}
