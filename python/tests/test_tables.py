"""Iterables of tables: their rows count, and no table is ever taken as one row."""

from __future__ import annotations

import collections
import io
import itertools
import warnings

import jme
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from conftest import BOUNDS, made_up, same_releases
from jme.sklearn import PrivateCovariance

NAMES = list(BOUNDS)
ROWS = 500
CUTS = [0, 130, 131, 400, ROWS]
PARTS = list(itertools.pairwise(CUTS))


def numbered(**changed):
    """A stream whose columns nobody has named: labels of a table that are numbers could be its row."""
    settings = {"epsilon": 1, "delta": 1e-6, "norm_bound": 4, "dimension": 3, "rows": 5000, "every": 100}
    return jme.Stream(**{**settings, "insecure_test_seed": 7, **changed})


@pytest.fixture
def rows(rng):
    return made_up(rng, ROWS)


def frame(rows):
    return pd.DataFrame(rows, columns=NAMES)


def shuffled(rows):
    """Columns in another order, and one more: only names find them."""
    return frame(rows).assign(other=1.0)[["rain", "other", "temp", "co"]]


def batch(rows):
    return pa.RecordBatch.from_pandas(shuffled(rows))


def reader(rows):
    return pa.RecordBatchReader.from_batches(batch(rows).schema, [batch(rows[:10]), batch(rows[10:])])


class Counted(pd.DataFrame):
    """A DataFrame of somebody's own class."""


TABLES = {
    "pandas": shuffled,
    "a class made from pandas": lambda rows: Counted(shuffled(rows)),
    "nullable pandas": lambda rows: shuffled(rows).convert_dtypes(),
    "polars": lambda rows: pl.from_pandas(shuffled(rows)),
    "pyarrow": lambda rows: pa.Table.from_pandas(shuffled(rows)),
    "batches": batch,
    "readers": reader,
    "arrays": lambda rows: rows,
    "arrays by columns": np.asfortranarray,
    "memoryviews": lambda rows: memoryview(np.ascontiguousarray(rows)),
    "masked arrays": lambda rows: np.ma.masked_array(rows, mask=np.zeros(rows.shape, bool)),
    "mappings of columns": lambda rows: dict(zip(NAMES, rows.T, strict=True)),
    "lists of rows": lambda rows: rows.tolist(),
}


@pytest.mark.parametrize("holder", [list, tuple, iter, collections.deque], ids=lambda h: h.__name__)
@pytest.mark.parametrize("kind", TABLES)
def test_an_iterable_of_tables_gives_their_rows(settings, rows, kind, holder):
    parts = [TABLES[kind](rows[begin:end]) for begin, end in PARTS]
    if kind == "lists of rows":
        parts = [row for part in parts for row in part]
    stream = jme.Stream(**settings)
    found = stream.push(holder(parts))
    assert stream.rows == ROWS
    same_releases(found, jme.Stream(**settings).push(rows))


def test_a_file_that_is_read_in_pieces_gives_all_of_its_rows(rows):
    file = io.StringIO()
    np.savetxt(file, rows / 100, delimiter=",", fmt="%.17g")
    for header in (None, "infer"):
        file.seek(0)
        if header == "infer":
            file = io.StringIO("temp,co,rain\n" + file.getvalue())
        stream = numbered() if header is None else numbered(columns=NAMES)
        found = stream.push(pd.read_csv(file, header=header, chunksize=100))
        assert stream.rows == ROWS
        same_releases(found, numbered().push(rows / 100))


def test_tables_and_rows_may_be_mixed(settings, rows):
    def mixed():
        yield tuple(rows[0])
        yield rows[1]
        yield shuffled(rows[2:50])
        yield pl.from_pandas(shuffled(rows[50:60]))
        yield frame(rows[:0])
        yield rows[60:61]
        yield from rows[61:300].tolist()
        yield pd.Series(rows[300])
        yield reader(rows[301:])

    stream = jme.Stream(**settings)
    same_releases(stream.push(mixed()), jme.Stream(**settings).push(rows))
    assert stream.rows == ROWS


def test_the_first_of_several_tables_tells_the_columns(rows):
    stream = numbered()
    found = stream.push([frame(rows[:10] / 100), shuffled(rows[10:] / 100)])
    assert stream.columns == NAMES
    same_releases(found, numbered().push(rows / 100))
    stream = numbered()
    stream.push([tuple(rows[0] / 100), pd.DataFrame(rows[1:] / 100)])
    assert (stream.columns, stream.rows) == (["1", "2", "3"], ROWS)
    with pytest.raises(jme.InvalidParameter, match="has no column rain"):
        numbered().push([frame(rows[:10]), frame(rows[:10])[["temp", "co"]]])


def test_missing_cells_of_tables_are_missing(settings, rows):
    rows[5, 1] = rows[200, 2] = np.nan
    settings["missing"] = "mean"
    tables = [
        pl.from_pandas(shuffled(rows[:100]), nan_to_null=True),
        shuffled(rows[100:300]).convert_dtypes(),
        np.ma.masked_invalid(rows[300:]),
    ]
    stream, expected = jme.Stream(**settings), jme.Stream(**settings)
    same_releases(stream.push(tables), expected.push(rows))
    assert stream.notes == expected.notes


def test_no_row_is_taken_where_a_later_table_cannot_be_used(settings, rows):
    def broken():
        yield frame(rows[:100])
        raise OSError("the file broke")

    bad = rows.copy()
    bad[-1, 1] = np.inf
    for tables, error, words in (
        (broken(), OSError, "broke"),
        ([frame(rows), frame(rows)[["temp"]]], jme.InvalidParameter, "no column co"),
        ([frame(rows), pa.Table.from_pandas(frame(rows).astype({"co": str}))], TypeError, "column co .* text"),
        ([frame(rows), (1.0, "2", 3.0)], TypeError, f"row {ROWS + 1}, value 2: is text"),
        ([frame(rows[:100]), frame(bad[100:])], jme.DataError, f"row {ROWS}, column co: not a finite"),
        ([frame(rows)] * 5, jme.BudgetExhausted, "2000"),
    ):
        stream = jme.Stream(**settings)
        with pytest.raises(error, match=words):
            stream.push(tables)
        assert stream.rows == 0
    with pytest.raises(jme.BudgetExhausted):
        jme.Stream(**settings).push(itertools.repeat(frame(rows)))  # without end


def test_a_table_in_a_row_is_no_number(rows):
    one = jme.Stream(epsilon=1, delta=1e-6, bounds={"x": (0, 1), "y": (0, 1)}, rows=10)
    cell = np.full((1, 1), 0.5)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        matrix = np.matrix(cell)
    for row in (
        (matrix, matrix),
        (pd.Series([0.5]), pd.Series([0.5])),
        (pd.DataFrame(cell), pd.DataFrame(cell)),
        (1.0, frame(rows)),
    ):
        with pytest.raises((TypeError, jme.DataError)):
            one.push([row])
    # Each is a row of one number, or a table of one row.
    single = jme.Stream(epsilon=1, delta=1e-6, bounds={"x": (0, 1)}, rows=10)
    single.push([matrix, matrix])
    single.push([pd.Series([0.5]), pd.Series([0.5])])
    assert single.rows == 4


class Named:
    """A table of a library that nobody here knows."""

    columns = (0, 1, 2)

    def __iter__(self):
        return iter(self.columns)

    def __getitem__(self, key):
        return self.columns[key]

    def __len__(self):
        return 3


class Sparse:
    shape = (2, 3)

    def __iter__(self):
        return iter([[1, 2, 3]] * 2)

    def __getitem__(self, key):
        raise IndexError

    def toarray(self):
        raise NotImplementedError


@pytest.mark.parametrize(
    ("table", "words"),
    [
        (Named(), r"test_tables.Named cannot be read; make a table of pandas, polars or pyarrow"),
        (Sparse(), r"test_tables.Sparse cannot be read; .* toarray\(\)"),
        (pl.DataFrame({"temp": [1.0]}).lazy(), r"LazyFrame( cannot be read)?; collect\(\) it first"),
        (np.zeros((2, 2, 3)), "not of 3: ndarray"),
        ({"a": frame(np.zeros((2, 3)))}, "column a is a table of type DataFrame; push tables one by one"),
    ],
    ids=["columns", "shape", "lazy", "three dimensions", "mapping of tables"],
)
def test_what_looks_like_a_table_and_cannot_be_read_is_refused_by_its_type(table, words):
    for held in (table, [table], iter([(1.0, 2.0, 3.0), table])):
        stream = numbered()
        with pytest.raises((TypeError, jme.DataError), match=words):
            stream.push(held)
        assert stream.rows == 0


def test_a_sum_takes_iterables_of_tables(settings, rows):
    settings = {**settings, "rows": ROWS, "every": ROWS}
    block, expected = jme.BlockSum(**settings), jme.BlockSum(**settings)
    block.add(TABLES[kind](rows[begin:end]) for (begin, end), kind in zip(PARTS, TABLES, strict=False))
    expected.add(rows)
    assert block.to_bytes() == expected.to_bytes()


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "batches", "readers", "mappings of columns"])
def test_people_and_times_come_with_tables_of_an_iterable(rng, kind):
    settings = {"sigma": 1e-3, "bounds": {"x": (0, 1)}, "time": "when", "every": "1h", "from_": "2026-01-01"}
    settings |= {"until": "2026-01-02", "person": "who", "rows_per_person": 7, "insecure_test_seed": 7}
    seconds = 1767225600 + rng.integers(0, 86400, ROWS)
    table = pd.DataFrame({"who": rng.integers(0, 40, ROWS).astype(str), "when": seconds, "x": rng.random(ROWS)})
    make = {
        "pandas": lambda part: part,
        "polars": pl.from_pandas,
        "pyarrow": lambda part: pa.Table.from_pandas(part, preserve_index=False),
        "batches": lambda part: pa.RecordBatch.from_pandas(part, preserve_index=False),
        "readers": lambda part: pa.Table.from_pandas(part, preserve_index=False).to_reader(),
        "mappings of columns": lambda part: {name: part[name].to_numpy() for name in part},
    }[kind]
    stream, expected = jme.Stream(**settings), jme.Stream(**settings)
    stream.push(make(table.iloc[begin:end]) for begin, end in PARTS)
    expected.push(table)
    assert stream.notes == expected.notes
    same_releases(stream.finish(), expected.finish())


def test_rows_of_one_table_never_take_ids_or_times_of_the_next():
    settings = {"epsilon": 1, "delta": 1e-6, "bounds": {"x": (0, 1)}, "rows": 100, "every": 10}
    stream = jme.Stream(**settings, person="who", rows_per_person=2)
    tables = [{"who": ["a", "b", "c"], "x": [0.5, 0.5]}, {"who": ["d"], "x": [0.5, 0.5]}]
    with pytest.raises(jme.DataError, match="who has 3 values for 2 rows") as caught:
        stream.push(tables)
    assert (caught.value.column, stream.rows) == ("who", 0)
    with pytest.raises(TypeError, match="named columns"):
        stream.push([{"who": ["a"], "x": [0.5]}, (0.5,)])
    assert stream.rows == 0


@pytest.mark.parametrize("kind", ["pandas", "polars", "pyarrow", "arrays", "readers", "mappings of columns"])
def test_a_table_can_be_followed(settings, rows, kind):
    found = list(jme.Stream(**settings).follow(TABLES[kind](rows)))
    expected = jme.Stream(**settings).push(rows)
    assert [r.t for r in found] == expected.t.tolist()
    assert found[-1].mean.tobytes() == expected[-1].mean.tobytes()
    parts = (TABLES[kind](rows[begin:end]) for begin, end in PARTS)
    assert [r.t for r in jme.Stream(**settings).follow(parts)] == expected.t.tolist()


def test_an_estimator_takes_one_table_at_a_time(rows):
    model = PrivateCovariance(epsilon=1, delta=1e-6, bounds=(-100, 200))
    for X, held in (
        ([frame(rows)], "DataFrame"),
        ((rows, rows), "ndarray"),
        (iter([frame(rows)]), "list_iterator"),
        ([pl.from_pandas(frame(rows))], "DataFrame"),
    ):
        with pytest.raises(TypeError, match=rf"X must be one table of rows, .* \(of type {held}\); .* partial_fit"):
            model.fit(X)
    assert not hasattr(model, "covariance_")
