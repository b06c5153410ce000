"""Gradients of each example by itself."""

from __future__ import annotations

import operator
import warnings
from collections.abc import Callable
from functools import partial
from typing import TypeVar

import torch
from torch import Tensor, nn

from ..errors import InvalidParameter
from . import _recorded
from ._examples import Examples, Parts
from ._plan import whole, wrong
from ._trial import Trial, rows_differ
from ._watch import Watch, watched
from ._ways import Gradients, Ways
from .optimizers import Adam

T = TypeVar("T")


def per_example(
    model: nn.Module, loss: Callable[..., Tensor], *, micro_batch: int = 32, by: str | None = None
) -> PerExample:
    """Makes gradients of each example by itself, for any module that neither mixes nor keeps examples.

    loss: of the model's output and the targets, for a batch of one example: `torch.nn.CrossEntropyLoss()`, or any
        function.
    micro_batch: examples at a time, always filled up with zeros to this number. What an example contributes then
        depends on that example alone, if the machine's kernels treat all places alike: tried on made-up examples before
        the first gradients, with a warning where they do not (`PerExample.companions_matter` looks more closely).
    by: "layers" where all trained parameters are those of Linear, Conv1d, Conv2d, Embedding, GroupNorm and LayerNorm
        (fast), "vmap" for most others, "examples" (one after another, slow) for any, such as GRU and LSTM; default:
        whichever is right, tried on made-up examples. A model that mixes them is refused then.
    """
    return PerExample(model, loss, micro_batch, by)


class PerExample:
    """See `per_example`."""

    def __init__(self, model: nn.Module, loss: Callable[..., Tensor], micro_batch: int, by: str | None) -> None:
        _check_mixes_nothing(model)
        if by not in (None, "layers", "vmap", "examples"):
            raise wrong("by", 'must be "layers", "vmap" or "examples"')
        self._ways = Ways(model, loss)
        self._watch = Watch({"": model, "loss": loss} if isinstance(loss, nn.Module) else {"": model})
        self._micro_batch = whole("micro_batch", micro_batch)
        self._wish = self._by = by
        self._tried: tuple[bool, list[nn.Module], list[object]] | None = None
        self._is_warned = False
        self._memory: _recorded.Memory = []  # of gradients that are added up at once

    @property
    def by(self) -> str | None:
        """How gradients are made; None before the first."""
        return self._by

    def accumulate(self, optimizer: Adam, inputs: Parts, targets: Parts = ()) -> float:
        """Clips the gradients of these examples, a micro-batch at a time, and adds them to the optimiser's batch.

        inputs: what the model takes: one tensor, a tuple of them, or a dict of them by keyword; examples along the
        first axis. targets: what the loss takes beside the model's output, likewise. Returns the mean loss, which is
        NOT private: do not publish it. If it is interrupted or fails, the optimiser forgets the whole batch, earlier
        parts too: no example can count twice.
        """
        examples = None
        try:
            order = self._order(optimizer)
            examples = Examples.of(inputs, targets)
            if len(examples) == 0:
                optimizer.add_examples([p.new_zeros(0, *p.shape) for p in optimizer._tensors], 0)
                return float("nan")
            work = partial(self._add, optimizer, order)
            mean, problem = self._outcome(examples, self._micro_batch, work)
        except BaseException:
            optimizer.discard()
            raise
        if problem is not None:
            optimizer.discard()
            del examples, inputs, targets  # the exception holds this frame
            raise problem
        return float("nan") if mean is None else mean

    def _outcome(
        self, examples: Examples, size: int, work: Callable[[Examples], T]
    ) -> tuple[T | None, InvalidParameter | None]:
        """What `work` returns, or else why the model is refused, without the frames in which that was noticed."""
        try:
            self._prepare(examples.shapes(), size)
        except InvalidParameter as error:
            return None, error.with_traceback(None)
        result, change = watched(self._watch, partial(work, examples))
        if change is None:
            return result, None
        self._memory.clear()  # gradients of single examples
        return None, change.refusal()

    def _order(self, optimizer: Adam) -> list[int]:
        """Where the optimiser's parameters are among those of the model."""
        places = {id(p): place for place, p in enumerate(self._ways.trained())}
        if sorted(map(id, optimizer._tensors)) != sorted(places):
            raise wrong("params", "of the optimiser must be the trained parameters of the model")
        return [places[id(p)] for p in optimizer._tensors]

    def _add(self, optimizer: Adam, order: list[int], examples: Examples) -> float:
        count, total = len(examples), 0.0
        for begin in range(0, count, self._micro_batch):
            part = examples[begin : begin + self._micro_batch]
            found, losses = self._gradients(part, self._memory)
            optimizer.add_examples([found[place] for place in order], len(part))
            total += float(losses[: len(part)].sum())
        return total / count

    def _gradients(self, examples: Examples, memory: _recorded.Memory | None = None) -> Gradients:
        """Of these and of the zeros after them, up to the size of a micro-batch."""
        alone = self._by == "examples" or len(examples) > self._micro_batch
        return self._ways.by(self._by, examples if alone else examples.filled(self._micro_batch), memory)

    def __call__(self, inputs: Parts, targets: Parts = ()) -> Tensor:
        """Puts the gradients of all these examples at once into `p.grad_sample`, and returns their losses."""
        examples = Examples.of(inputs, targets)
        if len(examples) == 0:
            for p in self._ways.model.parameters():
                p.grad_sample = p.new_zeros(0, *p.shape) if p.requires_grad else None
            return torch.zeros(0)
        size = max(self._micro_batch, min(len(examples), 2))
        made, problem = self._outcome(examples, size, lambda given: self._ways.by(self._by, given))
        if problem is not None or made is None:
            del examples, inputs, targets
            raise problem or AssertionError
        for p, gradient in zip(self._ways.trained(), made[0], strict=True):
            p.grad_sample = gradient
        return made[1]

    def companions_matter(self, inputs: Parts, targets: Parts = ()) -> bool:
        """Whether an example's gradient changes, if only in its last bit, with its place in a micro-batch or with what
        else is there. It must not, for epsilon to be exact; with `micro_batch=1` it never does. Made-up examples will
        do.
        """
        examples = Examples.of(inputs, targets)[: self._micro_batch]
        self._is_warned = True
        matter, problem = self._outcome(examples, self._micro_batch, self._companions_matter)
        if problem is not None:
            del examples, inputs, targets
            raise problem
        return bool(matter)

    def _companions_matter(self, examples: Examples) -> bool:
        size = len(examples)
        together = [gradients[:size].clone() for gradients in self._gradients(examples)[0]]
        return any(
            rows_differ(together, self._gradients(examples[order])[0], list(zip(order, range(size), strict=False)))
            for order in ([*range(1, size), 0], list(reversed(range(size))), *([j] for j in range(size)))
        )

    def _prepare(self, shapes: Examples, size: int) -> None:
        """Tries the model where it was not tried, or was another one: another mode, other modules, other shapes. Its
        state is remembered in any case."""
        _check_mixes_nothing(self._ways.model)
        self._watch.remember()
        if self._is_tried(size):
            return
        self._tried = None
        trial = Trial(self._ways, self._watch, shapes, size, self._wish)
        self._by = trial.run()
        self._watch.remember()
        self._tried = (size > 1, self._watch.modules, self._watch.mark)
        if trial.places_matter and not self._is_warned:
            self._is_warned = True
            warnings.warn(
                "jme: on this machine the last bits of an example's gradient depend on its place in a micro-batch, and "
                "so on the examples beside it; epsilon is exact with micro_batch=1, or with kernels that treat all "
                "places alike (see the documents of jme.torch)",
                UserWarning,
                stacklevel=4,
            )

    def _is_tried(self, size: int) -> bool:
        if self._tried is None:
            return False
        together, modules, mark = self._tried
        same_modules = len(modules) == len(self._watch.modules) and all(map(operator.is_, modules, self._watch.modules))
        return (together or size == 1) and same_modules and mark == self._watch.mark


def _check_mixes_nothing(model: nn.Module) -> None:
    for layer in model.modules():
        if isinstance(layer, (nn.modules.batchnorm._BatchNorm, nn.modules.instancenorm._InstanceNorm)):
            mixes = not isinstance(layer, nn.modules.instancenorm._InstanceNorm) or layer.track_running_stats
            if mixes and (layer.training or not layer.track_running_stats):
                raise wrong("model", f"{type(layer).__name__} mixes examples; GroupNorm does not")
