"""The page of a run: the aims first, then every figure of every row."""

import statistics


def number(value):
    if value is None:
        return ""
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def grouped(rounds):
    """Values of all rounds by unit, point and contestant, in the order in which they are shown."""
    values = {}
    for index, figures in enumerate(rounds):
        for f in figures:
            values.setdefault(f.unit, {}).setdefault(f.point, {}).setdefault(f.who, {})[index] = f.value
    return values


def ratio(mine, other):
    """The median of the quotients of each round."""
    quotients = [mine[index] / other[index] for index in mine if other.get(index)]
    return statistics.median(quotients) if quotients else None


def judged(row, rounds):
    """Each aim with its value and whether it is met."""
    for aim in row.aims:
        value = aim.value(rounds)
        yield aim, value, value is not None and aim.is_met(value)


def over(aim):
    if aim.over is None:
        return ""
    who, point = aim.over
    return f" ÷ {who}" if point == aim.point else f" ÷ at {point:,}" if who == aim.who else f" ÷ {who} at {point:,}"


def verdict(row, aim, value, met):
    what = f"{aim.who} at {aim.point:,} {row.grows}{over(aim)}" if row.grows else f"{aim.who}{over(aim)}"
    shown = f"{value:.2f}" if aim.over and value is not None else number(value)
    state = "not measured" if value is None else "met" if met else "**missed**"
    return what, shown, aim.text, state


def table(rows, figures, broken):
    lines = ["| Row | What | Unit | Figure | Aim | |", "|---|---|---|---:|---:|---|"]
    for row in rows:
        if row.name in broken:
            lines.append(f"| [{row.name}](#{row.name}) | | | | | **broken**: {broken[row.name]} |".replace("\n", " "))
            continue
        for aim, value, met in judged(row, figures[row.name]):
            what, shown, bound, state = verdict(row, aim, value, met)
            unit = f"ratio of {aim.unit}" if aim.over else aim.unit
            lines.append(f"| [{row.name}](#{row.name}) | {what} | {unit} | {shown} | {bound} | {state} |")
    return "\n".join(lines)


def section(row, rounds):
    lines = [f"## {row.name}", "", f"{row.title[0].upper()}{row.title[1:]}. {row.note}".strip(), ""]
    for unit, points in grouped(rounds).items():
        lines += [f"| {row.grows} | {unit} | median | least – most | first ÷ this |", "|---:|---|---:|---:|---:|"]
        for point, contestants in sorted(points.items()):
            # The order of the first round, in which nothing is turned round.
            first = next(iter(contestants.values()))
            for who, values in contestants.items():
                spread = sorted(values.values())
                quotient = "" if values is first else f"{ratio(first, values) or 0:.2f}"
                lines.append(
                    f"| {point:,} | {who} | {number(statistics.median(spread))} |"
                    f" {number(spread[0])} – {number(spread[-1])} | {quotient} |")
        lines.append("")
    return "\n".join(lines)


def document(target, head, rows, figures, broken, aims):
    parts = [
        f"# Measured\n\nWritten by `make {target}`; `docs/PERFORMANCE.md` says what each figure means and what"
        f" bounds it.\n\n{head}\n\nCPU is the server's, of all its threads. A ratio is the median of the quotients of each"
        " round.\n", aims, "",
    ]
    parts += [section(row, figures[row.name]) for row in rows if row.name not in broken]
    return "\n".join(parts).rstrip() + "\n"


def summary(rows, figures, broken):
    """A line for each aim, for the terminal."""
    lines = []
    for row in rows:
        if row.name in broken:
            lines.append(f"{row.name:10} BROKEN: {broken[row.name]}")
            continue
        for aim, value, met in judged(row, figures[row.name]):
            what, shown, bound, state = verdict(row, aim, value, met)
            lines.append(f"{row.name:10} {what + ', ' + aim.unit:100.100} {shown:>8} {bound:>8} {state.strip('*')}")
    return "\n".join(lines)
