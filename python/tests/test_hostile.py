"""Input that cannot be used: a clear exception, nothing lost, no crash."""

from __future__ import annotations

import copy
import datetime
import decimal
import os
import pickle
import signal
import subprocess
import sys
import threading
import time

import jme
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import BOUNDS, made_up, same_releases

NAMES = list(BOUNDS)


class Numberless:
    pass


def bad_holders():
    good = [1.0, 2.0, 3.0]
    yield "text", "1,2,3", TypeError
    yield "bytes", b"123", TypeError
    yield "a number", 3.0, TypeError
    yield "nothing", None, TypeError
    yield "an object", Numberless(), TypeError
    yield "text cells", [["1", "2", "3"]], TypeError
    yield "object cells", [[Numberless(), 1, 2]], TypeError
    yield "complex cells", [[1j, 1, 2]], TypeError
    yield "object array", np.array([good], dtype=object), TypeError
    yield "text array", np.array([["1", "2", "3"]]), TypeError
    yield "complex array", np.array([good], dtype=complex), TypeError
    yield "dates", np.array([good]).astype("datetime64[s]"), TypeError
    yield "three dimensions", np.zeros((2, 3, 3)), jme.DataError
    yield "no dimension", np.float64(3), (TypeError, jme.DataError)
    yield "two columns", np.zeros((5, 2)), jme.DataError
    yield "four columns", np.zeros((5, 4)), jme.DataError
    yield "a short row", (1.0, 2.0), jme.DataError
    yield "a long row", np.zeros(4), jme.DataError
    yield "ragged rows", [good, [1.0, 2.0]], jme.DataError
    yield "mappings", [{"temp": 1}], TypeError
    yield "NaN", np.array([good, [1, np.nan, 3]]), jme.DataError
    yield "infinity", [good, [1, 2, float("inf")]], jme.DataError
    yield "a huge whole number", [good, [1, 2, 10**400]], jme.DataError
    yield "a masked cell", np.ma.masked_array([good], mask=[[0, 0, 1]]), jme.DataError
    yield "frame without a column", pd.DataFrame({"temp": [1.0], "co": [2.0]}), jme.InvalidParameter
    yield (
        "frame with a column twice",
        pd.DataFrame([[*good, 1.0]], columns=[*NAMES, "co"]),
        jme.InvalidParameter,
    )
    yield "frame with text", pd.DataFrame({"temp": ["1"], "co": [2.0], "rain": [1.0]}), TypeError
    yield "frame with dates", pd.DataFrame([good], columns=NAMES).astype({"co": "datetime64[ns]"}), TypeError
    yield "frame of categories", pd.DataFrame([good], columns=NAMES).astype({"co": "category"}), TypeError
    yield "arrow text", pa.table({"temp": [1.0], "co": ["2"], "rain": [1.0]}), TypeError
    yield "arrow decimals", pa.table({"temp": [1.0], "co": [decimal.Decimal(2)], "rain": [1.0]}), TypeError
    yield (
        "arrow dictionary",
        pa.table({"temp": [1.0], "co": pa.array([2.0]).dictionary_encode(), "rain": [1.0]}),
        TypeError,
    )
    yield "arrow dates", pa.table({"temp": [1.0], "co": [datetime.date.today()], "rain": [1.0]}), TypeError
    yield "arrow lists", pa.table({"temp": [1.0], "co": [[2.0]], "rain": [1.0]}), TypeError
    yield (
        "arrow column twice",
        pa.Table.from_arrays([pa.array([1.0])] * 4, names=[*NAMES, "co"]),
        jme.InvalidParameter,
    )
    yield "arrow without a column", pl.DataFrame({"temp": [1.0]}), jme.InvalidParameter
    yield (
        "arrow null",
        pl.DataFrame({"temp": [1.0, None], "co": [1.0, 2.0], "rain": [1.0, 1.0]}),
        jme.DataError,
    )
    yield "columns of two lengths", {"temp": [1.0], "co": [1.0, 2.0], "rain": [1.0]}, jme.DataError
    yield "no columns", np.zeros((4, 0)), jme.DataError
    yield "no columns of a frame", pd.DataFrame(index=range(4)), jme.InvalidParameter
    yield "a masked row", np.ma.masked_array(good, mask=[0, 1, 0]), jme.DataError
    yield "a masked column", {"temp": [1.0], "rain": [1.0], "co": np.ma.masked_array([1.0], [True])}, jme.DataError
    yield "a whole number beyond all floats", {"temp": [1.0], "rain": [1.0], "co": [10**400]}, TypeError
    yield "an array of Python's whole numbers", np.array([[1, 2, 2**70]]), TypeError
    yield "a void array", np.zeros((2, 3), dtype="V8"), TypeError
    yield "a time difference", np.zeros((2, 3), dtype="m8[s]"), TypeError
    yield "a memoryview of bytes", memoryview(b"123456"), (TypeError, jme.DataError)
    yield "a class", Numberless, TypeError
    yield "a function", made_up, TypeError
    yield "a set of text", {"temp", "co", "rain"}, TypeError
    yield "cells that are rows", [[[1.0], [2.0], [3.0]]], TypeError
    yield "structured array", np.zeros(2, dtype=[("temp", "f8"), ("co", "f8"), ("rain", "f8")]), TypeError


@pytest.mark.parametrize(("held", "error"), [pytest.param(h, e, id=n) for n, h, e in bad_holders()])
def test_what_cannot_be_used_is_refused_and_nothing_is_taken(settings, rng, held, error):
    rows = made_up(rng, 150)
    stream = jme.Stream(**settings)
    stream.push(rows[:50])
    with pytest.raises(error):
        stream.push(held)
    assert stream.rows == 50
    found = stream.push(rows[50:])
    assert found[0].mean.tobytes() == jme.Stream(**settings).push(rows)[0].mean.tobytes()


@pytest.mark.parametrize(
    ("held", "words"),
    [
        (None, "not NoneType"),
        (pl.DataFrame({"temp": [1.0]}).lazy(), r"not LazyFrame; collect\(\) it first"),
        (dict.fromkeys(NAMES, 1.0), "one row is a tuple"),
        ([("a", "b", "c")], "row 1, value 1: is text, which is not taken for a number; convert it if it should be"),
        ([(1.0, 2.0, 3.0), (1.0, "2", 3.0)], "row 2, value 2: is text"),
        ((1.0, "2", 3.0), "row 1, value 2: is text"),
        ((row for row in [(1.0, None, b"3")]), "row 1, value 3: is text"),
        ([[1.0, 1j, 3.0]], "row 1, value 2: a number was expected, not complex"),
        ((x for x in [1, 2]), r"row 1: a row is a tuple, a list or an array of numbers, not int; .* is \(x,\)$"),
        (["1,2,3"], "row 1: a row is a tuple, a list or an array of numbers, not str$"),
        ([()], "row 1: has no numbers"),
        (pd.DataFrame([[1.0, 2.0, 3.0]], columns=NAMES).iloc[0], r"row.to_frame\(\).T"),
        (pl.DataFrame({"temp": [1.0], "co": ["a"], "rain": [1.0]}), "column co is not of numbers but of text"),
        (pa.table({"temp": [1.0], "co": [datetime.date(2026, 1, 1)], "rain": [1.0]}), "but of dates or times"),
    ],
)
def test_a_refusal_says_what_to_do(settings, held, words):
    with pytest.raises((TypeError, jme.DataError), match=words):
        jme.Stream(**settings).push(held)


def test_a_sum_takes_plain_rows_as_a_stream_does(settings):
    block = jme.BlockSum(**settings)
    block.add((1.0, 2.0, 3.0))
    block.add([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]])
    block.add((True, 2.0, 3.0))
    block.add([np.bool_(True), decimal.Decimal(2), 3.0])
    block.add((np.array([1.0, 2.0, 3.0]), np.array([1.0, 2.0, 3.0])))
    assert block.rows == 7
    with pytest.raises(TypeError, match="value 2: is text"):
        block.add((1.0, "2", 3.0))
    single = jme.BlockSum(**{**settings, "bounds": {"x": (0, 1)}})
    single.add([0.25, 0.5])
    assert single.rows == 2


def test_errors_carry_row_and_column_and_no_value(settings, rng):
    rows = made_up(rng, 1500)
    rows[1234, 1] = np.inf
    stream = jme.Stream(**settings)
    stream.push(made_up(rng, 100))
    for held in (
        rows,
        pd.DataFrame(rows, columns=NAMES),
        rows.tolist(),
        pa.Table.from_pandas(pd.DataFrame(rows, columns=NAMES)),
    ):
        with pytest.raises(
            jme.DataError, match="row 1335, column co: not a finite number; none of the rows was taken"
        ) as caught:
            stream.push(held)
        assert (caught.value.row, caught.value.column) == (1335, "co")
        assert stream.rows == 100
    with pytest.raises(jme.DataError) as caught:
        stream.push((1.0, 2.0, None))
    assert (caught.value.row, caught.value.column) == (101, "rain")
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), again.row, str(again)) == (jme.DataError, 101, str(caught.value))


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"bounds": {"temp": (0, float("nan")), "co": (0, 1)}}, "bounds"),
        ({"epsilon": -1}, "epsilon"),
        ({"epsilon": float("nan")}, "epsilon"),
        ({"epsilon": float("inf")}, "epsilon"),
        ({"epsilon": True}, "epsilon"),
        ({"epsilon": [1]}, "epsilon"),
        ({"delta": 1}, "delta"),
        ({"delta": None}, "delta"),
        ({"rows": 0}, "rows"),
        ({"rows": 10**400}, "rows"),
        ({"rows": 2.5}, "rows"),
        ({"every": "often"}, "every"),
        ({"bounds": {"temp": (5, 1)}}, "bounds"),
        ({"bounds": {"temp": (0, float("inf"))}}, "bounds"),
        ({"bounds": {}}, "bounds"),
        ({"norm_bound": 0}, "norm_bound"),
        ({"lambda_": -1}, "lambda_"),
        ({"emit": ["median"]}, "emit"),
        ({"workload": "decay:2"}, "workload"),
        ({"workload": np.ones((3, 3))}, "workload"),
        ({"missing": "guess"}, "missing"),
        ({"max_mu": 1}, "max_mu"),
        ({"psd": "yes"}, "psd"),
        ({"columns": ["temp"]}, "bounds"),
    ],
)
def test_a_wrong_setting_is_named_as_the_keyword_is_spelled(settings, changed, field):
    with pytest.raises(jme.InvalidParameter) as caught:
        jme.Stream(**{**settings, **changed})
    assert caught.value.field == field
    assert field in str(caught.value)
    assert isinstance(caught.value, ValueError)


def test_an_unknown_keyword_is_a_type_error_that_names_the_nearest():
    with pytest.raises(TypeError, match="'epsilom'; the nearest known one is 'epsilon'"):
        jme.Stream(epsilom=1)
    with pytest.raises(TypeError, match="'lambda1'; the nearest known one is 'lambda_'"):
        jme.Stream(lambda1=1)


@pytest.mark.parametrize(
    ("call", "given", "field"),
    [
        (jme.calibrate, {"epsilon": 1}, "delta"),
        (jme.calibrate, {"sigma": 1}, "epsilon"),
        (jme.calibrate, {"epsilon": 1, "delta": 1e-6, "sigma": 1}, "sigma"),
        (jme.account, {"sampling_rate": 0.1, "steps": 10, "delta": 1e-6}, "sigma"),
        (jme.account, {"sampling_rate": 0.1, "steps": 10, "delta": 1e-6, "sigma": 1, "epsilon": 1}, "epsilon"),
        (jme.account, {"sampling_rate": 2, "steps": 10, "delta": 1e-6, "sigma": 1}, "sampling_rate"),
    ],
)
def test_an_error_about_several_keywords_has_one_for_its_field(call, given, field):
    with pytest.raises(jme.InvalidParameter) as caught:
        call(**given)
    assert caught.value.field == field


def test_errors_that_are_no_value_errors_are_those_of_python(settings, rng):
    with pytest.raises(TypeError):
        jme.Stream(epsilom=1)
    release = jme.Stream(**settings).push(made_up(rng, 70))[0]
    with pytest.raises(KeyError, match="there is no column 'z'; there are temp, co, rain"):
        release.regression("z")
    with pytest.raises(IndexError):
        release.regression(3)


def test_a_row_past_the_horizon_is_refused_whole(settings, rng):
    stream = jme.Stream(**settings)
    stream.push(made_up(rng, 1990))
    with pytest.raises(jme.BudgetExhausted, match="2000"):
        stream.push(made_up(rng, 11))
    with pytest.raises(jme.BudgetExhausted):
        stream.push(row for row in iter(lambda: (1.0, 2.0, 3.0), None))  # without end
    assert stream.rows == 1990
    assert [r.t for r in stream.push(made_up(rng, 10))] == [2000]
    assert stream.is_finished
    with pytest.raises(jme.BudgetExhausted):
        stream.push((1.0, 2.0, 3.0))


def test_empty_inputs_are_no_rows(settings):
    stream = jme.Stream(**settings)
    frame = pd.DataFrame({name: np.zeros(0) for name in NAMES})
    for held in ([], (), np.zeros((0, 3)), frame, pa.Table.from_pandas(frame), iter(())):
        assert len(stream.push(held)) == 0
    assert stream.rows == 0


def test_whole_numbers_beyond_two_to_the_53_are_rounded_as_in_files(settings):
    big = np.array([[2**53 + 1, 2**64 - 1, 2**63 + 1025]] * 70, dtype=np.uint64)
    bounds = {name: (0, 2**65) for name in NAMES}
    wide = {**settings, "bounds": bounds}
    expected = jme.Stream(**wide).push(big.astype(float))
    lists = [tuple(row) for row in big.tolist()]
    for held in (big, lists, pd.DataFrame(big, columns=NAMES), pa.Table.from_arrays(list(big.T), names=NAMES)):
        same_releases(jme.Stream(**wide).push(held), expected)


def test_booleans_are_numbers(settings):
    rows = np.array([[True, False, True], [False, True, True]] * 70)
    expected = jme.Stream(**settings).push(rows.astype(float))
    same_releases(jme.Stream(**settings).push(rows), expected)
    same_releases(jme.Stream(**settings).push(pd.DataFrame(rows, columns=NAMES)), expected)
    same_releases(jme.Stream(**settings).push(pa.Table.from_arrays(list(rows.T), names=NAMES)), expected)


def test_a_generator_that_raises_gives_none(settings):
    def failing():
        yield (1.0, 2.0, 3.0)
        raise RuntimeError("the source broke")

    stream = jme.Stream(**settings)
    with pytest.raises(RuntimeError, match="the source broke"):
        stream.push(failing())
    assert stream.rows == 0


def test_a_generator_cannot_push_to_its_own_stream(settings):
    stream = jme.Stream(**settings)

    def inner():
        stream.push((1.0, 2.0, 3.0))
        yield (1.0, 2.0, 3.0)

    with pytest.raises(jme.StateError, match="inside"):
        stream.push(inner())
    assert stream.rows == 0
    stream.push((1.0, 2.0, 3.0))


def test_an_arrow_stream_that_fails_gives_none(settings):
    schema = pa.schema([(name, pa.float64()) for name in NAMES])

    def batches():
        yield pa.record_batch([[1.0], [2.0], [3.0]], schema=schema)
        raise OSError("the file broke")

    stream = jme.Stream(**settings)
    with pytest.raises(jme.DataError, match="the file broke"):
        stream.push(pa.RecordBatchReader.from_batches(schema, batches()))
    assert stream.rows == 0
    used = pa.RecordBatchReader.from_batches(schema, [pa.record_batch([[1.0], [2.0], [3.0]], schema=schema)])
    stream.push(used)
    assert len(stream.push(used)) == 0 and stream.rows == 1


def test_streams_cannot_be_pickled_or_copied(settings):
    stream = jme.Stream(**settings)
    for copied in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(TypeError, match="noise would be used twice"):
            copied(stream)


def test_a_closed_stream_is_refused(settings, tmp_path):
    with jme.Stream(**settings, state=tmp_path / "s") as stream:
        stream.push((1.0, 2.0, 3.0))
    with pytest.raises(jme.StateError, match="closed"):
        stream.push((1.0, 2.0, 3.0))
    # The folder is free again.
    with jme.Stream(**settings, state=tmp_path / "s") as stream:
        stream.push((1.0, 2.0, 3.0))


def test_an_interrupt_loses_no_release(rng):
    settings = {"epsilon": 1, "delta": 1e-6, "norm_bound": 1, "dimension": 40, "rows": 2_000_000, "every": 10}
    seeded = {**settings, "insecure_test_seed": 3}
    rows = rng.normal(size=(200_000, 40))
    stream = jme.Stream(**seeded)
    stream.push(rows[:10])
    timer = threading.Timer(0.15, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    try:
        stream.push(rows)
        taken_whole = True
    except KeyboardInterrupt:
        taken_whole = False
    timer.join()
    assert not taken_whole, "the push was over before the interrupt came"
    taken = stream.rows - 10
    assert 0 < taken < len(rows)
    waiting = stream.releases()
    rest = stream.push(rows[taken : taken + 100])
    expected = jme.Stream(**seeded)
    expected.push(rows[:10])
    whole = expected.push(rows[: taken + 100])
    assert len(waiting) + len(rest) == len(whole)
    assert waiting[-1].mean.tobytes() == whole[len(waiting) - 1].mean.tobytes()
    assert rest[-1].mean.tobytes() == whole[-1].mean.tobytes()


def test_an_interpreter_ends_with_open_streams(settings, tmp_path):
    program = f"""
import sys; sys.path.insert(0, {os.environ.get("JME_PYTHON_DIR", "")!r})
import jme
settings = {settings!r}
plain = jme.Stream(**settings); plain.push([(1.0, 2.0, 3.0)] * 100)
kept = jme.Stream(**settings, state={str(tmp_path / "s")!r}); kept.push([(1.0, 2.0, 3.0)] * 100)
releases = plain.push([(1.0, 2.0, 3.0)] * 100)
print(len(releases), kept.committed_rows)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "1 70\n", "")
    with jme.Stream(**settings, state=tmp_path / "s") as stream:
        assert [r.t for r in stream.push([(1.0, 2.0, 3.0)] * 140)] == [70, 140]


def test_a_folder_in_use_or_of_another_stream_is_refused(settings, tmp_path):
    with jme.Stream(**settings, state=tmp_path / "s") as stream:
        stream.push((1.0, 2.0, 3.0))
        with pytest.raises(jme.StateError):
            jme.Stream(**settings, state=tmp_path / "s")
    with pytest.raises(jme.StateError):
        jme.Stream(**{**settings, "epsilon": 2}, state=tmp_path / "s")


def test_a_push_needs_little_memory_beside_its_input(settings):
    program = f"""
import sys; sys.path.insert(0, {os.environ.get("JME_PYTHON_DIR", "")!r})
import numpy as np, pandas as pd, pyarrow as pa, polars as pl, resource, jme
def peak(): return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
rows = np.ones((1_000_000, 10), dtype=np.float32)
names = [str(i + 1) for i in range(10)]
held = [rows, rows.T.copy().T, pd.DataFrame(rows, columns=names), pa.Table.from_arrays(list(rows.T), names=names)]
stream = jme.Stream(epsilon=1, delta=1e-6, bounds=[(0, 2)] * 10, rows=10_000_000, every=1000)
stream.push(rows[:1000])
before = peak()
for one in held: stream.push(one)
print(peak() - before)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    # 4,000 releases of 73 numbers are 2.4 MB; 64 MB is what a push may need beside input and releases.
    assert float(done.stdout) < 66


def test_importing_jme_needs_no_numpy():
    program = f"""
import sys; sys.path.insert(0, {os.environ.get("JME_PYTHON_DIR", "")!r})
import jme
assert "numpy" not in sys.modules and "pandas" not in sys.modules
stream = jme.Stream(epsilon=1, delta=1e-6, bounds={{"x": (0, 1)}}, rows=10)
stream.push((0.5,))
assert "numpy" not in sys.modules
"""
    assert subprocess.run([sys.executable, "-c", program], timeout=60).returncode == 0
    assert time.time() > 0


def numbered(**given):
    """Columns 1, 2 and 3, which have other bounds each."""
    bounds = [(0, 1), (0, 10), (0, 100)]
    return jme.Stream(epsilon=1, delta=1e-6, rows=200, every=70, insecure_test_seed=7, **{"bounds": bounds, **given})


@pytest.mark.parametrize(
    "holder",
    [
        pytest.param(pd.DataFrame, id="labels of pandas"),
        pytest.param(lambda rows: pa.Table.from_arrays(list(rows.T), names=["0", "1", "2"]), id="the same in Arrow"),
        pytest.param(lambda rows: dict(enumerate(rows.T)), id="the same in a mapping"),
        pytest.param(lambda rows: pd.DataFrame(rows, columns=["a", "b", "c"]), id="names"),
        pytest.param(lambda rows: pd.DataFrame(rows[:, [2, 0, 1]], columns=[3, 1, 2]), id="the stream's own numbers"),
    ],
)
def test_numbered_columns_are_found_once_each(rng, holder):
    rows = rng.uniform(0, [1, 10, 100], (70, 3))
    same_releases(numbered().push(holder(rows)), numbered().push(rows))


@pytest.mark.parametrize(
    ("columns", "names", "words"),
    [
        (["1", "2", "3"], ["1", "x", "y"], "no column 2; it has 1, x, y"),
        (["1", "2", "3"], ["2", "1", "0"], "no column 3"),
        (["1", "2", "5"], ["0", "1", "2"], "no column 5"),
        (["1", "2"], ["0", "1", "2"], "1 may be a name or a place"),
        (["2"], ["0", "1", "2"], "2 may be a name or a place"),
        (["x", "1"], ["x", "y"], "x and 1 would both be the input's column x"),
        (["1", "01"], ["x", "y"], "1 and 01 would both be the input's column x"),
    ],
)
def test_a_number_that_may_be_a_name_and_a_place_is_refused(columns, names, words):
    stream = numbered(bounds=dict.fromkeys(columns, (0, 1)))
    with pytest.raises(jme.InvalidParameter, match=words) as caught:
        stream.push(pd.DataFrame(np.full((5, len(names)), 0.5), columns=names))
    assert caught.value.field == "columns" and stream.rows == 0


def test_labels_of_pandas_become_names_of_a_stream_that_has_none(rng):
    rows = rng.uniform(0, 1, (140, 3))
    stream = jme.Stream(epsilon=1, delta=1e-6, norm_bound=2, dimension=3, rows=200, every=70, insecure_test_seed=7)
    stream.push(pd.DataFrame(rows[:70]))
    assert stream.columns == ["0", "1", "2"]
    stream.push(pd.DataFrame(rows[70:]).iloc[:, [2, 1, 0]])
    expected = jme.Stream(epsilon=1, delta=1e-6, norm_bound=2, dimension=3, rows=200, every=70, insecure_test_seed=7)
    expected.push(rows)
    assert stream.newest.mean.tobytes() == expected.newest.mean.tobytes()
