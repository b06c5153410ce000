"""What the documents show about training does run."""

from __future__ import annotations

from conftest import blocks


def test_every_block_about_training_runs():
    program = blocks("docs/python.md", only="PyTorch")
    assert "jme.torch.Adam(" in program and "jme.Stream(" not in program
    exec(compile(program, "docs/python.md", "exec"), {"__name__": "page"})
