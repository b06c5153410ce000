#!/usr/bin/python3
"""Runs our measurements and their peers one after another and prints them side by side.

Usage: compare.py --build DIR --out DIR [--quick]; ../bench calls it.
"""

import argparse
import datetime
import json
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time

import curves
from table import lines_of, printed

HERE = pathlib.Path(__file__).resolve().parent
PEER = ["/usr/bin/python3", str(HERE / "peers" / "numpy_moments.py")]
SECTIONS = ["sampler", "wide", "middle", "long", "dimension", "block", "bulk", "wide_memory", "long_memory", "ingest", "people", "shape",
            "start", "unbounded"]
PEER_SECTIONS = ["sampler", "wide", "middle", "long", "dimension", "block", "ingest"]
# One thread on both sides wherever BLAS is used, so that a figure per core is compared with a limit per core.
ENVIRONMENT = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
JME_RUN = ["--bounds", "temp=-50:50,humidity=-100:100,pressure=-1:1,co=-10:10,no2=-1:1,ozone=-1:1", "--epsilon", "1",
           "--delta", "1e-12", "--every", "1000", "--output", "/dev/null"]


def child_seconds():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


class Run:
    """Starts programs and records how much of a core each got: less than a whole core means a busy machine."""

    def __init__(self):
        self.core_shares = {}

    def __call__(self, what, command):
        begin, cpu = time.perf_counter(), child_seconds()
        output = subprocess.run(command, env=ENVIRONMENT, check=True, stdout=subprocess.PIPE, text=True).stdout
        seconds = time.perf_counter() - begin
        self.core_shares[what] = (child_seconds() - cpu) / seconds
        print(f"  {what}: {seconds:.1f} s", file=sys.stderr, flush=True)
        return output, seconds


def measured(options, scratch, run):
    flags = ["--quick"] if options.quick else []
    program = [str(options.build / "benchmarks" / "jme_bench"), "--scratch", scratch, *flags]
    ours, peers = {}, {}
    for section in SECTIONS:
        ours |= json.loads(run(section, [*program, section])[0])
        if section in PEER_SECTIONS:
            csv = ["--csv", ours["ingest"].pop("file")] if section == "ingest" else []
            peers |= json.loads(run(f"{section} (numpy)", [*PEER, *flags, *csv, section])[0])
        if section == "ingest":
            ours["run"] = jme_run(options, csv[1], ours["ingest"], run)
            ours["durable"] = durable_run(options, csv[1], ours["ingest"], run, scratch)
    python = options.build.parent / "venv/bin/python"
    ours |= json.loads(run("python", [str(python), str(HERE / "python_package.py"), str(options.build / "python"), *flags])[0])
    return ours, peers


def jme_run(options, csv, ingest, run):
    command = [str(options.build / "apps" / "cli" / "jme"), "run", csv, "--rows", str(ingest["rows"]), *JME_RUN]
    seconds = sorted(run("jme run", command)[1] for _ in range(3))
    return {"bytes": {"value": ingest["bytes"] / seconds[1]}, "rows": {"value": ingest["rows"] / seconds[1]}}


def durable_run(options, csv, ingest, run, scratch):
    """The same with --state on the scratch folder's disk, and without, in turns: what commits cost."""
    command = [str(options.build / "apps" / "cli" / "jme"), "run", csv, "--rows", str(ingest["rows"]), *JME_RUN]
    seconds = {"with": [], "without": []}
    for turn in range(5):
        seconds["without"].append(run("jme run", command)[1])
        seconds["with"].append(run("jme run --state", [*command, "--state", f"{scratch}/state{turn}"])[1])
    rows = {name: {"value": ingest["rows"] / statistics.median(turns)} for name, turns in seconds.items()}
    begin = time.perf_counter()
    with open(f"{scratch}/sync", "wb") as file:
        for _ in range(20):
            file.write(b"x")
            file.flush()
            os.fdatasync(file.fileno())
    return {"rows": rows["with"], "without": rows["without"], "sync_seconds": (time.perf_counter() - begin) / 20}


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown processor"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=pathlib.Path, required=True, help="build tree that holds jme_bench and jme")
    parser.add_argument("--out", type=pathlib.Path, required=True, help="folder for bench.json and the curves")
    parser.add_argument("--quick", action="store_true", help="shorter turns, fewer sizes")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    facts = {"date": datetime.date.today().isoformat(), "processor": processor(), "cores": os.cpu_count(),
             "load_before": os.getloadavg()[0], "quick": options.quick}
    run = Run()
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="jme-bench-") as scratch:
        ours, peers = measured(options, scratch, run)
    lines = lines_of(ours, peers)
    facts["seconds"] = time.perf_counter() - begin
    facts["core_shares"] = run.core_shares

    text = json.dumps({"facts": facts, "lines": lines, "ours": ours, "numpy": peers}, indent=1)
    (options.out / "bench.json").write_text(text + "\n")
    curves.write(ours, peers, options.out)
    print(printed(lines, facts))
    print(f"\nEverything measured: {options.out}/bench.json; curves: {options.out}/bench_rows.svg, "
          f"{options.out}/bench_dimension.svg")


if __name__ == "__main__":
    main()
