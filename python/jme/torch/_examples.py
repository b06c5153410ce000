"""Several examples, as a model and a loss take them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch import Tensor
from torch.utils._pytree import tree_map

from ..errors import DataError

Parts: TypeAlias = "Tensor | tuple[Tensor, ...] | list[Tensor] | Mapping[str, Tensor]"
# Arguments by their place, or by their name.
Arguments: TypeAlias = "dict[int | str, Tensor]"


@dataclass(frozen=True)
class Examples:
    """Tensors with the examples along their first axes."""

    inputs: Arguments
    targets: Arguments

    @classmethod
    def of(cls, inputs: Parts, targets: Parts) -> Examples:
        found = cls(_arguments("inputs", inputs), _arguments("targets", targets))
        if len({len(x) for x in found.tensors()}) != 1:
            raise DataError("inputs, targets: must have the same number of examples along their first axes")
        return found

    def tensors(self) -> list[Tensor]:
        return [*self.inputs.values(), *self.targets.values()]

    def __len__(self) -> int:
        return len(self.tensors()[0])

    def __getitem__(self, chosen: slice | list[int]) -> Examples:
        return self.each(lambda x: x[chosen], lambda x: x[chosen])

    def shapes(self) -> Examples:
        """What is known of these without their values: no examples, of the same shapes and types."""

        def none(x: Tensor) -> Tensor:
            return x.new_empty(0, *x.shape[1:])

        return self.each(none, none)

    def each(self, of_input: Callable[[Tensor], Tensor], of_target: Callable[[Tensor], Tensor]) -> Examples:
        return Examples(
            {key: of_input(x) for key, x in self.inputs.items()}, {key: of_target(x) for key, x in self.targets.items()}
        )

    def beside(self, others: Examples) -> Examples:
        """The first of these, and all but the first of the others."""
        return self._joined(others, lambda x, y: torch.cat([x[:1], y[1:]]))

    def where(self, places: list[int], others: Examples) -> Examples:
        """These at such places, and the others elsewhere."""

        def chosen(x: Tensor, y: Tensor) -> Tensor:
            made = y.clone()
            made[places] = x[places]
            return made

        return self._joined(others, chosen)

    def _joined(self, others: Examples, join: Callable[[Tensor, Tensor], Tensor]) -> Examples:
        return Examples(
            {key: join(x, others.inputs[key]) for key, x in self.inputs.items()},
            {key: join(x, others.targets[key]) for key, x in self.targets.items()},
        )

    def filled(self, size: int) -> Examples:
        """With examples of zeros at the end."""
        missing = size - len(self)
        if missing == 0:
            return self

        def more(x: Tensor) -> Tensor:
            return torch.cat([x, x.new_zeros(missing, *x.shape[1:])])

        return self.each(more, more)


def called(function: Callable[..., Any], first: Iterable[Any], arguments: Arguments) -> Any:
    """What a function returns for these arguments."""
    by_place, by_name = split(arguments)
    return function(*first, *by_place, **by_name)


def split(arguments: Arguments) -> tuple[tuple[Tensor, ...], dict[str, Tensor]]:
    by_place = tuple(x for key, x in arguments.items() if isinstance(key, int))
    return by_place, {key: x for key, x in arguments.items() if isinstance(key, str)}


def with_axis(values: Any) -> Any:
    """One example as a batch of one."""
    return tree_map(lambda x: x.unsqueeze(0) if isinstance(x, Tensor) else x, values)


def without_axis(values: Any) -> Any:
    return tree_map(lambda x: x.squeeze(0) if isinstance(x, Tensor) and x.dim() > 0 else x, values)


def _arguments(field: str, parts: Any) -> Arguments:
    if isinstance(parts, Tensor):
        parts = (parts,)
    if isinstance(parts, Mapping):
        found = dict(parts)
    elif isinstance(parts, (tuple, list)):
        found = dict(enumerate(parts))
    else:
        raise DataError(f"{field}: must be a tensor, a tuple of tensors or a dict of tensors, not {_kind(parts)}")
    for key, value in found.items():
        if not isinstance(value, Tensor) or value.dim() == 0:
            what = "a tensor without axes" if isinstance(value, Tensor) else _kind(value)
            raise DataError(f"{field}[{key!r}]: must be a tensor with the examples along its first axis, not {what}")
    return found


def _kind(value: object) -> str:
    return type(value).__name__
