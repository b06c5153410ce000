"""How far a long push is, and releases while rows come."""

from __future__ import annotations

import asyncio
import io
import sys
import types

import jme
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conftest import BOUNDS, made_up, same_releases
from jme import _progress

NAMES = list(BOUNDS)


@pytest.fixture
def many(rng):
    """As many rows as some strides have: a stride is a million numbers."""
    return made_up(rng, 800_000)


@pytest.fixture
def wide(settings):
    return {**settings, "rows": 10_000_000, "every": 100_000}


@pytest.mark.parametrize("kind", ["array", "frame", "arrow", "lists"])
def test_a_function_hears_how_far_a_push_is(wide, many, kind):
    many = many[:20_000] if kind == "lists" else many
    held = {
        "array": lambda: many,
        "frame": lambda: pd.DataFrame(many, columns=NAMES),
        "arrow": lambda: pa.Table.from_pandas(pd.DataFrame(many, columns=NAMES)),
        "lists": lambda: iter(many.tolist()),
    }[kind]()
    heard = []
    found = jme.Stream(**wide).push(held, progress=lambda done, total: heard.append((done, total)))
    same_releases(found, jme.Stream(**wide).push(many))
    read = [done for done, total in heard if total is None]
    taken = [done for done, total in heard if total is not None]
    assert read == (list(range(256, 20_001, 256)) if kind == "lists" else [])
    assert taken == sorted(taken) and taken[0] == 0 and taken[-1] == len(many)
    assert {total for _, total in heard} - {None} == {len(many)}
    assert kind == "lists" or any(0 < done < len(many) for done in taken)


def test_a_function_that_raises_stops_a_push_as_an_interrupt_does(wide, many):
    def enough(done, total):
        if done:
            raise RuntimeError("enough")

    stream = jme.Stream(**wide)
    with pytest.raises(RuntimeError, match="enough"):
        stream.push(many, progress=enough)
    taken = stream.rows
    assert 0 < taken < len(many)
    rest = stream.push(many[taken:], progress=False)
    whole = jme.Stream(**wide).push(many)
    # Releases of the part that was taken wait for the next call.
    same_releases(rest, whole)


def test_a_function_cannot_push_to_its_own_stream(wide, many):
    stream = jme.Stream(**wide)
    with pytest.raises(jme.StateError, match="inside"):
        stream.push(many, progress=lambda done, total: stream.push(many[0]))
    assert stream.rows == 0


def test_a_wrong_progress_is_refused_before_a_row_is_taken(wide, many):
    stream = jme.Stream(**wide)
    with pytest.raises(TypeError, match="progress must be"):
        stream.push(many, progress="yes")
    assert stream.rows == 0


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_terminal_has_one_line_that_goes_away(wide, many, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setitem(_progress.SECONDS_BETWEEN, "terminal", 0)
    jme.Stream(**wide).push(many, progress=True)
    lines = sys.stderr.getvalue().split("\r")
    assert lines[0] == "" and lines[-1] == "" and not lines[-2].strip()
    assert lines[1].rstrip() == f"[{'.' * 24}] 800,000 rows are being checked"
    assert any(line.startswith("[####") and "of 800,000 rows" in line for line in lines)
    assert lines[-3].startswith(f"[{'#' * 24}] 100%  800,000 of 800,000 rows")
    assert "\n" not in sys.stderr.getvalue()
    # No line is wider than a terminal.
    assert max(map(len, lines)) < 80


def test_a_line_goes_away_after_an_error_too(wide, many, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    many[-1, 1] = np.inf
    with pytest.raises(jme.DataError):
        jme.Stream(**wide).push(many, progress=True)
    assert sys.stderr.getvalue().endswith(" \r")


def test_a_file_gets_lines_only_where_progress_is_asked_for(wide, many, monkeypatch):
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    jme.Stream(**wide).push(many, progress=True)
    assert sys.stderr.getvalue() == "jme: 800,000 rows are being checked\n"
    monkeypatch.setattr(sys, "stderr", None)
    jme.Stream(**wide).push(many, progress=True)


def test_only_people_at_a_prompt_see_it_unasked(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.delattr(sys, "ps1", raising=False)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: None))
    assert _progress.shown(None) is None and _progress.shown(False) is None
    assert _progress.shown(True) is not None
    monkeypatch.setattr(sys, "ps1", ">>> ", raising=False)
    assert _progress.shown(None) is not None and _progress.shown(False) is None
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    assert _progress.shown(None) is None


def test_a_notebook_has_a_bar_that_goes_away(wide, many, monkeypatch):
    told = []
    handle = types.SimpleNamespace(update=lambda contents, raw: told.append(contents))

    def display(contents, raw, display_id):
        told.append(contents)
        return handle

    shell = types.SimpleNamespace(kernel=None)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=display))
    monkeypatch.setitem(_progress.SECONDS_BETWEEN, "notebook", 0)
    jme.Stream(**wide).push(many, progress=True)
    assert told[0]["text/plain"] == "800,000 rows are being checked"
    assert any('<progress value="' in contents["text/html"] for contents in told)
    assert told[-1] == {"text/html": "", "text/plain": ""}


def test_times_are_short_words():
    assert [_progress._duration(seconds) for seconds in (0.2, 89, 90, 5000, 8000)] == [
        "0 s",
        "89 s",
        "2 min",
        "83 min",
        "2 h 13 min",
    ]


def test_following_a_source_gives_releases_as_they_come(settings, rng):
    rows = made_up(rng, 400)
    expected = jme.Stream(**settings).push(rows)
    stream = jme.Stream(**settings)
    for release, wanted in zip(stream.follow(rows), expected, strict=True):
        assert stream.rows == release.t
        assert release.mean.tobytes() == wanted.mean.tobytes()
    tables = jme.Stream(**settings).follow(np.array_split(rows, 3))
    assert [r.t for r in tables] == expected.t.tolist()


def test_following_an_asynchronous_source_gives_releases_as_they_come(settings, rng):
    rows = made_up(rng, 200)
    stream = jme.Stream(**settings)

    async def source():
        for row in rows:
            await asyncio.sleep(0)
            yield row

    async def follow():
        return [(r.t, stream.rows) async for r in stream.follow(source())]

    assert asyncio.run(follow()) == [(70, 70), (140, 140)]


def test_a_source_that_fails_leaves_what_it_gave(settings, rng):
    rows = made_up(rng, 100)

    def source():
        yield from rows
        raise OSError("the line broke")

    stream = jme.Stream(**settings)
    seen = []
    with pytest.raises(OSError, match="the line broke"):
        for release in stream.follow(source()):
            seen.append(release.t)
    assert (seen, stream.rows) == ([70], 100)
