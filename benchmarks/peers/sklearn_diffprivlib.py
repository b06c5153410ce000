#!/usr/bin/env python3
"""jme.sklearn beside diffprivlib, on the same rows with the same epsilon: prints the tables of docs/peers.md.

Usage: sklearn_diffprivlib.py [--repeats N] [--columns median|rms]

Needs the package jme and scikit-learn (`build/venv/bin/python`, with PYTHONPATH=build/dev/python). diffprivlib needs
an older scikit-learn than jme.sklearn does, so it runs in an environment of its own, build/diffprivlib, which is made
from PyPI if it is not there.

diffprivlib promises pure differential privacy (delta = 0), jme the same epsilon with delta = 1e-6, which is weaker.
Both protect against the replacement of one row, and both are told the same public ranges. Noise comes from seeds, so
that the tables can be printed again; such noise protects nobody.
"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import warnings

import numpy as np

ROOT = pathlib.Path(__file__).resolve().parents[2]
PEER = ROOT / "build" / "diffprivlib"
PACKAGES = ["diffprivlib==0.6.6", "scikit-learn<1.6"]
DELTA = 1e-6
EPSILONS = [0.1, 1.0, 10.0]
COMPONENTS = 2
LIMIT = 10  # seconds that one fit may take


def synthetic(columns, rows):
    """Normal columns of variance 1, half of it shared, and a target that is their mean with as much again unexplained."""
    rng = np.random.default_rng(columns)
    X = np.sqrt(0.5) * (rng.normal(size=(rows, columns)) + rng.normal(size=(rows, 1)))
    y = X.mean(axis=1) + rng.normal(scale=X.mean(axis=1).std(), size=rows)
    return {"X": X, "y": y, "low": np.full(columns, -5.0), "high": np.full(columns, 5.0), "y_low": -5.0, "y_high": 5.0}


def digits():
    """Pictures of 8 x 8 pixels from 0 to 16; the target is the digit."""
    from sklearn.datasets import load_digits

    X, y = load_digits(return_X_y=True)
    return {"X": X, "y": y * 1.0, "low": np.zeros(64), "high": np.full(64, 16.0), "y_low": 0.0, "y_high": 9.0}


def data_sets():
    sets = {f"synthetic, {rows:,} x {columns}": synthetic(columns, rows)
            for columns, rows in ((1, 10_000), (2, 10_000), (5, 10_000), (20, 10_000), (20, 200_000))}
    return {**sets, "digits, 1,797 x 64": digits()}


def ours(data, epsilon, seed):
    from jme.sklearn import PrivateLinearRegression, PrivatePCA, PrivateStandardScaler

    ranges = dict(enumerate(zip(data["low"].tolist(), data["high"].tolist())))
    given = {"epsilon": epsilon, "delta": DELTA, "settings": {"insecure_test_seed": seed}}
    with_target = {**ranges, "y": (float(data["y_low"]), float(data["y_high"]))}
    return (PrivateStandardScaler(**given, bounds=ranges), PrivatePCA(components(data), **given, bounds=ranges),
            PrivateLinearRegression(**given, bounds=with_target))


def theirs(data, epsilon, seed):
    from diffprivlib.models import PCA, LinearRegression, StandardScaler

    given = {"epsilon": epsilon, "random_state": seed}
    bounds = (data["low"], data["high"])
    # Rows lie this far from the middle of the ranges at most.
    norm = float(np.linalg.norm((data["high"] - data["low"]) / 2))
    return (StandardScaler(**given, bounds=bounds), PCA(components(data), **given, bounds=bounds, data_norm=norm),
            LinearRegression(**given, bounds_X=bounds, bounds_y=(float(data["y_low"]), float(data["y_high"]))))


def components(data):
    return min(COMPONENTS, data["X"].shape[1])


class TooLong(Exception):
    pass


def stop(*_):
    raise TooLong


def seconds_of(work):
    """Runs it for LIMIT seconds at most; None where that is not enough."""
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(LIMIT)
    begin = time.perf_counter()
    try:
        work()
    except TooLong:
        return None
    finally:
        signal.alarm(0)
    return time.perf_counter() - begin


def measured(make, data, repeats):
    """For each epsilon, what each repetition gave: numbers that are learnt, and seconds. An estimator that took too long
    once is not tried again on these rows."""
    found, slow = {}, set()
    for epsilon in EPSILONS:
        runs = []
        for seed in range(1, repeats + 1):
            run = {}
            for name, model in zip(NAMES, make(data, epsilon, seed)):
                rows = [data["X"].copy(), data["y"].copy()] if name == "line" else [data["X"].copy()]
                seconds = None if name in slow else seconds_of(lambda: model.fit(*rows))
                if seconds is None:
                    slow.add(name)
                    continue
                run[name] = {"seconds": seconds, **{key: np.ravel(value).tolist() for key, value in learnt(name, model)}}
            runs.append(run)
        found[str(epsilon)] = runs
    return found


NAMES = ["scaler", "pca", "line"]


def learnt(name, model):
    keys = {"scaler": ["mean_", "scale_"], "pca": ["components_"], "line": ["coef_", "intercept_"]}[name]
    return [(key, getattr(model, key)) for key in keys]


def measured_by_peer(data, repeats):
    if not (PEER / "bin" / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", str(PEER)], check=True)
        subprocess.run([str(PEER / "bin" / "python"), "-m", "pip", "install", "--quiet", *PACKAGES], check=True)
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder) / "rows.npz"
        np.savez(file, **data)
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        environment["OPENBLAS_NUM_THREADS"] = "1"
        done = subprocess.run([str(PEER / "bin" / "python"), __file__, "--peer", str(file), "--repeats", str(repeats)],
                              check=True, capture_output=True, text=True, env=environment)
    return json.loads(done.stdout)


def errors(run, data, how):
    """What is compared, see `HEADINGS`; NaN for an estimator that took too long."""
    X, y = data["X"], data["y"]
    found = [np.nan] * 4
    if "scaler" in run:
        # Pixels that are the same in all pictures have no standard deviation to compare with.
        varies = X.std(axis=0) > 0
        std = X.std(axis=0)[varies]
        found[0] = over_columns((np.array(run["scaler"]["mean_"]) - X.mean(axis=0))[varies] / std, how)
        found[1] = over_columns(np.array(run["scaler"]["scale_"])[varies] / std - 1, how)
    if "pca" in run:
        exact = np.cov(X.T).reshape(X.shape[1], -1)
        vectors = np.reshape(run["pca"]["components_"], (components(data), -1))
        captured = np.einsum("ij,jk,ik->", vectors, exact, vectors)
        found[2] = captured / np.linalg.eigvalsh(exact)[::-1][: components(data)].sum()
    if "line" in run:
        left = y - X @ np.array(run["line"]["coef_"]) - run["line"]["intercept_"][0]
        found[3] = 1 - np.mean(left**2) / y.var()
    return found


def over_columns(values, how):
    """Some pixels hardly vary: their relative errors are huge, and they alone decide a root mean square."""
    return np.median(np.abs(values)) if how == "median" else np.sqrt(np.mean(values**2))


HEADINGS = ["mean", "std", f"{COMPONENTS} components", "R2"]


def exact_r2(data):
    design = np.column_stack([np.ones(len(data["y"])), data["X"]])
    left = data["y"] - design @ np.linalg.lstsq(design, data["y"], rcond=None)[0]
    return 1 - left.var() / data["y"].var()


def table(name, data, we, they, how):
    repeats = len(we[str(EPSILONS[0])])
    print(f"\n### {name}\n\n{repeats} repetitions. R2 without privacy: {exact_r2(data):.3f}.\n")
    print("| epsilon | " + " | ".join(f"{what}, jme | diffprivlib" for what in HEADINGS) + " | seconds, jme | diffprivlib |")
    print("|---|" + "---|" * (2 * len(HEADINGS) + 2))
    for epsilon in EPSILONS:
        both = [np.median([errors(run, data, how) for run in side[str(epsilon)]], axis=0) for side in (we, they)]
        times = [np.median([sum(part["seconds"] for part in run.values()) for run in side[str(epsilon)]])
                 for side in (we, they)]
        cells = [cell(value, place) for place in range(len(HEADINGS)) for value in (both[0][place], both[1][place])]
        print(f"| {epsilon:g} | " + " | ".join(cells) + " | " + " | ".join(f"{value:.2g}" for value in times) + " |")


def cell(value, place):
    if np.isnan(value):
        return f"> {LIMIT} s"
    return f"{value:.2g}" if place < 2 or value < -10 else f"{value:.2f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeats", type=int, default=21)
    parser.add_argument("--columns", choices=["median", "rms"], default="median", help="how errors of columns are joined")
    parser.add_argument("--peer", help="a file with rows: measure diffprivlib, print JSON")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    if options.peer:
        with np.load(options.peer) as file:
            print(json.dumps(measured(theirs, dict(file), options.repeats)))
        return
    print(f"Medians over repetitions; delta = {DELTA:g} for jme, 0 for diffprivlib.")
    for name, data in data_sets().items():
        repeats = options.repeats if len(data["y"]) < 100_000 else min(options.repeats, 5)
        table(name, data, measured(ours, data, repeats), measured_by_peer(data, repeats), options.columns)


if __name__ == "__main__":
    main()
