"""An executor whose network is cut while it has rows."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from conftest import made_up
from test_streams import ROWS, write_batches


def test_an_executor_whose_network_is_cut_loses_no_row_and_gives_none_twice(tmp_path, command):
    table = made_up(500).iloc[:240]
    lines = command(table, **ROWS)
    write_batches(tmp_path / "in", table, 20)
    # A namespace of its own: the network of this machine is not touched. Without root, root of a user namespace.
    namespace = ["unshare", "--net", *([] if os.getuid() == 0 else ["--user", "--map-root-user"])]
    program = [*namespace, sys.executable, "-B", str(Path(__file__).with_name("network.py")), str(tmp_path)]
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True)
        out, _ = process.communicate(timeout=600)
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 0, (tmp_path / "log").read_text()[-4000:]
    print(f"\nthe network was cut {out.split()[-1]} times")
    assert int(out.split()[-1]) == 5
    assert json.loads((tmp_path / "releases").read_text()) == lines
