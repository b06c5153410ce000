"""What modules hold, compared before and after their forward passes: nothing of an example may stay in a module.

A module can write into its buffers, into attributes or into its parameters while it computes. All of that lies in
`state_dict()` or in a pickled module, without noise. So everything is copied before, compared bit for bit and put back.
Version counters would be cheaper, but `.data` and views of numpy do not move them.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.parameter import is_lazy

from ..errors import InvalidParameter
from ._plan import wrong

T = TypeVar("T")

SCALARS = frozenset({bool, int, float, complex, str, bytes, type(None)})
# What torch keeps in every module for itself. What it holds is looked at in `Watch._visit`.
INTERNAL = frozenset(vars(nn.Module())) - {"training"}
BITS = {1: torch.uint8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
BUFFER, PARAMETER, ATTRIBUTE = "buffer", "parameter", "attribute"


@dataclass
class Change:
    """Where a module was changed. No value of it is here."""

    module: str
    kind: str
    name: str

    def refusal(self) -> InvalidParameter:
        return wrong(
            "model",
            f"{self.module} changes its {self.kind} '{self.name}' in forward, which can keep values of examples. All "
            "modules were restored. Replace this module, or switch its updates off, for most modules by eval(). If the "
            "values are constants that are made once, call the model on made-up examples first",
        )


@dataclass
class _Place:
    """A dict, list or set that a module has, and what was in it."""

    module: str
    kind: str
    name: str | None  # None where the keys are names
    held: Any
    before: Any
    derived: frozenset[str] = frozenset()  # names that torch computes from parameters before every forward pass


@dataclass
class _Copy:
    """A tensor or array, and what was in it."""

    module: str
    kind: str
    name: str
    original: Any
    alias: Any  # the same memory, also if the original gets another one
    content: Any
    needs_grad: bool = False


class Watch:
    """The state of modules, to be compared and restored."""

    def __init__(self, roots: dict[str, nn.Module]) -> None:
        self._roots = roots
        self._forget()

    def _forget(self) -> None:
        self._places: list[_Place] = []
        self._copies: dict[int, _Copy] = {}
        self._seen: set[int] = set()
        self.modules: list[nn.Module] = []
        self.mark: list[Any] = []  # what decides how the modules compute, without the values of tensors

    def another(self) -> Watch:
        """One that watches the same modules and remembers nothing yet."""
        return Watch(self._roots)

    def remember(self) -> None:
        """Copies everything as it is now."""
        self._old = self._copies  # their memory is used again
        self._forget()
        for name, module in self._roots.items():
            self._visit(name, module)
        del self._old

    def _visit(self, name: str, module: nn.Module) -> None:
        if id(module) in self._seen:
            return
        self._seen.add(id(module))
        self.modules.append(module)
        called = f"module '{name}'" if name else "the module itself"
        label = f"{called} ({type(module).__name__})"
        if isinstance(module, torch.jit.ScriptModule):
            raise wrong("model", f"{label} is compiled by TorchScript: its state cannot be compared; use its source")
        hooks = [*module._forward_pre_hooks.values(), *module._forward_hooks.values()]
        own = {key: value for key, value in vars(module).items() if key not in INTERNAL}
        self.mark.append((type(module), hooks, list(module._modules)))
        self.mark.append([(key, value) for key, value in own.items() if type(value) in SCALARS or callable(value)])
        for kind, tensors in ((PARAMETER, module._parameters), (BUFFER, module._buffers)):
            self._hold(_Place(label, kind, None, tensors, dict(tensors)), tensors.items())
            self.mark.extend((key, t.shape, t.dtype, t.device, t.requires_grad)
                             for key, t in tensors.items() if t is not None and not is_lazy(t))  # fmt: skip
        derived = frozenset(str(key) for hook in hooks for key in [_derived(hook)] if key is not None)
        self._hold(_Place(label, ATTRIBUTE, None, vars(module), own, derived), own.items())
        transient = module._non_persistent_buffers_set
        self._hold(_Place(label, BUFFER, "persistent", transient, set(transient)), ())
        self._hold(_Place(label, "modules", None, module._modules, dict(module._modules)), ())
        for key, child in module._modules.items():
            if child is not None:
                self._visit(f"{name}.{key}" if name else key, child)

    def _hold(self, place: _Place, entries: Iterable[tuple[Any, Any]]) -> None:
        self._places.append(place)
        for key, value in entries:
            if type(value) not in SCALARS:
                self._look(place, str(key) if place.name is None else place.name, value)

    def _look(self, place: _Place, name: str, value: Any) -> None:
        if id(value) in self._seen:
            return
        if isinstance(value, (Tensor, np.ndarray)):
            self._seen.add(id(value))
            if not (isinstance(value, Tensor) and (is_lazy(value) or value.is_meta)):
                self._copies[id(value)] = self._copied(place, name, value)
        elif isinstance(value, nn.Module):
            self._visit(f"{name} of {place.module}", value)
        elif isinstance(value, (dict, list, set, deque, tuple)):
            self._seen.add(id(value))
            before = value if isinstance(value, tuple) else value.copy()
            entries = list(value.values() if isinstance(value, dict) else value)
            inside = [] if set(map(type, entries)) <= SCALARS else entries
            held = _Place(place.module, place.kind, name, value, before)
            self._hold(held, ((name, entry) for entry in inside))

    def _copied(self, place: _Place, name: str, value: Any) -> _Copy:
        if isinstance(value, np.ndarray):
            return _Copy(place.module, place.kind, name, value, value, value.copy())
        alias, old = value.detach(), self._old.get(id(value))
        kept = old.content if old is not None and old.original is value else None
        if kept is not None and _alike(kept, alias) and alias.layout == torch.strided:
            kept.copy_(alias)
        else:
            kept = alias.clone()
        return _Copy(place.module, place.kind, name, value, alias, kept, value.requires_grad)

    def restore(self, *, may_set_attributes: bool = False) -> Change | None:
        """Puts everything back; the first change where there was one. What may be set is left as it is."""
        with torch.no_grad():
            try:
                return self._restore(may_set_attributes)
            except BaseException:  # an interruption
                self._restore(may_set_attributes)
                raise

    def _restore(self, may_set_attributes: bool) -> Change | None:
        changes = []
        for place in self._places:
            if not (may_set_attributes and place.kind == ATTRIBUTE) and not _is_same(place):
                changes += [Change(place.module, place.kind, name) for name in self._differing(place)]
                _put_back(place)
        for copy in self._copies.values():
            if may_set_attributes and copy.kind == ATTRIBUTE:
                continue
            try:
                unchanged = _put_content_back(copy)
            except Exception:  # what cannot be compared counts as changed, and the others are restored
                unchanged = False
            if not unchanged:
                changes.append(Change(copy.module, copy.kind, copy.name))
        changes.sort(key=lambda change: change.kind != BUFFER)  # stable
        return changes[0] if changes else None

    def _differing(self, place: _Place) -> list[str]:
        """Names of entries whose content differs, not only the object that has it."""
        if not isinstance(place.held, dict):
            return [] if self._are_equal(place.before, place.held) else [str(place.name)]
        before, after = place.before, _entries(place)
        names = [key for key in {**before, **after} if key not in place.derived]
        found = [key for key in names
                 if key not in before or key not in after or not self._are_equal(before[key], after[key])]  # fmt: skip
        return [str(key) if place.name is None else place.name for key in found]

    def _are_equal(self, before: Any, after: Any) -> bool:
        if before is after:  # what is in it is compared by itself
            return True
        if type(before) is not type(after):
            return False
        if type(before) in SCALARS:
            return bool(before == after or (before != before and after != after))
        if isinstance(before, (list, tuple)):
            return len(before) == len(after) and all(map(self._are_equal, before, after))
        if isinstance(before, dict):
            return before.keys() == after.keys() and all(self._are_equal(before[key], after[key]) for key in before)
        copy = self._copies.get(id(before))
        try:
            return copy is not None and same_bits(copy.content, after)
        except Exception:  # of another device, or what vmap has left behind
            return False


def _derived(hook: Any) -> str | None:
    """The attribute that weight_norm, spectral_norm or pruning computes from parameters, and never from examples."""
    if not type(hook).__module__.startswith("torch.nn.utils."):
        return None
    name = getattr(hook, "name", None) or getattr(hook, "_tensor_name", None)
    return name if isinstance(name, str) else None


def _entries(place: _Place) -> dict[Any, Any]:
    held: dict[Any, Any] = place.held
    is_module = place.kind == ATTRIBUTE and place.name is None
    return {key: value for key, value in held.items() if key not in INTERNAL} if is_module else held


def _is_same(place: _Place) -> bool:
    """Whether exactly the same objects are there, in the same order."""
    if isinstance(place.held, dict):
        after = _entries(place)
        return len(after) == len(place.before) and all(
            a is b and x is y for (a, x), (b, y) in zip(after.items(), place.before.items(), strict=True)
        )
    if isinstance(place.held, set):
        return bool(place.held == place.before)
    return len(place.held) == len(place.before) and all(a is b for a, b in zip(place.held, place.before, strict=True))


def _put_back(place: _Place) -> None:
    held, before = place.held, place.before
    if isinstance(held, dict):
        for key in list(_entries(place)):
            del held[key]
        held.update(before)
    elif isinstance(held, set):
        held.clear()
        held.update(before)
    elif not isinstance(held, tuple):
        held.clear()
        held.extend(before)


def _put_content_back(copy: _Copy) -> bool:
    """Whether it was as before."""
    t, alias = copy.original, copy.alias
    if isinstance(t, np.ndarray):
        unchanged: bool = t.tobytes() == copy.content.tobytes()
        if not unchanged:
            t[...] = copy.content
        return unchanged
    same = _alike(t, copy.content) and same_bits(copy.content, t.detach())
    if t.requires_grad and not copy.needs_grad:
        t.detach_()  # also from the graph of what was written into it
    if t.layout != torch.strided:
        if not same and _alike(t, copy.content):
            t.copy_(copy.content)
        elif not same:
            t.data = copy.content.clone()
        return same
    if not _alike(t, alias) or t.data_ptr() != alias.data_ptr():
        t.data = alias
    if not same_bits(copy.content, alias):
        alias.copy_(copy.content)
    return same


def _alike(a: Tensor, b: Tensor) -> bool:
    return bool(a.shape == b.shape and a.dtype == b.dtype and a.device == b.device and a.layout == b.layout)


def same_bits(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray):
        return bool(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes())
    return _alike(a, b) and all(torch.equal(_bits(x), _bits(y)) for x, y in zip(_parts(a), _parts(b), strict=True))


def _parts(t: Tensor) -> list[Tensor]:
    if t.layout == torch.sparse_coo:
        return [t._indices(), t._values()]
    if t.layout != torch.strided:
        return [t.to_dense()]
    return [t.int_repr() if t.is_quantized else t]


def _bits(t: Tensor) -> Tensor:
    """The numbers as whole numbers: NaN equals itself then, and 0 differs from -0."""
    t = t.detach()
    if t.is_complex():
        t = torch.view_as_real(t.resolve_conj())
    return t.resolve_neg().view(BITS[t.element_size()]) if t.dtype.is_floating_point else t


def watched(watch: Watch, work: Callable[[], T]) -> tuple[T | None, Change | None]:
    """What `work` returns, or else what it has changed in the modules, which are restored. The caller makes the
    exception, because one that is made here would hold the frames of `work`, and with them examples. What there was is
    what `watch` remembers."""
    try:
        result = work()
    except BaseException as error:
        change = watch.restore()
        if change is None or not isinstance(error, Exception):
            raise
        return None, change
    change = watch.restore()
    return (result, None) if change is None else (None, change)
