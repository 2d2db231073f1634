# The daemon under test, and requests to it by curl. scripts/smoke reads this.

life=0 # how often it was started
bus=   # its address

start() {
    life=$((life + 1))
    # A port of the system's choice in every life: an older one may be another program's by now.
    begin "daemon.$life" env -i HOME="$work" PATH="$PATH" "$programs/belfryd" --config "$work/belfryd.conf" \
        --listen 127.0.0.1:0 --listen "unix:$work/bus.sock"
    eventually "the line 'ready' in the log of life $life" is_ready
    port=$(sed -n 's/.* ready .*tcp=127\.0\.0\.1:\([0-9]*\).*/\1/p' "$work/daemon.$life.err")
    bus=http://127.0.0.1:$port
    # curl shows no progress, as on a terminal, and has a bound for each request. It uses no proxy, and not [::1], where the
    # port may be another program's.
    printf '%s\n' no-progress-meter "max-time = $patience" 'noproxy = *' "resolve = localhost:$port:127.0.0.1" >"$work/.curlrc"
    ask /readyz
    check "the status of /readyz in life $life" 200 "$status"
}

is_ready() {
    ! has_ended "daemon.$life" || fail "the start of the daemon" "a line 'ready'" "its end"
    grep -q ' ready .*tcp=.* store=' "$work/daemon.$life.err"
}

stop() { # signal
    kill -"$1" "$(cat "$work/daemon.$life.pid")"
}

# A request by curl: $status is its status, $body its body, and the file head has its headers.
ask() { # path option-of-curl…
    path=$1
    shift
    rm -f "$work/body" "$work/head"
    status=$(curl -D "$work/head" -o "$work/body" -w '%{http_code}' "$@" "$bus$path" 2>"$work/curl.err") ||
        fail "an answer to $path" "a status" "$(cat "$work/curl.err")"
    body=$(cat "$work/body" 2>/dev/null) || body=
}

header() { sed -n "s/^$1: \([^\r]*\).*/\1/Ip" "$work/head"; }

member() { printf '%s\n' "$body" | sed -n "s/.*\"$1\":\"*\([^\",}]*\).*/\1/p"; }

# Publishes a text; $id is its id. The file `answered` has each event as `envelopes` prints it.
publish() { # topic text option-of-curl…
    topic=$1
    text=$2
    shift 2
    ask "/topics/$topic" -d "$text" "$@"
    check "the status of a publish of '$text'" 201 "$status"
    id=$(header event-id)
    check "the member id of its answer" "$id" "$(member id)"
    printf '%s %s "%s"\n' "$id" "$topic" "$text" >>"$work/answered"
}

has_readers() { # topic number
    ask "/topics?match=$1"
    [ "$(member subscribers)" = "$2" ]
}

# The events of a selector in the form of `answered`, in the order in which the bus sends them.
events() { # selector
    curl -N "$bus/topics/$1?since=earliest&as=ndjson&wait=0" | envelopes
}

envelopes() {
    sed -n 's/^{"id":"\([0-9]*\)","topic":"\([^"]*\)",.*"data":\(.*\),"sender":{[^}]*}}$/\1 \2 \3/p'
}

check_complete() { # when
    events '>' >"$work/log"
    sort "$work/answered" >"$work/answered.sorted"
    sort "$work/log" >"$work/log.sorted"
    check "answered events that are missing $1" '' "$(comm -23 "$work/answered.sorted" "$work/log.sorted")"
    check "ids that do not rise $1" '' "$(awk '$1 <= before; { before = $1 }' "$work/log")"
    check "texts that are there twice $1" '' "$(grep ' crash' "$work/log" | cut -d ' ' -f 2- | sort | uniq -d)"
}
