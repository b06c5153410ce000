#!/usr/bin/python3
"""Private models beside the exact ones, on data that may be shown: the table of the tutorial.

Usage: compare_with_exact.py FILE [--jme PROGRAM] [--runs R] [--at T,T,..] [--missing RULE] [--json]

Runs `jme run` on six columns of the air-quality file (epsilon = 1, delta = 1e-6, a release every 1000 rows), R
times, and prints how far its models are from what numpy makes of the same rows without any privacy. NEVER do this
with data that must stay private: exact answers are not protected by anything.

Every error is the root mean square over the runs. "noise" is what jme itself says beside its numbers (noise_std);
an error well above it comes from the missing cells and from values beyond their bounds.
"""

import argparse
import csv
import gzip
import json
import lzma
import subprocess
import sys

import numpy as np

# Public knowledge about such air, not taken from the file: legal scales, instruments' ranges, the climate.
BOUNDS = {"PM2.5": (0, 500), "NO2": (0, 300), "CO": (0, 10000), "O3": (0, 400), "TEMP": (-25, 45), "WSPM": (0, 12)}
TARGET = "PM2.5"
EVERY = 1000


def read(path):
    """The six columns of the file; NaN where a cell is blank."""
    opened = {"xz": lzma.open, "gz": gzip.open}.get(path.rsplit(".", 1)[-1], open)
    with opened(path, "rt", newline="") as file:
        rows = csv.reader(file)
        header = next(rows)
        places = [header.index(name) for name in BOUNDS]
        return np.array([[float(row[i]) if row[i] not in ("", "NA") else np.nan for i in places] for row in rows])


def exact_models(rows):
    """What one would compute without privacy: every mean, deviation and covariance from the cells that are there."""
    here = ~np.isnan(rows)
    mean = np.nanmean(rows, axis=0)
    centred = np.where(here, rows - mean, 0.0)
    covariance = centred.T @ centred / (here.T.astype(float) @ here.astype(float))
    deviation = np.sqrt(np.diag(covariance))
    correlation = covariance / np.outer(deviation, deviation)
    target = list(BOUNDS).index(TARGET)
    others = [i for i in range(len(BOUNDS)) if i != target]
    slopes = np.linalg.solve(covariance[np.ix_(others, others)], covariance[others, target])
    return {"mean": mean, "deviation": deviation, "correlation": correlation,
            "component": np.linalg.eigh(covariance)[1][:, -1],
            "scaled component": np.linalg.eigh(correlation)[1][:, -1],
            "slopes": slopes, "scale": deviation[others] / deviation[target]}


def releases(options, rows, wanted):
    """The wanted releases of one private run."""
    command = [options.jme, "run", options.file, "--columns", ",".join(BOUNDS),
               "--bounds", ",".join(f"{name}={low}:{high}" for name, (low, high) in BOUNDS.items()),
               "--epsilon", "1", "--delta", "1e-6", "--rows", str(rows), "--every", str(EVERY),
               "--missing", options.missing, "--emit", f"mean,covariance,correlation,pca:1,regression:{TARGET}"]
    # What jme says about missing cells is for the owner of the data; here everybody may know.
    output = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    found = {}
    for line in output.splitlines()[1:]:
        release = json.loads(line)
        if release["t"] in wanted:
            found[release["t"]] = release
    return found


def angle(a, b):
    """Degrees between two lines."""
    return np.degrees(np.arccos(min(1.0, abs(a @ b) / np.linalg.norm(a) / np.linalg.norm(b))))


def errors(release, exact):
    """Name: (error, noise as jme promised it) for one release."""
    noise = release["noise_std"]
    array = np.array
    variance = np.diag(array(release["covariance"]))
    deviation = np.sqrt(np.maximum(variance, 0))
    upper = np.triu_indices(len(BOUNDS), 1)
    correlation = array(release["correlation"])
    component = array(release["pca"]["components"][0])
    slopes = array(release["regression"]["coefficients"])
    scale = exact["scale"]  # slopes count in deviations of y a deviation of x
    size = np.linalg.norm(exact["slopes"] * scale)
    rms = lambda values: float(np.sqrt(np.mean(np.square(values))))
    return {
        "mean (relative)": (rms((array(release["mean"]) - exact["mean"]) / exact["mean"]),
                            rms(array(noise["mean"]) / exact["mean"])),
        "standard deviation (relative)": (
            rms((deviation - exact["deviation"]) / exact["deviation"]),
            rms(np.diag(array(noise["covariance"])) / (2 * exact["deviation"] ** 2))),
        "correlation": (rms((correlation - exact["correlation"])[upper]), rms(array(noise["correlation"])[upper])),
        "first component (degrees)": (
            angle(component, exact["component"]),
            float(np.degrees(np.linalg.norm(np.array(noise["pca"]["components"][0], dtype=float))))),
        "first component of the correlations (degrees)": (
            angle(np.linalg.eigh(correlation)[1][:, -1], exact["scaled component"]), None),
        f"regression of {TARGET} (relative)": (
            float(np.linalg.norm((slopes - exact["slopes"]) * scale)) / size,
            float(np.linalg.norm(array(noise["regression"]["coefficients"]) * scale)) / size),
    }


def combined(numbers):
    return None if numbers[0] is None else float(np.sqrt(np.mean(np.square(numbers))))


def figure(number):
    return "" if number is None else f"{number:.3g}" if number < 100 else f"{number:.0f}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file")
    parser.add_argument("--jme", default="jme", help="the program (default: jme on the PATH)")
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--at", default="1e3,1e4,1e5,end", help="rows at which to compare (default 1e3,1e4,1e5,end)")
    parser.add_argument("--missing", default="mean", help="rule for missing cells (default mean)")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()

    rows = read(options.file)
    times = [len(rows) if text == "end" else int(float(text)) for text in options.at.split(",")]
    times = sorted({t for t in times if t <= len(rows)})
    if any(t % EVERY and t != len(rows) for t in times):
        sys.exit(f"compare_with_exact: --at must count in {EVERY} rows, the releases' distance")
    exact = {t: exact_models(rows[:t]) for t in times}
    collected = {}
    for _ in range(options.runs):
        for t, release in releases(options, len(rows), set(times)).items():
            for name, pair in errors(release, exact[t]).items():
                collected.setdefault(name, {}).setdefault(t, []).append(pair)
    table = {name: {t: {"error": combined([e for e, _ in pairs]), "noise": combined([n for _, n in pairs])}
                    for t, pairs in sorted(by_time.items())} for name, by_time in collected.items()}
    if options.json:
        print(json.dumps({"rows": len(rows), "runs": options.runs, "table": table}))
        return
    print("| error (noise) | " + " | ".join(f"t = {t:,}" for t in times) + " |")
    print("|---|" + "---|" * len(times))
    for name, by_time in table.items():
        cells = [figure(cell["error"]) + (f" ({figure(cell['noise'])})" if cell["noise"] is not None else "")
                 for cell in by_time.values()]
        print(f"| {name} | " + " | ".join(cells) + " |")


if __name__ == "__main__":
    main()
