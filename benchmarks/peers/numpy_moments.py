#!/usr/bin/python3
"""What one would write in numpy without this library, measured: prints one JSON document.

Usage: numpy_moments.py [--quick] [--csv FILE] [SECTION...]

The streams below are the paper's mechanism in a few lines each: running sums of both moments, d^2 normals a row
for the second one. They use numpy's fast but predictable generator and add floating-point noise, so they are
quicker than a private program may be; that is in their favour.
"""

import argparse
import itertools
import json
import statistics
import time

import numpy as np

rng = np.random.Generator(np.random.PCG64(1))
STD = 10.0


def clipped(row):
    return row / max(1.0, np.linalg.norm(row))


class IdentityStream:
    """Independent noise on every row: C = I."""

    def __init__(self, d):
        self.first, self.second = np.zeros(d), np.zeros((d, d))
        self.draws, self.product = np.empty((d, d)), np.empty((d, d))

    def push(self, row):
        x = clipped(row)
        self.first += x + STD * rng.standard_normal(len(x))
        rng.standard_normal(out=self.draws)
        self.draws *= STD
        self.second += self.draws
        self.second += np.outer(x, x, out=self.product)


class SquareRootStream:
    """Noise shaped by the square root of the prefix sums; each row's noise needs all draws before it."""

    def __init__(self, d, n):
        self.t, self.weights = 0, inverse_square_root(n)
        self.first, self.second = np.zeros(d), np.zeros((d, d))
        self.draws_first, self.draws_second = np.empty((n, d)), np.empty((n, d * d))

    def push(self, row):
        x, t = clipped(row), self.t
        rng.standard_normal(out=self.draws_first[t])
        rng.standard_normal(out=self.draws_second[t])
        weights = STD * self.weights[t::-1]
        self.first += x + weights @ self.draws_first[: t + 1]
        self.second += np.outer(x, x) + (weights @ self.draws_second[: t + 1]).reshape(self.second.shape)
        self.t += 1


def inverse_square_root(n):
    """Coefficients of (1 - x)^(1/2), the inverse of the prefix sums' square root."""
    k = np.arange(1, n)
    return np.concatenate(([1.0], np.cumprod((2 * k - 3) / (2 * k))))


def square_root_at_once(rows, d):
    """The same for a stream that is known as a whole: all noise by one matrix product, before the first row."""
    n = len(rows)
    lags = np.arange(n)[:, None] - np.arange(n)
    inverse = np.where(lags >= 0, STD * inverse_square_root(n)[np.maximum(lags, 0)], 0.0)
    noise_first = inverse @ rng.standard_normal((n, d))
    noise_second = inverse @ rng.standard_normal((n, d * d))
    first, second = np.zeros(d), np.zeros((d, d))
    for row, z1, z2 in zip(rows, noise_first, noise_second):
        x = clipped(row)
        first += x + z1
        second += np.outer(x, x)
        second += z2.reshape(d, d)
    return first, second


class BlockStream:
    """One release per block of rows, C = I."""

    def __init__(self, d):
        self.first, self.second = np.zeros(d), np.zeros((d, d))

    def push(self, block):
        d = block.shape[1]
        x = block / np.maximum(1.0, np.linalg.norm(block, axis=1, keepdims=True))
        self.first += x.sum(axis=0) + STD * rng.standard_normal(d)
        self.second += x.T @ x + STD * rng.standard_normal((d, d))


# ---------------------------------------------------------------- measuring


def timed(work, effort):
    """Seconds of processor time of every turn, after a first one that is not counted; other programs do not count."""
    work()
    seconds = []
    while len(seconds) < effort["turns"] or sum(seconds) < effort["seconds"]:
        begin = time.process_time()
        work()
        seconds.append(time.process_time() - begin)
    return seconds


def rate(items, seconds):
    return {"value": items / statistics.median(seconds), "low": items / max(seconds),
            "high": items / min(seconds), "turns": len(seconds)}


def some_rows(d, count=64):
    return np.random.default_rng(1).uniform(-1, 1, (count, d)) / np.sqrt(d)


def row_rate(stream, d, turn, effort):
    rows = itertools.cycle(some_rows(d))

    def work():
        for _ in range(turn):
            stream.push(next(rows))

    return rate(turn, timed(work, effort))


def sampler(effort, _):
    out = np.empty(1 << 12)  # the tile that ours makes, warm in the first-level cache

    def work():
        for _ in range(256):
            rng.standard_normal(out=out)

    return {"standard_normal": rate(out.size * 256, timed(work, effort))}


def wide(effort, _):
    return {"identity": row_rate(IdentityStream(1000), 1000, 10, effort)}


def middle(effort, _):
    d, n = 100, 1000
    rows = np.resize(some_rows(d), (n, d))

    def stream():
        moments = SquareRootStream(d, n)
        for row in rows:
            moments.push(row)

    few = {"seconds": 0, "turns": 2}
    return {"square_root_stream": rate(n, timed(stream, few)),
            "square_root_at_once": rate(n, timed(lambda: square_root_at_once(rows, d), few)),
            "identity": row_rate(IdentityStream(d), d, 100, effort)}


def long(effort, _):
    """Seconds per row against t at d = 10: flat without shaping, growing with the square root."""
    d, n, parts = 10, 4000, 40
    rows = itertools.cycle(some_rows(d))
    stream, curve = SquareRootStream(d, n), []
    for part in range(parts):
        begin = time.process_time()
        for _ in range(n // parts):
            stream.push(next(rows))
        curve.append([(part + 1) * (n // parts), (time.process_time() - begin) / (n // parts)])
    return {"identity": row_rate(IdentityStream(d), d, 1000, effort), "square_root_seconds_a_row": curve}


def dimension(effort, quick):
    dimensions = [1, 10, 100, 1000] if quick else [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
    short = {"seconds": effort["seconds"] / 5, "turns": effort["turns"]}
    return {"seconds_a_row": [[d, 1 / row_rate(IdentityStream(d), d, max(2, min(1000, 100_000 // d**2)), short)["value"]]
                              for d in dimensions]}


def block(effort, _):
    stream, rows = BlockStream(1000), some_rows(1000, 1000)
    return {"rows": rate(1000, timed(lambda: stream.push(rows), effort))}


def ingest(_, __, csv, most_rows=100_000):
    """numpy.loadtxt on the file's first rows."""
    with open(csv, "rb") as file:
        size = sum(len(line) for line in itertools.islice(file, most_rows + 1))
    work = lambda: np.loadtxt(csv, delimiter=",", skiprows=1, max_rows=most_rows)
    return {"loadtxt": rate(size, timed(work, {"seconds": 0, "turns": 3}))}


SECTIONS = {"sampler": sampler, "wide": wide, "middle": middle, "long": long, "dimension": dimension, "block": block,
            "ingest": ingest}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--csv", help="file for the section ingest")
    parser.add_argument("section", nargs="*", choices=[*SECTIONS, []])
    options = parser.parse_args()
    effort = {"seconds": 0.4, "turns": 3} if options.quick else {"seconds": 2, "turns": 5}
    names = options.section or [name for name in SECTIONS if name != "ingest" or options.csv]
    more = {"ingest": {"csv": options.csv}}
    print(json.dumps({name: SECTIONS[name](effort, options.quick, **more.get(name, {})) for name in names}, indent=1))


if __name__ == "__main__":
    main()
