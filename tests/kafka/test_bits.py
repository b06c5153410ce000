"""`jme run kafka://...` against a real broker: the same releases as from a file."""

from __future__ import annotations

import pytest
from readings import BOUNDS, BUDGET, DAY, ok, rows


@pytest.mark.parametrize("partitions", [1, 4])
@pytest.mark.parametrize("durable", [False, True])
def test_slots_of_own_times_have_the_releases_of_a_file(broker, jme, partitions, durable):
    values = rows(5000)
    topic = broker.topic(partitions)
    broker.write(topic, values, partitions)
    arguments = [*BUDGET, *BOUNDS, *DAY]
    expected = ok(jme.run(jme.file("rows.ndjson", values), *arguments))
    assert expected.releases.count("\n") == 24
    state = ["--state", jme.state()] if durable else []
    assert ok(jme.run(broker.url(topic), *arguments, *state)).releases == expected.releases
    if durable:  # a second process, after more records have come, repeats what was released
        broker.write(topic, rows(100, 9), partitions)
        assert ok(jme.run(broker.url(topic), *arguments, *state)).releases == expected.releases


@pytest.mark.parametrize("partitions", [1, 4])
def test_a_block_of_the_whole_topic_has_the_release_of_a_file(broker, jme, partitions):
    values = rows(3000)
    topic = broker.topic(partitions)
    broker.write(topic, values, partitions)
    arguments = [*BUDGET, *BOUNDS, "--rows", "3000", "--every", "3000"]
    expected = ok(jme.run(jme.file("rows.ndjson", values), *arguments))
    assert ok(jme.run(broker.url(topic), *arguments)).releases == expected.releases


def test_rows_of_one_partition_have_the_releases_of_a_file(broker, jme):
    values = rows(3000)
    topic = broker.topic()
    broker.write(topic, values)
    arguments = [*BUDGET, *BOUNDS, "--rows", "4000", "--every", "100"]
    expected = ok(jme.run(jme.file("rows.ndjson", values), *arguments))
    for state in [[], ["--state", jme.state()], ["--state", jme.state()]]:
        assert ok(jme.run(broker.url(topic), *arguments, *state)).releases == expected.releases


def test_csv_values_have_the_releases_of_a_file_without_a_header(broker, jme):
    values = [f"{index % 37},{index % 11}" for index in range(500)]
    topic = broker.topic()
    broker.write(topic, values)
    arguments = [*BUDGET, "--bounds", "1=0:40,2=0:12", "--rows", "500", "--every", "100", "--format", "csv"]
    expected = ok(jme.run(jme.file("rows.csv", values), "--no-header", *arguments))
    assert ok(jme.run(broker.url(topic), *arguments)).releases == expected.releases


def test_a_large_record_that_is_packed_well_is_one_bad_row(broker, jme):
    values = ['{"temp": 1, "co": 2}', "x" * (90 << 20), '{"temp": 3, "co": 4}']
    topic = broker.topic()
    producer = broker.producer(**{"compression.type": "zstd", "message.max.bytes": 200_000_000})
    for value in values:  # each in a batch of its own
        producer.produce(topic, value)
        assert producer.flush(60) == 0
    arguments = [*BUDGET, *BOUNDS, "--rows", "3", "--every", "1"]
    found = ok(jme.run(broker.url(topic), *arguments))
    lines = jme.file("rows.ndjson", [values[0], "no row", values[2]])
    assert found.releases == ok(jme.run(lines, "--on-bad-row", "zero", *arguments)).releases


def test_line_breaks_in_a_value_are_blanks_and_one_at_its_end_is_left_out(broker, jme):
    topic = broker.topic()
    broker.write(topic, ['{"temp": 1,\n "co": 2}', '{"temp": 3, "co": 4}\n', "[5,\r\n6]"])
    lines = jme.file("rows.ndjson", ['{"temp": 1, "co": 2}', '{"temp": 3, "co": 4}', "[5, 6]"])
    arguments = [*BUDGET, *BOUNDS, "--rows", "3", "--every", "1"]
    found = ok(jme.run(broker.url(topic), *arguments))
    assert found.releases == ok(jme.run(lines, "--on-bad-row", "zero", *arguments)).releases


def test_four_partitions_are_read_one_after_another(broker, jme):
    values = rows(400)
    topic = broker.topic(4)
    producer = broker.producer()
    for index, value in enumerate(values):
        producer.produce(topic, value, partition=index % 4)
    assert producer.flush(60) == 0
    in_order = [value for part in range(4) for value in values[part::4]]
    arguments = [*BUDGET, *BOUNDS, "--rows", "400", "--every", "50"]
    expected = ok(jme.run(jme.file("rows.ndjson", in_order), *arguments))
    assert ok(jme.run(broker.url(topic), *arguments)).releases == expected.releases


def test_aborted_and_open_transactions_do_not_count(broker, jme):
    values = rows(600)
    topic = broker.topic()
    producer = broker.producer(**{"transactional.id": "t1"})
    producer.init_transactions(30)
    committed = []
    for begin in range(0, 600, 50):
        producer.begin_transaction()
        for value in values[begin : begin + 50]:
            producer.produce(topic, value)
        producer.flush(30)
        if begin % 150 == 100:
            producer.abort_transaction(30)
        else:
            producer.commit_transaction(30)
            committed += values[begin : begin + 50]
    producer.begin_transaction()  # and one that is not over
    for value in rows(30, 8):
        producer.produce(topic, value)
    producer.flush(30)
    assert len(committed) == 400
    arguments = [*BUDGET, *BOUNDS, "--rows", "1000", "--every", "64"]
    expected = ok(jme.run(jme.file("rows.ndjson", committed), *arguments))
    durable = [*arguments, "--state", jme.state(), "--leave-open"]
    plain = ok(jme.run(broker.url(topic), *arguments))
    assert plain.releases == expected.releases
    whole = expected.releases.splitlines()[:6]  # 400 = 6 x 64 + 16
    assert ok(jme.run(broker.url(topic), *durable)).releases.splitlines() == whole
    # The open one is aborted, and another committed: the next process goes on after the markers.
    producer.abort_transaction(30)
    producer.begin_transaction()
    more = rows(100, 5)
    for value in more:
        producer.produce(topic, value)
    producer.commit_transaction(30)
    expected = ok(jme.run(jme.file("rows.ndjson", committed + more), *arguments))
    whole = expected.releases.splitlines()[:7]
    assert ok(jme.run(broker.url(topic), *durable)).releases.splitlines() == whole


@pytest.mark.parametrize("private", [False, True])
def test_poison_is_one_row_without_cells_in_its_place(broker, jme, private):
    poison = [
        None,
        b"",
        b"\x00\x01\x02",
        b"{",
        b"[1,",
        b'{"temp":"x","co":1}',
        b"\xff\xfe",
        b"9" * 900_000,
        b'{"temp":1e999,"co":1}',
        b"\n\n",
    ]
    good = rows(200)
    values: list[bytes | str | None] = []
    lines = []
    for index, value in enumerate(good):
        values.append(value)
        lines.append(value)
        if index % 20 == 0:
            values.append(poison[(index // 20) % len(poison)])
            lines.append("{")  # one bad row
    topic = broker.topic(**{"max.message.bytes": "2000000"})
    broker.write(topic, values)
    arguments = [*BUDGET, *BOUNDS, "--rows", "210", "--every", "30", *(["--private-count"] if private else [])]
    expected = ok(jme.run(jme.file("rows.ndjson", lines), "--on-bad-row", "zero", *arguments))
    found = ok(jme.run(broker.url(topic), *arguments))
    assert found.releases == expected.releases
    assert "999" not in found.err and "temp" not in found.err.replace("column temp", "")
