internal import HTTPFront
internal import SQLiteStore

private let hour: Int64 = 3_600_000_000
private let year: Int64 = 365 * 24 * hour
private let gibibyte = 1 << 30

extension ConfigurationKey {
    /// Every setting, in the order of the file.
    public static let all: [ConfigurationKey] =
        listen + http + access + bus + retention + poll + stream + rest

    private static let listen: [ConfigurationKey] = [
        ConfigurationKey(
            "listen", "tcp", list: \.listen.tcp, .list(of: .tcpAddress),
            purpose: """
                TCP addresses of the bus; none with an empty value. Port 0 picks a free one. [::1] \
                beside 127.0.0.1 is left out in silence where IPv6 is off.
                """,
            reason: """
                Another program has the port, or other machines are to reach the bus: over the \
                network nobody vouches for a caller, so put such an address behind a proxy.
                """),
        ConfigurationKey(
            "listen", "unix", \.listen.unix, .unixSocket,
            purpose: """
                The unix socket. auto is $RUNTIME_DIRECTORY/belfry.sock, else \
                /run/belfry/belfry.sock for root, else $XDG_RUNTIME_DIR/belfry/belfry.sock, else \
                belfry.sock in the state directory. Sockets that systemd hands over replace it and \
                tcp.
                """,
            reason: "Programs in a container or chroot are to reach it at a path they can see."),
        ConfigurationKey(
            "listen", "unix_mode", \.listen.unixMode, .mode,
            purpose: "Permission bits of the unix socket.",
            reason: "Only the daemon's own user or group is to connect: 0600 or 0660."),
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
            reason: "Publishers pipe in what takes them longer to produce."),
        ConfigurationKey(
            "http", "idle_seconds", \.http.idleSeconds, .seconds(1...86_400), isLive: true,
            purpose: "Time that a connection may lie idle between two requests.",
            reason: "A proxy keeps its connections longer and should be the one to close them."),
        ConfigurationKey(
            "http", "send_seconds", \.http.sendSeconds, .seconds(1...3_600), isLive: true,
            purpose: """
                Time without a byte read after which a client is cut off that is being answered or \
                told a stream. It comes back with its cursor and loses nothing that is kept.
                """,
            reason: "Readers that pause for longer should not have to come back."),
        ConfigurationKey(
            "http", "connections", \.http.connectionsMax, .count(16...1_000_000), isLive: true,
            purpose: "Connections open at one time, waiting ones included.",
            reason: "More subscribers, on a machine whose file limit allows them (LimitNOFILE=)."),
        ConfigurationKey(
            "http", "connections_per_uid", \.http.connectionsPerUID,
            .automatic(.count(1...1_000_000)), isLive: true,
            purpose: """
                Of these, connections of one user, root and the bus's own among them, and of all \
                unknown callers together; more are answered 429. auto is three quarters.
                """,
            reason: "One user has nearly all of them, or several share the machine."),
        ConfigurationKey(
            "http", "header_bytes", \.http.headerBytesMax,
            .size(HTTPFrontLimits.headerBytesMin...(256 << 10)),
            purpose: "Size of one request's line and headers.",
            reason: """
                Clients carry large cookies; each connection takes this much memory, and above \
                16K every request gets slower.
                """),
        ConfigurationKey(
            "http", "hosts", list: \.http.hosts, .list(of: .hostName), isLive: true,
            purpose: """
                Names that requests over TCP may call the bus by, besides localhost and the \
                loopback addresses.
                """,
            reason: "It is reached through a proxy or under the machine's name."),
        ConfigurationKey(
            "http", "origins", list: \.http.origins, .list(of: .origin), isLive: true,
            purpose: "Web pages of other origins that may use the bus: read, publish and delete.",
            reason: "A page that is served from elsewhere publishes too. So may all its visitors."),
        ConfigurationKey(
            "http", "origins_read", list: \.http.originsRead, .list(of: .origin), isLive: true,
            purpose: """
                Web pages of other origins that may only read: GET, HEAD and OPTIONS, streams and \
                WebSockets that do not publish among them.
                """,
            reason: "A dashboard that is served from elsewhere shows events."),
    ]

    private static let access: [ConfigurationKey] = [
        ConfigurationKey(
            "access", "rule", list: \.access.rules, .lines(of: .accessRule), isLive: true,
            purpose: """
                Who may publish to, subscribe to or administer topics: a topic or pattern, one of \
                these verbs or several with commas, and whom: uid:N gid:N user:NAME group:NAME \
                token:NAME anyone. Of the selectors that match a topic and have a rule for the \
                verb, the most specific decides alone; what no rule is about is open to everybody.
                """,
            reason: """
                Not every user of the machine is to see or send everything. Example: \
                rule = deploys.> publish user:ci token:deployer
                """),
        ConfigurationKey(
            "access", "tokens", \.access.tokens, .tokensFile, isLive: true,
            purpose: """
                The file of tokens that callers may show as `Authorization: Bearer`, or as the \
                password of Basic; one line NAME sha256:HEX for each, as `belfryd --make-token NAME` prints it. auto is the systemd \
                credential `tokens`, if there is one. Its contents are read again by a reload.
                """,
            reason: "The kernel cannot see who calls: out of a container, or through a proxy."),
    ]

    private static let bus: [ConfigurationKey] = [
        ConfigurationKey(
            "bus", "autocreate", \.autocreate, .yesOrNo, isLive: true,
            purpose: "Whether publishing makes a topic that does not exist.",
            reason: "A misspelt topic should be an error: register topics by PUT first."),
        ConfigurationKey(
            "bus", "event_bytes", \.limits.eventBytesMax, .size(1...(16 << 20)), isLive: true,
            purpose: "Size of one event's payload; larger ones are answered 413.",
            reason: "Events carry documents; or they should not."),
        ConfigurationKey(
            "bus", "topics", \.limits.topicsMax, .count(1...10_000_000), isLive: true,
            purpose: "Topics that exist at one time; an empty one takes about 1 KB of memory.",
            reason: "Names carry numbers of jobs or devices."),
        ConfigurationKey(
            "bus", "topics_per_uid", \.topicsPerUID, .automatic(.count(1...10_000_000)),
            isLive: true,
            purpose: """
                Of these, topics that one user made, counted as connections are; more are answered \
                429. auto is three quarters.
                """,
            reason: "One program makes nearly all of them, or should not."),
        ConfigurationKey(
            "bus", "memory_bytes", \.memoryBytesMax, .size((1 << 20)...(1_024 * gibibyte)),
            isLive: true,
            purpose: """
                What events, encodings, bodies being received and answers being sent may take \
                together. Beyond it the largest topics lose their oldest events, and readers are \
                told.
                """,
            reason: "The machine has more to give, or less."),
        ConfigurationKey(
            "bus", "commit_queue_bytes", \.limits.commitQueueBytesMax,
            .size((1 << 20)...(16 * gibibyte)),
            purpose: "What may wait for the store; publishing beyond it is answered 503.",
            reason: "A slow disk meets bursts that it would catch up with."),
        ConfigurationKey(
            "bus", "commit_queue_bytes_per_uid", \.commitQueueBytesPerUID,
            .automatic(.size((1 << 20)...(16 * gibibyte))), isLive: true,
            purpose: """
                Of that, what one user published, counted as connections are; more is answered 429. \
                auto is three quarters.
                """,
            reason: "One program publishes in bursts, and others should not wait behind them."),
        ConfigurationKey(
            "bus", "tombstones", \.limits.tombstonesMax, .count(0...10_000_000),
            purpose: """
                Vanished topics whose losses are still told apart; the losses of older ones are \
                told to every subscriber.
                """,
            reason: "Subscribers of short-lived topics get gaps that are not theirs."),
    ]

    private static let retention: [ConfigurationKey] = [
        ConfigurationKey(
            "retention", "keep", \.retention.keep, .optional(.count(0...1_000_000_000)),
            isLive: true,
            purpose: "Events kept of a topic that was not registered with its own; 0 keeps none.",
            reason: "Subscribers come back after more events than this."),
        ConfigurationKey(
            "retention", "bytes", \.retention.bytes, .optional(.size(0...(1_024 * gibibyte))),
            isLive: true,
            purpose: "Payload bytes kept of such a topic; a larger event is answered 413.",
            reason: "One busy topic should leave room for the others."),
        ConfigurationKey(
            "retention", "for", \.retention.age, .optional(.duration(1_000...(100 * year))),
            isLive: true,
            purpose: "How long the events of such a topic are kept.",
            reason: "Subscribers stay away for longer, or old events mislead."),
        ConfigurationKey(
            "retention", "grace", \.limits.graceMicroseconds, .duration(0...hour), isLive: true,
            purpose: """
                How long requests that already wait still get events that retention removed, \
                within the memory bound.
                """,
            reason: "Slow readers get gaps in bursts on topics that keep little."),
    ]

    private static let poll: [ConfigurationKey] = [
        ConfigurationKey(
            "poll", "wait_max", \.poll.waitMax, .duration(1_000_000...(24 * hour)), isLive: true,
            purpose: "The longest that a request may ask to wait.",
            reason: "A proxy in between cuts off longer waits."),
        ConfigurationKey(
            "poll", "wait_default", \.poll.waitDefault, .duration(0...(24 * hour)), isLive: true,
            purpose: "How long a request waits that does not say.",
            reason: "Clients that cannot say should come back less often."),
        ConfigurationKey(
            "poll", "subscribers", \.poll.subscribersMax, .count(1...1_000_000), isLive: true,
            purpose: "Requests that wait, and streams, at one time; more are answered 503.",
            reason: "More subscribers; http.connections has to allow them too."),
        ConfigurationKey(
            "poll", "subscribers_per_uid", \.poll.subscribersPerUID,
            .automatic(.count(1...1_000_000)), isLive: true,
            purpose: """
                Of these, those of one user, counted as connections are; more are answered 429. \
                auto is three quarters.
                """,
            reason: "One program waits for nearly everything, or should not."),
        ConfigurationKey(
            "poll", "subscribers_per_topic", \.poll.subscribersPerTopic,
            .optional(.count(1...1_000_000)), isLive: true,
            purpose: """
                Of these, those to exactly one topic, wider selectors aside; more are answered 503.
                """,
            reason: "Publishing to a busy topic should never have to wake more than this."),
    ]

    private static let stream: [ConfigurationKey] = [
        ConfigurationKey(
            "stream", "heartbeat", \.stream.heartbeat, .duration(100_000...hour), isLive: true,
            purpose: """
                The time between two signs of life on a stream without events, which carry the \
                cursor if it has moved.
                """,
            reason: "A proxy in between closes what is silent for less; or clients count bytes.")
    ]

    private static let rest: [ConfigurationKey] = [
        ConfigurationKey(
            "store", "store", \.store, .store,
            purpose: """
                Where accepted events live. memory loses them in a restart, and says so; sqlite \
                keeps them in the file belfry.db of the state directory, or in one of your own, \
                which only one daemon at a time can use.
                """,
            reason: "Nothing has to survive a restart, and nothing is to be written."),
        ConfigurationKey(
            "store", "sync", \.storeSync, .sync,
            purpose: """
                When a store on the disk syncs. The end of the daemon at any moment loses nothing \
                that was answered; with normal a loss of power may take the last second, which \
                subscribers are told; with full it takes nothing, and every answer waits for the \
                disk.
                """,
            reason: "Events are worth a few milliseconds each."),
        ConfigurationKey(
            "store", "bytes", \.storeBytesMax,
            .size(SQLiteStoreConfiguration.sizeBytesMin...(16_384 * gibibyte)),
            purpose: """
                What the file of such a store may take. Beyond it the largest topics lose their \
                oldest events, and readers are told.
                """,
            reason: "The disk has more to give, or less."),
        ConfigurationKey(
            "store", "state_directory", \.stateDirectory, .automatic(.path),
            purpose: """
                The folder of what outlives the daemon, made if it is missing; only one daemon at \
                a time can use it. auto is $STATE_DIRECTORY, else $XDG_STATE_HOME/belfry, else \
                ~/.local/state/belfry.
                """,
            reason: "A second daemon runs on the machine, or the disk is another one."),
        ConfigurationKey(
            "daemon", "drain_seconds", \.drainSeconds, .seconds(0...3_600), isLive: true,
            purpose: "The longest that a stop waits for requests to be answered.",
            reason: "Keep it below TimeoutStopSec= of the service."),
        ConfigurationKey(
            "daemon", "log_level", \.logLevel, .logLevel, isLive: true,
            purpose: "The least urgent lines that are logged.",
            reason: "warning, for a quiet journal. Why a request was refused is in access_log."),
        ConfigurationKey(
            "daemon", "access_log", \.accessLog, .accessLog, isLive: true,
            purpose: """
                A line of JSON for every request that has ended, in the log (at level info) or in a \
                file, which a reload opens anew. Queries are left out.
                """,
            reason: "Somebody has to know who asked for what, and how long it took."),
    ]
}
