import Testing

@testable import Broadcasting

@Suite struct ExistentialLayoutTests {
    private protocol Bound: AnyObject { func name() -> String }
    private protocol Unbound { func name() -> String }
    private protocol Other: AnyObject { func second() -> Int }
    private class Base: Bound, Unbound, Other {
        let text: String
        init(_ text: String) { self.text = text }
        func name() -> String { text }
        func second() -> Int { text.count }
    }
    private final class Derived: Base {
        override func name() -> String { "derived \(text)" }
    }

    private func remade<P>(_ object: AnyObject, as protocolType: P.Type) throws -> P {
        let value = try #require(object as? P)
        let layout = try #require(ExistentialLayout(of: value, object: object))
        return layout.value(of: object, as: protocolType)
    }

    @Test func everyKindOfProtocolTypeIsMadeAgainFromItsObject() throws {
        for object in [Base("a"), Derived("b")] {
            #expect(try remade(object, as: (any Bound).self).name() == object.name())
            #expect(try remade(object, as: (any Unbound).self).name() == object.name())
            #expect(try remade(object, as: (any Bound & Other).self).second() == 1)
            #expect(try remade(object, as: Base.self) === object)
            #expect(try remade(object, as: AnyObject.self) === object)
            #expect(try remade(object, as: Any.self) as AnyObject === object)
        }
    }

    @Test func whatIsMadeOwnsItsObjectOnce() throws {
        weak var gone: Base?
        do {
            let object = Base("short")
            gone = object
            for _ in 0..<100 { _ = try remade(object, as: (any Bound).self).name() }
        }
        #expect(gone == nil)
    }

    @Test func aValueThatIsNotTheObjectHasNoShape() {
        struct Value: Unbound { func name() -> String { "value" } }
        #expect(ExistentialLayout(of: Value() as any Unbound, object: Base("x")) == nil)
        #expect(ExistentialLayout(of: Base("y") as any Bound, object: Base("x")) == nil)
    }
}
