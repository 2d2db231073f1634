package import Topics

/// How a group begins anew elsewhere.
extension WorkGroups {
    /// Forgets open jobs, and begins anew at `start`. Every lease is over.
    ///
    /// The position is looked for in the turns of the caller. Requests for the same position that
    /// wait for these turns are done as one.
    ///
    /// - Parameter hasLeft: Whether nobody waits for it any more: then nothing is changed.
    /// - Complexity: That of finding the position in the log; on another thread.
    package func seek(
        _ name: GroupName, to start: StartPosition, by caller: WorkCaller,
        unless hasLeft: @escaping @Sendable () -> Bool = { false },
        then: @escaping @Sendable (Result<GroupDescription, WorkError>) -> Void
    ) {
        let found: WorkGroup
        do throws(WorkError) { found = try group(name) } catch { return then(.failure(error)) }
        let key = WaitingSeeks.Key(group: found.number, start: start, user: caller.uid)
        switch seeks.join(WaitingSeeks.Asked(hasLeft: hasLeft, then: then), for: key) {
        case .joined: return
        case .tooMany: return then(.failure(.tooMuchAsked))
        case .first: break
        }
        let isTaken = parts.thread.ask(for: caller.uid) { over in
            let asked = self.seeks.take(key)
            let client = StoreClient(user: caller.uid) { asked.allSatisfy { $0.hasLeft() } }
            self.begin(at: start, found, for: client) { outcome in
                for one in asked { one.then(outcome) }
                over()
            }
        }
        if !isTaken { for one in seeks.take(key) { one.then(.failure(.tooMuchAsked)) } }
    }

    private func begin(
        at start: StartPosition, _ group: WorkGroup, for client: StoreClient,
        then: @escaping @Sendable (Result<GroupDescription, WorkError>) -> Void
    ) {
        GroupRead(group, for: client).place(of: start) { place in
            switch place {
            case .failure(let error): then(.failure(.bus(error)))
            case .success(let (position, gap)):
                group.add(
                    .seek(position, gap: gap), for: client.user,
                    .plain { outcome in then(outcome.map { self.describe(group) }) })
            }
        }
    }
}
