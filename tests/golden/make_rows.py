"""Writes rows.csv, the input of all golden releases: times in and around one day, ids, and cells that are sometimes
missing, outside of their bounds, ties of the lattice, or no numbers. Made once; the file is what counts."""

import pathlib
import random

COUNT = 1200
START = 1767225600  # 2026-01-01


def cell(draw: random.Random, low: int, high: int) -> str:
    kind = draw.randrange(40)
    if kind == 0:
        return ""
    if kind == 1:
        return draw.choice(["0", "-0.0", "1e-320", "45", "2.5e1", "1000", "-1000", "0.1000000000000000055511151231257827"])
    return f"{draw.randrange(low * 1000, high * 1000) / 1000:.3f}"


def main() -> None:
    draw = random.Random(20261119)
    lines = ["when,who,temp,co,rain"]
    for _ in range(COUNT):
        when = START + draw.randrange(-3600, 90000)
        who = f"p{draw.randrange(150)}" if draw.randrange(50) else ""
        lines.append(f"{when},{who},{cell(draw, -25, 50)},{cell(draw, -5, 110)},{cell(draw, 0, 9)}")
    pathlib.Path(__file__).with_name("rows.csv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
