"""jme.spark without Spark: what executors and drivers do with rows, sums, ids and crashes. tests/spark has the rest."""

from __future__ import annotations

import json
import os
import pathlib
import pickle
import random
import signal
import socket
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Iterator
from typing import Any

import jme
import jme.spark
import numpy as np
import pyarrow as pa
import pytest
from conftest import BOUNDS, SEEDED, made_up, same_as_line
from jme.spark import _batch
from jme.spark._job import Job
from jme.spark._sums import seconds_of

Parts = list[tuple[int, bytes]]


def batches(table: np.ndarray, places: list[int], length: int = 97) -> Iterator[Any]:
    for begin in range(0, len(table), length):
        part = table[begin : begin + length]
        columns = [pa.array(part[:, place], from_pandas=True) for place in places]
        yield pa.RecordBatch.from_arrays(columns, names=[f"c{place}" for place in places])


def parts_of(job: Job, tables: list[np.ndarray], names: list[str]) -> Parts:
    """What executors send, each of which has some of the rows; the job travels to them."""
    return [
        (row["slot"], row["sums"])
        for table in tables
        for batch in pickle.loads(pickle.dumps(job)).sum_rows(batches(table, [names.index(name) for name in job.names]))
        for row in batch.to_pylist()
    ]


def divided(table: np.ndarray, count: int, draw: random.Random) -> list[np.ndarray]:
    order = np.array(draw.sample(range(len(table)), len(table)))
    cuts = sorted(draw.randrange(len(table) + 1) for _ in range(count - 1))
    return [table[part] for part in np.split(order, cuts)]


def merged_by(job: Job, parts: Parts, mergers: int) -> Parts:
    """One more level of the tree: every merger has some of the partial sums."""
    result: Parts = []
    for place in range(mergers):
        slots, sums = [list(x) for x in zip(*parts[place::mergers], strict=True)] or ([], [])
        batch = pa.RecordBatch.from_arrays([pa.array(slots), pa.array(sums, pa.binary())], names=["slot", "sums"])
        result += [(r["slot"], r["sums"]) for out in job.merge_parts(iter([batch])) for r in out.to_pylist()]
    return result


@pytest.mark.parametrize("missing", [None, "observed", "centre"])
def test_rows_divided_at_random_give_the_release_of_the_command(command, rng, missing):
    table = made_up(rng, 1000)
    if missing:
        table[rng.random(table.shape) < 0.1] = np.nan
    given = {**SEEDED, "rows": 1000, "every": 1000, "on_bad_row": "zero", **({"missing": missing} if missing else {})}
    line = command(table, **given)[1]
    job = Job(_batch.batch_settings({k: v for k, v in given.items() if k != "every"}))
    draw = random.Random(5)
    for count in (1, 3, 7):
        parts = parts_of(job, divided(table, count, draw), list(BOUNDS))
        draw.shuffle(parts)
        trees = [parts, merged_by(job, parts, 2) if count > 1 else parts]
        for tree in trees:
            stream = jme.Stream(**given)
            (release,) = job.merged(tree, "test").block()._push_to(stream, "all rows")
            if missing == "observed":
                assert [None if np.isnan(x) else x for x in release.mean] == line["mean"]
                assert release.counts.value.tolist() == line["count"]
            else:
                same_as_line(release, line)


def test_slots_of_own_times_have_the_releases_of_the_command_and_of_its_state_folder(command, tmp_path, rng):
    start = 1767225600
    times = start + rng.integers(-3600, 90000, 800)
    table = np.column_stack([times, made_up(rng, 800)])
    names = ["when", *BOUNDS]
    day = {"every": "1h", "time": "when", "from": "2026-01-01", "until": "2026-01-02"}
    given = {**SEEDED, **day, "on_bad_row": "zero"}
    lines = command(table, names, **given)[1:]
    job = Job(_batch.batch_settings(given))
    draw = random.Random(6)
    settings = _batch._keywords(given)
    for count in (1, 3, 7):
        parts = parts_of(job, divided(table, count, draw), names)
        draw.shuffle(parts)
        releases = job.merged(merged_by(job, parts, 2), "test").release_to(jme.Stream(**settings))
        assert [r.row_count.value for r in releases] == [line["rows"] for line in lines]
        assert [[None if np.isnan(x) else x for x in r.mean] for r in releases] == [line["mean"] for line in lines]
    kept = {**settings, "state": str(tmp_path / "state")}
    for _ in range(2):  # a second process gives the stored releases
        with jme.Stream(**kept) as stream:
            again = job.merged(parts_of(job, divided(table, 5, draw), names), "test").release_to(stream)
        assert [r.row_count.value for r in again] == [line["rows"] for line in lines]
    with jme.Stream(**kept) as stream, pytest.raises(jme.StateError, match="other sums"):
        job.merged(parts_of(job, [table[1:]], names), "test").release_to(stream)


def test_times_of_every_arrow_type_are_the_same_seconds():
    seconds = np.array([0, 1767225600, -1, 1767225661])
    expected = [0.0, 1767225600.0, np.nan, 1767225661.0]
    mask = np.array([False, False, True, False])
    for unit, scale in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)):
        for zone in (None, "UTC", "Asia/Tokyo"):
            column = pa.chunked_array([pa.array(seconds * scale + scale // 2, pa.timestamp(unit, zone), mask=mask)])
            np.testing.assert_array_equal(seconds_of(column), expected)
    early = pa.chunked_array([pa.array([-1], pa.timestamp("us"))])
    assert seconds_of(early).tolist() == [-1.0]  # as the rest of jme: the second that has begun
    days = pa.chunked_array([pa.array([0, 20454], pa.date32()), pa.array([None], pa.date32())])
    np.testing.assert_array_equal(seconds_of(days), [0.0, 20454 * 86400.0, np.nan])
    texts = pa.chunked_array([pa.array(["1970-01-01", "2026-01-01T00:00:00Z", "noon", "2026-01-01 00:01:01.5"])])
    np.testing.assert_array_equal(seconds_of(texts), expected)
    numbers = pa.chunked_array([pa.array([0.0, 1767225600.0, None, 1767225661.5])])
    assert np.floor(seconds_of(numbers)[[0, 1, 3]]).tolist() == [0.0, 1767225600.0, 1767225661.0]


def test_sums_of_another_configuration_and_damaged_ones_are_refused():
    job = Job(_batch.batch_settings({**SEEDED, "rows": 100}))
    other = Job(_batch.batch_settings({**SEEDED, "bounds": {**BOUNDS, "co": (0, 99)}, "rows": 100}))
    inside = np.full((9, 3), 5.0)  # of other rows there are notes, too
    ((slot, sums),) = parts_of(other, [inside], list(BOUNDS))
    with pytest.raises(jme.DataError):
        job.merged([(slot, sums)], "test")
    ((slot, sums),) = parts_of(job, [inside], list(BOUNDS))
    with pytest.raises(jme.DataError):
        job.merged([(slot, sums[:100] + bytes([sums[100] ^ 1]) + sums[101:])], "test")
    with pytest.raises(jme.InvalidParameter, match="slot"):
        job.merged([(1, sums)], "test")


def test_a_job_that_travels_has_no_seed_and_no_place():
    given = {**SEEDED, "rows": 100, "state": "/nowhere", "source": "somebody", "max_mu": 3}
    text = pickle.dumps(Job(_batch.batch_settings(given))).decode("latin-1")
    assert not any(word in text for word in ("insecure_test_seed", "nowhere", "somebody", "max_mu"))


CLOCK = {"epsilon": 1, "delta": 1e-6, "bounds": BOUNDS, "every": "15m", "steps": 4}
ROWS = {"epsilon": 1, "delta": 1e-6, "bounds": BOUNDS, "rows": 100, "every": 10}


@pytest.mark.parametrize(
    ("config", "options", "words"),
    [
        ({**CLOCK, "person": "who", "rows_per_person": 3}, {}, "which rows of a person count"),
        ({**CLOCK, "missing": "mean"}, {}, "do not know the last release"),
        ({**CLOCK, "missing": "model,co=3"}, {}, "do not know the last release"),
        ({**CLOCK, "missing": "fail"}, {}, "one missing cell would end"),
        ({**CLOCK, "on_bad_row": "fail"}, {}, "one bad row would end"),
        ({**CLOCK, "bounds": "auto"}, {}, "search a sample"),
        ({"epsilon": 1, "delta": 1e-6, "norm_bound": 1, "every": "15m", "steps": 4}, {}, "names choose them"),
        ({**CLOCK, "state": "elsewhere"}, {}, "is not for a sink"),
        ({**CLOCK, "time": "when", "from": "2026-01-01", "until": "2026-01-02", "steps": None}, {}, "not for a sink"),
        (CLOCK, {"public_batches": True}, "batches private"),
        (ROWS, {}, "the times of releases by rows would tell of single rows"),
        ({**ROWS, "adjacency": "add-remove"}, {"public_batches": True}, "must be replace-one"),
        ({**ROWS, "missing": "observed"}, {"public_batches": True}, "in private"),
        ({**ROWS, "private_count": True}, {"public_batches": True}, "in private"),
    ],
)
def test_a_sink_refuses_what_it_cannot_promise_and_says_why(tmp_path, config, options, words):
    with pytest.raises(jme.InvalidParameter, match=words):
        jme.spark.sink(config, name="air", state=tmp_path / "state", **options)
    assert not (tmp_path / "state").exists()


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({**SEEDED, "rows": 100, "every": 10}, "have no order"),
        ({**SEEDED, "steps": 10, "every": 10}, "rows: must be given"),
        (SEEDED, "rows: must be given"),
        ({**SEEDED, "rows": 100, "person": "who"}, "which rows of a person count"),
        ({**SEEDED, "time": "when", "every": "1h", "from": "2026-01-01", "steps": 24}, "until: must be given"),
        ({**SEEDED, "rows": "unbounded"}, "rows: must be a number"),
    ],
)
def test_moments_refuse_blocks_in_an_order_that_rows_do_not_have(config, words):
    with pytest.raises(jme.InvalidParameter, match=words):
        _batch.batch_settings(config)


def test_a_settings_file_that_is_not_json_is_named(tmp_path):
    file = tmp_path / "settings.json"
    file.write_text("{")
    with pytest.raises(jme.InvalidParameter, match=r"settings\.json is not JSON"):
        _batch.batch_settings(file)


DAY = {**SEEDED, "time": "when", "every": "1h", "from": "2026-01-01", "until": "2026-01-02"}


@pytest.mark.parametrize("mergers", [0, 2])
def test_text_that_is_not_utf_8_is_a_bad_time_and_its_owner_is_told(caplog, mergers):
    caplog.set_level("DEBUG", "jme.spark")
    when = pa.array([b"2026-01-01T00:10:00", b"\xff\xfe", b"2027-01-01", None], pa.binary())
    text = pa.Array.from_buffers(pa.string(), len(when), when.buffers())  # Spark gives such text, too
    job = Job(_batch.batch_settings(DAY))
    columns = [text, *(pa.array([5.0] * len(when)) for _ in BOUNDS)]
    order = [job.names.index(name) for name in ("when", *BOUNDS)]
    columns = [column for _, column in sorted(zip(order, columns, strict=True), key=lambda pair: pair[0])]
    batch = pa.RecordBatch.from_arrays(columns, names=[f"c{i}" for i in range(len(columns))])
    parts = [(row["slot"], row["sums"]) for out in job.sum_rows(iter([batch])) for row in out.to_pylist()]
    parts = merged_by(job, parts, mergers) if mergers else parts
    releases = job.merged(parts, "moments").release_to(jme.Stream(**_batch._keywords(DAY)))
    assert len(releases) == 24
    assert "moments: bad rows counted as rows without cells; rows had a time outside" in caplog.text
    assert "'kind': 'unread_rows', 'count': 2" in caplog.text
    assert "'kind': 'rows_outside', 'count': 1" in caplog.text


def by_rows(tmp_path: pathlib.Path, **options: Any) -> jme.spark.Sink:
    config = {**ROWS, "insecure_test_seed": 7}
    return jme.spark.sink(config, name="air", state=tmp_path / "state", public_batches=True, **options)


def test_the_owner_of_bad_rows_is_told_and_the_log_only_that_there_were_some(tmp_path, caplog):
    table = np.full((50, 3), 5.0)
    table[:7, 0] = np.nan
    table[8, 1] = 101  # above its bounds: the owner is told, and the log is not
    with by_rows(tmp_path) as sink:
        for batch in range(2):
            part = table[10 * batch : 10 * batch + 10]
            sink.take("q", batch, parts_of(sink._job, [part[:4], part[4:]], list(BOUNDS)))
        assert sink.notes == [
            {"kind": "bad_rows", "count": 7},
            {"kind": "clamped_high", "count": 1, "column": "co"},
        ]
    assert caplog.messages == ["stream air, batch 0: bad rows counted as zero"]


def test_a_batch_that_comes_again_counts_once_and_with_other_rows_nowhere(tmp_path, command, rng):
    table = made_up(rng, 100)
    lines = command(table, **ROWS, on_bad_row="zero", insecure_test_seed=7)[1:]
    names = list(BOUNDS)
    with by_rows(tmp_path) as sink:
        for batch in range(10):
            parts = parts_of(sink._job, np.split(table[10 * batch : 10 * batch + 10], [4]), names)
            for _ in range(2):
                sink.take("q", batch, parts)
        assert sink.releases() == lines
        other = parts_of(sink._job, [table[:9]], names)
        with pytest.raises(jme.Conflict, match="with another body") as refused:
            sink.take("q", 9, other)
        assert refused.value.same_id
    with by_rows(tmp_path, keep_stored=True) as sink:
        sink.take("q", 9, other)
        assert sink.releases() == lines
        assert sink.releases(since=90) == lines[-1:]
        assert "is public and not protected" in sink.statement
        # Another query, though it asks to keep what is stored.
        with pytest.raises(jme.Conflict, match="another job") as refused:
            sink.take("r", 10, other)
        assert not refused.value.same_id


def test_an_empty_batch_is_remembered_where_batches_are_private(tmp_path, rng):
    config = {**CLOCK, "sigma": 1e-3, "epsilon": None, "delta": None}
    with jme.spark.sink(config, name="air", state=tmp_path / "state") as sink:
        sink.take("q", 0, [])
        sink.take("q", 0, [])
        with pytest.raises(jme.Conflict):
            sink.take("q", 0, parts_of(sink._job, [made_up(rng, 3)], list(BOUNDS)))


def test_a_sink_cannot_travel_and_shares_its_folder_with_others_of_its_process(tmp_path):
    with by_rows(tmp_path) as sink:
        with pytest.raises(TypeError, match="Connect"):
            pickle.dumps(sink)
        with by_rows(tmp_path) as second:
            second.take("q", 0, [])
        with pytest.raises(jme.Error, match="closed"):
            second.releases()
        assert sink.releases() == []
        with pytest.raises(jme.Conflict, match="other settings"):
            jme.spark.sink({**CLOCK}, name="air", state=tmp_path / "state")


DRIVER = """
    import json, os, pathlib, random, signal, sys
    sys.path.insert(0, os.environ["JME_PYTHON_DIR"]); sys.path.insert(0, os.path.dirname(sys.argv[1]))
    import numpy as np
    from test_spark import BOUNDS, by_rows, parts_of
    folder, seed = pathlib.Path(sys.argv[2]), int(sys.argv[3])
    draw = random.Random(seed)
    table = np.load(folder / "table.npy")
    checkpoint = folder / "checkpoint"  # the batches that the query knows to be done
    sink = by_rows(folder)
    begin = int(checkpoint.read_text()) if checkpoint.exists() else 0
    end_at, moment = begin + 1 + draw.randrange(2), draw.choice(["before", "after"])
    for batch in range(begin, 10):
        parts = parts_of(sink._job, [table[10 * batch : 10 * batch + 10]], list(BOUNDS))
        if batch == end_at and moment == "before":
            os.kill(os.getpid(), signal.SIGKILL)
        sink.take("q", batch, parts)
        if batch == end_at:
            os.kill(os.getpid(), signal.SIGKILL)
        checkpoint.write_text(str(batch + 1))
    (folder / "releases").write_text(json.dumps(sink.releases()))
"""


def test_a_driver_that_is_killed_before_or_after_the_push_loses_no_row_and_takes_none_twice(tmp_path, command, rng):
    table = made_up(rng, 100)
    np.save(tmp_path / "table.npy", table)
    lines = command(table, **ROWS, on_bad_row="zero", insecure_test_seed=7)[1:]
    kills = 0
    for seed in range(20):
        program = [sys.executable, "-c", textwrap.dedent(DRIVER), __file__, str(tmp_path), str(seed)]
        done = subprocess.run(program, capture_output=True, text=True)
        if done.returncode == 0:
            break
        assert done.returncode == -signal.SIGKILL, done.stderr
        kills += 1
    assert kills >= 3  # each process does three batches at most
    assert json.loads((tmp_path / "releases").read_text()) == lines


class ServedFolder:
    """`jme serve` as a process, which can be killed and started again at the same address."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.state = folder / "served"
        self.address = "127.0.0.1:0"
        self.start()

    def start(self) -> None:
        command = [os.environ["JME_BINARY"], "serve", "--state", str(self.state), "--listen", self.address]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        self.url = self.process.stdout.readline().split()[-1]
        self.address = self.url.removeprefix("http://")

    def token(self, role: str, stream: str = "*") -> str:
        words = f"token add --state {self.state} --stream {stream} --role {role}".split()
        return subprocess.run(
            [os.environ["JME_BINARY"], *words], capture_output=True, text=True, check=True
        ).stdout.strip()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


@pytest.fixture
def served(tmp_path):
    if not os.environ.get("JME_BINARY"):
        pytest.skip("JME_BINARY does not name the command")
    server = ServedFolder(tmp_path)
    yield server
    server.kill()


def test_a_server_takes_batches_once_whatever_happens_to_it(served, rng):
    table = made_up(rng, 100)
    names = list(BOUNDS)
    config = {**ROWS, "sigma": 1e-4, "epsilon": None, "delta": None}
    admin = jme.spark.sink(config, name="air", url=served.url, token=served.token("admin"), public_batches=True)
    writer = served.token("write", "air")
    sink = jme.spark.sink(config, name="air", url=served.url, token=writer, public_batches=True, patience=60)
    for batch in range(10):
        parts = parts_of(sink._job, [table[10 * batch : 10 * batch + 10]], names)
        sink.take("q", batch, parts)
        if batch in (3, 6):
            served.kill()
            served.start()
            sink.take("q", batch, parts)  # its answer was lost
    with pytest.raises(jme.Conflict) as refused:
        sink.take("q", 9, parts_of(sink._job, [table[:9]], names))
    assert refused.value.same_id
    with pytest.raises(jme.Conflict) as refused:
        sink.take("r", 10, parts_of(sink._job, [table[:9]], names))
    assert not refused.value.same_id
    with pytest.raises(jme.Error, match="those who may read"):
        sink.releases()
    assert sink.is_finished and admin.is_finished
    reader = served.token("read", "air")
    newest = _read(f"{served.url}/v1/streams/air/latest", reader)
    expected = np.clip(table, [b[0] for b in BOUNDS.values()], [b[1] for b in BOUNDS.values()]).mean(axis=0)
    assert newest["t"] == 100
    # Eight standard deviations: 1e-15 for each of three numbers.
    assert np.all(np.abs(np.array(newest["mean"]) - expected) < 8 * np.array(newest["noise_std"]["mean"]) + 1e-5)
    with pytest.raises(jme.Error, match="refused"):
        jme.spark.sink(config, name="water", url=served.url, token=writer, public_batches=True)


def test_a_writer_is_told_where_the_stream_of_the_server_has_other_settings(served):
    writer = served.token("write", "air")
    jme.spark.sink(ROWS, name="air", url=served.url, token=served.token("admin"), public_batches=True)
    jme.spark.sink(ROWS, name="air", url=served.url, token=writer, public_batches=True)
    with pytest.raises(jme.InvalidParameter, match=r"other settings: .*epsilon.* differ"):
        jme.spark.sink({**ROWS, "epsilon": 2}, name="air", url=served.url, token=writer, public_batches=True)
    # The same sums in slots: only its owner knows that batches are private here.
    with pytest.raises(jme.InvalidParameter, match=r"other settings: .*every.* differ"):
        jme.spark.sink({**CLOCK, "adjacency": "replace-one"}, name="air", url=served.url, token=writer)


class Answering:
    """Answers every connection with the next of these bytes, and with the last of them from then on."""

    def __init__(self, *answers: bytes) -> None:
        self._answers = answers
        self.requests: list[bytes] = []
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._answer, daemon=True).start()

    def _answer(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            with connection:
                self.requests.append(connection.recv(1 << 16))
                connection.sendall(self._answers[min(len(self.requests), len(self._answers)) - 1])


def test_a_torn_answer_is_asked_for_again_and_a_redirection_is_not_followed():
    made = b"HTTP/1.1 201 Created\r\nContent-Length: 2\r\n\r\n{}"
    server = Answering(b"", b"nonsense\r\n\r\n", b"HTTP/1.1 201 Created\r\nContent-Length: 9\r\n\r\n{", made)
    jme.spark.sink(CLOCK, name="air", url=server.url, token="t\n", patience=30)
    assert len(server.requests) == 4
    assert b"Authorization: Bearer t\r\n" in server.requests[-1]
    other = Answering(b"HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>")
    with pytest.raises(jme.Error, match="is not jme serve: status 200 without JSON"):
        jme.spark.sink(CLOCK, name="air", url=other.url, token="t", patience=30)
    assert len(other.requests) == 1
    elsewhere = Answering(made)
    moved = Answering(f"HTTP/1.1 302 Found\r\nLocation: {elsewhere.url}\r\nContent-Length: 0\r\n\r\n".encode())
    with pytest.raises(jme.Error, match="302"):
        jme.spark.sink(CLOCK, name="air", url=moved.url, token="t", patience=0.5)
    assert elsewhere.requests == []


@pytest.mark.parametrize("url", ["http://10.0.0.1:7411", "http://jme.example:80", "http://127.0.0.1.example"])
def test_sums_and_tokens_leave_the_machine_encrypted_or_not_at_all(url):
    with pytest.raises(jme.InvalidParameter, match="https"):
        jme.spark.sink(CLOCK, name="air", url=url, token="t", patience=0.1)


def test_a_sink_that_is_closed_while_a_batch_is_taken_ends_after_it(tmp_path, rng):
    config = {**CLOCK, "bounds": {f"x{i}": (0, 1) for i in range(200)}}
    for attempt in range(5):
        sink = jme.spark.sink(config, name="air", state=tmp_path / "state")
        batches = iter(range(1000 * attempt, 1000 * attempt + 1000))
        parts = parts_of(sink._job, [rng.random((3, 200))], list(config["bounds"]))
        ended: list[BaseException | None] = []

        def take(
            sink: jme.spark.Sink = sink,
            batches: Iterator[int] = batches,
            parts: Parts = parts,
            ended: list[BaseException | None] = ended,
        ) -> None:
            try:
                for batch in batches:
                    sink.take("q", batch, parts)
            except BaseException as error:
                ended.append(error)

        thread = threading.Thread(target=take)
        thread.start()
        time.sleep(0.05)
        sink.close()
        thread.join(60)
        assert not thread.is_alive()
        assert type(ended[0]) in (jme.Error, jme.StateError), ended
        assert "closed" in str(ended[0])


def test_a_server_that_does_not_answer_ends_the_batch_after_some_time(tmp_path):
    with pytest.raises(jme.Error, match="did not answer"):
        jme.spark.sink(CLOCK, name="air", url="http://127.0.0.1:9", token="none", patience=0.5)
    for url in ("file:///etc", "http://localhost:74l1", "http://localhost:99999", "http://local host", "http://"):
        with pytest.raises(jme.InvalidParameter, match="http"):
            jme.spark.sink(CLOCK, name="air", url=url, token="none")
    for token in ("two words", "two\nlines", "", "\u00e9"):
        with pytest.raises(jme.InvalidParameter, match="token must be one word"):
            jme.spark.sink(CLOCK, name="air", url="http://127.0.0.1:9", token=token)
    with pytest.raises(jme.InvalidParameter, match="either"):
        jme.spark.sink(CLOCK, name="air")


def _read(url: str, token: str) -> Any:
    import urllib.request

    request = urllib.request.Request(url, headers={"Authorization": f"Bearer {token}"})
    with urllib.request.urlopen(request) as answer:
        return json.loads(answer.read())


def test_a_batch_that_does_not_fit_into_the_open_block_is_refused_whole(tmp_path, rng):
    with by_rows(tmp_path) as sink:
        sink.take("q", 0, parts_of(sink._job, [made_up(rng, 6)], list(BOUNDS)))
        with pytest.raises(jme.Conflict, match="room for 4"):
            sink.take("q", 1, parts_of(sink._job, [made_up(rng, 5)], list(BOUNDS)))
        assert sink.releases() == []
