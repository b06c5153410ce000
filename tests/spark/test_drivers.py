"""Drivers that are killed, as processes of their own."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import made_up
from test_streams import ROWS, write_batches


def drive(folder: Path, seed: int, steps: str) -> int:
    """One driver, from its start to its end, with the Java machine that it started."""
    program = [sys.executable, "-B", str(Path(__file__).with_name("driver.py")), str(folder), str(seed), steps]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(program, stdout=log, stderr=log, start_new_session=True)
        code = process.wait(300)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    assert code in (0, -signal.SIGKILL), (folder / "log").read_text()
    return code


def test_drivers_that_are_killed_around_the_push_change_no_release(tmp_path, command):
    table = made_up(500)
    lines = command(table, **ROWS)
    write_batches(tmp_path / "in", table, 20)
    after = 0
    for seed in range(40):
        if drive(tmp_path, seed, "rows") == 0:
            break
        after += seed % 8 != 7
    print(f"\n{seed} drivers were killed, {after} of them between push and checkpoint")
    assert after >= 20
    assert json.loads((tmp_path / "releases").read_text()) == lines


def test_slots_of_drivers_that_are_killed_around_the_push_have_every_row_once(tmp_path):
    table = made_up(160)
    write_batches(tmp_path / "in", table, 20)
    for seed in range(40):
        if drive(tmp_path, seed, "slots") == 0:
            break
    print(f"\n{seed} drivers were killed")
    assert seed >= 5
    newest = json.loads((tmp_path / "releases").read_text())[-1]
    assert newest["rows"] == pytest.approx(160, abs=0.1)
