#!/usr/bin/env python3
"""`./bench --spark`: the sums that `jme.spark.moments` makes beside the same sums by Spark's own aggregation, and beside
`jme run`. Executors are processes of their own with one core each; rows are in their memory before a turn begins."""

from __future__ import annotations

import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

DIMENSION = 10
TURNS = 5


def measure(work, turns=TURNS):
    """Median seconds, after a first turn that is not counted."""
    seconds = []
    for _ in range(turns + 1):
        begin = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - begin)
    return statistics.median(seconds[1:])


def session_of(executors, cores, folder, package):
    from pyspark.sql import SparkSession

    builder = SparkSession.builder.master(f"local-cluster[{executors},{cores},2048]").appName("bench")
    for name, value in {
        "spark.executorEnv.PYTHONPATH": package,
        "spark.executorEnv.OPENBLAS_NUM_THREADS": "1",
        "spark.executor.memory": "2g",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": f"{folder}/local",
        "spark.sql.warehouse.dir": f"{folder}/warehouse",
        "spark.sql.shuffle.partitions": "2",
    }.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    return session


def nothing(batches):
    """What the way to a Python worker costs by itself."""
    import pyarrow as pa

    rows = sum(batch.num_rows for batch in batches)
    yield pa.RecordBatch.from_pydict({"slot": [0], "part": [rows], "sums": [b""]})


def with_executors(executors, rows, folder, package):
    """Rows per second of each way, with this many executors."""
    import jme.spark
    from jme.spark._batch import batch_settings
    from jme.spark._job import PARTS_SCHEMA, Job
    from pyspark.sql import functions
    from pyspark.storagelevel import StorageLevel

    session = session_of(executors, 1, folder, package)
    names = [f"x{i}" for i in range(DIMENSION)]
    numbers = session.range(rows, numPartitions=2 * executors)
    frame = numbers.select([functions.rand(seed=i).alias(name) for i, name in enumerate(names)])
    frame = frame.persist(StorageLevel.MEMORY_ONLY)
    assert frame.count() == rows
    column = functions.col
    sums = [functions.sum(name) for name in names]
    sums += [functions.sum(column(a) * column(b)) for i, a in enumerate(names) for b in names[i:]]
    config = {"epsilon": 1, "delta": 1e-12, "bounds": {name: [0, 1] for name in names}, "rows": rows}
    job = Job(batch_settings(config))
    assert job.merged(job.parts(frame, 0), "bench").rows == rows
    found = {
        "df.agg": measure(lambda: frame.agg(*sums).collect()),
        "jme.spark": measure(lambda: jme.spark.moments(frame, config)),
        "Arrow alone": measure(lambda: frame.mapInArrow(nothing, PARTS_SCHEMA).collect()),
    }
    session.stop()
    return {name: rows / seconds for name, seconds in found.items()}


def command(binary, processes, rows, folder):
    """Rows per second of as many `jme run`s at a time, each on its part of the rows in a file that is in memory."""
    import numpy as np

    part = rows // processes
    file = pathlib.Path(folder) / "rows.npy"
    np.save(file, np.random.default_rng(1).random((part, DIMENSION)))
    bounds = ",".join(f"{i + 1}=0:1" for i in range(DIMENSION))
    words = [binary, "run", str(file), "--bounds", bounds, "--epsilon", "1", "--delta", "1e-12"]
    words += ["--rows", str(part), "--every", str(part), "--output", "/dev/null"]

    def run():
        started = [subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) for _ in range(processes)]
        for process in started:
            _, error = process.communicate()
            assert process.returncode == 0, error

    return part * processes / measure(run)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="build folder with the command and the Python package")
    parser.add_argument("--rows", type=int, default=4_000_000)
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows")
    options = parser.parse_args()
    rows = options.rows // 10 if options.quick else options.rows
    package, binary = str(pathlib.Path(options.build) / "python"), str(pathlib.Path(options.build) / "apps/cli/jme")
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1", PYTHONPATH=package)
    os.environ.update(OPENBLAS_NUM_THREADS="1")
    sys.path.insert(0, package)
    cores = os.cpu_count() or 1
    counts = sorted({1, max(1, cores // 2), cores})
    print(f"{rows:,} rows of {DIMENSION} columns, {cores} cores, executors of one core\n")
    print(
        "| executors | df.agg, 65 sums | jme.spark | of df.agg, goal 1x | | rows to Python and nothing else "
        "| jme run, as many processes |"
    )
    print("|---|---|---|---|---|---|---|")
    result = []
    for executors in counts:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["SPARK_WORKER_DIR"] = f"{folder}/work"
            found = with_executors(executors, rows, folder, package)
            found["jme run"] = command(binary, executors, rows, folder)
        result.append({"executors": executors, **found})
        agg, ours = found["df.agg"], found["jme.spark"]
        print(f"| {executors} | {agg:,.0f} rows/s | {ours:,.0f} rows/s | {ours / agg:.2f}x "
              f"| {'PASS' if ours >= agg else 'MISS'} | {found['Arrow alone']:,.0f} rows/s | {found['jme run']:,.0f} rows/s |", flush=True)  # fmt: skip
    os.makedirs("out", exist_ok=True)
    pathlib.Path("out/spark.json").write_text(json.dumps(result, indent=1))


if __name__ == "__main__":
    main()
