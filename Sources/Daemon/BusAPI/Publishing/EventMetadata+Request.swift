internal import Topics

extension EventMetadata {
    /// The fields of a request.
    ///
    /// - Throws: A refusal that names the wrong byte.
    init(request texts: MetadataTexts) throws(Refusal) {
        do throws(MetadataError) {
            try self.init(texts)
        } catch {
            throw Refusal(error)
        }
    }

    /// The code of the problem that answers a text which no field can have.
    static func problem(of field: MetadataField) -> ProblemCode {
        switch field {
        case .type: .eventTypeInvalid
        case .key: .eventKeyInvalid
        case .contentType: .requestMalformed
        }
    }
}

extension EventAttributes {
    /// The attributes of a request, each name once.
    ///
    /// - Throws: A refusal that names the fault, and the attribute that has it.
    init(request list: [Attribute]) throws(Refusal) {
        do throws(AttributeError) {
            try self.init(given: list)
        } catch {
            throw Refusal(.eventAttributeInvalid, error.detail)
        }
        for one in TraceAttribute.allCases {
            guard let text = self[one.rawValue], one.value(of: text) == nil else { continue }
            throw Refusal(
                .eventAttributeInvalid,
                "The attribute '\(one.rawValue)' is none of W3C Trace Context: leave it out, or give "
                    + "the one that a tracer made.")
        }
    }
}

extension Refusal {
    /// The refusal of a text that no field can have.
    init(_ error: MetadataError) {
        self.init(EventMetadata.problem(of: error.field), error.detail)
    }
}
