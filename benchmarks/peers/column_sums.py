#!/usr/bin/env python3
"""The 27 sums of the six columns of a CSV file and of their products, without privacy. Prints their seconds.

Usage: column_sums.py polars|duckdb THREADS FILE. The time is that of the query alone, without the start of Python.
"""

import itertools
import os
import sys
import time

COLUMNS = ["temp", "humidity", "pressure", "co", "no2", "ozone"]
PAIRS = list(itertools.combinations_with_replacement(COLUMNS, 2))


def with_polars(threads, path):
    os.environ["POLARS_MAX_THREADS"] = str(threads)
    import polars

    sums = [polars.col(a).sum().alias(a) for a in COLUMNS]
    sums += [(polars.col(a) * polars.col(b)).sum().alias(f"{a} {b}") for a, b in PAIRS]
    schema = dict.fromkeys(COLUMNS, polars.Float64)
    begin = time.perf_counter()
    row = polars.scan_csv(path, schema=schema).select(sums).collect().row(0)
    return time.perf_counter() - begin, row


def with_duckdb(threads, path):
    import duckdb

    connection = duckdb.connect(config={"threads": threads})
    sums = ", ".join([f"sum({a})" for a in COLUMNS] + [f"sum({a} * {b})" for a, b in PAIRS])
    columns = dict.fromkeys(COLUMNS, "DOUBLE")
    query = f"SELECT {sums} FROM read_csv('{path}', header = true, delim = ',', columns = {columns})"
    begin = time.perf_counter()
    row = connection.execute(query).fetchone()
    return time.perf_counter() - begin, row


def main():
    name, threads, path = sys.argv[1:]
    seconds, row = {"polars": with_polars, "duckdb": with_duckdb}[name](int(threads), path)
    assert len(row) == 27
    print(seconds)


if __name__ == "__main__":
    main()
