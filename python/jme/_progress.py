"""How far a long push is: a line in a terminal, a bar in a notebook."""

from __future__ import annotations

import importlib
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol, TextIO

BAR = 24  # characters
SECONDS_BETWEEN = {"terminal": 0.1, "notebook": 0.25, "file": 10.0}


class Shown(Protocol):
    def __call__(self, done: int, total: int | None, /) -> None: ...


def shown(progress: bool | Callable[[int, int | None], object] | None) -> Shown | None:
    """What a push tells its progress to. Called once, as soon as there is something to tell; without a wish, only after
    two seconds, and then people who sit in front of a session see it."""
    if progress is False:
        return None
    if progress is None or progress is True:
        shell = _shell()
        if hasattr(shell, "kernel"):
            return _Notebook()
        stream = sys.stderr
        if stream is None:
            return None
        if progress is None and not (stream.isatty() and (shell is not None or hasattr(sys, "ps1"))):
            return None
        return _Terminal(stream)
    if not callable(progress):
        raise TypeError(f"progress must be True, False, None or a function, not {type(progress).__name__}")
    return lambda done, total: _call(progress, done, total)


def _call(function: Callable[[int, int | None], object], done: int, total: int | None) -> None:
    function(done, total)


def _shell() -> Any:
    """The session of IPython, where this is one. Nothing is imported."""
    ipython = sys.modules.get("IPython")
    return ipython.get_ipython() if ipython is not None else None


class _Bar:
    """What terminals and notebooks share: when to draw, and the words."""

    def __init__(self, kind: str) -> None:
        self._between = SECONDS_BETWEEN[kind]
        self._drawn: float | None = None
        self._began: float | None = None  # when the first rows were taken

    def __call__(self, done: int, total: int | None, /) -> None:
        now = time.monotonic()
        if done and total and self._began is None:
            self._began, self._done_then = now, done
        if self._drawn is not None and now - self._drawn < self._between:
            return
        self._drawn = now
        self.draw(done, total, self._words(done, total, now))

    def _words(self, done: int, total: int | None, now: float) -> str:
        if total is None:
            return f"{done:,} rows were read"
        if not done:
            return f"{total:,} rows are being checked"
        text = f"{done / total:4.0%}  {done:,} of {total:,} rows"
        seconds = now - (self._began or now)
        if seconds > 0 and done > self._done_then:
            left = (total - done) * seconds / (done - self._done_then)
            text += f", {_duration(left)} left"
        return text

    def draw(self, done: int, total: int | None, words: str) -> None:
        raise NotImplementedError


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes // 60} h {minutes % 60} min"


class _Terminal(_Bar):
    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_line = stream.isatty()
        self._width = 0
        super().__init__("terminal" if self._is_line else "file")

    def draw(self, done: int, total: int | None, words: str) -> None:
        if not self._is_line:
            self._write(f"jme: {words}\n")
            return
        if total:
            filled = BAR * done // total
            words = f"[{'#' * filled}{'.' * (BAR - filled)}] {words}"
        self._write("\r" + words.ljust(self._width))
        self._width = len(words)

    def close(self) -> None:
        if self._width:
            self._write("\r" + " " * self._width + "\r")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


class _Notebook(_Bar):
    def __init__(self) -> None:
        super().__init__("notebook")
        self._handle: Any = None

    def draw(self, done: int, total: int | None, words: str) -> None:
        measure = f'value="{done}" max="{total}"' if total and done else ""
        self._show(f'<progress {measure} style="width:20em;vertical-align:middle"></progress> {words.strip()}', words)

    def close(self) -> None:
        if self._handle is not None:
            self._show("", "")

    def _show(self, html: str, text: str) -> None:
        display = importlib.import_module("IPython.display").display  # it has no types
        contents = {"text/html": html, "text/plain": text}
        if self._handle is None:
            self._handle = display(contents, raw=True, display_id=True)
        else:
            self._handle.update(contents, raw=True)
