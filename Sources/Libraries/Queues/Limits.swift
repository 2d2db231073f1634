/// The bounds of this module.
@usableFromInline
enum QueueLimits {
    /// Elements that wait in a line before it is searched for those that nobody wants any more: few
    /// enough to keep.
    @usableFromInline static let lineLookMin = 64
}
