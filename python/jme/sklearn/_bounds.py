"""Public ranges of features, by name or by position."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from numbers import Integral, Real
from typing import Any

from .._settings import refuse_lows_and_highs, type_name
from ..errors import InvalidParameter

#: One range for all features, one for each in their order, or by name or position. Of two features in their order
#: nobody can tell whether two pairs are theirs, or the lows and the highs of both.
Bounds = (
    tuple[float, float]
    | Sequence[tuple[float, float]]
    | Mapping[str, tuple[float, float]]
    | Mapping[int, tuple[float, float]]
    | Mapping[str | int, tuple[float, float]]
)

TARGET = "y"


def ranges(bounds: Bounds | None, names: Sequence[str], *, with_target: bool) -> list[tuple[float, float]]:
    """The range of each feature in order and, last, that of the target where there is one."""
    if bounds is None:
        raise _wrong("must be given: the public range of each feature, which is never taken from the data")
    count = len(names) + with_target
    if isinstance(bounds, Mapping):
        return _from_mapping(bounds, names, with_target)
    if isinstance(bounds, (str, bytes)) or not isinstance(bounds, Iterable):
        raise _wrong(f"must be a pair, a sequence of pairs or a mapping to pairs, not {type_name(bounds)}")
    pairs = list(bounds)
    if len(pairs) == 2 and all(isinstance(bound, Real) for bound in pairs):
        return [_range(pairs)] * count
    if with_target:
        raise _wrong(f'must be one range for all columns, or a mapping that has the target as "{TARGET}"')
    if len(pairs) != count:
        raise _wrong(f"there are {len(pairs)} ranges for {count} features")
    found = [_range(pair) for pair in pairs]
    refuse_lows_and_highs(found, _wrong, ("0", "1"))
    return found


def _from_mapping(bounds: Mapping[Any, Any], names: Sequence[str], with_target: bool) -> list[tuple[float, float]]:
    found: list[tuple[float, float] | None] = [None] * (len(names) + with_target)
    for key, pair in bounds.items():
        place = _place(key, names, with_target)
        if found[place] is not None:
            raise _wrong(f"feature {key!r} has two ranges, one by name and one by position")
        found[place] = _range(pair)
    for place, given in enumerate(found):
        if given is None:
            missing = names[place] if place < len(names) else f'the target, "{TARGET}"'
            raise _wrong(f"there is no range for {missing}")
    return [pair for pair in found if pair is not None]


def _place(key: Any, names: Sequence[str], with_target: bool) -> int:
    """A feature that is itself called y can be given by position where there is a target."""
    if with_target and key == TARGET:
        return len(names)
    if isinstance(key, str) and key in names:
        return names.index(key)
    if isinstance(key, Integral) and 0 <= int(key) < len(names):
        return int(key)
    raise _wrong(f"there is no feature {key!r}; there are {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}")


def _range(pair: Any) -> tuple[float, float]:
    try:
        low, high = (float(bound) for bound in pair)
    except (TypeError, ValueError):
        raise _wrong("each range must be two numbers, the lower one first") from None
    return low, high


def _wrong(what: str) -> InvalidParameter:
    return InvalidParameter(f"bounds: {what}", field="bounds")
