#!/usr/bin/env python3
"""`./bench --kafka`: rows of a topic to `jme run`, beside `jme run` on the same rows in a file, a plain consumer in Python that
adds up values and products with numpy, and one that only counts records. The broker runs on the same machine."""

import argparse
import datetime
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import numpy
from confluent_kafka import Consumer, Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewTopic

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import table
from compare import processor

BROKER = pathlib.Path(__file__).parent.parent / "tests/kafka/broker"
COLUMNS = ["1", "2", "3", "4", "5", "6"]
EVERY = 1000


def values_of(kind, count):
    """CSV or JSON, six numbers of three digits."""
    draw = numpy.random.default_rng(7).integers(0, 1000, (count, len(COLUMNS))) / 1000
    if kind == "csv":
        return ["%.3f,%.3f,%.3f,%.3f,%.3f,%.3f" % tuple(row) for row in draw.tolist()]
    return [json.dumps(dict(zip(COLUMNS, row, strict=True))) for row in draw.tolist()]


def write(address, topic, values):
    admin = AdminClient({"bootstrap.servers": address})
    admin.create_topics([NewTopic(topic, 1, 1)])[topic].result(30)
    producer = Producer({"bootstrap.servers": address, "enable.idempotence": True, "linger.ms": 20, "log_level": 0})
    for value in values:
        while True:
            try:
                producer.produce(topic, value)
                break
            except BufferError:
                producer.poll(0.1)
    if producer.flush(60):
        raise RuntimeError("not every record was written")


class NumpySums:
    """The sums that a mean and a covariance need."""

    def __init__(self, kind):
        self.parse = self.of_csv if kind == "csv" else self.of_json
        self.rows, self.first, self.second = 0, numpy.zeros(6), numpy.zeros((6, 6))

    @staticmethod
    def of_csv(values):
        return numpy.array(b",".join(values).split(b","), dtype=float).reshape(-1, 6)

    @staticmethod
    def of_json(values):
        return numpy.array([[row[c] for c in COLUMNS] for row in map(json.loads, values)])

    def add(self, values):
        rows = self.parse(values)
        self.rows += len(rows)
        self.first += rows.sum(axis=0)
        self.second += rows.T @ rows


class Count:
    def __init__(self):
        self.rows = 0

    def add(self, values):
        self.rows += len(values)


def consume(address, topic, count, sums):
    """Rows per second of a consumer in Python, from its start to the last record."""
    begin = time.perf_counter()
    consumer = Consumer({"bootstrap.servers": address, "group.id": "bench", "enable.auto.commit": False})
    consumer.assign([TopicPartition(topic, 0, 0)])
    while sums.rows < count:
        values = [message.value() for message in consumer.consume(10_000, 0.1)]
        if values:
            sums.add(values)
    took = time.perf_counter() - begin
    consumer.close()
    return count / took


def run(jme, source, kind, count, *more):
    """Rows per second of a whole run, from its start to its end."""
    bounds = ",".join(f"{c}=0:1" for c in COLUMNS)
    arguments = ["--format", "csv" if kind == "csv" else "ndjson", "--bounds", bounds, "--epsilon", "1", "--delta", "1e-12",
                 "--rows", str(count), "--every", str(EVERY)]
    begin = time.perf_counter()
    subprocess.run([jme, "run", source, *arguments, *more], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return count / (time.perf_counter() - begin)


def measured(options, scratch, address):
    """Every turn measures all sides one after another; a figure is the median of its turns."""
    jme = str(pathlib.Path(options.build) / "apps/cli/jme")
    count = 200_000 if options.quick else 1_000_000
    turns = 3 if options.quick else 5
    figures = {}
    for kind in ("csv", "json"):
        values = values_of(kind, count)
        write(address, kind, values)
        file = scratch / kind
        file.write_text("\n".join(values) + "\n")
        header = ["--no-header"] if kind == "csv" else []
        for turn in range(turns + 1):
            state = ["--state", str(scratch / f"state-{kind}-{turn}")]
            found = {
                "kafka": run(jme, f"kafka://{address}/{kind}", kind, count),
                "durable": run(jme, f"kafka://{address}/{kind}", kind, count, *state),
                "file": run(jme, str(file), kind, count, *header),
                "numpy": consume(address, kind, count, NumpySums(kind)),
                "count": consume(address, kind, count, Count()),
            }
            for name, value in found.items():
                if turn > 0:  # everything is warm from here on
                    figures.setdefault(f"{kind}_{name}", []).append(value)
    return {name: statistics.median(found) for name, found in figures.items()}


def lines_of(f):
    more = ("> numpy", lambda entry: entry["times_numpy"] > 1)
    lines = []
    for kind in ("csv", "json"):
        numpy_rate = f[f"{kind}_numpy"]
        lines += [
            table.line(f"{kind.upper()} values | limit: the same rows in a file", f[f"{kind}_kafka"], "rows/s", numpy_rate, f[f"{kind}_file"], more),
            table.line("  limit: a consumer in Python that counts records", f[f"{kind}_kafka"], "rows/s", None, f[f"{kind}_count"]),
            table.line("  with --state | limit: without", f[f"{kind}_durable"], "rows/s", numpy_rate, f[f"{kind}_kafka"]),
        ]
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="folder of a release build")
    parser.add_argument("--out", default="out")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="jme-bench-", dir=options.build) as scratch:
        folder = pathlib.Path(scratch) / "broker"
        started = subprocess.run([BROKER, "start", folder.absolute()], check=True, stdout=subprocess.PIPE, text=True)
        try:
            figures = measured(options, pathlib.Path(scratch), started.stdout.strip())
        finally:
            subprocess.run([BROKER, "stop", folder.absolute()], check=True)
    lines = lines_of(figures)
    pathlib.Path(options.out).mkdir(exist_ok=True)
    pathlib.Path(options.out, "bench_kafka.json").write_text(json.dumps({"figures": figures, "lines": lines}, indent=1) + "\n")
    print(f"{processor()}, {datetime.date.today()}, one partition of a broker on the same machine, {time.monotonic() - begin:.0f} s\n")
    rows, met = table.grid(lines)
    print("\n".join([*rows, "", f"{met} Everything measured: {options.out}/bench_kafka.json"]))


if __name__ == "__main__":
    main()
