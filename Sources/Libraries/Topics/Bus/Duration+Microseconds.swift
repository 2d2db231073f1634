extension Duration {
    /// The duration in whole microseconds, rounded to zero; the nearest `Int64` if it is longer.
    package var wholeMicroseconds: Int64 {
        let (seconds, attoseconds) = components
        let (whole, isLonger) = seconds.multipliedReportingOverflow(by: 1_000_000)
        let (all, isLongerStill) = whole.addingReportingOverflow(attoseconds / 1_000_000_000_000)
        if isLonger || isLongerStill { return seconds < 0 ? .min : .max }
        return all
    }
}
