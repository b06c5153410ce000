"""The command as golden cases run it."""

from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
from typing import Any

import golden
import inputs
from cases import CASES

BINARY = os.environ.get("JME_BINARY", "")
FORMS = {
    "csv": {},
    "csv.gz": {},
    "quoted": {"format": "csv", "records": "quoted"},
    "ndjson": {},
    "npy": {},
}


def settings(case: str, **more: Any) -> dict[str, Any]:
    """As a settings file has them."""
    return {key.rstrip("_"): value for key, value in {**CASES[case], **more}.items()}


def run(
    case: str,
    folder: pathlib.Path,
    form: str = "csv",
    *arguments: str,
    by_pipe: bool = False,
    only: int | None = None,
) -> list[dict[str, Any]]:
    """What it releases, as it is recorded; `only`: of so many lines of the file after its header."""
    config = folder / "run.json"
    text = json.dumps(settings(case, **FORMS[form]))
    if form == "npy":  # whose columns have numbers
        for number, name in enumerate(inputs.columns(case), 1):
            text = re.sub(rf"\b{name}\b", str(number), text)
    config.write_text(text)
    path = inputs.write(case, form, folder)
    if only is not None:
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[: only + 1]))
    command = [BINARY, "run", "-" if by_pipe else str(path), "--config", str(config), *arguments]
    given = path.read_bytes() if by_pipe else b""
    done = subprocess.run(command, input=given, capture_output=True)
    if done.returncode != 0:
        raise RuntimeError(f"{case}: {done.stderr.decode()}")
    return golden.of_lines(done.stdout.decode().splitlines()[1:], CASES[case]["emit"])
