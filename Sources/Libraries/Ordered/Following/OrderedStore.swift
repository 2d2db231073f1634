package import Protection
package import Topics

/// The store of a host whose entries go through an order that other hosts share. A replica keeps the
/// outcome of the order, and everything is read from there.
///
/// An entry is answered once this host has applied it. An answered entry is in the order and in the
/// replica. Entries of others, and losses by retention, are told to the observer, in the order of
/// groups and in line with the answers.
///
/// Without the order, readers read on. Entries wait 15 s for it, and are refused then.
/// An entry whose outcome is not known for 60 s fails with `BusError.unanswered`: it may be in the
/// order, and become visible later.
///
/// Work groups ask for their changes by requests, which are decided where they are applied. It takes no
/// change of a group that is decided already.
///
/// Safe from any thread. The `then` of a commit is called on a thread of the replica, or on that of
/// this store where it fails.
package final class OrderedStore: SharedOrderStore {
    private let order: any Order
    private let replica: any ReplicaStore
    private let name: String
    private let life: OrderLife
    private let starter: any WorkStarter
    private let draw: @Sendable () -> UInt128
    private let state = Protected<(courier: OrderCourier, work: any StartedWork)?>(nil)

    /// A store that is not open yet.
    ///
    /// - Parameters:
    ///   - order: The order.
    ///   - replica: A store that follows it, and is not open yet.
    ///   - name: The name of the host: no other host on the order has it.
    ///   - life: Which order it is.
    ///   - starter: Starts the task of the store; in use it has a thread.
    ///   - draw: Gives a token that nobody has used.
    package init(
        on order: any Order, with replica: any ReplicaStore, as name: String, life: OrderLife,
        starter: any WorkStarter = ThreadStarter(),
        draw: @escaping @Sendable () -> UInt128 = { UInt128.random(in: .min ... .max) }
    ) {
        self.order = order
        self.replica = replica
        self.name = name
        self.life = life
        self.starter = starter
        self.draw = draw
    }

    /// Lets the task and the replica end by themselves.
    deinit {
        guard let (courier, work) = state.value else { return }
        courier.close()
        work.detach()
    }

    /// It keeps the same as its replica, and others bring entries too.
    package var capabilities: StoreCapabilities {
        StoreCapabilities(keepsOlder: true, bytesMax: replica.capabilities.bytesMax, isShared: true)
    }

    /// Whether it takes entries, and is not far behind the order.
    package var readiness: Readiness {
        guard case .ready = replica.readiness else { return replica.readiness }
        return courier?.readiness ?? .refusing("the store is not open")
    }

    /// How far the replica is. An order that does not answer lets nothing hang: entries that wait for it
    /// end.
    package var progress: StoreProgress { replica.progress }

    package func open(_ context: StoreContext) throws(StoreError) -> StoreContents {
        let contents: StoreContents
        do throws(StoreError) {
            contents = try replica.open(context)
        } catch {
            order.close()
            throw error
        }
        guard let place = replica.applied else {
            preconditionFailure("a replica that is open has applied no place")
        }
        let courier = OrderCourier(
            order, replica,
            OrderHost(name, on: life, at: place, bytesMax: context.commitQueueBytesMax),
            newest: contents.newest, time: place.time, context, draw)
        do throws(Errno) {
            let work = try starter.start(courier)
            state.value = (courier, work)
        } catch {
            order.close()
            replica.close()
            throw StoreError(detail: "no thread for the order: \(error)")
        }
        return contents
    }

    package func commit(
        _ entry: StoreEntry, then: @escaping @Sendable (Result<StoreReceipt, BusError>) -> Void
    ) {
        guard let courier else { return then(.failure(.draining)) }
        courier.commit(entry, then)
    }

    package func ask(
        _ request: GroupRequest, for user: UInt32?,
        failing: @escaping @Sendable (BusError) -> Void
    ) {
        guard let courier else { return failing(.draining) }
        courier.ask(request, for: user, failing)
    }

    package func decide(by decider: any RequestDecider) { courier?.begin(deciding: decider) }

    package var orderTime: Timestamp { courier?.orderTime ?? .distantPast }

    /// Reads from the replica. A read at a cursor that is ahead of it waits until this host has all that
    /// the order has.
    package func read(
        _ request: StoreRead, then: @escaping @Sendable (Result<StorePage, BusError>) -> Void
    ) {
        guard let courier else { return then(.failure(.draining)) }
        if !courier.ask(OrderHost.AheadRead(request, then: then)) {
            replica.read(request, then: then)
        }
    }

    /// The order decides what goes, so nothing is asked for.
    package func trim(_ trim: StoreTrim, then: @escaping @Sendable (StoreLoss) -> Void) {
        preconditionFailure("a bus on an order trims nothing by itself")
    }

    /// Begins to follow the order.
    package func tell(_ observer: any StoreObserver) { courier?.begin(telling: observer) }

    /// Ends the way to the order, then the replica. Entries that are in no append fail with
    /// `BusError.draining`, others without an outcome with `.unanswered`.
    package func close() {
        let started = state.write { state in
            defer { state = nil }
            return state
        }
        guard let (courier, work) = started else { return }
        courier.close()
        work.join()
        replica.close()
    }

    private var courier: OrderCourier? { state.read { $0?.courier } }
}
