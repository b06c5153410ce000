"""What goes wrong. All exceptions here are `ValueError`s, and none of their messages contains a value of the data."""

from __future__ import annotations

from typing import Any


class Error(ValueError):
    """Every error that jme raises on purpose."""

    def __init__(self, message: str = "", **details: Any) -> None:
        super().__init__(message)
        self._details = details
        for name, value in details.items():
            setattr(self, name, value)

    def __reduce__(self) -> tuple[Any, ...]:
        return (_made_again, (type(self), self.args, self._details))


class InvalidParameter(Error):
    """A setting outside of its range. `field` is the keyword's name."""

    field: str | None = None


class DataError(Error):
    """Rows that cannot be used. `row` counts the rows of the stream from 1; `column` is the column's name."""

    row: int | None = None
    column: str | None = None


class BudgetExhausted(Error):
    """A row past the public horizon, or a privacy budget that is spent."""


class StateError(Error):
    """A stream that cannot go on: its folder is locked, damaged or of another configuration, or it belongs to another
    thread or process."""


class Conflict(Error):
    """What comes contradicts what was taken before; nothing of it was taken. `same_id`: other sums came under an id."""

    same_id: bool = False


def _made_again(kind: type[Error], arguments: tuple[str, ...], details: dict[str, Any]) -> Error:
    return kind(*arguments, **details)
