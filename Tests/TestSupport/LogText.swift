extension String {
    /// A line of a daemon's log without the time in front of it, where it has one.
    public var withoutTime: String {
        let time = #/[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z /#
        return String(trimmingPrefix(time))
    }
}
