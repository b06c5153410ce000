"""Releases as what is recorded of them: a digest of the exact bits of every number, and the mean for people to read."""

from __future__ import annotations

import hashlib
import json
import math
import pathlib
from collections.abc import Iterable
from typing import Any

FILE = pathlib.Path(__file__).with_name("releases.json")


def _bits(value: Any) -> str:
    if isinstance(value, list):
        return "[" + ",".join(_bits(item) for item in value) + "]"
    if value is None or math.isnan(value):
        return "null"
    return float(value).hex()


def recorded(release: dict[str, Any], quantities: Iterable[str]) -> dict[str, Any]:
    """What is kept of a release, given as the command prints it."""
    text = " ".join(f"{name}={_bits(release[name])}" for name in quantities)
    digest = hashlib.sha256(text.encode()).hexdigest()[:24]
    kept: dict[str, Any] = {"t": release["t"], "digest": digest}
    if "mean" in release:
        kept["mean"] = [x if x is None or math.isfinite(x) else None for x in release["mean"]]
    return kept


def of_lines(lines: Iterable[str], quantities: list[str]) -> list[dict[str, Any]]:
    """Of what the command prints after its first line."""
    return [recorded(json.loads(line), quantities) for line in lines]


def load() -> dict[str, dict[str, Any]]:
    """The settings and the releases of every case."""
    return json.loads(FILE.read_text())


def store(cases: dict[str, dict[str, Any]]) -> None:
    """One line for each release, so that a difference shows which ones changed."""
    texts = []
    for name in sorted(cases):
        lines = ",\n".join("   " + json.dumps(release) for release in cases[name]["releases"])
        settings = json.dumps(cases[name]["settings"])
        texts.append(f' "{name}": {{\n  "settings": {settings},\n  "releases": [\n{lines}\n  ]\n }}')
    FILE.write_text("{\n" + ",\n".join(texts) + "\n}\n")
