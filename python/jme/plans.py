"""What to expect, before any data is touched."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from . import _core, _html, _settings

if TYPE_CHECKING:
    import pandas as pd
    from typing_extensions import Unpack

    from ._keywords import Settings


class Plan(Mapping[str, Any]):
    """Methods and noise shapes side by side: `candidates`, the `recommended` one and what was `left_out`.

    The numbers of a candidate: `std_*` is the noise on one entry of a step, `rmse_*` the expected error of one released
    entry, `error_*` the expected squared error summed over all releases, `state_vectors` what is kept in memory.
    """

    def __init__(self, contents: dict[str, Any]) -> None:
        self._contents = contents

    def __getitem__(self, key: str) -> Any:
        return self._contents[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._contents)

    def __len__(self) -> int:
        return len(self._contents)

    @property
    def candidates(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self._contents["candidates"]
        return found

    @property
    def recommended(self) -> dict[str, Any]:
        found: dict[str, Any] = self._contents["recommended"]
        return found

    @property
    def left_out(self) -> list[str]:
        found: list[str] = self._contents["left_out"]
        return found

    def to_pandas(self) -> pd.DataFrame:
        import pandas as pd

        return pd.DataFrame(self.candidates)

    def __repr__(self) -> str:
        best = self.recommended
        return (
            f"<jme.Plan of {len(self.candidates)}: {best['method']} with {best['shape']}, "
            f"rmse {best['rmse_first']:.4g} and {best['rmse_second']:.4g}>"
        )

    def _repr_html_(self) -> str:
        return _html.plan(self)


def plan(**settings: Unpack[Settings]) -> Plan:
    """Compares methods and noise shapes for a stream with these settings, which are those of `Stream`.

    >>> import jme
    >>> plan = jme.plan(epsilon=1, delta=1e-6, bounds={"temp": (-20, 45), "co": (0, 100)}, rows=5000)
    >>> plan.recommended["method"]
    'jme'
    """
    text, matrices = _settings.encoded(_settings.checked("plan()", settings))
    return Plan(json.loads(_core.plan(text, matrices)))
