"""The same configuration and key give the same parameters in C++ and in Python."""

from __future__ import annotations

import os
import subprocess

import jme.torch
import pytest
from torch_models import Centre, centres, half_square, made, trained

EXAMPLES, DIMENSION, STEPS = 200, 1037, 25


def by_cpp(tmp_path, data, method, shape, batch, clip, rate, decay, floor):
    program = os.environ["JME_CPP_TRAINER"]
    (tmp_path / "in").write_bytes(data.numpy().tobytes())
    numbers = (7, EXAMPLES, DIMENSION, batch, STEPS, clip, rate, decay, floor)
    words = [program, method, shape, *map(repr, numbers), str(tmp_path / "in"), str(tmp_path / "out")]
    subprocess.run(words, check=True, timeout=60)
    return (tmp_path / "out").read_bytes()


@pytest.mark.parametrize("method", ["jme", "pp", "pp-debiased", "joint-clip", "jme-paper"])
@pytest.mark.parametrize("decay", [0.0, 0.3])
def test_sampled_training_has_the_bits_of_cpp(tmp_path, method, decay):
    data = centres(EXAMPLES, DIMENSION) * 0.37  # no longer round: clipping and sums are rounded
    expected = by_cpp(tmp_path, data, method, "none", 20.0, 0.7, 0.013, decay, 1.5)
    model = Centre(DIMENSION)
    kind = jme.torch.AdamW if decay else jme.torch.Adam
    given = {"weight_decay": decay} if decay else {}
    optimizer = made(
        model, kind, lr=0.013, examples=EXAMPLES, batch_size=20, steps=STEPS, clip=0.7, method=method,
        noise_floor=1.5, insecure_test_seed=7, **given,
    )  # fmt: skip
    trained(optimizer, model, data, STEPS, micro_batch=8)
    assert model.p.detach().numpy().tobytes() == expected


@pytest.mark.parametrize("method", ["jme", "pp-debiased", "jme-batch-mean"])
def test_training_with_shaped_noise_has_the_bits_of_cpp(tmp_path, method):
    data = centres(EXAMPLES, DIMENSION) * 0.37
    expected = by_cpp(tmp_path, data, method, "blt:2", 20, 0.7, 0.013, 0.0, 1.0)
    model = Centre(DIMENSION)
    optimizer = made(
        model, lr=0.013, examples=EXAMPLES, batch_size=20, steps=STEPS, clip=0.7, method=method, shape="blt:2",
        participations=STEPS // 10 + 1, separation=10, insecure_test_seed=7,
    )  # fmt: skip
    gradients = jme.torch.per_example(model, half_square)
    for step in range(STEPS):
        begin = step * 20 % EXAMPLES
        gradients.accumulate(optimizer, data[begin : begin + 20])
        optimizer.step()
    assert model.p.detach().numpy().tobytes() == expected
