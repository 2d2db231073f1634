package import Telemetry

/// The operations that take turns under the lock of the log, by kind.
package struct LogTasks: Sendable {
    /// Reads of selectors; a step is a look at a topic, an event or a name.
    package let reads = BoundedTask(
        "reads", stepsMax: Limits.turnStepsMax + Limits.lastTopicStepsMax)
    /// Lists and summaries of topics; a step is the same.
    package let lists = BoundedTask(
        "lists", stepsMax: Limits.turnStepsMax + Limits.lastTopicStepsMax)
    /// Looks for the topics of a removal; a step is the same.
    package let removals = BoundedTask(
        "removals", stepsMax: Limits.removalStepsMax + Limits.lastTopicStepsMax)
    /// Sweeps; a step is an event that goes.
    package let sweeps = BoundedTask("sweeps", stepsMax: Limits.sweptEventsMax)

    /// All of them.
    package var all: [BoundedTask] { [reads, lists, removals, sweeps] }
}
