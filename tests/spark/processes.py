"""The executor processes of a session of this process, by the tree of processes that it started."""

from __future__ import annotations

import os
import signal
from pathlib import Path


def _parents() -> dict[int, int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "stat").read_text()
            except OSError:
                continue  # it has ended
            parents[int(entry.name)] = int(status.rpartition(")")[2].split()[1])
    return parents


def descendants(of: int) -> list[int]:
    parents = _parents()
    found = [of]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]


def executors(of: int | None = None) -> list[int]:
    """Java processes that run tasks."""
    result = []
    for process in descendants(os.getpid() if of is None else of):
        try:
            words = Path(f"/proc/{process}/cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if b"org.apache.spark.executor.CoarseGrainedExecutorBackend" in words:
            result.append(process)
    return result


def kill(process: int) -> None:
    os.kill(process, signal.SIGKILL)
