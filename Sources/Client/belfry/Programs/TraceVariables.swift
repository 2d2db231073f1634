internal import Glibc
internal import Topics

/// The variables that say to a program which trace it is a part of: `TRACEPARENT` and `TRACESTATE`, with
/// the texts that the headers of W3C Trace Context have.
enum TraceVariables {
    /// The trace that this process is a part of.
    static var ours: EventAttributes {
        EventAttributes.trace(parent: variable(.parent), state: variable(.state))
    }

    /// Their names, as they begin in an environment.
    static let names = TraceAttribute.allCases.map { name(of: $0) + "=" }

    /// The variables of a program that an event is for; none where the event is in no trace.
    static func variables(of event: Event) -> [(name: String, text: String)] {
        TraceAttribute.allCases.compactMap { attribute in
            event.metadata.attributes[attribute.rawValue].map { (name(of: attribute), $0) }
        }
    }

    private static func name(of attribute: TraceAttribute) -> String {
        attribute.rawValue.uppercased()
    }

    private static func variable(_ attribute: TraceAttribute) -> String? {
        getenv(name(of: attribute)).map { String(cString: $0) }
    }
}
