internal import Topics

private enum VerbKind: UInt8 {
    case make = 1
    case take = 2
    case settle = 3
    case extend = 4
    case giveBack = 5
    case set = 6
    case seek = 7
    case remove = 8
    case expire = 9
    case bury = 10
    case revive = 11
}

private enum EndKind: UInt8 {
    case done = 1
    case reply = 2
    case publish = 3
    case retry = 4
    case dead = 5
    case refuse = 6
}

/// Requests to work groups as bytes.
extension ByteWriter {
    mutating func write(_ request: GroupRequest) {
        write(request.token)
        write(UInt64(request.group.rawValue))
        switch request.verb {
        case .make(let making):
            write(byte: VerbKind.make.rawValue)
            write(making.name)
            write(making.wish)
            write(making.place)
            write(making.maker)
        case .take(let take):
            write(byte: VerbKind.take.rawValue)
            write(optional: take.worker)
            write(take.caller)
            write(byte: take.settling == nil ? 0 : 1)
            if let settling = take.settling { write(settling) }
            write(optional: take.length.map { UInt64($0) })
            write(UInt64(take.countMax))
            write(byte: take.isPatient ? 1 : 0)
        case .settle(let settling):
            write(byte: VerbKind.settle.rawValue)
            write(settling)
        case .extend(let lease, let microseconds):
            write(byte: VerbKind.extend.rawValue)
            write(lease)
            write(UInt64(microseconds))
        case .giveBack(let token, let gap):
            write(byte: VerbKind.giveBack.rawValue)
            write(token)
            write(optional: gap)
        case .set(let wish, let caller):
            write(byte: VerbKind.set.rawValue)
            write(wish)
            write(caller)
        case .seek(let place):
            write(byte: VerbKind.seek.rawValue)
            write(place)
        case .remove: write(byte: VerbKind.remove.rawValue)
        case .expire(let leases):
            write(byte: VerbKind.expire.rawValue)
            write(UInt64(leases.count))
            for lease in leases {
                write(lease.token)
                write(signed: lease.until)
            }
        case .bury: write(byte: VerbKind.bury.rawValue)
        case .revive(let revival):
            write(byte: VerbKind.revive.rawValue)
            write(revival.letter.topic.text)
            write(revival.letter.id.rawValue)
            write(optional: revival.user.map { UInt64($0) })
        }
    }

    private mutating func write(_ token: LeaseToken) {
        write(wide: UInt128(token.high) << 64 | UInt128(token.low))
    }

    private mutating func write(optional gap: Gap?) {
        write(byte: gap == nil ? 0 : 1)
        if let gap {
            write(gap.after.rawValue)
            write(gap.through.rawValue)
        }
    }

    private mutating func write(_ place: GroupRequest.Place) {
        write(place.after.rawValue)
        write(place.reportedThrough.rawValue)
        write(optional: place.missing)
    }

    private mutating func write(_ caller: StoredCaller) {
        write(optional: caller.uid.map { UInt64($0) })
        write(optional: caller.token)
    }

    /// Settings that are named, each in the place that it has in the table; the start is not among them, as
    /// a place tells it.
    private mutating func write(_ settings: GroupSettings) {
        for setting in GroupSetting.all {
            switch setting.value(in: settings) {
            case nil, .start: write(byte: 0)
            case .selector(let selector)?:
                write(optional: selector.terms.map(\.description).joined(separator: ","))
            case .type(let type)?: write(optional: type)
            case .attributes(let attributes)?: write(optional: attributes.text)
            case .dead(let dead)?: write(optional: dead.topic?.text ?? "")
            case .number(let number)?: write(optional: UInt64(bitPattern: number))
            case .flag(let flag)?: write(optional: flag ? 1 as UInt64 : 0)
            }
        }
    }

    private mutating func write(_ settling: GroupRequest.Settling) {
        write(settling.lease)
        write(byte: settling.only == nil ? 0 : 1)
        if let only = settling.only {
            write(UInt64(only.count))
            for id in only { write(id.rawValue) }
        }
        write(settling.end)
        write(optional: settling.reason)
        write(byte: settling.isReplyAwaited ? 1 : 0)
    }

    private mutating func write(_ end: GroupRequest.End) {
        switch end {
        case .done: write(byte: EndKind.done.rawValue)
        case .reply(let payload, let contentType):
            write(byte: EndKind.reply.rawValue)
            write(payload)
            write(optional: contentType)
        case .publish(let batch, let ttl):
            write(byte: EndKind.publish.rawValue)
            write(batch, ttl: ttl)
        case .retry(let delay):
            write(byte: EndKind.retry.rawValue)
            write(optional: delay.map { UInt64($0) })
        case .dead: write(byte: EndKind.dead.rawValue)
        case .refuse(let payload, let contentType):
            write(byte: EndKind.refuse.rawValue)
            write(payload)
            write(optional: contentType)
        }
    }
}

extension ByteReader {
    mutating func request() throws(GroupFormError) -> GroupRequest {
        let token = try token()
        let group: Int64 = try number(
            "the number of a work group", in: 1...GroupNumber.max.rawValue)
        guard let kind = VerbKind(rawValue: try byte()) else {
            throw .damaged("a request asks for nothing")
        }
        let verb: GroupRequest.Verb
        switch kind {
        case .make:
            verb = .make(
                GroupRequest.Making(
                    name: try text(), wish: try groupSettings(), place: try place(),
                    maker: try caller()))
        case .take: verb = .take(try take())
        case .settle: verb = .settle(try settling())
        case .extend:
            verb = .extend(
                lease: try text(),
                microseconds: try number("a lease", in: GroupSettings.leaseRange))
        case .giveBack: verb = .giveBack(try self.token(), gap: try gap())
        case .set: verb = .set(try groupSettings(), by: try caller())
        case .seek: verb = .seek(try place())
        case .remove: verb = .remove
        case .expire:
            var leases: [GroupRequest.PassedLease] = []
            for _ in 0..<(try number("the number of leases", in: 0...count)) {
                leases.append(GroupRequest.PassedLease(try self.token(), until: try signed()))
            }
            verb = .expire(leases)
        case .bury: verb = .bury
        case .revive:
            let letter = WorkChange.Letter(topic: try topic(), id: try id("a dead letter"))
            verb = .revive(GroupRequest.Reviving(letter, by: try user("a user")))
        }
        return GroupRequest(token, to: GroupNumber(rawValue: group), verb)
    }

    private mutating func token() throws(GroupFormError) -> LeaseToken {
        let number = try wide()
        return LeaseToken(
            high: UInt64(truncatingIfNeeded: number >> 64), low: UInt64(truncatingIfNeeded: number))
    }

    private mutating func id(_ what: StaticString) throws(GroupFormError) -> EventID {
        EventID(rawValue: try number(what, in: 0...EventID.max.rawValue))
    }

    private mutating func gap() throws(GroupFormError) -> Gap? {
        guard try flag() else { return nil }
        return Gap(after: try id("a gap"), through: try id("the end of a gap"))
    }

    private mutating func place() throws(GroupFormError) -> GroupRequest.Place {
        GroupRequest.Place(
            after: try id("a place"), reportedThrough: try id("a loss"), missing: try gap())
    }

    private mutating func caller() throws(GroupFormError) -> StoredCaller {
        StoredCaller(uid: try user("a user"), token: try optionalText())
    }

    private mutating func groupSettings() throws(GroupFormError) -> GroupSettings {
        var settings = GroupSettings()
        for setting in GroupSetting.all {
            guard try flag() else { continue }
            setting.set(try value(of: setting), in: &settings)
        }
        return settings
    }

    private mutating func value(
        of setting: GroupSetting
    ) throws(GroupFormError) -> GroupSetting.Value {
        switch setting.form {
        case .selector:
            let text = try text()
            guard let selector = try? Selector(text),
                selector.terms.map(\.description).joined(separator: ",") == text
            else { throw .damaged("the topics of a work group make no sense") }
            return .selector(selector)
        case .type:
            let text = try text()
            guard (try? EventMetadata(type: text)) != nil else {
                throw .damaged("the type of a work group makes no sense")
            }
            return .type(text)
        case .attributes:
            let text = try text()
            // As text, attributes have one order.
            guard let attributes = try? EventAttributes(text: text), attributes.text == text else {
                throw .damaged("the attributes of a work group make no sense")
            }
            return .attributes(attributes)
        case .start: throw .damaged("a work group has a start and a place")
        case .deadLetters:
            let text = try text()
            if text.isEmpty { return .dead(.nowhere) }
            guard let topic = try? TopicName(text) else {
                throw .damaged("a topic has no name of one")
            }
            return .dead(.topic(topic))
        case .duration, .count: return .number(Int64(bitPattern: try number()))
        case .truth, .word: return .flag(try flag())
        }
    }

    private mutating func take() throws(GroupFormError) -> GroupRequest.Take {
        GroupRequest.Take(
            worker: try optionalText(), caller: try text(),
            settling: try flag() ? try settling() : nil,
            length: try optional("a lease", in: GroupSettings.leaseRange),
            countMax: try number("a number of jobs", in: 1...Limits.groupEntriesMax),
            isPatient: try flag())
    }

    private mutating func settling() throws(GroupFormError) -> GroupRequest.Settling {
        let lease = try text()
        var only: [EventID]?
        if try flag() {
            var ids: [EventID] = []
            for _ in 0..<(try number("the number of jobs", in: 0...count)) {
                ids.append(try id("a job"))
            }
            only = ids
        }
        return GroupRequest.Settling(
            lease: lease, only: only, end: try end(), reason: try reason(),
            isReplyAwaited: try flag())
    }

    private mutating func reason() throws(GroupFormError) -> String? {
        guard let text = try optionalText() else { return nil }
        guard !text.isEmpty, EventAttributes.value(of: text) == text else {
            throw .damaged("the reason of a dead letter makes no sense")
        }
        return text
    }

    private mutating func end() throws(GroupFormError) -> GroupRequest.End {
        guard let kind = EndKind(rawValue: try byte()) else {
            throw .damaged("jobs end in no way")
        }
        switch kind {
        case .done: return .done
        case .reply: return .reply(try payload(), contentType: try optionalText())
        case .publish:
            let (batch, ttl) = try batch()
            return .publish(batch, ttl: ttl)
        case .retry:
            return .retry(delay: try optional("a delay", in: 0...Limits.delayMicrosecondsMax))
        case .dead: return .dead
        case .refuse: return .refuse(try payload(), contentType: try optionalText())
        }
    }
}
