"""vmap and its company: torch.func from 2.0 on, functorch before."""

from __future__ import annotations

from typing import Any

try:
    from torch.func import functional_call, grad_and_value, vmap
except ImportError:  # torch 1.13
    from functorch import grad_and_value, vmap
    from torch.nn.utils.stateless import functional_call as _functional_call

    def functional_call(module: Any, parts: Any, args: Any, kwargs: Any = None) -> Any:
        """Parameters that layers share have one name in `parts`; here all their names get the same value."""
        values = {name: value for part in parts for name, value in part.items()}
        names: dict[int, list[str]] = {}
        for prefix, layer in module.named_modules(remove_duplicate=False):
            for name, p in layer.named_parameters(prefix, recurse=False):
                names.setdefault(id(p), []).append(name)
        for same in names.values():
            given = [values[name] for name in same if name in values]
            values.update((name, given[0]) for name in same if given)
        return _functional_call(module, values, args, kwargs)


__all__ = ["functional_call", "grad_and_value", "vmap"]
