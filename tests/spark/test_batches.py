"""`jme.spark.moments`: the releases of `jme run`, digit for digit, however the rows are divided among executors."""

from __future__ import annotations

import datetime
import decimal

import jme
import jme.spark
import numpy as np
import pytest
from conftest import BOUNDS, SEEDED, made_up
from pyspark.sql import functions, types

ROWS = {**SEEDED, "rows": 3000, "every": 3000}
DAY = {**SEEDED, "every": "1h", "time": "when", "from": "2026-01-01", "until": "2026-01-02"}


def values(numbers):
    return [values(x) if isinstance(x, (list, np.ndarray)) else None if np.isnan(x) else float(x) for x in numbers]


def same(releases, lines):
    assert [r.t for r in releases] == [line["t"] for line in lines]
    for release, line in zip(releases, lines, strict=True):
        assert values(release.mean) == line["mean"]
        assert [values(row) for row in release.covariance] == line["covariance"]


def divided(frame):
    """The same rows in 1, 3 and 7 partitions, and at random places, some of which have none."""
    for count in (1, 3, 7):
        yield frame.coalesce(1).repartition(count)
    yield frame.repartition(5, functions.floor(3 * functions.rand(seed=3)))


@pytest.mark.parametrize("missing", [None, "observed"])
def test_one_block_has_the_release_of_the_command(spark, command, missing):
    table = made_up(3000)
    settings = {**ROWS, **({"missing": missing} if missing else {})}
    if missing:
        table = table.mask(np.random.default_rng(2).random(table.shape) < 0.1)
    lines = command(table.drop(columns="when").assign(when=made_up(3000)["when"]), **settings)
    frame = spark.createDataFrame(table.drop(columns="when")).replace(float("nan"), None)
    for part in divided(frame):
        same(jme.spark.moments(part, settings), lines)
    same(jme.spark.moments(frame.repartition(7), settings, mergers=3), lines)


def test_slots_of_own_times_have_the_releases_of_the_command(spark, command):
    table = made_up(3000)
    lines = command(table, **DAY)
    assert len(lines) == 24
    frame = spark.createDataFrame(table)
    for part in divided(frame):
        same(jme.spark.moments(part, DAY), lines)
    same(jme.spark.moments(frame, DAY, mergers=0), lines)
    texts = frame.withColumn("when", functions.date_format("when", "yyyy-MM-dd'T'HH:mm:ssXXX"))
    seconds = frame.withColumn("when", functions.col("when").cast("double"))
    local = frame.withColumn("when", functions.expr("to_timestamp_ntz(to_utc_timestamp(when, current_timezone()))"))
    assert isinstance(local.schema["when"].dataType, types.TimestampNTZType)
    for other in (texts, seconds, local):
        same(jme.spark.moments(other, DAY), lines)


def test_a_state_folder_repeats_its_releases_and_refuses_other_rows(spark, tmp_path):
    table = made_up(500)
    frame = spark.createDataFrame(table)
    in_day = table["when"].dt.date == datetime.date(2026, 1, 1)  # others add nothing to its slots
    one_less = table.drop(index=table.index[in_day][0])
    for number, settings in enumerate((ROWS, DAY)):
        kept = {**settings, "state": str(tmp_path / str(number))}
        del kept["insecure_test_seed"]
        first = jme.spark.moments(frame.repartition(2), kept)
        again = jme.spark.moments(frame.repartition(5), kept)
        assert [values(r.mean) for r in first] == [values(r.mean) for r in again]
        with pytest.raises(jme.StateError, match="other sums"):
            jme.spark.moments(spark.createDataFrame(one_less), kept)
        assert len(jme.Ledger(kept["state"]).streams) == 1


def test_a_frame_without_rows_has_the_releases_of_its_slots(spark, command):
    frame = spark.createDataFrame(made_up(10)).filter("temp > 1e9")
    assert len(jme.spark.moments(frame, ROWS)) == 0
    same(jme.spark.moments(frame, DAY), command(made_up(10).iloc[:0], **DAY))


def test_a_block_sum_is_that_of_this_process(spark):
    table = made_up(700)
    local = jme.BlockSum(**ROWS)
    local.add(table[list(BOUNDS)])
    frame = spark.createDataFrame(table)
    assert jme.spark.block_sum(frame.repartition(6), ROWS) == local


def test_bad_rows_decide_about_themselves_alone(spark):
    table = made_up(300)
    good = spark.createDataFrame(table[list(BOUNDS)])
    bad = good.unionByName(spark.createDataFrame([(float("inf"), 1.0, 1.0), (None, 2.0, 2.0)], good.schema))
    zero = jme.BlockSum(**ROWS)
    zero.add(table[list(BOUNDS)])
    zero.add([[np.inf, 1, 1], [np.nan, 2, 2]])
    assert jme.spark.block_sum(bad, ROWS) == zero and zero.rows == 302
    with pytest.raises(Exception, match=r"row \d+, column 1: "):  # of the task, by way of Spark
        jme.spark.block_sum(bad, {**ROWS, "on_bad_row": "fail"})


def test_columns_are_found_by_exact_names_and_their_types_are_checked(spark):
    settings = {**SEEDED, "rows": 10, "bounds": {"a.b": [0, 1], "c`d": [0, 1]}}
    frame = spark.createDataFrame([(1, 0.5, True)], ["c`d", "a.b", "more"])
    assert jme.spark.block_sum(frame, settings).rows == 1
    for kind in ("byte", "short", "int", "long", "float", "double", "boolean"):
        cast = frame.select("`a.b`", functions.col("`c``d`").cast(kind).alias("c`d"))
        local = jme.BlockSum(**settings)
        local.add([[0.5, 1.0]])
        assert jme.spark.block_sum(cast, settings) == local
    wrong = [
        (frame.select("`c``d`", functions.lit("0.5").alias("a.b")), "StringType"),
        (frame.select("`c``d`", functions.lit(decimal.Decimal("0.5")).alias("a.b")), "DecimalType"),
        (frame.select("`c``d`", functions.lit(datetime.date(2026, 1, 1)).alias("a.b")), "DateType"),
        (frame.select("`c``d`"), "no column a.b"),
        (frame.select("`c``d`", functions.lit(0.5).alias("A.B")), "no column a.b"),
        (frame.selectExpr("*", "0.5 as `a.b`"), "twice"),
    ]
    for other, words in wrong:
        with pytest.raises(jme.InvalidParameter, match=words):
            jme.spark.moments(other, settings)
    with pytest.raises(jme.InvalidParameter, match="BooleanType"):
        jme.spark.moments(frame.withColumnRenamed("more", "when"), {**DAY, "bounds": settings["bounds"]})
