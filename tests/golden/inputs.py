"""The records of a golden case in every form in which they can be given."""

from __future__ import annotations

import gzip
import json
import pathlib
from typing import Any

import numpy as np
from cases import CASES, has_holes, horizon

HEADER, *RECORDS = pathlib.Path(__file__).with_name("rows.csv").read_text().splitlines()
NAMES = HEADER.split(",")


def records(case: str) -> list[list[str]]:
    """As cells of text: when, who, temp, co, rain."""
    all_cells = [record.split(",") for record in RECORDS]
    if not has_holes(case):
        all_cells = [cells for cells in all_cells if "" not in cells[2:]]
    return all_cells[: horizon(case)]


def columns(case: str) -> list[str]:
    settings = CASES[case]
    return settings.get("columns") or list(settings["bounds"])


def numbers(case: str) -> np.ndarray:
    """The data columns, in the order of the settings; NaN where a cell is empty."""
    places = [NAMES.index(name) for name in columns(case)]
    return np.array([[float(cells[i] or "nan") for i in places] for cells in records(case)])


def table(case: str) -> dict[str, Any]:
    """Named columns, as Python has them."""
    rows = records(case)
    given: dict[str, Any] = dict(zip(columns(case), numbers(case).T, strict=True))
    if "person" in CASES[case]:
        given["who"] = [cells[1] or None for cells in rows]
    if "time" in CASES[case]:
        given["when"] = np.array([int(cells[0]) for cells in rows])
    return given


def csv(case: str) -> bytes:
    return "\n".join([HEADER, *(",".join(cells) for cells in records(case)), ""]).encode()


def quoted_csv(case: str) -> bytes:
    """Every cell in quotes, and CRLF."""
    lines = [HEADER, *(",".join(f'"{cell}"' for cell in cells) for cells in records(case)), ""]
    return "\r\n".join(lines).encode()


def ndjson(case: str) -> bytes:
    return "".join(json.dumps(_object(cells)) + "\n" for cells in records(case)).encode()


def _object(cells: list[str]) -> dict[str, Any]:
    whole: dict[str, Any] = {"when": int(cells[0]), "who": cells[1] or None}
    return whole | {name: float(cell) if cell else None for name, cell in zip(NAMES[2:], cells[2:], strict=True)}


def write(case: str, form: str, folder: pathlib.Path) -> pathlib.Path:
    """A file of the case's records, named as the command expects it."""
    path = folder / f"rows.{form}"
    if form == "npy":
        np.save(path, numbers(case))
    elif form == "csv.gz":
        path.write_bytes(gzip.compress(csv(case)))
    else:
        make = {"csv": csv, "quoted": quoted_csv, "ndjson": ndjson}[form]
        path.write_bytes(make(case))
    return path
