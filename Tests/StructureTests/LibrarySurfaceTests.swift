import Testing

/// Users of the libraries see what is for them: what only stores and the daemon need is `package`.
@Suite struct LibrarySurfaceTests {
    /// The types that the files below a path make public, by name.
    private static func publicTypes(below path: String) -> [String] {
        Repository.sources.filter { $0.path.hasPrefix(path) }.flatMap(\.code).compactMap { line in
            let words = line.split(separator: " ")
            guard words.first == "public",
                let kind = words.firstIndex(where: {
                    ["class", "struct", "enum", "protocol", "actor"].contains($0)
                }), kind + 1 < words.count
            else { return nil }
            return String(words[kind + 1].prefix { $0.isLetter || $0.isNumber })
        }.sorted()
    }

    @Test func ofTheSeamToStoresOnlyItsErrorIsPublic() {
        #expect(Self.publicTypes(below: "Sources/Libraries/Topics/Store/") == ["StoreError"])
    }

    @Test func ofTheStoreOnAFileOnlyItsSettingsArePublic() {
        #expect(
            Self.publicTypes(below: "Sources/Libraries/SQLiteStore/")
                == ["SQLiteStoreConfiguration", "Sync"])
    }

    @Test func ofWorkGroupsOnlyWhatWorkersUseIsPublic() {
        #expect(Self.publicTypes(below: "Sources/Libraries/Work/Machine/") == [])
        #expect(Self.publicTypes(below: "Sources/Libraries/Work/Turns/") == [])
        #expect(Self.publicTypes(below: "Sources/Libraries/Work/Reading/") == [])
        #expect(Self.publicTypes(below: "Sources/Libraries/Work/Groups/") == ["WorkGroups"])
        #expect(Self.publicTypes(below: "Sources/Libraries/Work/InProcess/") == ["Group"])
    }
}
