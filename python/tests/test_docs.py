"""What the documents show does run."""

from __future__ import annotations

import re

import pytest
from conftest import ROOT


def blocks(page: str) -> str:
    text = (ROOT / page).read_text()
    return "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S))


@pytest.mark.parametrize("page", ["docs/python.md", "README.md"])
def test_every_block_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    program = blocks(page)
    assert "jme.Stream(" in program
    exec(compile(program, page, "exec"), {"__name__": "page"})
