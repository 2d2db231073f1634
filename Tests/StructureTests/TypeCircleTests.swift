import Testing

@Suite struct TypeCircleTests {
    private func largest(_ texts: String...) -> [String] {
        TypeCircle.largest(
            in: texts.enumerated().map {
                SourceFile(path: "Sources/Libraries/Topics/File\($0).swift", text: $1)
            })
    }

    @Test func typesThatNameEachOtherAreACircle() {
        #expect(
            largest("struct A {\n    let b: B\n}", "struct B {\n    let c: C?\n}\nenum C {}") == [])
        #expect(
            largest(
                "struct A {\n    let b: B\n}",
                "struct B {\n    let c: [C]\n}\nenum C {\n    case a(A)\n}")
                == ["A", "B", "C"])
    }

    @Test func theLargestIsFound() {
        let pair = "class A { let b: B }\nclass B { let a: A }\n"
        #expect(largest(pair) == ["A", "B"])
        #expect(
            largest(pair, "class C { let d: D }\nclass D { let e: E }\nclass E { let c: C }")
                == ["C", "D", "E"])
    }

    @Test func extensionsAndTypesInsideCountWithTheTypeAroundThem() {
        #expect(
            largest("struct A {}\nextension A {\n    var b: B { B() }\n}\nstruct B { let a: A }")
                == ["A", "B"])
        #expect(
            largest(
                "struct A {\n    struct Inner {\n        let b: B\n    }\n}\nfinal class B: P<A> {}"
            ) == ["A", "B"])
        #expect(
            largest("struct A: P\nwhere\n    Q: B\n{\n}\nstruct B { let a: A }") == ["A", "B"])
    }

    @Test func namesInCommentsAndOfOtherTypesAreNone() {
        #expect(
            largest("struct A { let b: B } // C", "struct B { /* A */ let text = \"A\" }") == [])
        #expect(
            largest("struct A { let b: B }", "struct B {}\nextension String { var a: A { A() } }")
                == [])
        #expect(largest("struct A { let b: B }", "struct B {}\nfunc make() -> A { A() }") == [])
    }

    @Test(arguments: Repository.modules.sorted())
    func noMoreThanTwelveTypesOfAModuleNeedEachOther(module: String) {
        let circle = TypeCircle.largest(in: Repository.sources.filter { $0.module == module })
        #expect(circle.count <= 12, "\(circle)")
    }
}
