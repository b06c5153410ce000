"""Processes that train together: how numbers travel between them."""

from __future__ import annotations

import hashlib
from typing import Any

import torch
import torch.distributed as dist

from ..errors import StateError
from ._plan import wrong

# What a process is about to do with the others; each must be about to do the same.
MAKE, STEP, STATE = range(3)
NAMES = {MAKE: "make an optimiser", STEP: "make a step", STATE: "give its state"}


class Together:
    """The processes of a group of torch.distributed, or this one alone."""

    def __init__(self, group: Any = None) -> None:
        ready = dist.is_available() and dist.is_initialized()
        self.size = dist.get_world_size(group) if ready else 1
        self.rank = dist.get_rank(group) if ready else 0
        self._group = group

    def agreed(self, purpose: int, numbers: list[int]) -> list[list[int]]:
        """The numbers of all processes. Throws where some want something else, so that none waits in vain."""
        if self.size == 1:
            return [numbers]
        mine = torch.tensor([purpose, *numbers, *[0] * (4 - len(numbers))])
        all_of_them = [torch.empty_like(mine) for _ in range(self.size)]
        dist.all_gather(all_of_them, mine, group=self._group)
        purposes = [int(theirs[0]) for theirs in all_of_them]
        for rank, theirs in enumerate(purposes):
            if theirs != purpose:
                is_to, others = NAMES[purpose], NAMES[theirs]
                raise StateError(f"all processes must call the same: this one is to {is_to}, number {rank} to {others}")
        return [theirs[1 : 1 + len(numbers)].tolist() for theirs in all_of_them]

    def check_same(self, settings: object) -> None:
        """Each process adds the noise of some coordinates, so all must have the same settings."""
        digest = int.from_bytes(hashlib.sha256(repr(settings).encode()).digest()[:7], "big")
        if len({tuple(numbers) for numbers in self.agreed(MAKE, [digest])}) > 1:
            raise wrong("process_group", "the processes have different settings, or different parameters")

    def secret_of_first(self, secret: bytes) -> bytes:
        """What the first process has here, for all."""
        numbers = torch.tensor(list(secret), dtype=torch.uint8)
        self.copy_first(numbers)
        return bytes(numbers.tolist())

    def add_up(self, numbers: torch.Tensor) -> None:
        """The sums over all processes, for all."""
        if self.size > 1:
            dist.all_reduce(numbers, group=self._group)

    def add_up_for(self, parts: list[torch.Tensor]) -> None:
        """Of each part the sum over all processes, for the process with its number. What others then have there means
        nothing."""
        works = [dist.reduce(p, self._global(i), group=self._group, async_op=True) for i, p in enumerate(parts)]
        for work in works:
            work.wait()

    def copy_from(self, parts: list[torch.Tensor]) -> None:
        """Every process gets each part as the process with its number has it."""
        works = [dist.broadcast(p, self._global(i), group=self._group, async_op=True) for i, p in enumerate(parts)]
        for work in works:
            work.wait()

    def copy_first(self, numbers: torch.Tensor) -> None:
        """Every process gets what the first one has."""
        if self.size > 1:
            dist.broadcast(numbers, self._global(0), group=self._group)

    def _global(self, rank: int) -> int:
        """The number that a member has among all processes."""
        if self._group is None:
            return rank
        return int(dist.distributed_c10d.get_global_rank(self._group, rank))
