#if !canImport(Darwin)
    /// A task that is done in steps: on a thread of its own, or wherever somebody calls them.
    package protocol SteppedWork: ThreadWork {
        /// Does the next step, if there is one.
        ///
        /// - Parameter mayWait: Whether it waits until there is something to do. A thread of its
        ///   own does; a caller that has other tasks too does not.
        func step(mayWait: Bool) -> WorkStep
    }

    /// The outcome of one step.
    package enum WorkStep: Sendable {
        /// Something was done, and there may be more.
        case done
        /// There was nothing to do.
        case nothing
        /// The task is over, and has no further step.
        case end
    }

    extension SteppedWork {
        package func run() { while step(mayWait: true) != .end {} }
    }

    /// A starter of tasks: on threads in use, in the one thread of a simulation in tests.
    package protocol WorkStarter: Sendable {
        /// Takes a task over, whose steps are done from now on.
        func start(_ work: any SteppedWork) throws(Errno) -> any StartedWork
    }

    /// A task that was taken over. One of its verbs is called, once.
    package protocol StartedWork: Sendable {
        /// Returns when the task has ended. Called by a step of the task itself it does not wait.
        func join()

        /// Lets the task end by itself.
        func detach()
    }

    extension OwnedThread: StartedWork {}

    /// Gives each task a thread of its own.
    package struct ThreadStarter: WorkStarter {
        package init() {}

        package func start(_ work: any SteppedWork) throws(Errno) -> any StartedWork {
            try OwnedThread(running: work)
        }
    }
#endif
