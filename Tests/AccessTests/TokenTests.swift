import Access
import Digests
import TestSupport
import Testing

@Suite struct TokenTests {
    private func make(_ name: String) throws -> (secret: String, line: String) {
        var random = SystemRandomNumberGenerator()
        return try Token.make(named: name, using: &random)
    }

    private func table(_ text: String) throws -> TokenTable { try TokenTable(text.utf8) }

    private func policy(_ text: String) throws -> AccessPolicy {
        AccessPolicy(tokens: try table(text), administrator: 0)
    }

    private func token(_ header: String, _ policy: AccessPolicy) throws -> Token? {
        try Array(header.utf8).withUnsafeBytes { try policy.token(shownBy: Authorization($0)) }
    }

    @Test func aTokenThatWasMadeIsLetInByItsLine() throws {
        let (one, two) = (try make("one"), try make("two"))
        #expect(one.secret != two.secret)
        let policy = try policy("# tokens\n\n\(one.line)\r\n  \(two.line)  \n")
        #expect(policy.tokens.names == ["one", "two"])
        for scheme in ["Bearer ", "bearer ", "BEARER\t ", "Bearer   "] {
            #expect(try token(scheme + one.secret, policy)?.name == "one")
            #expect(try token(scheme + two.secret, policy)?.name == "two")
        }
    }

    @Test func aTokenIsFreshAndOfCharactersThatNeedNoQuotes() throws {
        let (secret, line) = try make("a.b-c_d")
        #expect(secret.wholeMatch(of: /belfry_[A-Za-z0-9_-]{43}/) != nil)
        #expect(line.wholeMatch(of: /a\.b-c_d sha256:[0-9a-f]{64}/) != nil)
        #expect(!line.contains(secret))
        var (same, again) = (SeededRandom(seed: 1), SeededRandom(seed: 1))
        #expect(
            try Token.make(named: "a", using: &same).secret
                == Token.make(named: "a", using: &again).secret)
    }

    @Test func nothingButTheWholeTokenIsLetIn() throws {
        let (secret, line) = try make("one")
        let policy = try policy(line)
        let hash = line.split(separator: ":")[1]
        var headers = ["", " ", "\(secret) ", "\(secret)x", " x\(secret)", "\(hash)", "one"]
        headers += (0..<secret.utf8.count).map { String(secret.prefix($0)) }
        headers.append(String(repeating: "a", count: 100_000))
        for text in headers {
            #expect(throws: AccessError.self) { try token("Bearer \(text)", policy) }
        }
        #expect(throws: AccessError.self) { try token("Bearer", policy) }
        #expect(throws: AccessError.self) { try token("Bearer \(secret)", self.policy("")) }
    }

    @Test(arguments: [
        "Basi YTpi", "Basicx YTpi", "", "Token x", "Bearerx y", "Digest a=b", "Beare",
    ])
    func headersOfOtherSchemesAreNoneOfOurs(header: String) throws {
        #expect(try token(header, policy(make("one").line)) == nil)
    }

    private func basic(_ text: String) -> String { "Basic \(Base64.text(Array(text.utf8)))" }

    @Test func aPasswordIsATokenWhateverTheUserIsCalled() throws {
        let (secret, line) = try make("one")
        let policy = try policy(line)
        for user in ["", "any", "one", "root", "a b", "ü", String(repeating: "u", count: 1_000)] {
            let header = basic("\(user):\(secret)")
            #expect(try token(header, policy)?.name == "one", "\(user)")
            #expect(try token("bAsIc \t \(header.dropFirst(6))", policy)?.name == "one")
        }
    }

    @Test func aPasswordThatIsNotTheWholeTokenIsRefused() throws {
        let (secret, line) = try make("one")
        let policy = try policy(line)
        let passwords = ["", "x", "\(secret) ", " \(secret)", "\(secret):", ":\(secret)", "one"]
        for password in passwords + [
            String(secret.dropLast()), String(line.split(separator: " ")[1]),
        ] {
            #expect(throws: AccessError.self, "\(password)") {
                try token(basic("any:\(password)"), policy)
            }
        }
    }

    @Test func basicCredentialsThatCannotBeReadSayWhatToSend() throws {
        let (secret, line) = try make("one")
        let policy = try policy(line)
        let whole = basic("any:\(secret)")
        for header in [
            "Basic", "Basic ", "Basic \(secret)", "Basic any:\(secret)", "\(whole)=", "\(whole)*",
            "Basic QQ", "Basic \(whole.dropFirst(6).prefix(8)) \(whole.dropFirst(14))",
            basic(secret), basic("x"),
        ] {
            let error = try #require(throws: AccessError.self, "\(header)") {
                try token(header, policy)
            }
            #expect(error.detail.contains("curl -u any:TOKEN"), "\(header)")
            #expect(!error.detail.contains(secret))
        }
    }

    @Test func severalSecretsOfOneNameAreOneTokenUntilOneIsTakenOut() throws {
        let (old, new) = (try make("one"), try make("one"))
        let both = try policy("\(old.line)\n\(new.line)")
        #expect(both.tokens.names == ["one"])
        let caller = Caller(token: try token("Bearer \(old.secret)", both))
        #expect(caller.token?.name == "one")
        #expect(both.stillKnows(caller))
        let rotated = try policy(new.line)
        #expect(!rotated.stillKnows(caller))
        #expect(rotated.stillKnows(Caller(token: try token("Bearer \(new.secret)", both))))
        #expect(rotated.stillKnows(.unknown))
    }

    @Test(
        arguments: [
            ("one", 1), ("one sha256:", 1), ("\n\none two three", 3), ("one sha1:00", 1),
            ("one sha256:\(String(repeating: "0", count: 63))", 1),
            ("one sha256:\(String(repeating: "0", count: 65))", 1),
            ("one sha256:\(String(repeating: "g", count: 64))", 1),
            ("o/e sha256:\(String(repeating: "0", count: 64))", 1),
            (
                "# fine\n\(String(repeating: "n", count: 65)) sha256:\(String(repeating: "0", count: 64))",
                2
            ),
            ("hunter2 hunter2", 1),
        ])
    func aBrokenLineIsToldByItsNumberAndNeverRepeated(text: String, line: Int) {
        let error = #expect(throws: AccessError.self) { try table(text) }
        #expect(error?.line == line)
        #expect(error?.detail.contains("hunter2") == false)
    }

    @Test func thereIsABoundOnTokens() throws {
        let line = try make("one").line
        let most = String(repeating: line + "\n", count: AccessLimits.tokensMax)
        #expect(try table(most).count == AccessLimits.tokensMax)
        #expect(throws: AccessError.self) { try table(most + line) }
    }

    @Test func printingATokenSaysItsNameAlone() throws {
        let (secret, line) = try make("one")
        let policy = try policy(line)
        let token = try #require(try token("Bearer \(secret)", policy))
        var said = "\(token) \(Caller(uid: 1, token: token))"
        dump(Caller(token: token), to: &said)
        dump(policy, to: &said)
        #expect(said.contains("one"))
        #expect(!said.contains(secret))
    }

    @Test(arguments: ["", "a b", "a/b", "ä", String(repeating: "a", count: 65)])
    func aTokenNeedsAName(name: String) {
        #expect(throws: AccessError.self) { try make(name) }
    }
}
