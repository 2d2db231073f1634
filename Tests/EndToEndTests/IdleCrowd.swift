import TestSupport
import Testing

/// Subscribers of mixed forms and selectors whom nothing is told.
struct IdleCrowd {
    /// What a daemon has to be set to: signs of life are not what is measured.
    static let configuration = "[stream]\nheartbeat = 1h\n"

    private let forms: [SubscriberForm]
    private var clients: [RawClient] = []
    private var isCounted = 0

    init(of forms: [SubscriberForm] = SubscriberForm.inUse) {
        self.forms = forms
    }

    /// Lets so many more subscribe, in turn by TCP and by the unix socket, and returns when all of
    /// them wait.
    mutating func join(_ count: Int, at daemon: RunningDaemon) throws {
        let observer = try daemon.connect()
        try observer.register("idle.shared")
        let first = clients.count
        for number in first..<(first + count) {
            let client = try RawClient(number % 2 == 0 ? daemon.tcp : daemon.unix)
            let form = forms[number % forms.count]
            let isPoll = !SubscriberForm.streams.contains(form)
            let place = number / forms.count % 4
            let selector =
                switch place {
                case 0 where !isPoll: "idle.own.\(number)"
                case 0, 1: "idle.shared"
                case 2: "idle.list.\(number),idle.shared"
                default: "idle.*,other.*.\(number)"
                }
            if isPoll || place != 0 { isCounted += 1 }
            let name = form.asName.map { "&as=\($0)" } ?? ""
            try client.send(
                "GET", "/topics/\(selector)?since=now&wait=1h\(name)",
                headers: [("User-Agent", "idle/1.0"), ("Accept", "*/*")]
                    + (form.isSocket ? WebSocketClient.handshake : []))
            clients.append(client)
        }
        for (number, client) in clients.enumerated().dropFirst(first)
        where SubscriberForm.streams.contains(forms[number % forms.count]) {
            try #require(client.hasMore(within: 60), "subscriber \(number) hears nothing")
        }
        try observer.await(subscribers: isCounted, of: "idle.shared", within: 30)
    }

    /// Lets all of them go, and returns when nobody is counted any more.
    mutating func leave(_ daemon: RunningDaemon) throws {
        clients = []
        isCounted = 0
        try daemon.connect().await(subscribers: 0, of: "idle.shared", within: 30)
    }

    /// Publishes to them all, and returns when each has heard something.
    func wake(_ daemon: RunningDaemon) throws {
        try daemon.connect().publish("awake", to: "idle.shared")
        for (number, client) in clients.enumerated() {
            try #require(client.hasMore(within: 60), "subscriber \(number) still sleeps")
        }
    }
}
