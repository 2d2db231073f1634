# README, as its reader types it, at $port; belfry finds the bus by itself where $bus is empty. scripts/smoke reads this,
# and Tests/Outside/under_package.py has it read on a clean machine.

# Writes the blocks that a reader types to N.block, and their output to N.wanted, and prints how many there are. A line of
# the character 036 is behind the output of each step. DocumentationTests has the same rules.
readme_blocks() {
    awk -v folder="$work" '
        /^```/ && !inside { inside = 1; types = $0 == "```sh"; if (types) { count++; wants = 0 }; next }
        /^```/ { if (types) end_step(); inside = 0; next }
        inside && types && /^# / { print substr($0, 3) >(folder "/" count ".wanted"); wants = 1; next }
        inside && types { if (wants) end_step(); print >(folder "/" count ".block"); next }
        function end_step() {
            wants = 0
            print "printf \"\\n\\036\\n\"" >(folder "/" count ".block")
            print "\036" >(folder "/" count ".wanted")
        }
        END { print count + 0 }' README.md
}

# Prints the steps whose output is not the wanted one: … stands for any text, and alone on a line for any lines.
difference() { # wanted came
    # A column of ages is as wide as the largest.
    sed 's/[0-9]\{16\}/…/g; s/[0-9-]\{10\}T[0-9:]\{8\}\.[0-9]\{6\}Z/…/g
        s/[0-9]\{1,\}s ago \{1,\}/…/g; s/NEWEST \{1,\}/NEWEST…/' "$1" >"$work/pattern"
    sed 's/\r$//' "$2" >"$work/lines"
    awk '
        function is_like(pattern, line,    parts, count, i, at) {
            count = split(pattern, parts, "…")
            if (count < 2) return pattern == line
            if (substr(line, 1, length(parts[1])) != parts[1]) return 0
            line = substr(line, length(parts[1]) + 1)
            for (i = 2; i < count; i++) {
                if (parts[i] == "") continue
                if (!(at = index(line, parts[i]))) return 0
                line = substr(line, at + length(parts[i]))
            }
            at = length(line) - length(parts[count])
            return at >= 0 && substr(line, at + 1) == parts[count]
        }
        function are_like(step, i, j,    k) {
            if (i > wants[step]) return j > comes[step]
            if (want[step, i] == "…") {
                for (k = j; k <= comes[step] + 1; k++) if (are_like(step, i + 1, k)) return 1
                return 0
            }
            return j <= comes[step] && is_like(want[step, i], came[step, j]) && are_like(step, i + 1, j + 1)
        }
        FNR == 1 { file++; step = 1 }
        file == 1 && $0 == "\036" { steps = step++; next }
        file == 1 { want[step, ++wants[step]] = $0; next }
        # The line end in front of the mark belongs to the mark.
        $0 == "\036" { if (comes[step] && came[step, comes[step]] == "") comes[step]--; ended = step++; next }
        { came[step, ++comes[step]] = $0 }
        END {
            if (ended != steps) print ended + 0 " steps of " steps
            for (step = 1; step <= steps; step++) {
                if (are_like(step, 1, 1)) continue
                print "step " step " is to print"
                for (i = 1; i <= wants[step]; i++) print want[step, i]
                print "and printed"
                for (j = 1; j <= comes[step]; j++) print came[step, j]
            }
        }' "$work/pattern" "$work/lines"
}

# Without these an error of the comparison would let everything pass.
check_comparison() {
    printf '%s\n' 'a … c' '{"id":"1795251600000001",…}' "$(printf '\036')" "$(printf '\036')" >"$work/wanted"
    printf 'a b c\n{"id":"1795251600000002","x":1}\n\036\n\n\036\n' >"$work/came"
    check 'the comparison of what is alike' '' "$(difference "$work/wanted" "$work/came")"
    for change in 's/b c/b d/' 's/,/./' '$d' 's/^$/more/' '1d' 's/^{/x&/'; do
        sed "$change" "$work/came" >"$work/changed"
        check "that the comparison tells $change" yes "$(difference "$work/wanted" "$work/changed" | sed -n '1s/.*/yes/p')"
    done
}

readme() {
    check_comparison
    blocks=$(readme_blocks)
    check "the blocks to type in README, 5 or more" yes "$([ "$blocks" -ge 5 ] && echo yes || echo "$blocks")"
    mkdir "$work/typed"
    number=1
    while [ "$number" -le "$blocks" ]; do
        script=$(sed "s/localhost:7464/localhost:$port/g" "$work/$number.block")
        code=0
        timeout "$patience" env -i -C "$work/typed" HOME="$work" PATH="$programs:$PATH" ${bus:+"BELFRY_URL=$bus"} \
            dash -c "$script" >"$work/came" 2>"$work/err" || code=$?
        check "the exit status of README's block $number" 0 "$code"
        check "standard error of README's block $number" '' "$(cat "$work/err")"
        check "the differences between README's block $number and what it prints" '' \
            "$(difference "$work/$number.wanted" "$work/came")"
        number=$((number + 1))
    done
    program_of_readme python python3 py
    program_of_readme js node mjs
}

# A program follows for ever, so that its test asks for one event.
program_of_readme() { # kind interpreter suffix
    if ! command -v "$2" >/dev/null; then
        say "NOT tried: README's $1, because there is no $2"
        return
    fi
    sed -n '/^```'"$1"'$/,/^```$/{/^```/!p}' README.md |
        sed "s/localhost:7464/localhost:$port/; s/since=earliest/&\&max=1/" >"$work/program.$3"
    code=0
    timeout "$patience" "$2" "$work/program.$3" >"$work/came" 2>"$work/err" || code=$?
    check "the exit status of README's $1 ($(cat "$work/err"))" 0 "$code"
    check "what README's $1 prints" 'deploys v1.2 is live' "$(cat "$work/came")"
}
