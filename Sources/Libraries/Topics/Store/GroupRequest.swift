/// One request to a work group on an order that hosts share. Its effect is decided where it is
/// applied: from the state there, the request, and the time of the order. So all hosts decide alike.
package struct GroupRequest: Sendable {
    /// Drawn by the host that asks, which knows its request by it. A lease that it gets has this token.
    package let token: LeaseToken
    /// The group. That of a new one is drawn by the host that asks, too.
    package let group: GroupNumber
    /// The operation that is asked for.
    package let verb: Verb

    /// A request as given.
    package init(_ token: LeaseToken, to group: GroupNumber, _ verb: Verb) {
        self.token = token
        self.group = group
        self.verb = verb
    }

    /// The operation that a request asks for.
    package enum Verb: Sendable {
        /// A new group. If there is one of its name, that one gets the settings.
        case make(Making)
        /// Jobs that are at hand.
        case take(Take)
        case settle(Settling)
        case extend(lease: String, microseconds: Int64)
        /// Nobody learned of the jobs that the lease of this token has, nor of the gap.
        case giveBack(LeaseToken, gap: Gap?)
        case set(GroupSettings, by: StoredCaller)
        /// The group is to forget its jobs, and to begin anew elsewhere.
        case seek(Place)
        case remove
        /// The time of these leases has passed, as the host that asks counts it.
        case expire([PassedLease])
        /// Jobs that are due to be dead letters are to become that.
        case bury
        case revive(Reviving)
    }

    /// A dead letter that is to be published again, by a user.
    package struct Reviving: Hashable, Sendable {
        package let letter: WorkChange.Letter
        package let user: UInt32?

        /// A letter as given.
        package init(_ letter: WorkChange.Letter, by user: UInt32?) {
            self.letter = letter
            self.user = user
        }
    }

    /// A place in the log, as the host that asks has found it.
    package struct Place: Hashable, Sendable {
        /// Events up to this id are not wanted.
        package var after: EventID
        /// Losses up to this id never count.
        package var reportedThrough: EventID
        /// The events that are missing there.
        package var missing: Gap?

        /// A place as given.
        package init(after: EventID, reportedThrough: EventID, missing: Gap?) {
            self.after = after
            self.reportedThrough = reportedThrough
            self.missing = missing
        }
    }

    /// A request for a new group.
    package struct Making: Sendable {
        package var name: String
        /// Its topics and its settings.
        package var wish: GroupSettings
        /// Where it begins.
        package var place: Place
        package var maker: StoredCaller

        /// A request as given.
        package init(name: String, wish: GroupSettings, place: Place, maker: StoredCaller) {
            self.name = name
            self.wish = wish
            self.place = place
            self.maker = maker
        }
    }

    /// A request for jobs, which may settle jobs that the worker had before.
    package struct Take: Sendable {
        /// The worker; nil where it gave no name.
        package var worker: String?
        /// The identity of the caller.
        package var caller: String
        package var settling: Settling?
        /// How long the lease is to last, in microseconds; nil for the setting of the group.
        package var length: Int64?
        /// How many jobs at most.
        package var countMax: Int
        /// Whether it does not get a job again that another loop of its worker has.
        package var isPatient: Bool

        /// A request as given.
        package init(
            worker: String?, caller: String, settling: Settling?, length: Int64?, countMax: Int,
            isPatient: Bool
        ) {
            self.worker = worker
            self.caller = caller
            self.settling = settling
            self.length = length
            self.countMax = countMax
            self.isPatient = isPatient
        }
    }

    /// The outcome of jobs, as their worker reports it.
    package struct Settling: Sendable {
        /// Their lease, as text.
        package var lease: String
        /// Only these jobs of it; nil for all.
        package var only: [EventID]?
        package var end: End
        /// Why they are not done, in the words of the worker.
        package var reason: String?
        /// Whether somebody waits for the reply of each job, as the host that asks knows it.
        package var isReplyAwaited: Bool

        /// An outcome as given.
        package init(
            lease: String, only: [EventID]?, end: End, reason: String?, isReplyAwaited: Bool
        ) {
            self.lease = lease
            self.only = only
            self.end = end
            self.reason = reason
            self.isReplyAwaited = isReplyAwaited
        }
    }

    /// The way in which jobs end.
    package enum End: Sendable {
        case done
        case reply(Payload, contentType: String?)
        /// They are done, and these events came out of them. `ttl` is how many microseconds the events are of
        /// use; nil is for ever.
        case publish(PublishBatch, ttl: Int64?)
        /// They come again after so many microseconds; nil for a delay by their attempts.
        case retry(delay: Int64?)
        case dead
        /// They are dead, and the requester that waits gets this with the refusal.
        case refuse(Payload, contentType: String?)
    }

    /// A lease whose time has passed: it counts only for the time that it was extended to last.
    package struct PassedLease: Hashable, Sendable {
        package let token: LeaseToken
        /// The end of its time, by the time of the order.
        package let until: Int64

        /// A lease as given.
        package init(_ token: LeaseToken, until: Int64) {
            self.token = token
            self.until = until
        }
    }
}
