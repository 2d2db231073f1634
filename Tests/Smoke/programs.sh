# Both programs: their libraries, the command, mistakes, the check of a store. scripts/smoke reads this.

release_is_whole() {
    for program in belfryd belfry; do
        [ -x "$programs/$program" ] || fail "the program $programs/$program" "a program" "none: run make release"
        check "libraries that $program lacks, or has from Swift" '' "$(ldd "$programs/$program" | grep -E 'not found|swift')"
        run "$programs/$program" --version
        check "the version of $program" "$program $(scripts/version)" "$out"
    done
}

the_command() {
    run "$programs/belfry" pub command 'v1.2 is live'
    check "belfry pub ($err)" 0 "$code"
    run "$programs/belfry" sub command --since earliest --until-now --data
    check "belfry sub ($err)" 0 "$code"
    check 'what belfry sub prints' 'v1.2 is live' "$out"
    run "$programs/belfry" topics
    check "belfry topics ($err)" 0 "$code"
    check 'a row of belfry topics' 'command 1 12' \
        "$(printf '%s\n' "$out" | sed -n 's/^\(command\)  *\([0-9]*\)  *\([0-9]*\)  .*/\1 \2 \3/p')"
    begin sub env -i HOME="$work" PATH="$PATH" BELFRY_URL="$bus" \
        "$programs/belfry" sub command --max 1 --data
    eventually 'a belfry sub that waits' has_readers command 1
    publish command 'v1.3 is live'
    check_ended sub 0
    check 'what a belfry sub prints that waited' 'v1.3 is live' "$(cat "$work/sub.out")"
    run "$programs/belfry" wait command --timeout 100ms
    check 'belfry wait without an event' 1 "$code"
    run "$programs/belfry" pub
    check 'belfry pub without a topic' 2 "$code"
    run "$programs/belfry" pub '$reserved' x
    check "belfry pub to a topic of the bus ($err)" 3 "$code"
    check_has 'what it says' TOPIC_RESERVED "$err"
}

# Nothing listens on port 1, and no program is given it by chance.
a_wrong_port() {
    code=0
    curl http://localhost:1/topics >"$work/out" 2>"$work/err" || code=$?
    check 'curl at a wrong port' 7 "$code"
    check_has 'what it says' 'localhost port 1' "$(cat "$work/err")"
    run env BELFRY_URL=http://localhost:1 "$programs/belfry" pub smoke x --patience 200ms
    check "belfry at a wrong port ($err)" 4 "$code"
    check_has 'what it says' 'the bus was not reached' "$err"
}

refused_starts() {
    run_daemon --nonsense
    check "belfryd with an unknown option ($err)" 2 "$code"
    check_has 'what it says' '--nonsense' "$err"
    run_daemon --listen "unix:$work/second.sock"
    check "a second belfryd on one store ($err)" 1 "$code"
    check_has 'what it says' 'in use by another bus' "$err"
    run env BELFRY_STORE_STATE_DIRECTORY="$work/other" "$programs/belfryd" --config "$work/belfryd.conf" \
        --store memory --listen "127.0.0.1:$port"
    check "a second belfryd on one port ($err)" 1 "$code"
    check_has 'what it says' "127.0.0.1:$port" "$err"
}

checking_the_store() {
    run_daemon --check-store
    check 'a check of a store that is in use' 1 "$code"
    check_has 'what it says' 'in use' "$err"
    run_daemon --backup "$work/copy.db"
    check "a backup ($err)" 0 "$code"
    check_complete 'at the end'
    stop TERM
    check_ended "daemon.$life" 0
    run_daemon --check-store
    check "a check of the store ($err)" 0 "$code"
    [ -s "$work/.local/state/belfry/belfry.db" ] || fail 'the store' "$work/.local/state/belfry/belfry.db" 'no such file'
    check 'what it says' OK "$out"
    run_daemon --store "sqlite:$work/copy.db" --check-store
    check "a check of the backup ($err)" 0 "$code"
    check 'what it says' OK "$out"

    # Everything behind the first page of the copy.
    pages=$(($(wc -c <"$work/copy.db") / 4096 - 1))
    check_less 'the pages of the backup' 3 "$pages"
    dd if=/dev/zero of="$work/copy.db" bs=4096 seek=1 count="$pages" conv=notrunc 2>/dev/null
    run_daemon --store "sqlite:$work/copy.db" --check-store
    check "a check of a damaged copy ($err)" 1 "$code"
    check_has 'what it says' copy.db "$err"
    check 'what it prints' '' "$out"
    run_daemon --store "sqlite:$work/copy.db" --listen "unix:$work/bus.sock"
    check "a start on a damaged copy ($err)" 1 "$code"
    check_has 'what it says' 'is damaged' "$err"
}
