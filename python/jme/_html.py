"""How streams, releases, plans and the ledger look in a notebook. Charts are images of their own, so that their styles
cannot meet those of the notebook; they are light or dark as the reader's screen is."""

from __future__ import annotations

import base64
import math
from collections.abc import Collection, Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from . import _core

if TYPE_CHECKING:
    from .answers import Ledger
    from .plans import Plan
    from .releases import Release, Releases
    from .stream import Stream
    from .torch.optimizers import Adam

MOST_ROWS = 12


def image(title: str, svg: str) -> str:
    data = base64.b64encode(svg.encode()).decode()
    return f'<img alt="{escape(title, quote=True)}" style="max-width:100%" src="data:image/svg+xml;base64,{data}">'


NOISE = "<p>± is the standard deviation of the noise.</p>"
NOISE_AND_BANDS = "<p>± is the standard deviation of the noise; the bands hold 95% of it.</p>"


def table(head: Sequence[str], rows: Iterable[Sequence[Any]], words: Collection[str] = ()) -> str:
    """Columns named in `words` have text, which begins at the left."""
    sides = [' style="text-align:left"' if name in words else "" for name in head]
    cells = "".join(f"<th{side}>{escape(name)}</th>" for name, side in zip(head, sides, strict=True))
    body = "".join(
        "<tr>"
        + "".join(f"<td{side}>{escape(number(cell))}</td>" for cell, side in zip(row, sides, strict=True))
        + "</tr>"
        for row in rows
    )
    return f'<table style="margin:0.5em 0"><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>'


def number(cell: Any) -> str:
    if isinstance(cell, bool):
        return str(cell)
    return f"{cell:.5g}" if isinstance(cell, float) else f"{cell:,}" if isinstance(cell, int) else str(cell)


def noisy(value: float, noise: float) -> str:
    """A number with as many digits as its noise leaves it, and two of the noise."""
    if not (math.isfinite(value) and math.isfinite(noise) and noise > 0):
        return f"{value:.5g} ± {noise:.2g}"
    digits = 1 - math.floor(math.log10(noise))
    if not -2 <= digits <= 8:
        return f"{value:.5g} ± {noise:.2g}"
    return f"{value:.{max(digits, 0)}f} ± {noise:.{max(digits, 0)}f}"


def stream(s: Stream) -> str:
    unit = "slots" if s._has_slots else "rows"
    promise = "".join(f"<p>{escape(part)}</p>" for part in s.statement.split("\n\n"))
    charts = "".join(image(title, svg) for title, svg in s._charts())
    if charts:
        charts += "<p>± in these charts is half of a 95% band.</p>"
    if charts and s.dimension > s._most_charted:
        charts += f"<p>{s.dimension:,} are more columns than these charts compare: report() has the other charts.</p>"
    limit = s._limit_of_person()
    counted = escape(f"; all numbers are about rows that count{limit}") if limit else ""
    return (
        f"<p><b>jme.Stream</b>: {s.rows:,} {unit} so far{counted}</p>{charts}"
        f"<details><summary>What is promised</summary>{promise}</details>"
    )


def release(r: Release) -> str:
    means = table(
        ["column", "mean"],
        ([name, noisy(v, n)] for name, v, n in zip(r.columns, r.mean, r.noise_std.mean, strict=True)),
        ["column"],
    )
    return f"<p><b>jme.Release</b> at t = {r.t:,}</p>{means}{covariances(r)}{NOISE}"


def covariances(r: Release) -> str:
    if r._core.second_kind != "full" or len(r.columns) > MOST_ROWS:
        return ""
    rows = (
        [name, *(noisy(v, n) for v, n in zip(values, noise, strict=True))]
        for name, values, noise in zip(r.columns, r.covariance, r.noise_std.covariance, strict=True)
    )
    return table(["covariance", *r.columns], rows, ["covariance"])


def releases(all_of_them: Releases) -> str:
    if not len(all_of_them):
        return "<p><b>jme.Releases</b>: none</p>"
    shown = all_of_them[-MOST_ROWS:]
    values, noise = shown.mean
    rows = (
        [f"{t:,}", *(noisy(v, n) for v, n in zip(mean, std, strict=True))]
        for t, mean, std in zip(shown.t, values, noise, strict=True)
    )
    chart = "".join(image(title, svg) for title, svg in all_of_them._core.charts())
    left_out = len(all_of_them) - len(shown)
    note = f"<p>{left_out:,} earlier ones are not shown.</p>" if left_out else ""
    return (
        f"<p><b>jme.Releases</b>: {len(all_of_them):,}</p>{chart}"
        f"{table(['t', *(f'mean of {name}' for name in shown.columns)], rows)}{NOISE_AND_BANDS}{note}"
    )


def plan(p: Plan) -> str:
    best = p.recommended
    # The recommended method with every shape, and each other method with the recommended shape or its own best one.
    shown = [c for c in p.candidates if c["method"] == best["method"]]
    for method in dict.fromkeys(c["method"] for c in p.candidates if c["method"] != best["method"]):
        of_it = [c for c in p.candidates if c["method"] == method]
        like_best = [c for c in of_it if c["shape"] == best["shape"]]
        shown.append(min(like_best or of_it, key=lambda c: float(c["rmse_first"])))
    chart = ""
    same = [c for c in p.candidates if c["method"] == best["method"]]
    if len(same) > 1:
        title, label = f"Expected error of {best['method']}", "error of the first moment relative to the recommended"
        values = [c["rmse_first"] / best["rmse_first"] for c in same]
        chart = image(title, _core.bars(title, label, [c["shape"] for c in same], values))
    everything = ""
    if len(shown) < len(p.candidates):
        left_out = "".join(f"<p>not compared: {escape(words)}</p>" for words in p.left_out)
        everything = (
            f"<details><summary>All {len(p.candidates)} that were compared</summary>"
            f"{_candidates(p, p.candidates, [*MOST_NAMES, 'note'])}{left_out}</details>"
        )
    return (
        f"<p><b>jme.Plan</b>: {escape(best['method'])} with {escape(best['shape'])}</p>{chart}"
        f"{_candidates(p, shown, MOST_NAMES)}{everything}"
    )


MOST_NAMES = ["method", "shape", "rmse_first", "rmse_second", "std_first", "std_second", "state_vectors"]


def _candidates(p: Plan, shown: list[dict[str, Any]], names: list[str]) -> str:
    best = p.candidates[p.recommended["index"]]
    rows = (["*" if c is best else "", *(c[name] for name in names)] for c in shown)
    return table(["", *names], rows, ["method", "shape", "note"]) + "<p>* is recommended.</p>"


def ledger(book: Ledger) -> str:
    streams = table(
        ["source", "stream", "epsilon", "delta", "mu", "rows", "horizon", "releases", "condition"],
        (
            [
                s.get("source", s["file"]),
                *(s.get(key, "") for key in ("stream", "epsilon", "delta", "mu", "rows", "horizon", "releases")),
                s["condition"],
            ]
            for s in book.streams
        ),
        ["source", "stream", "condition"],
    )
    total = table(
        ["source", "streams", "mu", "epsilon", "delta", "adjacency"],
        ([t[key] for key in ("source", "streams", "mu", "epsilon", "delta", "adjacency")] for t in book.total),
        ["source", "adjacency"],
    )
    return f"<p><b>jme.Ledger</b> of {escape(book.state)}</p>{streams}<p>Spent in all:</p>{total}"


CURVE_POINTS = 8


def training(optimizer: Adam) -> str:
    """All of it is public: no epsilon depends on the examples."""
    done, steps, delta = optimizer.steps_done, optimizer.steps, optimizer.delta
    name = f"<b>jme.torch.{type(optimizer).__name__}</b>: {done:,} of {steps:,} steps"
    whole = optimizer.epsilon_spent(steps=steps)
    if not math.isfinite(whole):
        return f"<p>{name}; nothing is private here.</p>"
    places = sorted({round(steps * (i / CURVE_POINTS) ** 2) for i in range(CURVE_POINTS + 1)})
    epsilons = [optimizer.epsilon_spent(steps=place) for place in places]
    title, label = "Epsilon by steps", f"What the first steps spend, at delta = {delta:g}."
    chart = image(title, _core.curve(title, label, "steps", [float(place) for place in places], epsilons, float(done)))
    return (
        f"<p>{name}, epsilon {optimizer.epsilon_spent():.3g} of {whole:.3g} at delta = {delta:g}; noise multiplier "
        f"{optimizer.sigma:.3g}.</p>{chart}<p>What is spent is that of a number of steps that was fixed beforehand.</p>"
    )
