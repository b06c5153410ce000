"""What takes a compiler or a notebook's kernel: for ./test --all."""

from __future__ import annotations

import os
import re
import subprocess
import time

import pytest
from conftest import ROOT, notebook_keeps_its_output

pytestmark = pytest.mark.slow

NOTEBOOKS = sorted((ROOT / "examples/notebooks").glob("[12]-*.ipynb"))  # others need torch: test_torch_slow.py
PROGRAM = """
import jme
s = jme.Stream(epsilon=1, delta=1e-6, bounds={"x": (0, 1)}, rows=100, every=50)
print(jme.__file__, [r.t for r in s.push([(0.5,)] * 100)], s.newest.mean.shape)
"""


def clean_venv(folder):
    subprocess.run(["/usr/bin/python3", "-m", "venv", str(folder)], check=True)
    return folder / "bin/python"


def tried(python, tmp_path):
    """The installed package, from a folder that has nothing of this tree."""
    outside = {name: value for name, value in os.environ.items() if not name.startswith(("JME_", "PYTHON"))}
    return subprocess.run(
        [str(python), "-c", PROGRAM], cwd=tmp_path, env=outside, capture_output=True, text=True, check=True
    ).stdout


def test_pip_installs_this_tree_into_a_clean_venv(tmp_path):
    python = clean_venv(tmp_path / "venv")
    begin = time.monotonic()
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", str(ROOT)], check=True)
    print(f"pip install .: {time.monotonic() - begin:.0f} s")
    assert re.fullmatch(rf"{tmp_path}/venv/.*/jme/__init__.py \[50, 100\] \(1,\)\n", tried(python, tmp_path))
    installed = sorted(path.name for path in (tmp_path / "venv/lib").glob("python3*/site-packages/jme*"))
    assert len(installed) == 2, installed
    assert not list((tmp_path / "venv").glob("**/jme/jme.hpp")), "headers must not be in a wheel"


def test_the_wheel_is_complete_in_itself(tmp_path):
    done = subprocess.run([str(ROOT / "scripts/package"), "wheel"], check=True, capture_output=True, text=True)
    wheel = next(line for line in done.stdout.splitlines() if line.endswith(".whl"))
    assert "manylinux" in wheel
    python = clean_venv(tmp_path / "venv")
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", wheel], check=True)
    assert "[50, 100] (1,)" in tried(python, tmp_path)
    extension = next((tmp_path / "venv").glob("lib/python3*/site-packages/jme/_core*.so"))
    needed = subprocess.run(["ldd", str(extension)], capture_output=True, text=True, check=True).stdout
    for library in ("openblas", "fmt", "sqlite3", "crypto", "mpfr"):
        assert not re.search(rf"lib{library}\S* => /(usr/)?lib/", needed), f"{library} of this machine"


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebooks_run_and_keep_their_output(path, tmp_path):
    notebook_keeps_its_output(path, tmp_path)


def test_there_are_notebooks():
    assert len(NOTEBOOKS) == 2
