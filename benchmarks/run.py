#!/usr/bin/python3
"""`jme run` on a CSV file of 5 million rows and 6 columns, beside polars and DuckDB, which compute the same 27 sums
without privacy. All take turns; each has the best of its turns.

Usage: run.py --build DIR --peers PYTHON [--scratch DIR] [--quick]; ../bench --run calls it.
"""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

from compare import JME_RUN, processor

HERE = pathlib.Path(__file__).resolve().parent
THREADS = [1, 2]


def rows_of(path):
    with open(path, "rb") as file:
        return sum(block.count(b"\n") for block in iter(lambda: file.read(1 << 20), b"")) - 1


def seconds_of_jme(options, file, rows, threads):
    command = [str(options.build / "apps/cli/jme"), "run", file, "--rows", str(rows), *JME_RUN, "--threads", str(threads)]
    begin = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - begin


def seconds_of_peer(options, name, file, threads):
    command = [str(options.peers), "-B", str(HERE / "peers/column_sums.py"), name, str(threads), file]
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def measured(options, scratch):
    """The best seconds by (name, threads)."""
    best = {}

    def took(name, threads, seconds):
        best[name, threads] = min(seconds, best.get((name, threads), seconds))

    for turn in range(3 if options.quick else 7):
        reading = [str(options.build / "benchmarks/jme_bench"), *(["--quick"] if options.quick else []), "--scratch", scratch, "reading"]
        limits = json.loads(subprocess.run(reading, check=True, stdout=subprocess.PIPE, text=True).stdout)["reading"]
        took("bytes", 1, limits["bytes_alone"])
        file = limits["file"]
        if turn == 0:
            rows = rows_of(file)
        for threads in THREADS:
            took("rows", threads, limits["rows_alone"][threads - 1])
            took("jme", threads, seconds_of_jme(options, file, rows, threads))
            for peer in ("duckdb", "polars"):
                took(peer, threads, seconds_of_peer(options, peer, file, threads))
        print(f"  turn {turn + 1}, load {os.getloadavg()[0]:.1f}", file=sys.stderr, flush=True)
    return best, rows, os.path.getsize(file)


def verdicts(best):
    faster = [best["jme", t] < best["duckdb", t] for t in THREADS]
    yield "faster than DuckDB with one and with two threads", all(faster)
    yield "at least 0.9x polars with one and with two threads", all(best["polars", t] / best["jme", t] >= 0.9 for t in THREADS)
    scales = best["jme", 1] / best["jme", 2] >= 1.4
    yield "two threads take at most 1/1.4 of the time of one, or are faster than DuckDB at both", scales or all(faster)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree that holds jme_bench and jme")
    parser.add_argument("--peers", type=pathlib.Path, required=True, help="a Python that has polars and duckdb")
    parser.add_argument("--scratch", help="where the file is written; it stays there")
    parser.add_argument("--quick", action="store_true", help="a tenth of the rows, fewer turns")
    options = parser.parse_args()
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory(prefix="jme-bench-") as scratch:
        best, rows, size = measured(options, options.scratch or scratch)
    print(f"{processor()}, {os.cpu_count()} cores, load {before:.1f} before; {rows:,} rows, {size / 1e6:.0f} MB; best of the turns\n")
    names = {"jme": "jme run, a release every 1000 rows (wall clock, with its start)", "duckdb": "DuckDB, 27 sums",
             "polars": "polars, 27 sums", "rows": "limit: the file parsed alone", "bytes": "limit: its bytes read alone"}
    print(f"{'':66}  one thread            two threads           ratio")
    for key, name in names.items():
        cells = [f"{best[key, t]:6.3f} s {rows / best[key, t] / 1e6:5.1f} M rows/s" if (key, t) in best else " " * 22 for t in THREADS]
        ratio = f"{best[key, 1] / best[key, 2]:.2f}" if (key, 2) in best else ""
        print(f"{name:66}  {cells[0]}  {cells[1]}  {ratio}".rstrip())
    print()
    for what, holds in verdicts(best):
        print(f"{'PASS' if holds else 'MISS'}  {what}")


if __name__ == "__main__":
    main()
