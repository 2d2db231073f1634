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

extension Refusal {
    /// The refusal of a text that no field can have.
    init(_ error: MetadataError) {
        self.init(EventMetadata.problem(of: error.field), error.detail)
    }
}
