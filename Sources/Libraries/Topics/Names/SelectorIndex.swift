/// One value for each selector in use, found by the topics that the selector matches.
///
/// The owner is the only one who holds it, and guards it.
///
/// - Complexity: Changing a value takes O(1); adding or removing one takes O(terms). A visit takes
///   O(selectors that match), plus a visit of a ``PatternTree``.
package final class SelectorIndex<Value> {
    private final class Entry {
        let selector: Selector
        var value: Value
        /// The last visit that came here: several terms of a selector may match one name.
        var visit: UInt64 = 0

        init(_ selector: Selector, _ value: Value) {
            self.selector = selector
            self.value = value
        }
    }

    /// Selectors that are exactly one name.
    private var named: [TopicName: Entry] = [:]
    /// The other selectors; the two tables below find them by their names and patterns.
    private var wide: [Selector: Entry] = [:]
    private var listed: [TopicName: [Entry]] = [:]
    private let patterns = PatternTree<Entry>()
    private var visits: UInt64 = 0

    /// An index without a selector.
    package init() {}

    /// How many selectors have a value.
    package private(set) var count = 0

    /// All values, in no order.
    package var values: [Value] { named.values.map(\.value) + wide.values.map(\.value) }

    /// Nodes of patterns that visits have come to so far.
    package var visitedNodes: Int { patterns.visitedNodes }

    /// The value of exactly this selector; setting nil takes the selector out.
    package subscript(selector: Selector) -> Value? {
        get { entry(of: selector)?.value }
        set {
            switch (entry(of: selector), newValue) {
            case (let entry?, let value?): entry.value = value
            case (let entry?, nil): remove(entry)
            case (nil, let value?): add(Entry(selector, value))
            case (nil, nil): break
            }
        }
    }

    /// Changes the value of a selector that has one, where it lies.
    package func change(_ selector: Selector, _ body: (inout Value) -> Void) {
        if let entry = entry(of: selector) { body(&entry.value) }
    }

    /// Visits the value of every selector that matches `name`, each once.
    package func visit(_ name: TopicName, _ body: (Value) -> Void) {
        // Checked here, not below: there the type of the values is looked up before anything else.
        if count > 0 { visitMatching(name, body) }
    }

    @inline(never)
    private func visitMatching(_ name: TopicName, _ body: (Value) -> Void) {
        if let entry = named[name] { body(entry.value) }
        guard !wide.isEmpty else { return }
        visits += 1
        let visitOnce = { [visits] (entry: Entry) in
            guard entry.visit != visits else { return }
            entry.visit = visits
            guard entry.selector.visibility?.shows(name) != false else { return }
            body(entry.value)
        }
        listed[name]?.forEach(visitOnce)
        patterns.visit(name, visitOnce)
    }

    private func entry(of selector: Selector) -> Entry? {
        if let name = selector.singleName { named[name] } else { wide[selector] }
    }

    private func add(_ entry: Entry) {
        count += 1
        if let name = entry.selector.singleName {
            named[name] = entry
            return
        }
        wide[entry.selector] = entry
        for term in entry.selector.terms {
            switch term {
            case .name(let name): listed[name, default: []].append(entry)
            case .pattern(let pattern): patterns.add(entry, at: pattern)
            }
        }
    }

    private func remove(_ entry: Entry) {
        count -= 1
        if let name = entry.selector.singleName {
            named[name] = nil
            return
        }
        wide[entry.selector] = nil
        for term in entry.selector.terms {
            switch term {
            case .name(let name):
                listed[name]?.removeAll { $0 === entry }
                if listed[name]?.isEmpty == true { listed[name] = nil }
            case .pattern(let pattern): patterns.remove(entry, at: pattern)
            }
        }
    }
}
