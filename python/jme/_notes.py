"""What was changed in rows on their way in, for their owner alone."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


def notes_of(notes: Iterable[tuple[str, int, int, str | None]]) -> list[dict[str, Any]]:
    """As `Stream.notes` has them, of what the extension tells."""
    result = []
    for kind, count, rows, column in notes:
        note = {"kind": kind, "count": count, "rows": rows}
        result.append(note if column is None else {**note, "column": column})
    return result
