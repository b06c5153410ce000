"""The two growth curves as SVG text: cost of a row against t and against d, both axes logarithmic."""

import math

WIDTH, HEIGHT = 720, 420
LEFT, RIGHT, TOP, BOTTOM = 74, 24, 64, 52
# Readable on white and on black; who draws the file chooses by its own setting.
STYLE = """
  svg { --ink: #1c1c1c; --faint: #d8d8d8; --ground: #ffffff; --a: #0b63b5; --b: #b5540b; --c: #5d7a1f; }
  @media (prefers-color-scheme: dark) {
    svg { --ink: #e6e6e6; --faint: #3c3c3c; --ground: #161616; --a: #6cb2f5; --b: #f0a05a; --c: #b4d66b; }
  }
  .ground { fill: var(--ground); }
  text { fill: var(--ink); font: 13px sans-serif; }
  .title { font-size: 16px; font-weight: bold; }
  .grid { stroke: var(--faint); }
  .line { fill: none; stroke-width: 2.2; }
  .a { stroke: var(--a); } .b { stroke: var(--b); stroke-dasharray: 7 4; } .c { stroke: var(--c); stroke-dasharray: 2 4; }
"""


def write(ours, peers, folder):
    identity = 1 / peers["long"]["identity"]["value"]
    rows = [
        ("jme, scaled-blt:4, d = 10", "a", ours["long"]["seconds_a_row"]),
        ("numpy, identity (no shaping), d = 10", "b", [[100, identity], [1_000_000, identity]]),
        ("numpy, square root, d = 10 (keeps every draw)", "c", peers["long"]["square_root_seconds_a_row"]),
    ]
    dimensions = [
        ("jme, scaled-blt:4", "a", ours["dimension"]["seconds_a_row"]),
        ("numpy, identity (no shaping)", "b", peers["dimension"]["seconds_a_row"]),
    ]
    (folder / "bench_rows.svg").write_text(chart("Cost of a row against the rows before it", "rows seen, t", rows))
    (folder / "bench_dimension.svg").write_text(chart("Cost of a row against its dimension", "dimension, d", dimensions))


def decades(values):
    return math.floor(math.log10(min(values))), math.ceil(math.log10(max(values)))


def chart(title, x_name, series):
    points = [point for _, _, curve in series for point in curve]
    (x0, x1), (y0, y1) = decades([p[0] for p in points]), decades([p[1] for p in points])
    across = lambda x: LEFT + (math.log10(x) - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)
    up = lambda y: HEIGHT - BOTTOM - (math.log10(y) - y0) / (y1 - y0) * (HEIGHT - TOP - BOTTOM)
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
             f"<title>{title}</title><style>{STYLE}</style>",
             f'<rect class="ground" width="{WIDTH}" height="{HEIGHT}"/>',
             f'<text class="title" x="{LEFT}" y="26">{title}</text>',
             f'<text x="{LEFT}" y="48">time a row; both axes logarithmic</text>']
    for power in range(x0, x1 + 1):
        x = across(10**power)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}"/>'
                     f'<text x="{x:.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{10**power:,}</text>')
    for power in range(y0, y1 + 1):
        y = up(10.0**power)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                     f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{duration(power)}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 12}" text-anchor="middle">{x_name}</text>')
    for i, (name, look, curve) in enumerate(series):
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in curve)
        y = TOP + 18 + 20 * i
        parts.append(f'<polyline class="line {look}" points="{path}"/>'
                     f'<line class="line {look}" x1="{LEFT + 14}" x2="{LEFT + 50}" y1="{y - 4}" y2="{y - 4}"/>'
                     f'<text x="{LEFT + 58}" y="{y}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def duration(power):
    for unit, name in ((0, "s"), (-3, "ms"), (-6, "µs"), (-9, "ns")):
        if power >= unit:
            return f"{10 ** (power - unit)} {name}"
    return f"1e{power} s"
