package import Telemetry

/// What is done in turns under the lock of the log, by kind.
package struct LogWork: Sendable {
    /// Reads of selectors; a step is a look at a topic, an event or a name.
    package let reads = BoundedWork("reads", stepsMax: Limits.turnStepsTakenMax)
    /// Lists and summaries of topics; a step is the same.
    package let lists = BoundedWork("lists", stepsMax: Limits.turnStepsTakenMax)

    /// All of them.
    package var all: [BoundedWork] { [reads, lists] }
}
