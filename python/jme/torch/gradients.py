"""Gradients of each example by itself."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import TypeAlias, TypeVar

import torch
from torch import Tensor, nn

from ..errors import DataError, Error
from . import _recorded
from ._plan import whole, wrong
from ._transforms import functional_call, grad_and_value, vmap
from .optimizers import Adam

T = TypeVar("T")
Parts: TypeAlias = Tensor | tuple[Tensor, ...]


def per_example(
    model: nn.Module, loss: Callable[..., Tensor], *, micro_batch: int = 32, by: str | None = None
) -> PerExample:
    """Makes gradients of each example by itself, for any module that does not mix examples.

    loss: of the model's output and the targets, for a batch of one example: `torch.nn.CrossEntropyLoss()`, or any
        function.
    micro_batch: examples at a time, always filled up with zeros to this number. What an example contributes then
        depends on that example alone, if the machine's kernels treat all places alike: tried on made-up examples before
        the first gradients, with a warning where they do not (`PerExample.companions_matter` looks more closely).
    by: "layers" where all trained parameters are those of Linear, Conv1d, Conv2d, Embedding, GroupNorm and LayerNorm
        (fast), "vmap" for any others; default: whichever is right, tried on made-up examples. A model that mixes them
        is refused then.
    """
    return PerExample(model, loss, micro_batch, by)


class PerExample:
    """See `per_example`."""

    def __init__(self, model: nn.Module, loss: Callable[..., Tensor], micro_batch: int, by: str | None) -> None:
        _check_mixes_nothing(model)
        if by not in (None, "layers", "vmap"):
            raise wrong("by", 'must be "layers" or "vmap"')
        self._model = model
        self._loss = loss
        self._micro_batch = whole("micro_batch", micro_batch)
        self._by = by
        self._is_tried = by == "vmap"  # each example is alone there
        self._are_places_tried = self._micro_batch == 1
        self._memory: _recorded.Memory = []  # of gradients that are added up at once

    @property
    def by(self) -> str | None:
        """How gradients are made; None before the first."""
        return self._by

    def accumulate(self, optimizer: Adam, inputs: Parts, targets: Parts = ()) -> float:
        """Clips the gradients of these examples, a micro-batch at a time, and adds them to the optimiser's batch.

        inputs: what the model takes, one tensor or a tuple of them, examples along the first axis. targets: what the
        loss takes beside the model's output. Returns the mean loss, which is NOT private: do not publish it. If it is
        interrupted or fails, the optimiser forgets the whole batch, earlier parts too: no example can count twice.
        """
        try:
            own = [p for p in self._model.parameters() if p.requires_grad]
            places = {id(p): place for place, p in enumerate(own)}
            if sorted(map(id, optimizer._tensors)) != sorted(places):
                raise wrong("params", "of the optimiser must be the trained parameters of the model")
            order = [places[id(p)] for p in optimizer._tensors]
            inputs, targets = _tuple(inputs), _tuple(targets)
            count = _count(inputs, targets)
            total = 0.0
            if count == 0:
                optimizer.add_examples([p.new_zeros(0, *p.shape) for p in optimizer._tensors], 0)
            for begin in range(0, count, self._micro_batch):
                here = min(self._micro_batch, count - begin)
                part = [_filled(x[begin : begin + here], self._micro_batch) for x in (*inputs, *targets)]
                found, losses = self._gradients(part[: len(inputs)], part[len(inputs) :], self._memory)
                optimizer.add_examples([found[place] for place in order], here)
                total += float(losses[:here].sum())
            return total / count if count > 0 else float("nan")
        except BaseException:
            optimizer.discard()
            raise

    def __call__(self, inputs: Parts, targets: Parts = ()) -> Tensor:
        """Puts the gradients of all these examples at once into `p.grad_sample`, and returns their losses."""
        inputs, targets = _tuple(inputs), _tuple(targets)
        if _count(inputs, targets) == 0:
            for p in self._model.parameters():
                p.grad_sample = p.new_zeros(0, *p.shape) if p.requires_grad else None
            return torch.zeros(0)
        found, losses = self._gradients(list(inputs), list(targets))
        for p, gradient in zip((p for p in self._model.parameters() if p.requires_grad), found, strict=True):
            p.grad_sample = gradient
        return losses

    def companions_matter(self, inputs: Parts, targets: Parts = ()) -> bool:
        """Whether an example's gradient changes, if only in its last bit, with its place in a micro-batch or with what
        else is there. It must not, for epsilon to be exact; with `micro_batch=1` it never does. Made-up examples will
        do.
        """
        inputs, targets = _tuple(inputs), _tuple(targets)
        size = min(self._micro_batch, _count(inputs, targets))
        self._are_places_tried = True
        orders = [[*range(1, size), 0], list(reversed(range(size))), *([j] for j in range(size))]
        return self._places_matter([x[:size] for x in inputs], [x[:size] for x in targets], orders)

    def _places_matter(self, inputs: list[Tensor], targets: list[Tensor], orders: list[list[int]]) -> bool:
        def rows(order: list[int]) -> list[Tensor]:
            chosen = [_filled(x[order], self._micro_batch) for x in (*inputs, *targets)]
            found, _ = self._gradients(chosen[: len(inputs)], chosen[len(inputs) :])
            return [gradient[: len(order)].clone() for gradient in found]

        together = rows(list(range(len(inputs[0]))))
        return any(
            not torch.equal(all_rows[order], some)
            for order in orders
            for all_rows, some in zip(together, rows(order), strict=True)
        )

    def _try_places(self, inputs: list[Tensor], targets: list[Tensor]) -> None:
        self._are_places_tried = True
        size = self._micro_batch
        with torch.random.fork_rng(devices={x.device for x in inputs if x.is_cuda}):
            torch.manual_seed(1)
            made_up = [_filled(x[:1], size) for x in inputs]
            made_up, zeros = self._made_up(made_up), [torch.zeros_like(_filled(x[:1], size)) for x in targets]
            try:
                if self._places_matter(made_up, zeros, [[*range(size)]]):  # the model draws: nothing can be compared
                    return
                matter = self._places_matter(
                    made_up, zeros, [[*range(1, size), 0], [*reversed(range(size))], [size - 1]]
                )
            except (Error, IndexError, RuntimeError):  # examples that are made up do not do for every model
                return
        if matter:
            warnings.warn(
                "jme: on this machine the last bits of an example's gradient depend on its place in a micro-batch, and "
                "so on the examples beside it; epsilon is exact with micro_batch=1, or with kernels that treat all "
                "places alike (see the documents of jme.torch)",
                UserWarning,
                stacklevel=4,
            )

    def _gradients(
        self, inputs: list[Tensor], targets: list[Tensor], memory: _recorded.Memory | None = None
    ) -> tuple[list[Tensor], Tensor]:
        """`memory`: where they may be until they are made again; else they have their own."""
        _check_mixes_nothing(self._model)
        if not self._is_tried:
            choice = self._choice(inputs, targets)
            if self._by is not None and choice != self._by:
                raise wrong("by", 'must be "vmap": layers have not all gradients of this model')
            self._by, self._is_tried = choice, True
        if not self._are_places_tried:
            self._try_places(inputs, targets)
        if self._by == "vmap":
            return self._by_vmap(inputs, targets)
        return self._by_layers(inputs, targets, [] if memory is None else memory)

    def _by_layers(
        self, inputs: list[Tensor], targets: list[Tensor], memory: _recorded.Memory
    ) -> tuple[list[Tensor], Tensor]:
        layers = _recorded.owners(self._model)
        if layers is None:
            raise wrong("by", 'must be "vmap": a layer with trained parameters is not known')

        def losses() -> Tensor:
            return vmap(self._loss_of_one, randomness="different")(self._model(*inputs), *targets)

        return _recorded.gradients(self._model, layers, losses, len(inputs[0]), memory)

    def _by_vmap(self, inputs: list[Tensor], targets: list[Tensor]) -> tuple[list[Tensor], Tensor]:
        trained = {name: p.detach() for name, p in self._model.named_parameters() if p.requires_grad}
        fixed = {name: p.detach() for name, p in self._model.named_parameters() if not p.requires_grad}
        fixed.update(self._model.named_buffers())

        def loss(parameters: dict[str, Tensor], *parts: Tensor) -> Tensor:
            ones = tuple(x.unsqueeze(0) for x in parts[: len(inputs)])
            output = functional_call(self._model, (parameters, fixed), ones)
            return self._loss_of_one(output.squeeze(0), *parts[len(inputs) :])

        places = (None, *(0 for _ in (*inputs, *targets)))
        gradients, losses = vmap(grad_and_value(loss), in_dims=places, randomness="different")(
            trained, *inputs, *targets
        )
        return [gradients[name].detach() for name in trained], losses.detach()

    def _loss_of_one(self, output: Tensor, *targets: Tensor) -> Tensor:
        # functorch 1.13 cannot add up one number that is alone in its batch.
        return self._loss(output.unsqueeze(0), *(t.unsqueeze(0) for t in targets)).reshape(-1).sum()

    def _choice(self, inputs: list[Tensor], targets: list[Tensor]) -> str:
        """Layers, if they find the gradients that autograd finds. Made-up examples are tried, not the data. Throws
        InvalidParameter where those of the first example depend on the others."""
        if _recorded.owners(self._model) is None:
            return "vmap"
        zeros = [torch.zeros_like(t) for t in targets]

        def alike(work: Callable[[list[Tensor], list[Tensor]], T], made_up: list[Tensor]) -> T:
            torch.manual_seed(2)  # dropout leaves out the same in all
            return work(made_up, zeros)

        def by_layers(made_up: list[Tensor], targets: list[Tensor]) -> tuple[list[Tensor], Tensor]:
            return self._by_layers(made_up, targets, [])

        with torch.random.fork_rng(devices={x.device for x in inputs if x.is_cuda}):
            torch.manual_seed(1)
            one, other = self._made_up(inputs), self._made_up(inputs)
            beside_others = [torch.cat([x[:1], y[1:]]) for x, y in zip(one, other, strict=True)]
            try:
                found, _ = alike(by_layers, one)
                expected = alike(self._by_autograd, one)
                elsewhere, _ = alike(by_layers, beside_others)
            except (Error, IndexError, RuntimeError):
                return "vmap"
        if not all(_near(ours.sum(0), right) for ours, right in zip(found, expected, strict=True)):
            return "vmap"
        if not all(_near(ours[0], again[0]) for ours, again in zip(found, elsewhere, strict=True)):
            raise wrong("model", "mixes examples: the gradient of one depends on which others are there")
        return "layers"

    def _made_up(self, inputs: list[Tensor]) -> list[Tensor]:
        words = [layer.num_embeddings for layer in self._model.modules() if isinstance(layer, nn.Embedding)]
        return [
            torch.rand_like(x) if x.is_floating_point() else torch.randint_like(x, min(words, default=2))
            for x in inputs
        ]

    def _by_autograd(self, inputs: list[Tensor], targets: list[Tensor]) -> list[Tensor]:
        own = [p for p in self._model.parameters() if p.requires_grad]
        with torch.enable_grad():
            losses = vmap(self._loss_of_one, randomness="different")(self._model(*inputs), *targets)
            found = torch.autograd.grad(losses.sum(), own, allow_unused=True)
        return [torch.zeros_like(p) if g is None else g for p, g in zip(own, found, strict=True)]


def _check_mixes_nothing(model: nn.Module) -> None:
    for layer in model.modules():
        if isinstance(layer, (nn.modules.batchnorm._BatchNorm, nn.modules.instancenorm._InstanceNorm)):
            mixes = not isinstance(layer, nn.modules.instancenorm._InstanceNorm) or layer.track_running_stats
            if mixes and (layer.training or not layer.track_running_stats):
                raise wrong("model", f"{type(layer).__name__} mixes examples; GroupNorm does not")


def _near(ours: Tensor, right: Tensor) -> bool:
    """Rounding is some 1e-6 of the largest; a layer that was missed, or an example that was mixed in, is much more."""
    return bool(torch.allclose(ours, right, rtol=0, atol=1e-3 * float(right.abs().max()) + 1e-12))


def _tuple(parts: Parts) -> tuple[Tensor, ...]:
    return (parts,) if isinstance(parts, Tensor) else tuple(parts)


def _count(inputs: tuple[Tensor, ...], targets: tuple[Tensor, ...]) -> int:
    counts = {len(x) for x in (*inputs, *targets)}
    if len(counts) != 1:
        raise DataError("inputs, targets: must have the same number of examples along their first axes")
    return counts.pop()


def _filled(x: Tensor, size: int) -> Tensor:
    if len(x) == size:
        return x
    return torch.cat([x, x.new_zeros(size - len(x), *x.shape[1:])])
