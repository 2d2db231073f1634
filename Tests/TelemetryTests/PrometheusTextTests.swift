import Telemetry
import Testing

@Suite struct PrometheusTextTests {
    private func text(_ write: (inout PrometheusText) -> Void) -> String {
        var page = PrometheusText()
        write(&page)
        return String(decoding: page.bytes, as: UTF8.self)
    }

    @Test func aFamilySaysWhatItIsBeforeItsSamples() {
        let page = text { page in
            page.counter("a_total", "Things.", 3)
            page.family("b", .gauge, "Others.")
            page.sample(-1, ["kind": "x", "form": "y"])
            page.sample(microseconds: 1_500_000, ["kind": "z"])
        }
        #expect(
            page == """
                # HELP a_total Things.
                # TYPE a_total counter
                a_total 3
                # HELP b Others.
                # TYPE b gauge
                b{kind="x",form="y"} -1
                b{kind="z"} 1.500000

                """)
    }

    @Test func whatWouldEndALineOrALabelIsEscaped() {
        let page = text { page in
            page.family("a", .gauge, "one\ntwo \\ \"three\" é")
            page.sample(1, ["label": "one\ntwo \\ \"three\" é"])
        }
        #expect(
            page == #"""
                # HELP a one\ntwo \\ "three" é
                # TYPE a gauge
                a{label="one\ntwo \\ \"three\" é"} 1

                """#)
    }

    @Test(arguments: [
        (0, "0"), (1, "0.000001"), (-1, "-0.000001"), (999_999, "0.999999"), (1_000_000, "1"),
        (1_000_001, "1.000001"), (-2_500_000, "-2.500000"), (Int.max, "9223372036854.775807"),
    ])
    func timesAreExact(microseconds: Int, seconds: String) {
        let page = text { page in
            page.family("a", .gauge, "A time.")
            page.sample(microseconds: microseconds)
        }
        #expect(page.hasSuffix("\na \(seconds)\n"))
    }

    @Test func aHistogramAddsUpAndItsLastBucketHasNoBound() throws {
        let (first, second) = (Histogram(), Histogram())
        for value in [1, 2, 1_000_000, 1 << 40] { first.observe(value) }
        second.observe(3)
        let lines = text { $0.histogram("t_seconds", "Times.", [first, second]) }
            .split(separator: "\n").map(String.init)
        #expect(lines[0] == "# HELP t_seconds Times.")
        #expect(lines[1] == "# TYPE t_seconds histogram")
        let buckets = lines[2...].prefix { $0.hasPrefix("t_seconds_bucket") }
        #expect(buckets.count == Histogram.bucketCount)
        #expect(
            Array(buckets.prefix(3)) == [
                #"t_seconds_bucket{le="0.000001"} 1"#, #"t_seconds_bucket{le="0.000002"} 2"#,
                #"t_seconds_bucket{le="0.000004"} 3"#,
            ])
        #expect(buckets.contains(#"t_seconds_bucket{le="1.048576"} 4"#))
        #expect(buckets.last == #"t_seconds_bucket{le="+Inf"} 5"#)
        let totals = [
            "t_seconds_sum \((1 << 40) / 1_000_000 + 1).\(((1 << 40) + 6) % 1_000_000)",
            "t_seconds_count 5",
        ]
        #expect(Array(lines.suffix(2)) == totals)
        let counts = try buckets.map { line in
            try #require(line.split(separator: " ").last.flatMap { Int($0) })
        }
        #expect(counts == counts.sorted())
    }

    @Test func aTableCountsByName() {
        let table = CounterTable()
        #expect(table.counts.isEmpty)
        for name in ["a", "b", "a"] { table.add(name) }
        #expect(table.counts == ["a": 2, "b": 1])
    }
}
