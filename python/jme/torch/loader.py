"""Batches whose members nobody can guess."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch.utils.data import DataLoader, IterableDataset, default_collate

from .. import _core
from ._plan import named, whole, wrong
from ._processes import Together


class PoissonLoader(DataLoader):  # type: ignore[misc]
    """Every example is in every batch on its own with the same probability. Which ones are is secret: amplification by
    sampling rests on it. Batches have different sizes, and may be empty: then tensors have no rows.

    dataset: one that has a length and items by number.
    batch_size: examples in a batch on average; or `probability`.
    steps: batches in all. `for batch in loader` gives those that are left, `loader.epoch()` those of one epoch, which
        are ceil(1 / probability). No batch is drawn twice.
    first_step: the number of the first batch, where a training goes on.
    Other keywords are DataLoader's: collate_fn, num_workers, pin_memory, ...
    In a group of processes each has its share of the examples: every size-th one.
    """

    def __init__(
        self,
        dataset: Any,
        *,
        steps: int,
        batch_size: float | None = None,
        probability: float | None = None,
        first_step: int = 0,
        collate_fn: Callable[[list[Any]], Any] | None = None,
        process_group: Any = None,
        insecure_test_seed: int | None = None,
        **settings: Any,
    ) -> None:
        check_can_be_sampled(dataset)
        if (batch_size is None) == (probability is None):
            raise wrong("batch_size", "either batch_size or probability must be given")
        for unknown in ("batch_sampler", "sampler", "shuffle", "drop_last"):
            if unknown in settings:
                raise wrong(unknown, "is decided by sampling")
        rate = probability if probability is not None else float(batch_size or 0) / whole("examples", len(dataset))
        together = process_group if isinstance(process_group, Together) else Together(process_group)
        batches = _Batches(len(dataset), rate, whole("steps", steps), first_step, together, insecure_test_seed)
        super().__init__(
            dataset, batch_sampler=batches, collate_fn=_Collated(dataset, collate_fn or default_collate), **settings
        )
        self._batches = batches
        self._before_batch: Callable[[], None] = _nothing  # an optimiser refuses a batch where one still waits
        self.probability = rate

    def __len__(self) -> int:
        """Batches that are left."""
        return len(self._batches)

    def __iter__(self) -> Iterator[Any]:
        left = len(self)
        if left > 0:
            self._before_batch()  # before any is drawn
        for batch in super().__iter__():
            yield batch
            left -= 1
            if left > 0:
                self._before_batch()

    def epoch(self) -> Iterator[Any]:
        """The batches of one epoch, or those that are left."""
        self._batches.limit = math.ceil(1 / self.probability - 1e-9)
        try:
            yield from self
        finally:
            self._batches.limit = None


def check_can_be_sampled(dataset: Any) -> None:
    if isinstance(dataset, IterableDataset) or not all(hasattr(dataset, name) for name in ("__len__", "__getitem__")):
        raise wrong(
            "dataset",
            f"{type(dataset).__name__} cannot be sampled: it must have a length and items by number, as a list or a "
            "torch.utils.data.Dataset has; give a list of its examples instead",
        )


def _nothing() -> None:
    pass


class _Batches:
    """The examples of one batch after another, each drawn once."""

    def __init__(
        self, examples: int, probability: float, steps: int, first_step: int, together: Together, seed: int | None
    ) -> None:
        self._sampler = named(lambda: _core.BatchSampler(examples, probability, seed))
        self._steps = steps
        self._next = first_step
        self._together = together
        self.limit: int | None = None

    def __len__(self) -> int:
        left = max(0, self._steps - self._next)
        return left if self.limit is None else min(left, self.limit)

    def __iter__(self) -> Iterator[list[int]]:
        for _ in range(len(self)):
            step, self._next = self._next, self._next + 1
            chosen = self._sampler.draw(step)
            size, rank = self._together.size, self._together.rank
            yield (chosen if size == 1 else chosen[chosen % size == rank]).tolist()


class _Collated:
    """Joins examples; an empty batch looks like one of the first example, without it."""

    def __init__(self, dataset: Any, join: Callable[[list[Any]], Any]) -> None:
        self._dataset = dataset
        self._join = join

    def __call__(self, examples: list[Any]) -> Any:
        return self._join(examples) if examples else _emptied(self._join([self._dataset[0]]))


def _emptied(batch: Any) -> Any:
    if isinstance(batch, torch.Tensor):
        return batch[:0]
    if isinstance(batch, Mapping):
        return type(batch)({key: _emptied(value) for key, value in batch.items()})  # type: ignore[call-arg]
    if isinstance(batch, tuple) and hasattr(batch, "_fields"):
        return type(batch)(*map(_emptied, batch))
    if isinstance(batch, (tuple, list)):
        parts = [_emptied(value) for value in batch if not isinstance(value, (str, bytes))]
        return type(batch)(parts)
    return batch
