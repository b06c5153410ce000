"""A stream belongs to one thread of one process: others are refused, and an interpreter that ends waits for calls."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import jme
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from conftest import BOUNDS, made_up, same_releases
from jme import _core

NAMES = list(BOUNDS)

MECHANISM = {
    "epsilon": None,
    "delta": None,
    "sigma": 1.0,
    "steps": 1000,
    "dimension": 200,
    "norm_bound": 1.0,
    "method": "jme",
    "batch": 100.0,
    "sampling_rate": 0.01,
    "adjacency": "add-remove",
    "participations": None,
    "separation": 0,
    "beta_first": 0.9,
    "beta_second": 0.999,
    "shape": "identity",
    "shape2": None,
    "lambda": None,
    "square_clip": [],
    "sum_error": None,
    "threads": 1,
}


def test_a_second_thread_is_refused(settings):
    stream = jme.Stream(**settings)
    caught = []

    def use():
        try:
            stream.push((1.0, 2.0, 3.0))
        except jme.StateError as error:
            caught.append(str(error))

    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert "thread" in caught[0]
    assert stream.rows == 0


def in_two_threads(work):
    """How many calls were taken and how many refused, by two threads that call again and again."""
    both_begin = threading.Barrier(2)
    taken, refused = [], []
    end = time.monotonic() + 20

    def repeat():
        both_begin.wait(20)
        while len(refused) < 5 and time.monotonic() < end:
            try:
                work()
                taken.append(1)
            except jme.StateError as error:
                refused.append(str(error))

    threads = [threading.Thread(target=repeat) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all("at work in another thread" in message for message in refused)
    return len(taken), len(refused)


def test_sums_of_gradients_are_added_to_by_one_thread_at_a_time():
    sums = _core.ClippedSums(_core.BatchMechanism(MECHANISM))
    rows = np.full((20_000, 200), 2.0**-10, dtype=np.float32)
    taken, refused = in_two_threads(lambda: sums.add([rows], len(rows)))
    assert refused > 0
    assert np.all(sums.raw_gradients() == taken * len(rows) * 2.0**-10)  # exact: powers of two


def test_a_sum_has_the_rows_of_before_until_all_pieces_of_a_push_are_taken(settings, rng):
    block = jme.BlockSum(**{**settings, "rows": 10**6, "every": 10**6})
    rows = pd.DataFrame(made_up(rng, 300_000), columns=NAMES)  # several pieces
    seen = set()
    thread = threading.Thread(target=lambda: block.add(rows))
    thread.start()
    while thread.is_alive():
        seen.add(block.rows)
    assert seen <= {0, len(rows)}
    assert block.rows == len(rows)


def test_sums_of_a_block_are_made_by_one_thread_at_a_time(settings, rng):
    one_block = {**settings, "every": 2000}
    rows = made_up(rng, 1000)
    table = pa.Table.from_arrays(list(rows.T), names=NAMES)
    began, may_end = threading.Event(), threading.Event()

    def slow():
        began.set()
        assert may_end.wait(60)
        yield from map(tuple, rows)

    block, other = jme.BlockSum(**one_block), jme.BlockSum(**one_block)
    other.add(rows)
    thread = threading.Thread(target=lambda: block.add(slow()))
    thread.start()
    assert began.wait(60)
    for use in (
        lambda: block.add(rows),
        lambda: block.add(table),
        lambda: block.merge(other),
        lambda: other.merge(block),
        lambda: block == other,
        block.to_bytes,
        lambda: jme.Stream(**one_block).push_block(block),
    ):
        with pytest.raises(jme.StateError, match="the sum is at work in another thread"):
            use()
    assert (block.rows, other.rows) == (0, 1000)
    may_end.set()
    thread.join(60)
    assert block == other
    with pytest.raises(TypeError):
        block.add("no rows")
    block.add(rows)  # nothing keeps others away after a call that failed
    assert block.rows == 2000


def test_sums_of_a_block_lose_no_row_to_another_thread(rng):
    block = jme.BlockSum(epsilon=1, delta=1e-6, bounds=[(0, 1)] * 40, rows=2**31, every=2**31)
    table = pa.Table.from_arrays([pa.array(np.full(20_000, 0.5))] * 40, names=block._stream.columns)
    taken, refused = in_two_threads(lambda: block.add(table))
    assert refused > 0
    assert block.rows == 20_000 * taken


def test_another_thread_can_count_rows_and_look_at_a_stream_at_rest(rng):
    stream = jme.Stream(epsilon=1, delta=1e-6, norm_bound=1, dimension=40, rows=1_000_000, every=10)
    rows = rng.normal(size=(150_000, 40))
    seen, refused = set(), 0
    done = threading.Event()

    def watch():
        nonlocal refused
        while not done.is_set():
            seen.add(stream.rows)
            for look in (lambda: stream.newest, lambda: stream.notes, stream._charts, stream.releases):
                try:
                    look()
                except jme.StateError:
                    refused += 1
            time.sleep(0.002)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        found = stream.push(rows)
    finally:
        done.set()
    watcher.join(60)
    assert not watcher.is_alive()
    assert len(found) == 15_000
    assert len(seen) > 2 and refused > 4
    at_rest = []
    looker = threading.Thread(target=lambda: at_rest.append(stream.newest.t))
    looker.start()
    looker.join()
    assert at_rest == [150_000]


def test_a_forked_child_is_refused(settings):
    stream = jme.Stream(**settings)
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # a child that hangs dies, and the test fails
        try:
            stream.push((1.0, 2.0, 3.0))
            os._exit(1)
        except jme.StateError:
            os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    stream.push((1.0, 2.0, 3.0))


def run(program, *, timeout=60):
    head = f"import sys; sys.path.insert(0, {os.environ.get('JME_PYTHON_DIR', '')!r})\nimport jme\n"
    return subprocess.run([sys.executable, "-c", head + program], capture_output=True, text=True, timeout=timeout)


def test_a_forked_child_that_ends_leaves_a_durable_stream_to_its_parent(settings, tmp_path):
    """The child ends as programs do, with all destructors, while its copy of the stream has an open block."""
    done = run(f"""
import os
settings = {settings!r}
kept = jme.Stream(**settings, state={str(tmp_path / "s")!r})
kept.push([(1.0, 2.0, 3.0)] * 100)
child = os.fork()
if child == 0:
    sys.exit(0)
assert os.waitpid(child, 0)[1] == 0
print([r.t for r in kept.push([(1.0, 2.0, 3.0)] * 100)])
kept.close()
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "[140]\n", "")
    with jme.Stream(**settings, state=tmp_path / "s") as stream:
        found = stream.push([(1.0, 2.0, 3.0)] * 200)
    same_releases(found, jme.Stream(**settings).push([(1.0, 2.0, 3.0)] * 200))


def test_a_durable_stream_can_be_opened_again_while_a_forked_child_is_alive(settings, tmp_path):
    rows = [(1.0, 2.0, 3.0)] * 100
    stream = jme.Stream(**settings, state=tmp_path / "s")
    stream.push(rows)
    waits, ends = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(ends)
        os.read(waits, 1)  # until the parent closes its end
        os._exit(0)
    try:
        with pytest.raises(jme.StateError, match="another process"):
            jme.Stream(**settings, state=tmp_path / "s").push(rows)
        stream.close()
        with jme.Stream(**settings, state=tmp_path / "s") as again:
            assert [r.t for r in again.push(rows)] == [70]
    finally:
        os.close(waits)
        os.close(ends)
        assert os.waitpid(child, 0)[1] == 0


def test_processes_that_fork_workers_are_refused_in_them(settings):
    done = run(f"""
import multiprocessing
stream = jme.Stream(**{settings!r})
def work(number):
    try:
        stream.push((1.0, 2.0, 3.0))
    except jme.StateError as error:
        return error  # and the way back is a pickle
with multiprocessing.get_context("fork").Pool(2) as pool:
    found = pool.map(work, range(4))
print([type(error).__name__ for error in found], stream.rows)
""")
    assert (done.returncode, done.stdout) == (0, "['StateError', 'StateError', 'StateError', 'StateError'] 0\n"), done


TRAINING = {
    "step": """
adam = _core.Adam(mechanism, settings, 1)
numbers = [np.zeros(mechanism["dimension"], np.float32) for _ in range(3)]
work = lambda: adam.step(*numbers, 10)
""",
    "add": """
sums = _core.ClippedSums(_core.BatchMechanism(mechanism))
rows = np.ones((100, mechanism["dimension"]), np.float32)
work = lambda: sums.add([rows], len(rows))
""",
    "epsilon": """
whole = _core.BatchMechanism(mechanism)
work = lambda: whole.epsilon(1e-6, None)
""",
    "make": "work = lambda: _core.BatchMechanism(mechanism)",
    "draw": """
sampler = _core.BatchSampler(10**7, 0.01, 1)
work = lambda: sampler.draw(1)
""",
}


@pytest.mark.parametrize("kind", TRAINING)
def test_an_interpreter_ends_while_a_thread_is_training(kind):
    """Several times: the end must come while the thread is in a call."""
    program = f"""
import threading, time
import numpy as np
from jme import _core
mechanism = {{**{MECHANISM!r}, "dimension": 200_000}}
settings = {{"learning_rate": 1.0, "beta_first": 0.9, "beta_second": 0.999, "eps": 1e-8, "weight_decay": 0.0,
            "least_square": 0.0, "noise_floor": 0.0, "update_bound": None, "update_norm": None}}
{TRAINING[kind]}
began = threading.Event()
def repeat():
    while True:
        work()
        began.set()
threading.Thread(target=repeat, daemon=True).start()
assert began.wait(60)
time.sleep(0.05)
"""
    for _ in range(3):
        done = run(program)
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("kind", ["array", "rows"])
def test_an_interpreter_ends_while_a_thread_is_pushing(kind):
    """A daemon thread that is inside a push when the main thread ends: the process ends, and with code 0."""
    done = run(f"""
import threading, time
import numpy as np
began = threading.Event()
def work():
    stream = jme.Stream(epsilon=1, delta=1e-8, norm_bound=1, dimension=40, rows=10**7, every=10)
    rows = np.ones((200_000, 40))
    began.set()
    while True:
        stream.push(rows) if {kind == "array"} else [stream.push(row) for row in rows]
threading.Thread(target=work, daemon=True).start()
assert began.wait(60)
time.sleep(0.3)
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
