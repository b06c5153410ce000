"""Private running means and covariances: differential privacy under continual release."""

from typing import TYPE_CHECKING

from ._core import version as __version__
from .answers import Ledger, account, calibrate, sensitivity, shape
from .blocks import BlockSum
from .errors import BudgetExhausted, Conflict, DataError, Error, InvalidParameter, StateError
from .plans import Plan, plan
from .releases import Estimate, Release, Releases
from .stream import Stream

if TYPE_CHECKING:
    from ._keywords import Settings
else:
    #: Keywords of a stream in a dictionary; type checkers know their names and types.
    Settings = dict

__all__ = [
    "BlockSum",
    "BudgetExhausted",
    "Conflict",
    "DataError",
    "Error",
    "Estimate",
    "InvalidParameter",
    "Ledger",
    "Plan",
    "Release",
    "Releases",
    "Settings",
    "StateError",
    "Stream",
    "__version__",
    "account",
    "calibrate",
    "plan",
    "sensitivity",
    "shape",
]
