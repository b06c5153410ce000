"""`jme.spark.sink`: structured streams of files, whose batches count once whatever comes again."""

from __future__ import annotations

import json
import os
import threading
import time

import jme
import jme.spark
import pytest
from conftest import BOUNDS, SEEDED, made_up
from processes import executors, kill

ROWS = {**SEEDED, "rows": 500, "every": 20}
# Hardly any noise, so that rows can be counted in a release.
SLOTS = {"sigma": 1e-3, "bounds": BOUNDS, "every": "15s", "steps": 200}
SCHEMA = "temp double, co double, rain double"


def write_batches(folder, table, length):
    """One file for each batch, in an order that their times give."""
    folder.mkdir(exist_ok=True)
    for number in range(len(table) // length):
        write_batch(folder, number, table.iloc[number * length : (number + 1) * length])


def write_batch(folder, number, rows):
    lines = rows[list(BOUNDS)].to_dict("records")
    draft = folder / f".{number:04}.json"
    draft.write_text("".join(json.dumps(line) + "\n" for line in lines))
    os.utime(draft, (1_700_000_000 + number, 1_700_000_000 + number))
    draft.rename(folder / f"{number:04}.json")


def files(spark, folder):
    return spark.readStream.schema(SCHEMA).option("maxFilesPerTrigger", 1).json(str(folder))


def slowed(frame):
    """The same rows, by tasks that take a while, so that they can be killed while they have rows."""

    def slowly(batches):  # inside, so that it travels to executors
        for batch in batches:
            time.sleep(0.5)
            yield batch

    return frame.mapInArrow(slowly, SCHEMA)


def run(frame, sink, checkpoint):
    writer = frame.writeStream.foreachBatch(sink).option("checkpointLocation", str(checkpoint))
    writer.trigger(availableNow=True).start().awaitTermination()


def test_executors_that_are_killed_in_the_midst_of_batches_change_no_release(spark, tmp_path, command):
    table = made_up(500)
    lines = command(table, **ROWS)
    write_batches(tmp_path / "in", table.iloc[:440], 20)
    slow = slowed(files(spark, tmp_path / "in").repartition(3))
    state = tmp_path / "state"
    kills = 0
    with jme.spark.sink(ROWS, name="air", state=state, public_batches=True) as sink:
        is_done = threading.Event()
        inside = threading.Event()

        def counted(batch, number):
            inside.set()
            sink(batch, number)

        def killer():
            nonlocal kills
            while not is_done.is_set():
                if inside.wait(1):
                    time.sleep(0.4)
                    running = executors()
                    if running and not is_done.is_set():
                        kill(running[kills % len(running)])
                        kills += 1
                    inside.clear()

        thread = threading.Thread(target=killer)
        thread.start()
        try:
            run(slow, counted, tmp_path / "checkpoint")
        finally:
            is_done.set()
            thread.join()
        print(f"\n{kills} executors were killed")
        assert kills >= 20
        assert sink.releases() == lines[:22]


def test_a_batch_that_is_delivered_twice_counts_once(spark, tmp_path, command):
    table = made_up(500)
    lines = command(table, **ROWS)
    write_batches(tmp_path / "in", table.iloc[:100], 20)
    with jme.spark.sink(ROWS, name="air", state=tmp_path / "state", public_batches=True) as sink:

        def twice(batch, number):
            sink(batch, number)
            sink(batch.repartition(2), number)

        run(files(spark, tmp_path / "in"), twice, tmp_path / "checkpoint")
        assert sink.releases() == lines[:5]


def test_a_query_that_failed_after_the_push_goes_on_with_the_same_ids(spark, tmp_path, command):
    table = made_up(500)
    lines = command(table, **ROWS)
    write_batches(tmp_path / "in", table.iloc[:60], 20)
    checkpoint = tmp_path / "checkpoint"
    with jme.spark.sink(ROWS, name="air", state=tmp_path / "state", public_batches=True) as sink:

        def fails(batch, number):
            sink(batch, number)
            if number == 1:
                raise RuntimeError("after the push")

        with pytest.raises(Exception, match="after the push"):
            run(files(spark, tmp_path / "in"), fails, checkpoint)
        assert sink.releases() == lines[:2]
        # The file of the batch has other rows now.
        original = (tmp_path / "in" / "0001.json").read_text()
        write_batch(tmp_path / "in", 1, table.iloc[60:80])
        with pytest.raises(Exception, match="with another body"):
            run(files(spark, tmp_path / "in"), sink, checkpoint)
        assert sink.releases() == lines[:2]
    with jme.spark.sink(ROWS, name="air", state=tmp_path / "state", public_batches=True, keep_stored=True) as sink:
        run(files(spark, tmp_path / "in"), sink, checkpoint)
        assert sink.releases() == lines[:3]
        # Without its checkpoint it is another query, which would give its rows again.
        with pytest.raises(Exception, match="another job"):
            run(files(spark, tmp_path / "in"), sink, tmp_path / "other")
        assert sink.releases() == lines[:3]
    assert original != (tmp_path / "in" / "0001.json").read_text()


def test_slots_of_time_have_every_row_once_whatever_is_killed_empty_or_comes_twice(spark, tmp_path):
    table = made_up(200)
    table.loc[60:79, "rain"] = 5  # a batch of which the filter leaves nothing
    write_batches(tmp_path / "in", table, 20)
    empty, killed = [], []
    with jme.spark.sink(SLOTS, name="air", state=tmp_path / "state") as sink:
        assert "one row is there or is absent" in sink.statement

        def deliver(batch, number):
            if number in (1, 4):

                def kill_one():
                    running = executors()
                    kill(running[0])
                    killed.append(running[0])

                killer = threading.Timer(0.3, kill_one)
                killer.start()
                sink(batch, number)  # its tasks take half a second, on every executor
                killer.join()
            empty.append(batch.isEmpty())
            sink(batch.repartition(2), number)
            sink(batch, number)

        frame = slowed(files(spark, tmp_path / "in").filter("rain < 1").repartition(4))
        run(frame, deliver, tmp_path / "checkpoint")
        # The last row may be in the slot that is open now, whose release is the next but one at most.
        wanted = len(sink.releases()) + 2
        end = time.monotonic() + 90
        while len(sink.releases()) < wanted and time.monotonic() < end:
            time.sleep(0.2)
        releases = sink.releases()
    assert empty == [number == 3 for number in range(10)]
    assert len(set(killed)) == 2
    assert len(releases) >= wanted
    assert [release["t"] for release in releases] == list(range(1, len(releases) + 1))
    # Noise of a thousandth of a row.
    assert releases[-1]["rows"] == pytest.approx((table["rain"] < 1).sum(), abs=0.1)


def test_a_sink_is_called_by_a_query(spark, tmp_path):
    with (
        jme.spark.sink(ROWS, name="air", state=tmp_path / "state", public_batches=True) as sink,
        pytest.raises(jme.Error, match="foreachBatch"),
    ):
        sink(spark.createDataFrame(made_up(5)), 0)
