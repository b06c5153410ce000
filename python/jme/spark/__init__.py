"""Private moments of Spark DataFrames and streams: `moments` and `sink`.

Executors clip, snap and add up rows as whole numbers; one place adds the noise, once, under the id (query, batch).

RAW DATA: what travels from executors to the driver, and from the driver to a server, are sums without noise.
"""

from ._batch import block_sum, moments
from ._sink import Sink, sink

__all__ = ["Sink", "block_sum", "moments", "sink"]
