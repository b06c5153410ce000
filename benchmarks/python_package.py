"""How fast the Python package takes rows: prints one JSON document.

Usage: python_package.py [--quick] FOLDER, with the interpreter that FOLDER's extension was built for; compare.py calls it.
Processor time of one thread, as in the other measurements. Each kind of input has a million rows of ten columns, one
release every thousand rows; `numpy` is the same running covariance without any privacy.
"""

import argparse
import json
import resource
import statistics
import sys
import time

parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
parser.add_argument("folder")
parser.add_argument("--quick", action="store_true")
options = parser.parse_args()
sys.path.insert(0, options.folder)

import numpy as np  # noqa: E402
import pyarrow as pa  # noqa: E402

import jme  # noqa: E402

ROWS, COLUMNS, EVERY = 1_000_000, 10, 1000
TURNS = 3 if options.quick else 9
NAMES = [str(i + 1) for i in range(COLUMNS)]
SETTINGS = {"epsilon": 1, "delta": 1e-12, "rows": 2_000_000_000, "every": EVERY, "workload": "prefix", "threads": 1}


def timed(work):
    """Seconds of each turn after a first one that is not counted."""
    seconds = []
    for _ in range(TURNS + 1):
        begin = time.thread_time()
        work()
        seconds.append(time.thread_time() - begin)
    return seconds[1:]


def rate(items, seconds):
    rates = [items / s for s in seconds]
    return {"value": statistics.median(rates), "low": min(rates), "high": max(rates), "turns": len(rates)}


def plain():
    return jme.Stream(**SETTINGS, norm_bound=1, dimension=COLUMNS)


def bounded():
    return jme.Stream(**SETTINGS, bounds=dict.fromkeys(NAMES, (-5.0, 5.0)))


def numpy_covariances(rows):
    """Running covariance after every block, without clipping and noise."""
    first, second = np.zeros(COLUMNS), np.zeros((COLUMNS, COLUMNS))
    result = []
    for t in range(EVERY, len(rows) + 1, EVERY):
        block = rows[t - EVERY : t]
        first += block.sum(axis=0)
        second += block.T @ block
        mean = first / t
        result.append(second / t - np.outer(mean, mean))
    return result


def pushes(stream, rows):
    for row in rows:
        stream.push(row)


rows = np.random.default_rng(1).normal(size=(ROWS, COLUMNS))
rows *= 0.9 / np.linalg.norm(rows, axis=1, keepdims=True)  # inside the bound, as those of C++
table = pa.Table.from_arrays([pa.array(column) for column in rows.T], names=NAMES)
result = {}
for name, make, held in (
    ("bulk", plain, rows),
    ("arrow", plain, table),
    ("float32", plain, rows.astype(np.float32)),
    ("bounds", bounded, rows),
):
    stream = make()
    stream.push(held if name == "arrow" else held[:EVERY])
    result[name] = rate(ROWS, timed(lambda stream=stream, held=held: stream.push(held)))
result["numpy"] = rate(ROWS, timed(lambda: numpy_covariances(rows)))

single = [tuple(row) for row in rows[:100_000].tolist()]
arrays = list(rows[:100_000])
for name, held in (("row_tuple_seconds", single), ("row_array_seconds", arrays)):
    stream = plain()
    stream.push(rows[:EVERY])
    result[name] = statistics.median(timed(lambda stream=stream, held=held: pushes(stream, held))) / len(held)

held_rows = (rows, np.asfortranarray(rows)[::2], table)
stream = plain()
stream.push(rows[:EVERY])
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for held in held_rows:
    stream.push(held)
result["peak_bytes"] = 1024 * (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
print(json.dumps({"python": result}))
