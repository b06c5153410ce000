"""What the documents show does run."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT, blocks


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_every_block_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = blocks(page, without="PyTorch")  # test_torch_docs.py has this section
    assert "jme.Stream(" in program
    exec(compile(program, page, "exec"), {"__name__": "page"})


def test_the_code_of_documents_and_notebooks_has_the_right_types(tmp_path):
    programs = {"page": blocks("docs/python.md"), "readme": blocks("README.md")}
    for book in (ROOT / "examples/notebooks").glob("*.ipynb"):
        cells = json.loads(book.read_text())["cells"]
        code = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "code")
        programs["notebook_" + re.sub(r"\W", "_", book.stem)] = code
    files = []
    for name, program in programs.items():
        files.append(tmp_path / f"{name}.py")
        # Classes of torch, which is not there, have any type.
        files[-1].write_text(f"# mypy: allow-subclassing-any\n{program}\n")
    folder = os.environ["JME_PYTHON_DIR"]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file",
            str(ROOT / "pyproject.toml"),
            "--cache-dir",
            f"{folder}/.mypy",
            *map(str, files),
        ],
        env={**os.environ, "MYPYPATH": folder},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_tables_of_scale_are_what_its_script_prints():
    done = subprocess.run(
        [sys.executable, str(ROOT / "benchmarks/scale.py")], capture_output=True, text=True, check=True
    )
    lines = [line for line in done.stdout.splitlines() if line]
    assert len(lines) > 40
    page = (ROOT / "docs/scale.md").read_text().splitlines()
    assert [line for line in page if line.startswith("|")] == lines
