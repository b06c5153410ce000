"""Releases are those of the command, and of each other, whatever the rows come in."""

from __future__ import annotations

import array
import collections
import pickle

import jme
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import BOUNDS, SEEDED, made_up, same_as_line, same_releases

NAMES = list(BOUNDS)


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"missing": "mean,rain=0"},
        {"missing": "model"},
        {"on_bad_row": "zero"},
        {"workload": "decay:0.99", "method": "lambda-jme"},
        {"workload": "prefix", "adjacency": "add-remove", "lambda_": 0.1},
        {"psd": True, "raw": True, "shape": "sqrt"},
        {"every": 1, "rows": 300},
        {"method": "pp", "every": 10, "rows": 300},
    ],
)
def test_the_command_gives_the_same_numbers(command, settings, rng, changed):
    settings = {**settings, **changed}
    rows = made_up(rng, min(settings["rows"], 1000))
    if "missing" in changed or "on_bad_row" in changed:
        rows[rng.random(rows.shape) < 0.05] = np.nan
    lines = command(rows, **settings)
    stream = jme.Stream(**settings)
    releases = [*stream.push(rows), *stream.finish()]
    assert len(releases) == len(lines) - 1
    for release, line in zip(releases, lines[1:], strict=True):
        same_as_line(release, line)


def test_the_command_gives_the_same_models(command, settings, rng):
    rows = made_up(rng, 700)
    emit = ["mean", "correlation", "precision", "pca:2", "regression:co", "density", "first", "second"]
    lines = command(rows, **settings, emit=emit, workload="prefix")
    before = None
    for release, line in zip(jme.Stream(**settings, workload="prefix").push(rows), lines[1:], strict=True):
        noise = line["noise_std"]
        assert release.correlation().value.tolist() == line["correlation"]
        assert release.correlation().noise_std.tolist() == noise["correlation"]
        assert release.precision().value.tolist() == line["precision"]
        before = release.pca(2, after=before)
        assert before.values.tolist() == line["pca"]["values"]
        assert before.components.tolist() == line["pca"]["components"]
        assert before.noise_std.components.tolist() == noise["pca"]["components"]
        fit = release.regression("co")
        assert (fit.target, fit.columns) == ("co", ["temp", "rain"])
        assert fit.intercept == line["regression"]["intercept"]
        assert fit.coefficients.tolist() == line["regression"]["coefficients"]
        assert fit.noise_std.coefficients.tolist() == noise["regression"]["coefficients"]
        density = release.density()
        assert density.covariance.value.tolist() == line["density"]["covariance"]
        assert density.log_det.value == line["density"]["log_det"]
        assert release.first.tolist() == line["first"]
        assert release.second.tolist() == line["second"]


@pytest.mark.parametrize("changed", [{"missing": "observed"}, {"private_count": True, "on_bad_row": "zero"}])
def test_the_command_gives_the_same_private_counts(command, settings, rng, changed):
    settings = {**settings, **changed, "rows": 20_000, "every": 500}
    rows = made_up(rng, 20_000)
    rows[rng.random(rows.shape) < 0.2] = np.nan
    rows[:, 2][rng.random(len(rows)) < 0.9] = np.nan  # mostly missing: unknown for a while
    lines = command(rows, **settings)
    releases = jme.Stream(**settings).push(rows)
    again = pickle.loads(pickle.dumps(releases))
    unknown = 0
    for release, copy, line in zip(releases, again, lines[1:], strict=True):
        for name, found in (("mean", release.mean), ("covariance", release.covariance)):
            printed = np.array(line[name], dtype=float)  # null is NaN
            np.testing.assert_array_equal(found, printed)
            unknown += int(np.isnan(printed).sum())
        assert copy.mean.tobytes() == release.mean.tobytes()
        if "rows" in line:
            assert release.row_count == (line["rows"], line["noise_std"]["rows"])
        if "count" in line:
            assert release.counts.value.tolist() == line["count"]
            assert release.counts.noise_std.tolist() == line["noise_std"]["count"]
            assert release.pair_counts.value.tolist() == line["pair_count"]
        low, high = release.mean_interval
        for i, interval in enumerate(line["interval"]["mean"]):
            assert interval is None or interval == [low[i], high[i]]
    assert unknown > 0
    assert ("count" in lines[1]) == (changed.get("missing") == "observed")


def test_metadata_are_the_commands_first_line(command, settings, rng):
    rows = made_up(rng, 700)
    first = command(rows, **settings, missing="mean")[0]
    stream = jme.Stream(**settings, missing="mean", records="lines")
    assert stream.metadata == first
    assert stream.statement.replace("\n\n", " ") == first["privacy"]["statement"]


def holders(rows: np.ndarray, rng: np.random.Generator):
    """The same rows in everything that a push takes; all cells are whole numbers below 120, some are missing."""
    frame = pd.DataFrame(rows, columns=NAMES)
    mixed = pd.DataFrame({"rain": rows[:, 2].astype(np.float32), "text": "x", "temp": rows[:, 0], "co": rows[:, 1]})
    wide = rng.normal(size=(2 * len(rows), 7))
    wide[::2, 1:7:2] = rows
    fields = np.zeros(len(rows), dtype=[("gap", "u1"), ("cells", "f8", 3)])  # not aligned
    fields["cells"] = rows
    nullable = frame.copy()
    nullable["co"] = pd.array([None if np.isnan(x) else int(x) for x in rows[:, 1]], dtype="Int16")
    lists = [[None if np.isnan(x) else x for x in row] for row in rows.tolist()]
    table = pa.table({name: pa.array(rows[:, i], from_pandas=True) for i, name in enumerate(NAMES)})
    pieces = pa.concat_tables([table[:13], table[13:300], table[300:300], table[300:]])
    typed = pa.table(
        {
            "co": pa.array([row[1] for row in lists], pa.uint8()),
            "more": pa.array(["a"] * len(rows)),
            "temp": pa.array([row[0] for row in lists], pa.float32()),
            "rain": pa.array([row[2] for row in lists], pa.int64()),
        }
    )
    point = collections.namedtuple("point", NAMES)
    hole = np.isnan(rows)
    yield "row-major", rows
    yield "column-major", np.asfortranarray(rows)
    yield "strided", wide[::2, 1:7:2]
    yield "backwards", rows[::-1].copy()[::-1]
    yield "read-only", _frozen(rows)
    yield "not aligned", fields["cells"]
    yield "float32", rows.astype(np.float32)
    yield "float16", rows.astype(np.float16)
    yield "long double", rows.astype(np.longdouble)
    yield "other order of bytes", rows.astype(">f8")
    yield "masked", np.ma.masked_array(np.where(hole, 1e9, rows), mask=hole)
    yield "masked integers", np.ma.masked_array(np.where(hole, 0, rows).astype(np.int8), mask=hole)
    yield "memoryview", memoryview(np.ascontiguousarray(rows))
    yield "frame", frame
    yield "frame of other types and order", mixed
    yield "frame with nullable numbers", nullable
    yield "frame of arrow types", frame.astype("float64[pyarrow]")
    yield "mapping", {"co": rows[:, 1], "rain": rows[:, 2].astype(np.float32), "temp": rows[:, 0]}
    yield "arrow", table
    yield "arrow in pieces", pieces
    yield "arrow of other types", typed
    yield (
        "arrow record batches",
        pa.RecordBatchReader.from_batches(pieces.schema, pieces.to_batches(max_chunksize=37)),
    )
    yield "polars", pl.from_arrow(pieces)
    yield "list of lists", lists
    yield "named tuples", [point(*row) for row in lists]
    yield "generator of arrays", (row for row in rows)
    yield "generator of array.array", (array.array("d", row) for row in rows)


def _frozen(rows: np.ndarray) -> np.ndarray:
    result = rows.copy()
    result.flags.writeable = False
    return result


@pytest.mark.parametrize("missing", ["centre", "mean,rain=0", "model"])
def test_every_holder_of_rows_gives_the_same_bits(settings, rng, missing):
    rows = np.floor(np.clip(made_up(rng, 700), 0, 119))
    rows[rng.random(rows.shape) < 0.05] = np.nan
    expected = jme.Stream(**settings, missing=missing).push(rows)
    assert len(expected) == 10
    for name, held in holders(rows, rng):
        print(name)
        same_releases(jme.Stream(**settings, missing=missing).push(held), expected)


def test_rows_in_random_pieces_give_the_same_bits(settings, rng):
    rows = np.floor(np.clip(made_up(rng, 2000), 0, 119))
    rows[rng.random(rows.shape) < 0.02] = np.nan
    expected = jme.Stream(**settings, missing="mean").push(rows)
    for _ in range(20):
        stream = jme.Stream(**settings, missing="mean")
        found, done = [], 0
        while done < len(rows):
            count = int(rng.integers(0, 300))
            part = rows[done : done + count]
            held = list(holders(part, rng))[int(rng.integers(0, 27))][1] if len(part) else part
            found += list(stream.push(held))
            done += len(part)
        assert [r.t for r in found] == expected.t.tolist()
        for a, b in zip(found, expected, strict=True):
            assert a.covariance.tobytes() == b.covariance.tobytes()


def test_single_rows_give_the_same_bits(settings, rng):
    rows = made_up(rng, 300)
    rows[::7, 1] = np.nan
    expected = jme.Stream(**settings, missing="mean").push(rows)
    kinds = [
        lambda row: row,
        lambda row: tuple(row.tolist()),
        lambda row: [None if np.isnan(x) else x for x in row],
        lambda row: list(row),
        lambda row: memoryview(row),
        lambda row: np.ma.masked_array(np.nan_to_num(row), mask=np.isnan(row)),
    ]
    stream = jme.Stream(**settings, missing="mean")
    found = [r for i, row in enumerate(rows) for r in stream.push(kinds[i % len(kinds)](row))]
    assert [r.covariance.tobytes() for r in found] == [r.covariance.tobytes() for r in expected]


def test_a_state_folder_gives_the_same_bits_again(settings, rng, tmp_path):
    rows = made_up(rng, 1000)
    expected = jme.Stream(**settings).push(rows)
    for pieces in ([rows[:500], rows[500:]], [rows], [pd.DataFrame(rows, columns=NAMES)]):
        with jme.Stream(**settings, state=tmp_path / "state") as stream:
            found = [r for piece in pieces for r in stream.push(piece)]
            assert stream.committed_rows == 980
        assert [r.mean.tobytes() for r in found] == [r.mean.tobytes() for r in expected]
    with jme.Stream(**settings, state=tmp_path / "state") as stream:
        rows[17, 1] += 1
        with pytest.raises(jme.StateError, match="rows 1 to 70"):
            stream.push(rows)


def test_rows_without_bounds_and_names_are_numbered(rng):
    rows = rng.normal(size=(400, 5))
    plain = {"epsilon": 1, "delta": 1e-6, "norm_bound": 2, "rows": 400, "every": 100, "insecure_test_seed": 3}
    expected = jme.Stream(**plain).push(rows)
    assert expected.columns == ["1", "2", "3", "4", "5"]
    same_releases(jme.Stream(**plain, dimension=5).push(list(rows)), expected)
    # Columns by number, as in a file without a header.
    wide = np.hstack([rng.normal(size=(400, 1)), rows])
    chosen = jme.Stream(**plain, columns=["2", "3", "4", "5", "6"]).push(wide)
    assert [r.mean.tobytes() for r in chosen] == [r.mean.tobytes() for r in expected]


def test_matrices_are_workloads_and_shapes(rng, tmp_path):
    rows = rng.uniform(-1, 1, (4, 2))
    plain = {"epsilon": 1, "delta": 1e-6, "norm_bound": 2, "rows": 4, "insecure_test_seed": 3}
    weights = np.tril(np.ones((4, 4)))
    found = jme.Stream(**plain, workload=weights, emit=["first"], shape=np.eye(4)).push(rows)
    np.save(tmp_path / "w.npy", weights)
    again = jme.Stream(**plain, workload=f"@{tmp_path}/w.npy", emit=["first"], shape="identity").push(rows)
    prefix = jme.Stream(**plain, workload="prefix", emit=["first"], shape="identity").push(rows)
    for a, b, c in zip(found, again, prefix, strict=True):
        assert a.first.tobytes() == b.first.tobytes() == c.first.tobytes()


def test_blocks_summed_elsewhere_give_the_same_bits(settings, rng):
    rows = made_up(rng, 140)
    expected = jme.Stream(**settings).push(rows)
    stream = jme.Stream(**settings)
    for block in (rows[:70], rows[70:]):
        parts = [stream.block_sum() for _ in range(3)]
        for part, piece in zip(parts, np.split(rng.permutation(block), [20, 33]), strict=True):
            part.add(pd.DataFrame(piece, columns=NAMES))
        whole = jme.BlockSum.from_bytes(parts[2].to_bytes(), **settings)
        whole.merge(parts[0])
        whole.merge(parts[1])
        assert whole.rows == 70
        found = stream.push_block(whole)
        place = list(expected.t).index(found[0].t)
        assert found[0].covariance.tobytes() == expected[place].covariance.tobytes()
    with pytest.raises(jme.InvalidParameter, match="other columns"):
        jme.Stream(**settings).push_block(jme.BlockSum(**{**settings, "bounds": {**BOUNDS, "co": (0, 101)}}))


def test_settings_come_back_as_a_file_has_them(settings):
    stream = jme.Stream(**settings, lambda_=0.1, method="lambda-jme", workload="mean")
    again = jme.Stream(**stream.settings)
    # A settings file says how CSV is read; rows from Python have no records.
    assert again.metadata["configuration"].pop("records") == "lines"
    found = again.metadata
    del found["configuration"]["records"]
    assert found == stream.metadata
    assert stream.settings["lambda"] == 0.1
    assert stream.settings["bounds"]["temp"] == [-20, 45]


assert SEEDED["insecure_test_seed"] == 7


CLOCK = {"epsilon": 1, "delta": 1e-6, "bounds": {"x": (-1, 1)}, "every": "1h", "insecure_test_seed": 3}


def test_slots_of_time_take_blocks_with_any_number_of_rows():
    stream = jme.Stream(**CLOCK, time="when", from_="2026-01-01", until="2026-01-01T04:00")
    released = []
    for rows in ([], [(0.5,)] * 7, [], [(0.25,)] * 3):
        block = stream.block_sum()
        for row in rows:
            block.add([row])
        released += stream.push_block(block)
    assert [release.t for release in released] == [1, 2, 3, 4]
    assert stream.metadata["configuration"]["every"] == "1h"
    assert stream.metadata["privacy"]["adjacency"] == "add-remove"


def test_slots_of_time_refuse_rows_that_nobody_put_into_slots():
    stream = jme.Stream(**CLOCK, steps=4)
    with pytest.raises(jme.InvalidParameter, match="slots of time") as refused:
        stream.push([(0.5,)])
    assert refused.value.field == "every"
    with pytest.raises(jme.InvalidParameter, match="ISO 8601") as refused:
        jme.Stream(**CLOCK, time="when", from_="soon", until="2026-01-02")
    assert refused.value.field == "from_"
