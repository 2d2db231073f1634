# Checks, which are counted, and programs that run meanwhile. scripts/smoke reads this.

passed=0
failed=0
last_check='the beginning'
patience=20 # seconds that anything may take, on a busy machine too

fail() { # what expected came
    failed=1
    say "FAILED: $1: expected '$2', came '$3' ($stage, behind the check of $last_check)"
    exit 1
}

pass() { # what
    passed=$((passed + 1))
    last_check=$1
}

check() { # what expected came
    [ "$2" = "$3" ] || fail "$@"
    pass "$1"
}

check_has() { # what part came
    case "$3" in
        *"$2"*) pass "$1" ;;
        *) fail "$1" "…$2…" "$3" ;;
    esac
}

check_less() { # what smaller larger
    [ "$2" -lt "$3" ] || fail "$1" "more than $2" "$3"
    pass "$1"
}

# Tries a command until it succeeds. It looks at a file or an answer, so the pause makes no order.
eventually() { # what command…
    what=$1
    shift
    deadline=$(($(date +%s) + patience))
    until "$@"; do
        [ "$(date +%s)" -lt "$deadline" ] || fail "$what" "within $patience s" "not yet"
        sleep 0.05
    done
    pass "$what"
}

# Runs a command, and goes on meanwhile. NAME.out and NAME.err have its output, NAME.pid its id, and NAME.ended, once it
# has ended, its status.
begin() { # name command…
    name=$work/$1
    shift
    rm -f "$name.ended" "$name.pid"
    (
        "$@" >"$name.out" 2>"$name.err" &
        echo $! >"$name.pid"
        wait $! && status=0 || status=$?
        echo "$status" >"$name.end" && mv "$name.end" "$name.ended"
    ) >/dev/null 2>&1 &
    eventually "the start of ${name##*/}" test -s "$name.pid"
}

has_ended() { [ -e "$work/$1.ended" ]; }

check_ended() { # name status
    eventually "the end of $1" has_ended "$1"
    check "the exit status of $1 ($(tail -n 1 "$work/$1.err"))" "$2" "$(cat "$work/$1.ended")"
}

# A program without settings of this machine: $code is its status, $out its output, $err its standard error.
run() { # command…
    code=0
    timeout "$patience" env -i HOME="$work" PATH="$PATH" BELFRY_URL="$bus" "$@" >"$work/out" 2>"$work/err" || code=$?
    out=$(cat "$work/out")
    err=$(cat "$work/err")
}

# belfryd for one of its tasks besides serving, or for a start that is refused.
run_daemon() { run "$programs/belfryd" --config "$work/belfryd.conf" "$@"; } # option…

# Ends the programs of `begin` that still run.
end_programs() {
    for file in "$work"/*.pid; do
        [ ! -e "$file" ] || [ -e "${file%.pid}.ended" ] || kill -KILL "$(cat "$file")" 2>/dev/null || true
    done
    wait
}
