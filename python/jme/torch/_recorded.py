"""Per-example gradients from one forward and one backward pass over several examples."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import torch
from torch import Tensor, nn

from ..errors import DataError
from ._layers import LAYERS, Call, is_known, statistics_of


def owners(model: nn.Module) -> list[nn.Module] | None:
    """The layers that have all parameters to be trained; None where one of them is not known."""
    found = []
    for layer in model.modules():
        if any(p.requires_grad for p in layer.parameters(recurse=False)):
            if not is_known(layer):
                return None
            found.append(layer)
    return found


Memory = list[dict[str, Tensor]]


def gradients(
    model: nn.Module, layers: list[nn.Module], losses_of: Callable[[], Tensor], examples: int, memory: Memory
) -> tuple[list[Tensor], Tensor]:
    """For every trained parameter of the model its gradients, and the losses; `losses_of` makes the forward pass. The
    gradients are in `memory`, which is theirs until it is given again."""
    wanted = [p for p in model.parameters() if p.requires_grad]
    trained = {id(p) for p in wanted}
    with torch.enable_grad(), _without(model, wanted, memory) as records:
        hooks = [layer.register_forward_hook(records.add) for layer in layers]
        try:
            losses = losses_of()
        finally:
            for hook in hooks:
                hook.remove()
        outputs = records.outputs()
        output_gradients = torch.autograd.grad(losses.sum(), outputs, allow_unused=True) if outputs else ()
        found: dict[int, Tensor] = {}
        with torch.no_grad():
            # Outputs are let go of as their gradients are used.
            for (layer, call), g in zip(records.take(), output_gradients, strict=True):
                if g is None:
                    continue
                if len(call.x) != examples or len(g) != examples:
                    kind = type(layer).__name__
                    raise DataError(f"gradients: {kind} does not have the examples along its first axis")
                for name, part in LAYERS[type(layer)](layer, call, g).items():
                    p = getattr(layer, name, None)
                    if p is not None and id(p) in trained:
                        found[id(p)] = found[id(p)] + part if id(p) in found else part
    empty = torch.zeros(())
    return [found.get(id(p), empty.to(p).expand(examples, *p.shape)) for p in wanted], losses.detach()


class _Records:
    """What went into and came out of layers."""

    def __init__(self, memory: Memory) -> None:
        self._all: list[tuple[nn.Module, Call]] = []
        self._versions: list[int] = []
        self._memory = memory

    def add(self, layer: nn.Module, inputs: tuple[Any, ...], output: Tensor) -> None:
        statistics = statistics_of(layer, output)
        if not output.requires_grad:
            output.requires_grad_()  # nothing before it is trained
        if len(self._memory) == len(self._all):
            self._memory.append({})
        kept = self._memory[len(self._all)]
        self._all.append((layer, Call(inputs[0].detach(), output, statistics, kept)))
        self._versions.append(output._version)

    def outputs(self) -> list[Tensor]:
        found = [call.output for _, call in self._all]
        if any(output._version != version for output, version in zip(found, self._versions, strict=True)):
            raise DataError("gradients: the output of a layer was changed in place")
        return found

    def take(self) -> list[tuple[nn.Module, Call]]:
        return self._all


@contextmanager
def _without(model: nn.Module, wanted: list[Tensor], memory: Memory) -> Iterator[_Records]:
    """No summed gradients of parameters are made, and nothing is changed in place."""
    in_place = [layer for layer in model.modules() if getattr(layer, "inplace", False) is True]
    try:
        for p in wanted:
            p.requires_grad_(False)
        for layer in in_place:
            layer.inplace = False
        yield _Records(memory)
    finally:
        for p in wanted:
            p.requires_grad_(True)
        for layer in in_place:
            layer.inplace = True
