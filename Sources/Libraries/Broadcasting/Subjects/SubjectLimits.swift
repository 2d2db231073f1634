/// The bounds of subjects.
@usableFromInline
enum SubjectLimits {
    /// Values that wait for one subscriber of a subject while it is being called. As many as another
    /// thread sends, at full speed, while the one that calls is off its core for some 10 ms.
    @usableFromInline static let waitingValuesMax = 65_536

    /// The most values that `values` buffers: as many as may wait for any subscriber.
    @usableFromInline static let bufferedValuesMax = waitingValuesMax

    /// The values that `values` buffers when nothing is said: a burst, and little memory.
    @usableFromInline static let bufferedValuesDefault = 1_024

    /// Slots that a queue of values keeps for the next ones when it has run empty.
    @usableFromInline static let keptSlotsMax = 64
}
