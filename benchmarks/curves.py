"""The two growth curves as SVG text: cost of a row against t and against d, both axes logarithmic."""

import math

WIDTH, PLOT = 720, 320
LEFT, RIGHT, HEADER, BOTTOM = 74, 44, 60, 52
LIGHT = {"ink": "#1c1c1c", "grid": "#d8d8d8", "ground": "#ffffff", "a": "#0b63b5", "b": "#b5540b", "c": "#5d7a1f"}
DARK = {"ink": "#e6e6e6", "grid": "#3c3c3c", "ground": "#161616", "a": "#6cb2f5", "b": "#f0a05a", "c": "#b4d66b"}


def colours(palette):
    lines = "".join(f".{look} {{ stroke: {palette[look]}; }} " for look in ("grid", "a", "b", "c"))
    return f"text {{ fill: {palette['ink']}; }} .ground {{ fill: {palette['ground']}; }} {lines}"


# Plain rules and no variables: some programs that draw SVG do not know variables.
STYLE = f"""
  text {{ font-family: sans-serif; font-size: 13px; }} .title {{ font-size: 16px; font-weight: bold; }}
  .line {{ fill: none; stroke-width: 2.2; }} .b {{ stroke-dasharray: 7 4; }} .c {{ stroke-dasharray: 2 4; }}
  {colours(LIGHT)}
  @media (prefers-color-scheme: dark) {{ {colours(DARK)} }}
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
    top = HEADER + 20 * len(series) + 12
    height = top + PLOT + BOTTOM
    points = [point for _, _, curve in series for point in curve]
    (x0, x1), (y0, y1) = decades([p[0] for p in points]), decades([p[1] for p in points])
    across = lambda x: LEFT + (math.log10(x) - x0) / (x1 - x0) * (WIDTH - LEFT - RIGHT)
    up = lambda y: top + PLOT - (math.log10(y) - y0) / (y1 - y0) * PLOT
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img">',
             f"<title>{title}</title><style>{STYLE}</style>",
             f'<rect class="ground" width="{WIDTH}" height="{height}"/>',
             f'<text class="title" x="{LEFT}" y="26">{title}</text>',
             f'<text x="{LEFT}" y="48">time per row; both axes logarithmic</text>']
    for power in range(x0, x1 + 1):
        x = across(10**power)
        parts.append(f'<line class="grid" x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{top + PLOT}"/>'
                     f'<text x="{x:.1f}" y="{top + PLOT + 18}" text-anchor="middle">{10**power:,}</text>')
    for power in range(y0, y1 + 1):
        y = up(10.0**power)
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{y:.1f}" y2="{y:.1f}"/>'
                     f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{duration(power)}</text>')
    parts.append(f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{height - 12}" text-anchor="middle">{x_name}</text>')
    for i, (name, look, curve) in enumerate(series):
        path = " ".join(f"{across(x):.1f},{up(y):.1f}" for x, y in curve)
        y = HEADER + 14 + 20 * i
        parts.append(f'<polyline class="line {look}" points="{path}"/>'
                     f'<line class="line {look}" x1="{LEFT}" x2="{LEFT + 36}" y1="{y - 4}" y2="{y - 4}"/>'
                     f'<text x="{LEFT + 44}" y="{y}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def duration(power):
    for unit, name in ((0, "s"), (-3, "ms"), (-6, "µs"), (-9, "ns")):
        if power >= unit:
            return f"{10 ** (power - unit)} {name}"
    return f"1e{power} s"
