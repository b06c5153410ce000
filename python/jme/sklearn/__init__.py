"""Estimators for scikit-learn that learn from private moments and nothing else.

What they have learnt (everything whose name ends with an underscore) may be published. What they say about rows that
are given to them later (`predict`, `transform`, `score`, ...) is about those rows, and is as private as they are.
"""

from .covariance import PrivateCovariance
from .gaussian import PrivateGaussian
from .ledger import PrivacyCostWarning, SharedLedger
from .pca import PrivatePCA
from .regression import PrivateLinearRegression
from .scaler import PrivateStandardScaler

__all__ = [
    "PrivacyCostWarning",
    "PrivateCovariance",
    "PrivateGaussian",
    "PrivateLinearRegression",
    "PrivatePCA",
    "PrivateStandardScaler",
    "SharedLedger",
]
