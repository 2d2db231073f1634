internal import Topics

extension EventAttributes {
    /// The attributes of a request.
    ///
    /// - Throws: A refusal that names the wrong byte.
    init(request texts: AttributeTexts) throws(Refusal) {
        do throws(AttributeError) {
            try self.init(texts)
        } catch {
            throw Refusal(Self.problem(of: error.attribute), error.detail)
        }
    }

    /// The code of the problem that answers a text which no attribute can have.
    static func problem(of attribute: EventAttribute) -> ProblemCode {
        switch attribute {
        case .type: .eventTypeInvalid
        case .key: .eventKeyInvalid
        case .contentType: .requestMalformed
        }
    }
}
