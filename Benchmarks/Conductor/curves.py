"""How rows grow: one picture for each row and unit, drawn by gnuplot, and a page that shows them."""

import re
import statistics
import subprocess

from . import results

COLOURS = ("#c0392b", "#2471a3", "#7d8a2e", "#8e44ad", "#d68910")

SCRIPT = """
set terminal svg size 640,360 font 'sans-serif,12' background '#ffffff'
set output '{path}'
set key outside right top
set grid lc '#dddddd'
set logscale x
set xlabel '{grows}'
set ylabel '{unit}'
set yrange [0:*]
set format x '%.0f'
plot {lines}
"""


def plot(path, row, unit, points):
    names = list(dict.fromkeys(who for contestants in points.values() for who in contestants))
    lines, data = [], []
    for colour, name in zip(COLOURS * 2, names):
        lines.append(f"'-' with linespoints lw 2 pt 7 ps 0.5 lc '{colour}' title '{name}'")
        for point, contestants in sorted(points.items()):
            if name in contestants:
                # Zero has no place on a logarithmic axis.
                data.append(f"{max(point, 1)} {statistics.median(contestants[name].values())}")
        data.append("e")
    script = SCRIPT.format(path=path, grows=row.grows, unit=unit, lines=", ".join(lines))
    subprocess.run(["gnuplot"], input=script + "\n".join(data) + "\n", text=True, check=True)


def write(folder, target, head, rows, figures):
    """Draws what was measured at several points; the files that were written."""
    pictures = folder / f"{target}-growth"
    pictures.mkdir(exist_ok=True)
    parts = [f"# How it grows\n\nWritten by `make {target} ARGS=--growth`.\n\n{head}\n"]
    for row in rows:
        drawn = []
        for unit, points in results.grouped(figures[row.name]).items():
            if len(points) < 2:
                continue
            words = f"{row.name} {unit}".replace("µ", "u").lower()
            name = re.sub(r"[^a-z0-9]+", "-", words).strip("-") + ".svg"
            plot(pictures / name, row, unit, points)
            drawn.append(f"![{unit} by {row.grows}]({pictures.name}/{name})")
        if drawn:
            parts.append(f"## {row.name}\n\n{row.title[0].upper()}{row.title[1:]}.\n\n" + "\n".join(drawn) + "\n")
    document = folder / f"{target}-growth.md"
    document.write_text("\n".join(parts))
    return [document, pictures]
