"""Processes that train together: the first one owns the noise, and all of them get its updates."""

from __future__ import annotations

from typing import Any

import torch
import torch.distributed as dist

from ..errors import StateError


class Together:
    """The processes of a group of torch.distributed, or this one alone."""

    def __init__(self, group: Any = None) -> None:
        ready = dist.is_available() and dist.is_initialized()
        self.size = dist.get_world_size(group) if ready else 1
        self.rank = dist.get_rank(group) if ready else 0
        self._group = group
        self._first = 0
        if self.size > 1 and group is not None:
            self._first = dist.get_global_rank(group, 0) if hasattr(dist, "get_global_rank") else 0

    @property
    def is_first(self) -> bool:
        return self.rank == 0

    def add_up(self, numbers: torch.Tensor) -> None:
        """The sum over all processes, for the first one. What the others have afterwards means nothing."""
        if self.size > 1:
            dist.reduce(numbers, self._first, group=self._group)

    def copy_first(self, numbers: torch.Tensor) -> None:
        """Every process gets what the first one has."""
        if self.size > 1:
            dist.broadcast(numbers, self._first, group=self._group)

    def same_outcome(self, error: Exception | None) -> None:
        """Raises in every process where the first one has failed, so that none waits for it in vain."""
        if self.size > 1:
            failed = torch.tensor([0 if error is None else 1])
            self.copy_first(failed)
            if error is None and failed.item() != 0:
                raise StateError("the first process could not make the step; its error says why")
        if error is not None:
            raise error
