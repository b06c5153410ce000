"""The ways of making gradients of each example by itself."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from . import _recorded
from ._examples import Arguments, Examples, called, split, with_axis, without_axis
from ._plan import wrong
from ._transforms import functional_call, grad_and_value, vmap

# For every trained parameter its gradients, with the examples along the first axis; and the losses.
Gradients = tuple[list[Tensor], Tensor]


class Ways:
    """Gradients of the losses of a model."""

    def __init__(self, model: nn.Module, loss: Callable[..., Tensor]) -> None:
        self.model = model
        self._loss = loss

    def trained(self) -> list[Tensor]:
        return [p for p in self.model.parameters() if p.requires_grad]

    def by(self, way: str | None, examples: Examples, memory: _recorded.Memory | None = None) -> Gradients:
        """`memory`: where gradients by layers may be until they are made again; else they have their own."""
        if way == "vmap":
            return self._by_vmap(examples)
        if way == "examples":
            return self._by_examples(examples)
        return self._by_layers(examples, [] if memory is None else memory)

    def _by_layers(self, examples: Examples, memory: _recorded.Memory) -> Gradients:
        layers = _recorded.owners(self.model)
        if layers is None:
            raise wrong("by", 'must be "vmap": a layer with trained parameters is not known')
        return _recorded.gradients(self.model, layers, lambda: self._losses(examples), len(examples), memory)

    def output(self, examples: Examples) -> Any:
        return called(self.model, (), examples.inputs)

    def _losses(self, examples: Examples) -> Tensor:
        output = self.output(examples)
        losses: Tensor = vmap(self._loss_of_one, randomness="different")(output, examples.targets)
        return losses

    def _by_vmap(self, examples: Examples) -> Gradients:
        named = dict(self.model.named_parameters())
        trained = {name: p.detach() for name, p in named.items() if p.requires_grad}
        # Buffers are the module's own, so that `_watch` sees one that forward replaces.
        fixed = {name: p.detach() for name, p in named.items() if not p.requires_grad}

        def loss(parameters: dict[str, Tensor], inputs: Arguments, targets: Arguments) -> Tensor:
            by_place, by_name = split(with_axis(inputs))
            output = functional_call(self.model, (parameters, fixed), by_place, by_name)
            return self._loss_of_one(without_axis(output), targets)

        transformed = vmap(grad_and_value(loss), in_dims=(None, 0, 0), randomness="different")
        gradients, losses = transformed(trained, examples.inputs, examples.targets)
        return [gradients[name].detach() for name in trained], losses.detach()

    def _by_examples(self, examples: Examples) -> Gradients:
        own, count = self.trained(), len(examples)
        found = [p.new_zeros(count, *p.shape) for p in own]
        losses = []
        for j in range(count):
            one = examples[j : j + 1]
            with torch.enable_grad():
                output = without_axis(self.output(one))
                loss = self._loss_of_one(output, without_axis(one.targets))
                gradients = torch.autograd.grad(loss, own, allow_unused=True) if loss.requires_grad else ()
            for place, gradient in zip(found, gradients, strict=False):
                if gradient is not None:
                    place[j] = gradient.to_dense() if gradient.is_sparse else gradient
            losses.append(loss.detach())
        return found, torch.stack(losses)

    def by_autograd(self, examples: Examples) -> list[Tensor]:
        """The sum of all gradients, as torch makes it."""
        own = self.trained()
        with torch.enable_grad():
            loss = self._losses(examples).sum()
            found: Any = torch.autograd.grad(loss, own, allow_unused=True) if loss.requires_grad else [None] * len(own)
        return [torch.zeros_like(p) if g is None else g.to_dense() if g.is_sparse else g
                for p, g in zip(own, found, strict=True)]  # fmt: skip

    def _loss_of_one(self, output: Any, targets: Arguments) -> Tensor:
        # functorch 1.13 cannot add up one number that is alone in its batch.
        loss: Tensor = called(self._loss, (with_axis(output),), with_axis(targets)).reshape(-1).sum()
        return loss
