#!/usr/bin/env python3
"""What one stream costs on a cluster: prints every number of docs/scale.md.

benchmarks/scale.py                  the page's tables, from CONSTANTS and a seeded simulation
benchmarks/scale.py --measure BUILD  measures CONSTANTS on this machine, on one core, with the package in BUILD/python
"""

from __future__ import annotations

import heapq
import json
import math
import random
import sys
import tempfile
import time

# Seconds on one core; printed by --measure (docs/scale.md says when and where).
CONSTANTS = {
    "row": {"10": 8.6e-08, "100": 1.6e-06, "1000": 0.00012},
    "merge": {"10": 3.9e-06, "100": 0.00015, "1000": 0.017},
    "take": {"10": 0.00088, "100": 0.0025, "1000": 0.22},
    "release": {"10": 0.00092, "100": 0.003, "1000": 0.26},
}
DIMENSIONS = (10, 100, 1000)
RATES = (10**3, 10**5, 10**7)
EXECUTORS = (10, 100, 1000)
BATCH = 10  # seconds of rows in a micro-batch
LINK = 1.25e9 / 8  # bytes per second of the driver's network: 10 Gbit/s, of which an eighth is counted on


def block_bytes(d: int) -> int:
    """docs/block-format.md, with slots of time: the first sums and the row count, and the upper triangle of products."""
    return 80 + 8 * (d + 1) + 16 * d * (d + 1) // 2


def measured(build: str) -> dict[str, dict[str, float]]:
    sys.path.insert(0, f"{build}/python")
    import jme
    import jme.spark
    import numpy as np
    import pyarrow as pa
    from jme.spark._job import Job

    def median(work, turns: int) -> float:
        seconds = []
        for _ in range(turns + 1):
            begin = time.process_time()
            work()
            seconds.append(time.process_time() - begin)
        return sorted(seconds[1:])[turns // 2]

    result: dict[str, dict[str, float]] = {name: {} for name in CONSTANTS}
    for d in DIMENSIONS:
        rows = {10: 1_000_000, 100: 100_000, 1000: 2_000}[d]
        turns = {10: 9, 100: 9, 1000: 5}[d]
        names = [f"x{i}" for i in range(d)]
        config = {"epsilon": 1, "delta": 1e-6, "bounds": {name: (0, 1) for name in names}, "every": "1h", "steps": 1000}
        table = np.random.default_rng(1).random((rows, d))
        batches = [
            pa.RecordBatch.from_arrays([pa.array(table[i : i + 10_000, j]) for j in range(d)], names=names)
            for i in range(0, rows, 10_000)
        ]
        job = Job({"records": "lines", "on_bad_row": "zero", **config})
        parts = []
        result["row"][str(d)] = median(lambda: parts.append(list(job.sum_rows(batches))), turns) / rows
        part = parts[0][0].column("sums")[0].as_py()
        sums = job.sums()
        result["merge"][str(d)] = median(lambda: sums.merge(0, part), turns)
        with tempfile.TemporaryDirectory() as folder, jme.spark.sink(config, name="n", state=folder) as sink:
            ids = iter(range(100))
            result["take"][str(d)] = median(lambda: sink._place.take(f"q:{next(ids)}", part, "q"), turns)
        block = jme.BlockSum.from_bytes(part, **{**config, "records": "lines", "on_bad_row": "zero"})
        with tempfile.TemporaryDirectory() as folder:
            stream = jme.Stream(**config, records="lines", on_bad_row="zero", state=folder)
            slots = iter(range(100))
            result["release"][str(d)] = median(lambda: stream.push_block(block, id=f"slot {next(slots)}"), turns)
            stream.close()
    return result


def costs(d: int, rate: int, executors: int) -> dict[str, float]:
    """Of one micro-batch: seconds of each executor's core, of the tree and of the driver, and bytes."""
    size, at = block_bytes(d), str(d)
    mergers = 0 if size <= 1 << 14 else max(2, int(executors**0.5))
    at_driver = mergers or executors
    per_merger = executors / mergers if mergers else 0.0
    return {
        "sums": rate * BATCH / executors * CONSTANTS["row"][at],
        "tree": per_merger * (CONSTANTS["merge"][at] + size / LINK) if mergers else 0.0,
        "driver": at_driver * (CONSTANTS["merge"][at] + size / LINK) + CONSTANTS["take"][at],
        "bytes": at_driver * size + (executors * size if mergers else 0),
    }


def simulated(executors: int, work: float, speculation: bool, seed: int) -> list[float]:
    """Seconds of 200 batches with three tasks for each core. The time of a task varies by a fifth (lognormal), one in a
    hundred runs on a core that is eight times slower for a while, and one in two thousand is lost half way and runs again.
    Speculation starts a second copy of what takes 1.5 times the median when three quarters are done; the first result
    counts, whichever it is, since both are the same."""
    draw = random.Random(seed)
    times = []
    per_task = work / 3
    for _ in range(200):
        free = [0.0] * executors
        heapq.heapify(free)
        ends = []
        for _ in range(3 * executors):
            begin = heapq.heappop(free)
            length = per_task * draw.lognormvariate(-0.02, 0.2)
            if draw.random() < 0.01:
                length *= 8
            if draw.random() < 0.0005:
                length *= 1.5
            ends.append((begin, begin + length))
            heapq.heappush(free, begin + length)
        if speculation:
            lengths = sorted(end - begin for begin, end in ends)
            median = lengths[len(lengths) // 2]
            looked_at = sorted(end for _, end in ends)[int(0.75 * len(ends))]
            ends = [
                (begin, min(end, max(looked_at, begin + 1.5 * median) + median * draw.lognormvariate(-0.02, 0.2)))
                for begin, end in ends
            ]
        times.append(max(end for _, end in ends))
    return sorted(times)


def text_of(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.3g} us"
    return f"{seconds * 1e3:.3g} ms" if seconds < 1 else f"{seconds:,.3g} s"


def bytes_text(count: float) -> str:
    for unit in ("B", "kB", "MB", "GB"):
        if count < 1000:
            return f"{count:.3g} {unit}"
        count /= 1000
    return f"{count:.3g} TB"


def tables() -> str:
    lines = [
        "| d | one block | a row | merging a block | taking a batch durably | a release |",
        "|---|---|---|---|---|---|",
    ]
    for d in DIMENSIONS:
        numbers = [text_of(CONSTANTS[name][str(d)]) for name in ("row", "merge", "take", "release")]
        lines.append(f"| {d} | {bytes_text(block_bytes(d))} | " + " | ".join(numbers) + " |")
    lines += ["", "| d | rows/s | executors | cores busy | bytes per batch | tree | driver per batch | driver busy |"]
    lines.append("|---|---|---|---|---|---|---|---|")
    for d in DIMENSIONS:
        for rate in RATES:
            for executors in EXECUTORS:
                cost = costs(d, rate, executors)
                busy = cost["sums"] / BATCH
                share = "too few" if busy > 1 else f"{busy:.2%}"
                lines.append(
                    f"| {d} | {rate:,} | {executors:,} | {share} | {bytes_text(cost['bytes'])} | {text_of(cost['tree']) if cost['tree'] else 'none'} "
                    f"| {text_of(cost['driver'])} | {cost['driver'] / BATCH:.2%} |"
                )
    lines += ["", "| executors | speculation | median | 95% | slowest of 200 |", "|---|---|---|---|---|"]
    for executors in EXECUTORS:
        for speculation in (False, True):
            times = simulated(executors, 1.0, speculation, 20261118)
            numbers = [times[100], times[190], times[-1]]
            lines.append(
                f"| {executors:,} | {'yes' if speculation else 'no'} | "
                + " | ".join(f"{t:.2f}" for t in numbers)
                + " |"
            )
    lines += [
        "",
        "| d | products of a release | one block | shards | a shard's products | each row is sent |",
        "|---|---|---|---|---|---|",
    ]
    for d in (1000, 10_000, 100_000):
        products = d * (d + 1) // 2
        groups = max(1, math.ceil(d / 2500))
        shards = groups * (groups + 1) // 2
        lines.append(
            f"| {d:,} | {products:,} | {bytes_text(block_bytes(d))} | {shards} | {products // shards:,} "
            f"| {groups if groups > 1 else 1} times |"
        )
    return "\n".join(lines)


if __name__ == "__main__":
    if len(sys.argv) == 3 and sys.argv[1] == "--measure":
        print(json.dumps(measured(sys.argv[2]), indent=1))
    else:
        print(tables())
