package import Telemetry
internal import Topics

/// Sweeping and draining of groups, their limits, and the figures of all of them.
extension WorkGroups {
    /// Applies leases and retries that are due, and ends requests whose time is over. Call it about
    /// once a second.
    ///
    /// - Complexity: O(groups + jobs that are due).
    package func sweep() {
        for asking in parts.replies.expire(now: parts.clock(), at: parts.bus.now) {
            parts.meters.unanswered.add()
            asking.cancel()
        }
        for group in all { group.sweep() }
    }

    /// Sweeps at a steady pace from now on, and drains where the bus does; until nobody holds this.
    func sweepItself(everyMilliseconds interval: Int? = nil) {
        // Weak: this owns its care.
        selfSweeping.start(everyMilliseconds: interval) { [weak self] in
            guard let self else { return }
            if parts.bus.isDraining { drain() }
            sweep()
        }
    }

    /// Lets no worker wait any more: workers that wait, or ask from now on, get jobs at hand or
    /// nothing. Settling goes on. The bus drains and closes without this call; then this follows
    /// within about a second.
    ///
    /// - Complexity: O(groups).
    public func drain() {
        for group in all { group.drain() }
    }

    /// Lets other limits hold from now on; groups and jobs that exceed them already stay.
    ///
    /// On an order that hosts share they stay as they were at the start: decisions follow from them, and hosts are
    /// not told at one moment.
    package func reconfigure(limits: WorkLimits) {
        if parts.shared == nil { parts.quota.limits = limits }
    }

    /// Microseconds from the moment when an event was visible to its first hand-out.
    package var pickUp: Histogram { parts.meters.pickUp }

    /// The figures of all groups together.
    ///
    /// - Complexity: O(groups).
    package var figures: WorkFigures {
        var figures = WorkFigures()
        let now = parts.bus.now
        for group in all {
            group.read { $0.add(to: &figures, now: now) }
            figures.workers += group.localWorkers
        }
        let meters = parts.meters
        figures.requests = parts.replies.count
        figures.taken = meters.taken.value
        figures.done = meters.done.value
        figures.retried = meters.retried.value
        figures.dead = meters.dead.value
        figures.gone = meters.gone.value
        figures.expired = meters.expired.value
        figures.leasesLost = meters.leasesLost.value
        figures.unanswered = meters.unanswered.value
        figures.late = meters.late.value
        return figures
    }
}
