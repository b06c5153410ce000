"""What the tests share: the package of the build tree, the built command, and made-up rows."""

from __future__ import annotations

import importlib.util
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

sys.path.insert(0, os.environ.get("JME_PYTHON_DIR", ""))

import jme

# torch comes from Debian, for the system's interpreter alone: the entry python.torch of ctest has these tests.
collect_ignore_glob = [] if importlib.util.find_spec("torch") else ["test_torch*.py"]

ROOT = pathlib.Path(__file__).resolve().parents[2]

BOUNDS = {"temp": (-20.0, 45.0), "co": (0.0, 100.0), "rain": (0.0, 8.0)}
SEEDED = {"epsilon": 1, "delta": 1e-6, "bounds": BOUNDS, "insecure_test_seed": 7}


@pytest.fixture
def settings() -> dict[str, Any]:
    """2,000 rows, a release every 70."""
    return {**SEEDED, "rows": 2000, "every": 70}


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(20261118)


def made_up(rng: np.random.Generator, rows: int) -> np.ndarray:
    """Rows of the columns of BOUNDS, some cells outside of them."""
    return rng.normal([15.0, 50.0, 2.0], [15.0, 30.0, 3.0], (rows, 3))


@pytest.fixture
def command(tmp_path: pathlib.Path) -> Callable[..., list[dict[str, Any]]]:
    """Runs `jme run` on an array with these settings and returns its lines."""
    binary = os.environ.get("JME_BINARY", "")
    if not binary:
        pytest.skip("JME_BINARY does not name the command")

    def run(table: np.ndarray, names: list[str] | None = None, /, **given: Any) -> list[dict[str, Any]]:
        file, config = tmp_path / "rows.csv", tmp_path / "run.json"
        given = {key.rstrip("_"): value for key, value in given.items()}
        names = names or list(given.get("bounds", {})) or [str(i + 1) for i in range(table.shape[1])]
        with file.open("w") as out:
            out.write(",".join(names) + "\n")
            for row in table:
                out.write(",".join("" if np.isnan(x) else repr(float(x)) for x in row) + "\n")
        config.write_text(json.dumps(given))
        done = subprocess.run(
            [binary, "run", str(file), "--config", str(config)], capture_output=True, text=True, check=True
        )
        return [json.loads(line) for line in done.stdout.splitlines()]

    return run


def same_as_line(release: jme.Release, line: dict[str, Any]) -> None:
    """Every number of a release is the number that the command printed, bit for bit."""
    assert release.t == line["t"]
    assert release.mean.tolist() == line["mean"]
    assert release.covariance.tolist() == line["covariance"]
    assert release.noise_std.mean.tolist() == line["noise_std"]["mean"]
    assert release.noise_std.covariance.tolist() == line["noise_std"]["covariance"]


def same_releases(found: jme.Releases, expected: jme.Releases) -> None:
    assert found.t.tolist() == expected.t.tolist()
    for a, b in zip(found, expected, strict=True):
        assert a.mean.tobytes() == b.mean.tobytes()
        assert a.covariance.tobytes() == b.covariance.tobytes()


def blocks(page: str, *, only: str | None = None, without: str | None = None) -> str:
    """The Python of a page, of one section of it, or of all others."""
    sections = re.split(r"^## ", (ROOT / page).read_text(), flags=re.M)
    chosen = {s.split("\n")[0]: s for s in sections if only in (None, s.split("\n")[0])}
    chosen.pop(without or "", None)
    return "\n".join(re.findall(r"^```python\n(.*?)^```", "\n".join(chosen.values()), re.M | re.S))


def notebook_keeps_its_output(path: pathlib.Path, folder: pathlib.Path) -> None:
    """Runs all cells, and looks whether they print the kinds of output that are kept in the file."""
    program = f"""
import nbclient, nbformat
book = nbformat.read({str(path)!r}, as_version=4)
nbclient.NotebookClient(book, timeout=400, resources={{"metadata": {{"path": {str(folder)!r}}}}}).execute()
nbformat.write(book, {str(folder / "done.ipynb")!r})
"""
    environment = {**os.environ, "PYTHONPATH": os.environ["JME_PYTHON_DIR"], "IPYTHONDIR": str(folder)}
    subprocess.run([sys.executable, "-c", program], check=True, env=environment)
    kept, done = (json.loads(file.read_text()) for file in (path, folder / "done.ipynb"))
    for before, after in zip(kept["cells"], done["cells"], strict=True):
        if before["cell_type"] == "code":
            assert _kinds(before) == _kinds(after), "run it again and keep the output"


def _kinds(cell: dict[str, Any]) -> list[str]:
    """What is printed comes in as many pieces as time makes of it."""
    return [kind for kind, _ in itertools.groupby(output["output_type"] for output in cell["outputs"])]
