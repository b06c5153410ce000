"""What the tests of jme.torch share."""

from __future__ import annotations

from typing import Any

import jme.torch
import torch
from torch import nn

DELTA = 1e-5


class Centre(nn.Module):
    """Parameters p. With the loss |p - x|^2 / 2 the gradient of an example x is p - x: the same bits anywhere."""

    def __init__(self, dimension: int) -> None:
        super().__init__()
        self.p = nn.Parameter(torch.full((dimension,), 0.25))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.p - x


def half_square(difference: torch.Tensor) -> torch.Tensor:
    return difference.square().sum() / 2


def centres(examples: int, dimension: int) -> torch.Tensor:
    """Multiples of 1/256, so that sums of them are exact."""
    generator = torch.Generator().manual_seed(5)
    return torch.randint(-512, 512, (examples, dimension), generator=generator) / 256


def made(model: nn.Module, kind: type[jme.torch.Adam] = jme.torch.Adam, **given: Any) -> jme.torch.Adam:
    settings: dict[str, Any] = {
        "lr": 0.01,
        "sigma": 0.5,
        "delta": DELTA,
        "steps": 20,
        "examples": 100,
        "batch_size": 10,
        "clip": 1.0,
        "insecure_test_seed": 3,
    }
    return kind(model.parameters(), **{**settings, **given})


def trained(optimizer: jme.torch.Adam, model: nn.Module, data: torch.Tensor, steps: int, **settings: Any) -> None:
    gradients = jme.torch.per_example(model, half_square, **settings)
    batches = iter(optimizer.loader(torch.utils.data.TensorDataset(data)))
    for _ in range(steps):
        gradients.accumulate(optimizer, next(batches)[0])
        optimizer.step()
