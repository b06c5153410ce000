#!/usr/bin/env python3
"""`./bench --serve`: rows over HTTP to `jme serve`, beside `jme run --state` on the same rows and a plain Python server that
adds them up with numpy. One client with eight connections, each of which waits for its answer, measures both servers."""

import argparse
import datetime
import json
import pathlib
import re
import selectors
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).parent))
import table
from compare import processor

COLUMNS = ["a", "b", "c", "d", "e", "f"]
EVERY = 1000
CONNECTIONS = 8
READERS = 1000
SLOTS = 4096
PAGE_READERS = 64


def csv_rows(count, first=0):
    rows = ("%.3f,%.3f,%.3f,%.3f,%.3f,%.3f" % tuple((7919 * (i + 1) * (j + 3)) % 1000 / 1000 for j in range(6)) for i in range(first, first + count))
    return ",".join(COLUMNS) + "\n" + "\n".join(rows) + "\n"


def csv_of_people(count):
    rows = ("p%d,%.3f" % (i, 7919 * (i + 1) % 1000 / 1000) for i in range(count))
    return "who,a\n" + "\n".join(rows) + "\n"


class Http:
    """A request after another on one connection. Answers have a Content-Length."""

    def __init__(self, port):
        self.socket = socket.create_connection(("127.0.0.1", port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.buffer = b""

    def has_answer(self):
        """Reads what is there. The status, once an answer is whole."""
        piece = self.socket.recv(65536)
        if not piece:
            raise ConnectionError("the server closed the connection")
        self.buffer += piece
        end = self.buffer.find(b"\r\n\r\n")
        if end < 0:
            return None
        length = int(re.search(rb"content-length: *(\d+)", self.buffer[:end].lower())[1])
        if len(self.buffer) < end + 4 + length:
            return None
        status = int(self.buffer[9:12])
        self.buffer = self.buffer[end + 4 + length:]
        return status

    def ask(self, request):
        self.socket.sendall(request)
        while (status := self.has_answer()) is None:
            pass
        return status


def post(port, path, body, token=""):
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: text/csv\r\nContent-Length: {len(body)}\r\n"
    if token:
        head += f"Authorization: Bearer {token}\r\n"
    return (head + "\r\n" + body).encode()


def load(port, request, requests, seconds):
    """Sends a request again and again over all connections: how many were answered per second, and the 99th percentile of
    the time that one took."""
    selector = selectors.DefaultSelector()
    begun, latencies = {}, []
    for _ in range(CONNECTIONS):
        connection = Http(port)
        selector.register(connection.socket, selectors.EVENT_READ, connection)
        begun[connection] = time.perf_counter()
        connection.socket.sendall(request)
    start, sent = time.perf_counter(), CONNECTIONS
    while begun:
        for key, _ in selector.select():
            connection = key.data
            status = connection.has_answer()
            if status is None:
                continue
            if status != 202:
                raise RuntimeError(f"the server answered {status}")
            now = time.perf_counter()
            latencies.append(now - begun.pop(connection))
            if sent < requests and now < start + seconds:
                begun[connection] = now
                connection.socket.sendall(request)
                sent += 1
    took = time.perf_counter() - start
    for key in list(selector.get_map().values()):
        key.data.socket.close()
    return len(latencies) / took, statistics.quantiles(latencies, n=100)[98]


def resident(pid):
    """Bytes of memory in use."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])


class JmeServer:
    def __init__(self, jme, folder):
        self.state = str(folder)
        self.token = subprocess.run([jme, "token", "add", "--state", self.state, "--stream", "*", "--role", "admin"],
                                    check=True, capture_output=True, text=True).stdout.strip()
        self.process = subprocess.Popen([jme, "serve", "--state", self.state, "--listen", "127.0.0.1:0", "--rate", "1000000"],
                                        stdout=subprocess.PIPE, text=True)
        self.port = int(self.process.stdout.readline().rsplit(":", 1)[1])

    def create(self, name, every=EVERY, rows=100_000_000):
        self.create_with({"name": name, "bounds": {c: [0, 1] for c in COLUMNS}, "rows": rows, "every": every})

    def create_of_people(self, name):
        self.create_with({"name": name, "bounds": {"a": [0, 1]}, "every": "1h", "steps": SLOTS, "person": "who",
                          "rows_per_person": "3/day"})

    def create_with(self, settings):
        settings = {"epsilon": 1, "delta": 1e-12, **settings}
        if Http(self.port).ask(post(self.port, "/v1/streams", json.dumps(settings), self.token)) != 201:
            raise RuntimeError("no stream was created")

    def rows(self, name, body):
        return post(self.port, f"/v1/streams/{name}/rows", body, self.token)

    def reads_and_writes(self, name, body, seconds):
        """How often wrk reads a stream's page per second, and the 99th percentile of writers meanwhile."""
        url = f"http://127.0.0.1:{self.port}/v1/streams/{name}"
        wrk = subprocess.Popen(["wrk", "-t1", f"-c{PAGE_READERS}", f"-d{seconds}s", "-H", f"Authorization: Bearer {self.token}", url],
                               stdout=subprocess.PIPE, text=True)
        _, p99 = load(self.port, self.rows(name, body), 10_000_000, seconds)
        printed = wrk.communicate()[0]
        if wrk.returncode != 0 or "Non-2xx" in printed or "Socket errors" in printed:
            raise RuntimeError(f"wrk: {printed}")
        return float(re.search(r"Requests/sec:\s+([\d.]+)", printed)[1]), p99

    def bytes_of_a_reader(self, name):
        """What one of many readers costs that wait for events."""
        before = resident(self.process.pid)
        head = (f"GET /v1/streams/{name}/events?since=100000000 HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n"
                f"Authorization: Bearer {self.token}\r\n\r\n").encode()
        readers = []
        for _ in range(READERS):
            reader = socket.create_connection(("127.0.0.1", self.port))
            reader.sendall(head)
            assert reader.recv(4096).startswith(b"HTTP/1.1 200")
            readers.append(reader)
        cost = (resident(self.process.pid) - before) / READERS
        for reader in readers:
            reader.close()
        return cost

    def end(self):
        self.process.terminate()
        self.process.wait(20)


class NumpyServer:
    def __init__(self, python):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.process = subprocess.Popen([python, "-m", "uvicorn", "numpy_server:app", "--port", str(self.port), "--log-level", "error",
                                         "--no-access-log"], cwd=pathlib.Path(__file__).parent / "peers")
        for _ in range(200):
            try:
                Http(self.port).ask(b"GET /mean HTTP/1.1\r\nHost: localhost\r\n\r\n")
                return
            except OSError:
                time.sleep(0.1)
        raise RuntimeError("uvicorn does not answer")

    def rows(self, body):
        return post(self.port, "/rows", body)

    def end(self):
        self.process.terminate()
        self.process.wait(20)


def run_with_state(jme, scratch, rows):
    """Rows per second of `jme run --state` on a file, start to end."""
    file = scratch / "rows.csv"
    if not file.exists():
        file.write_text(csv_rows(rows))
    state = scratch / "run"
    bounds = ",".join(f"{c}=0:1" for c in COLUMNS)
    begin = time.perf_counter()
    subprocess.run([jme, "run", file, "--bounds", bounds, "--epsilon", "1", "--delta", "1e-12", "--rows", str(rows), "--every", str(EVERY),
                    "--state", state], check=True, stdout=subprocess.DEVNULL)
    took = time.perf_counter() - begin
    shutil.rmtree(state)
    return rows / took


def measured(options, scratch):
    """Every turn measures all sides one after another; a figure is the median of its turns."""
    jme = str(pathlib.Path(options.build) / "apps/cli/jme")
    turns = 3 if options.quick else 5
    seconds = 1.5 if options.quick else 5
    batch, single = csv_rows(1000), csv_rows(1)
    figures = {}
    keep = lambda name, value: figures.setdefault(name, []).append(value)
    for turn in range(turns + 1):
        ours = JmeServer(jme, scratch / f"serve{turn}")
        ours.create("batches")
        rate, p99 = load(ours.port, ours.rows("batches", batch), 100_000, seconds)
        one_rate, one_p99 = load(ours.port, ours.rows("batches", single), 10_000_000, seconds)
        reader = ours.bytes_of_a_reader("batches")
        ours.create_of_people("people")
        page_reads, page_p99 = ours.reads_and_writes("people", csv_of_people(100), 2 if options.quick else 5)
        ours.end()
        shutil.rmtree(scratch / f"serve{turn}")
        plain = NumpyServer(options.python)
        plain_rate, plain_p99 = load(plain.port, plain.rows(batch), 100_000, seconds)
        plain_one_rate, plain_one_p99 = load(plain.port, plain.rows(single), 10_000_000, seconds)
        plain.end()
        run = run_with_state(jme, scratch, 500_000 if options.quick else 2_000_000)
        if turn == 0:
            continue  # everything is warm from here on
        keep("batch_rows", 1000 * rate), keep("batch_p99", p99)
        keep("single_rows", one_rate), keep("single_p99", one_p99)
        keep("reader_bytes", reader), keep("run_rows", run)
        keep("page_reads", page_reads), keep("page_p99", page_p99)
        keep("numpy_batch_rows", 1000 * plain_rate), keep("numpy_batch_p99", plain_p99)
        keep("numpy_single_rows", plain_one_rate), keep("numpy_single_p99", plain_one_p99)
    return {name: statistics.median(values) for name, values in figures.items()}


def lines_of(f):
    more = ("> numpy", lambda entry: entry["times_numpy"] > 1)
    half = (">= 50% of limit, > numpy", lambda entry: entry["of_limit"] >= 0.5 and entry["times_numpy"] > 1)
    return [
        table.line("bodies of 1000 rows | limit: jme run --state", f["batch_rows"], "rows/s", f["numpy_batch_rows"], f["run_rows"], half),
        table.line("  99th percentile of an answer", f["batch_p99"], "seconds", f["numpy_batch_p99"]),
        table.line("single rows", f["single_rows"], "rows/s", f["numpy_single_rows"], None, more),
        table.line("  99th percentile of an answer", f["single_p99"], "seconds", f["numpy_single_p99"]),
        table.line(f"memory of a reader, {READERS} wait for events", f["reader_bytes"], "bytes each", None, 65536,
                   ("<= limit", lambda entry: entry["ours"] <= entry["limit"])),
        table.line(f"a stream's page, 3/day, {SLOTS} slots, wrk -c{PAGE_READERS}", f["page_reads"], "requests/s", None, None,
                   table.at_least(1000, "1000 requests/s")),
        table.line("  99th percentile of a writer's answer meanwhile", f["page_p99"], "seconds", None, None, table.below(0.05, "50 ms")),
    ]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build", required=True, help="folder of a release build")
    parser.add_argument("--python", required=True, help="an interpreter with fastapi, uvicorn and numpy")
    parser.add_argument("--out", default="out")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="jme-bench-", dir=options.build) as scratch:
        figures = measured(options, pathlib.Path(scratch))
    lines = lines_of(figures)
    pathlib.Path(options.out).mkdir(exist_ok=True)
    pathlib.Path(options.out, "bench_serve.json").write_text(json.dumps({"figures": figures, "lines": lines}, indent=1) + "\n")
    print(f"{processor()}, {datetime.date.today()}, {CONNECTIONS} connections of one client on the same machine, {time.monotonic() - begin:.0f} s\n")
    rows, met = table.grid(lines)
    print("\n".join([*rows, "", f"{met} Everything measured: {options.out}/bench_serve.json"]))


if __name__ == "__main__":
    main()
