"""Vectors over all parameters, of which every process works on one slice."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from .. import _core
from ..errors import StateError
from ._processes import STATE, Together

Array = npt.NDArray[Any]


class Slices:
    """The coordinates of each process. One process alone has all of them."""

    def __init__(self, together: Together, dimension: int) -> None:
        self._together = together
        self._dimension = dimension
        self._all = [_core.coordinate_slice(dimension, part, together.size) for part in range(together.size)]
        self.begin, self.count = self._all[together.rank]
        self.own = slice(self.begin, self.begin + self.count)

    def add_up(self, numbers: Array) -> Array:
        """The sums over all processes, of this one's slice. The rest of `numbers` means nothing afterwards."""
        if self._together.size > 1:
            self._together.add_up_for(self._parts(numbers))
        return numbers[self.own]

    def gather(self, numbers: Array) -> None:
        """Every process gets each slice of a vector from the one that has it."""
        if self._together.size > 1:
            self._together.copy_from(self._parts(numbers))

    def whole(self, own: Array) -> Array:
        """Vectors of which every process has its slice, one after another in `own`: all of them, for each process."""
        if self._together.size == 1:
            return own
        mine = len(own) // self.count if self.count > 0 else 0
        vectors = max(numbers[0] for numbers in self._together.agreed(STATE, [mine]))
        joined = np.zeros((vectors, self._dimension), own.dtype)
        if self.count > 0:
            joined[:, self.own] = own.reshape(vectors, self.count)
        for vector in joined:
            self.gather(vector)
        return joined.reshape(-1)

    def part(self, whole: Array) -> Array:
        """What this process has of such vectors."""
        if self._together.size == 1:
            return whole
        if len(whole) % self._dimension != 0:
            raise StateError("state: its vectors are not those of this training")
        return np.ascontiguousarray(whole.reshape(-1, self._dimension)[:, self.own]).reshape(-1)

    def _parts(self, numbers: Array) -> list[torch.Tensor]:
        tensor = torch.from_numpy(numbers)
        return [tensor[begin : begin + count] for begin, count in self._all]
