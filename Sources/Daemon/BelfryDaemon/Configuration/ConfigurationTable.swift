internal import Access
internal import HTTPFront
internal import SQLiteStore

private let hour: Int64 = 3_600_000_000
private let year: Int64 = 365 * 24 * hour
private let gibibyte = 1 << 30

extension ConfigurationKey {
    /// Every setting, in the order of the file.
    public static let all: [ConfigurationKey] =
        listen + http + access + bus + retention + poll + stream + work + rest

    private static let listen: [ConfigurationKey] = [
        ConfigurationKey(
            "listen", "tcp", list: \.listen.tcp, .list(of: .tcpAddress),
            purpose: """
                TCP addresses of the bus; an empty value means none. Port 0 picks a free port. \
                Without IPv6, [::1] beside 127.0.0.1 is silently left out.
                """,
            reason: """
                Another program has the port, or other machines have to reach the bus. Over \
                the network nothing identifies a caller, so put such an address behind a proxy.
                """),
        ConfigurationKey(
            "listen", "unix", \.listen.unix, .unixSocket,
            purpose: """
                The unix socket. auto is $RUNTIME_DIRECTORY/belfry.sock, else \
                /run/belfry/belfry.sock for root, else $XDG_RUNTIME_DIR/belfry/belfry.sock, else \
                belfry.sock in the state directory. Sockets from systemd replace it and tcp.
                """,
            reason: "Programs in a container or chroot need it at a path that they can see."),
        ConfigurationKey(
            "listen", "unix_mode", \.listen.unixMode, .mode,
            purpose: "Permission bits of the unix socket.",
            reason: "Only the daemon's own user or group may connect: 0600 or 0660."),
    ]

    private static let http: [ConfigurationKey] = [
        ConfigurationKey(
            "http", "loops", \.http.loops, .count(1...HTTPFrontLimits.loopsMax),
            purpose: "Event loops, each a thread with its own connections.",
            reason: "One loop keeps its processor busy all the time and others are free."),
        ConfigurationKey(
            "http", "header_seconds", \.http.headerSeconds, .seconds(1...3_600), isLive: true,
            purpose: "Time from a request's first byte to the end of its headers.",
            reason: "Slow links in front of the bus need longer; attackers should get less."),
        ConfigurationKey(
            "http", "body_seconds", \.http.bodySeconds, .seconds(1...3_600), isLive: true,
            purpose: "Time from the end of the headers to the end of the body.",
            reason: "Publishers send bodies that take longer to produce."),
        ConfigurationKey(
            "http", "idle_seconds", \.http.idleSeconds, .seconds(1...86_400), isLive: true,
            purpose: "Time that a connection may be idle between two requests.",
            reason: "A proxy keeps its connections longer and should be the one to close them."),
        ConfigurationKey(
            "http", "send_seconds", \.http.sendSeconds, .seconds(1...3_600), isLive: true,
            purpose: """
                The bus closes the connection of a client that reads no byte of its answer or \
                stream for this long. The client comes back with its cursor and loses no retained \
                event.
                """,
            reason: "Readers that pause for longer should keep their connection."),
        ConfigurationKey(
            "http", "connections", \.http.connectionsMax, .count(16...1_000_000), isLive: true,
            purpose: "Connections open at one time, waiting ones included.",
            reason: "More subscribers, on a machine whose file limit allows them (LimitNOFILE=)."),
        ConfigurationKey(
            "http", "connections_per_uid", \.http.connectionsPerUID,
            .automatic(.count(1...1_000_000)), isLive: true,
            purpose: """
                Connections of one user, root and the bus's own user included, and of all unknown \
                callers together. Beyond it the answer is 429. auto is three quarters of \
                connections.
                """,
            reason: "One user has nearly all of them, or several share the machine."),
        ConfigurationKey(
            "http", "header_bytes", \.http.headerBytesMax,
            .size(HTTPFrontLimits.headerBytesRange),
            purpose: "Size of one request's line and headers.",
            reason: """
                Clients send large cookies. No more than 32K of a request is looked at at once.
                """),
        ConfigurationKey(
            "http", "hosts", list: \.http.hosts, .list(of: .hostName), isLive: true,
            purpose: """
                Names that requests over TCP may use for the bus, besides localhost and the \
                loopback addresses.
                """,
            reason: "Clients reach it through a proxy or under the machine's name."),
        ConfigurationKey(
            "http", "prefix", \.http.prefix, .optional(.pathPrefix),
            purpose: """
                The path below which the bus is, such as /bus: a request for /bus/topics is one for \
                /topics, and answers name such paths. Without the prefix a request is 404.
                """,
            reason: "A proxy shows the bus below a path of its own, and keeps that path."),
        ConfigurationKey(
            "http", "origins", list: \.http.origins, .list(of: .origin), isLive: true,
            purpose: "Web pages of other origins that may use the bus: read, publish and delete.",
            reason: "A page from elsewhere publishes too. Then all its visitors may."),
        ConfigurationKey(
            "http", "origins_read", list: \.http.originsRead, .list(of: .origin), isLive: true,
            purpose: """
                Web pages of other origins that may only read: GET, HEAD and OPTIONS, including \
                streams, and WebSockets that do not publish.
                """,
            reason: "A dashboard from elsewhere shows events."),
        ConfigurationKey(
            "http", "page", \.http.showsPage, .yesOrNo, isLive: true,
            purpose: """
                Whether browsers are shown the page at /, and the documents at /docs. It uses the \
                same requests as all clients, by the same rules.
                """,
            reason: "Nobody should look at the bus in a browser."),
    ]

    private static let access: [ConfigurationKey] = [
        ConfigurationKey(
            "access", "rule", list: \.access.rules, .lines(of: .accessRule), isLive: true,
            purpose: """
                Access to topics: a topic or pattern, one or several of the verbs publish, \
                subscribe, work and administer, and the subjects: uid:N gid:N user:NAME group:NAME \
                token:NAME anyone. Of the selectors that match a topic and have a rule for the \
                verb, the most specific decides alone. A topic without a rule is open to \
                everybody. There may be \(AccessLimits.rulesMax) rules.
                """,
            reason: """
                Not every user of the machine may see or send everything. Example: rule = \
                deploys.> publish user:ci token:deployer
                """),
        ConfigurationKey(
            "access", "tokens", \.access.tokens, .tokensFile, isLive: true,
            purpose: """
                The file of tokens that callers may send as `Authorization: Bearer`, or as the \
                password of Basic. Each token has a line NAME sha256:HEX, as `belfryd --make-token \
                NAME` prints it. auto is the systemd credential `tokens`, if there is one. A \
                reload reads the file again.
                """,
            reason: "The kernel cannot see the caller: in a container, or behind a proxy."),
    ]

    private static let bus: [ConfigurationKey] = [
        ConfigurationKey(
            "bus", "autocreate", \.autocreate, .yesOrNo, isLive: true,
            purpose: "Whether publishing makes a topic that does not exist.",
            reason: "A misspelt topic should be an error: register topics by PUT first."),
        ConfigurationKey(
            "bus", "event_bytes", \.limits.eventBytesMax, .size(1...(16 << 20)), isLive: true,
            purpose: "Size of one event's payload; larger ones are answered 413.",
            reason: "Events carry documents, or should not."),
        ConfigurationKey(
            "bus", "topics", \.limits.topicsMax, .count(1...10_000_000), isLive: true,
            purpose: "Topics that exist at one time; an empty one takes about 1 KB of memory.",
            reason: "Topic names contain numbers of jobs or devices."),
        ConfigurationKey(
            "bus", "topics_per_uid", \.topicsPerUID, .automatic(.count(1...10_000_000)),
            isLive: true,
            purpose: """
                Topics that one user made, counted as connections are. Beyond it the answer is \
                429. auto is three quarters of topics.
                """,
            reason: "One program makes nearly all of them, or should not."),
        ConfigurationKey(
            "bus", "memory_bytes", \.memoryBytesMax, .size((1 << 20)...(1_024 * gibibyte)),
            isLive: true,
            purpose: """
                Memory for events, encodings, incoming bodies and unsent answers together. Beyond \
                it the largest topics lose their oldest events, and readers are told.
                """,
            reason: "The machine has more memory to give, or less."),
        ConfigurationKey(
            "bus", "commit_queue_bytes", \.limits.commitQueueBytesMax,
            .size((1 << 20)...(16 * gibibyte)),
            purpose: "Bytes that may wait for the store; publishing beyond it is answered 503.",
            reason: "A slow disk gets bursts that it would catch up with."),
        ConfigurationKey(
            "bus", "commit_queue_bytes_per_uid", \.commitQueueBytesPerUID,
            .automatic(.size((1 << 20)...(16 * gibibyte))), isLive: true,
            purpose: """
                Of that, the bytes that one user published, counted as connections are. Beyond it \
                the answer is 429. auto is three quarters.
                """,
            reason: "One program publishes in bursts, and others should not wait behind them."),
        ConfigurationKey(
            "bus", "idempotency", \.limits.idempotencyMicroseconds,
            .duration(1_000_000...(24 * hour)), isLive: true,
            purpose: """
                How long the bus remembers an Idempotency-Key: a repeat in this time makes no second \
                event.
                """,
            reason: "Publishers repeat later than that, or publish very much with keys."),
        ConfigurationKey(
            "bus", "tombstones", \.limits.tombstonesMax, .count(0...10_000_000),
            purpose: """
                Vanished topics whose losses the bus still tells apart. It tells the losses of \
                older ones to every subscriber.
                """,
            reason: "Subscribers of short-lived topics get gaps of other topics."),
    ]

    private static let retention: [ConfigurationKey] = [
        ConfigurationKey(
            "retention", "keep", \.retention.keep, .optional(.count(0...1_000_000_000)),
            isLive: true,
            purpose: """
                Number of events that a topic keeps, unless it was registered with its own; 0 \
                keeps none.
                """,
            reason: "Subscribers come back after more events than this."),
        ConfigurationKey(
            "retention", "bytes", \.retention.bytes, .optional(.size(0...(1_024 * gibibyte))),
            isLive: true,
            purpose: "Payload bytes that such a topic keeps; a larger event is answered 413.",
            reason: "One busy topic should leave room for the others."),
        ConfigurationKey(
            "retention", "for", \.retention.age, .optional(.duration(1_000...(100 * year))),
            isLive: true,
            purpose: "How long such a topic keeps its events.",
            reason: "Subscribers stay away for longer, or old events mislead."),
        ConfigurationKey(
            "retention", "grace", \.limits.graceMicroseconds, .duration(0...hour), isLive: true,
            purpose: """
                How long waiting requests still get events that retention removed, within the \
                memory bound.
                """,
            reason: "Slow readers get gaps in bursts on topics that keep little."),
    ]

    private static let poll: [ConfigurationKey] = [
        ConfigurationKey(
            "poll", "wait_max", \.poll.waitMax, .duration(1_000_000...(24 * hour)), isLive: true,
            purpose: "The longest wait that a request may ask for.",
            reason: "A proxy in between cuts off longer waits."),
        ConfigurationKey(
            "poll", "wait_default", \.poll.waitDefault, .duration(0...(24 * hour)), isLive: true,
            purpose: "How long a request waits if it does not say.",
            reason: "Clients that cannot say it should come back less often."),
        ConfigurationKey(
            "poll", "subscribers", \.poll.subscribersMax, .count(1...1_000_000), isLive: true,
            purpose: "Waiting requests and streams at one time. Beyond it the answer is 503.",
            reason: "More subscribers; http.connections has to allow them too."),
        ConfigurationKey(
            "poll", "subscribers_per_uid", \.poll.subscribersPerUID,
            .automatic(.count(1...1_000_000)), isLive: true,
            purpose: """
                Of these, those of one user, counted as connections are. Beyond it the answer is \
                429. auto is three quarters.
                """,
            reason: "One program waits for nearly everything, or should not."),
        ConfigurationKey(
            "poll", "subscribers_per_topic", \.poll.subscribersPerTopic,
            .optional(.count(1...1_000_000)), isLive: true,
            purpose: """
                Of these, those of exactly one topic, without wider selectors. Beyond it the \
                answer is 503.
                """,
            reason: "Publishing to a busy topic should never wake more than this."),
    ]

    private static let stream: [ConfigurationKey] = [
        ConfigurationKey(
            "stream", "heartbeat", \.stream.heartbeat, .duration(100_000...hour), isLive: true,
            purpose: """
                Time between two signs of life on a quiet stream. They carry the cursor if it has \
                moved.
                """,
            reason: """
                A proxy in between closes connections that are silent for less, or clients pay for \
                each byte.
                """)
    ]

    private static let work: [ConfigurationKey] = [
        ConfigurationKey(
            "work", "groups", \.work.groupsMax, .count(1...1_000_000), isLive: true,
            purpose: """
                Work groups that exist at one time, three quarters of them of one user; an idle one \
                takes about 2.5 KB of memory, and 1 KB for each pattern of four segments. All of them \
                together take a quarter of bus.memory_bytes at the most.
                """,
            reason: "Groups are made by programs, one for each job, or should not be."),
        ConfigurationKey(
            "work", "open", \.work.openMax, .count(1...10_000_000), isLive: true,
            purpose: """
                Jobs of all groups that were handed out and are not settled, three quarters of them \
                of one user's groups. Each counts 400 bytes of memory. Beyond it only jobs that come \
                again are handed out.
                """,
            reason: "Many groups have many workers, or jobs that fail for long."),
        ConfigurationKey(
            "work", "open_per_group", \.work.openPerGroupMax, .count(1...10_000_000),
            isLive: true,
            purpose: "Of these, the jobs of one group.",
            reason: "One group does nearly all of the work, or should not."),
        ConfigurationKey(
            "work", "parked", \.work.parkedMax, .count(1...100_000_000), isLive: true,
            purpose: """
                Jobs of all groups with order=key that wait for others of their key, three quarters \
                of them of one user's groups. Beyond it such groups look no further into the log.
                """,
            reason: "Few keys have most of the events."),
        ConfigurationKey(
            "work", "parked_per_group", \.work.parkedPerGroupMax, .count(1...100_000_000),
            isLive: true,
            purpose: "Of these, the jobs of one group.",
            reason: "One group with order=key has far more events than keys."),
    ]

    private static let rest: [ConfigurationKey] = [
        ConfigurationKey(
            "metrics", "topics", list: \.metrics.topics, .list(of: .topicSelector), isLive: true,
            purpose: """
                Topics and patterns whose topics have figures of their own in /metrics, at most \
                1,000 topics. Everyone who reaches the bus sees their names there, whatever the \
                rules say.
                """,
            reason: "Alerts and dashboards are about single topics."),
        ConfigurationKey(
            "store", "store", \.store, .store,
            purpose: """
                Where accepted events live. memory loses them in a restart, and tells readers. \
                sqlite keeps them in the file belfry.db of the state directory, or in a file of \
                your choice. Only one daemon at a time can use a file.
                """,
            reason: "Events need not survive a restart, and the disk should stay untouched."),
        ConfigurationKey(
            "store", "sync", \.storeSync, .sync,
            purpose: """
                When a store on the disk syncs. The end of the daemon at any moment loses no \
                answered event. With normal, power loss may cost the last second, and subscribers \
                are told. With full it costs nothing, and every answer waits for the disk.
                """,
            reason: "Events are worth a few milliseconds each."),
        ConfigurationKey(
            "store", "bytes", \.storeBytesMax,
            .size(SQLiteStoreConfiguration.sizeBytesMin...(16_384 * gibibyte)),
            purpose: """
                Size of the store's file. Beyond it the largest topics lose their oldest events, \
                and readers are told.
                """,
            reason: "The disk has more space to give, or less."),
        ConfigurationKey(
            "store", "state_directory", \.stateDirectory, .automatic(.path),
            purpose: """
                The folder of the files that outlive the daemon, made if it is missing. Only one \
                daemon at a time can use it. auto is $STATE_DIRECTORY, else \
                $XDG_STATE_HOME/belfry, else ~/.local/state/belfry.
                """,
            reason: "A second daemon runs on the machine, or the files belong on another disk."),
        ConfigurationKey(
            "daemon", "drain_seconds", \.drainSeconds, .seconds(0...3_600), isLive: true,
            purpose: "The longest time that a stop waits until requests are answered.",
            reason: "Keep it below TimeoutStopSec= of the service."),
        ConfigurationKey(
            "daemon", "log_level", \.logLevel, .logLevel, isLive: true,
            purpose: "The least urgent level that is logged.",
            reason: """
                warning makes the journal quiet. The reason of a refused request is in access_log.
                """),
        ConfigurationKey(
            "daemon", "access_log", \.accessLog, .accessLog, isLive: true,
            purpose: """
                A line of JSON for every request that has ended, in the log (at level info) or in \
                a file. A reload opens the file again. Queries are left out.
                """,
            reason: "You need to know the caller, path and duration of each request."),
    ]
}
