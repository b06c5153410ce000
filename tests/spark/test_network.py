"""Clusters with two hosts: an executor whose network is cut while it has rows, and one that is slow."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from conftest import SEEDED, made_up
from test_streams import ROWS, write_batches


def run_program(name: str, folder: Path, inside: Sequence[str] = ()) -> str:
    program = [*inside, sys.executable, "-B", str(Path(__file__).with_name(name)), str(folder)]
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True)
        out, _ = process.communicate(timeout=600)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, (folder / "log").read_text()[-4000:]
    return out


def test_an_executor_whose_network_is_cut_loses_no_row_and_gives_none_twice(tmp_path, command):
    table = made_up(500).iloc[:240]
    lines = command(table, **ROWS)
    write_batches(tmp_path / "in", table, 20)
    # A namespace of its own: the network of this machine is not touched. Without root, root of a user namespace.
    namespace = ["unshare", "--net", *([] if os.getuid() == 0 else ["--user", "--map-root-user"])]
    out = run_program("network.py", tmp_path, namespace)
    print(f"\nthe network was cut {out.split()[-1]} times")
    assert int(out.split()[-1]) == 5
    assert json.loads((tmp_path / "releases").read_text()) == lines


def test_a_partition_whose_sums_a_second_task_makes_first_counts_once(tmp_path, command):
    (line,) = command(made_up(200), **SEEDED, rows=200, every=200)
    run_program("speculation.py", tmp_path)
    attempts = sorted(mark.name for mark in (tmp_path / "marks").iterdir())
    assert {"0-0", "0-1"} <= set(attempts), attempts
    release = json.loads((tmp_path / "release").read_text())
    assert release["took"] < 30  # the slow task was not waited for
    assert release["mean"] == line["mean"]
    assert release["covariance"] == line["covariance"]
