"""`jme run kafka://...` against a real broker: the same releases as from a file, whatever goes wrong meanwhile."""

from __future__ import annotations

import json
import random
import re
import signal
import time

import pytest

BUDGET = ["--epsilon", "1", "--delta", "1e-6", "--insecure-test-seed", "7"]
BOUNDS = ["--bounds", "temp=-20:45,co=0:100"]
DAY = ["--time", "when", "--every", "1h", "--from", "2026-01-01", "--until", "2026-01-02"]


def rows(count: int, seed: int = 3, people: int = 50) -> list[str]:
    draw = random.Random(seed)
    return [
        json.dumps(
            {
                "who": f"p{draw.randrange(people)}",
                "when": f"2026-01-01T{draw.randrange(24):02}:{draw.randrange(60):02}:00Z",
                "temp": round(draw.gauss(12, 8), 3),
                "co": round(draw.gauss(30, 20), 3),
            }
        )
        for _ in range(count)
    ]


def ok(result):
    assert result.code == 0, result.err
    return result


# Bits.


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


# Transactions.


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


# Records that nobody can use.


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


# Kills of the reader.


def kill_until_done(jme, arguments, expected, seed, least):
    draw = random.Random(seed)
    begin = time.monotonic()
    ok(jme.run(*arguments, "--state", jme.state("timing")))
    length = time.monotonic() - begin
    kills = 0
    for stream in range(1000):
        state = ["--commit-interval", "1", "--state", jme.state(f"state{stream}")]
        while True:
            job = jme.start(*arguments, *state)
            time.sleep(draw.uniform(0.2, 1.1) * length)
            job.kill()
            result = job.result()
            whole = result.releases[: result.releases.rfind("\n") + 1]
            assert expected.startswith(whole)
            if result.code != -signal.SIGKILL:
                assert result.code == 0, result.err
                assert whole == expected
                break
            kills += 1
        assert ok(jme.run(*arguments, *state)).releases == expected
        if kills >= least:
            return kills
    raise AssertionError("no kills")


def test_twenty_kills_lose_no_row_and_repeat_none(broker, jme):
    values = rows(30_000)
    topic = broker.topic(3)
    broker.write(topic, values, 3)
    arguments = [broker.url(topic), *BUDGET, *BOUNDS, "--rows", "40000", "--every", "70"]
    expected = ok(jme.run(*arguments)).releases
    assert expected.count("\n") == 429  # 428 x 70 + 40
    print("kills:", kill_until_done(jme, arguments, expected, 1, 20))


def test_kills_forget_nobody_whose_rows_are_limited(broker, jme):
    values = rows(20_000, people=3000)
    topic = broker.topic()
    broker.write(topic, values)
    arguments = ["--person", "who", "--rows-per-person", "3", *BUDGET, *BOUNDS, "--rows", "30000", "--every", "100"]
    expected = ok(jme.run(jme.file("rows.ndjson", values), "--on-bad-row", "zero", *arguments)).releases
    print("kills:", kill_until_done(jme, [broker.url(topic), *arguments], expected, 2, 5))


def test_slots_of_own_times_survive_kills(broker, jme):
    values = rows(30_000)
    topic = broker.topic(4)
    broker.write(topic, values, 4)
    arguments = [broker.url(topic), *BUDGET, *BOUNDS, *DAY]
    expected = ok(jme.run(*arguments)).releases
    print("kills:", kill_until_done(jme, arguments, expected, 3, 5))


@pytest.mark.parametrize("partitions", [1, 4])
def test_a_limit_per_person_gives_the_releases_of_a_file(broker, jme, partitions):
    values = rows(4000, people=300)
    topic = broker.topic(partitions)
    producer = broker.producer()
    for value in values:  # all records of a person are in one partition, in their order
        producer.produce(topic, value, partition=int(json.loads(value)["who"][1:]) % partitions)
    assert producer.flush(60) == 0
    arguments = ["--person", "who", "--rows-per-person", "4", *BUDGET, *BOUNDS, *DAY]
    expected = ok(jme.run(jme.file("rows.ndjson", values), *arguments))
    assert ok(jme.run(broker.url(topic), *arguments)).releases == expected.releases


# Live. Hardly any noise, so that the number of rows can be read from a release.

LOUD = ["--sigma", "1e-4", *BOUNDS, "--emit", "mean", "--follow", "--every", "1s"]


def live_values(count: int) -> list[str]:
    return [json.dumps({"temp": index % 60 - 15, "co": index % 97}) for index in range(count)]


def expect_all_rows(result, values):
    ok(result)
    last = result.last
    cells = [json.loads(value) for value in values]
    assert round(last["rows"]) == len(values), "rows were lost or came twice"
    assert last["mean"][0] == pytest.approx(sum(c["temp"] for c in cells) / len(cells), abs=1e-3)
    assert last["mean"][1] == pytest.approx(sum(c["co"] for c in cells) / len(cells), abs=1e-3)


def feed(producer, topic, values, seconds, partitions, meanwhile):
    """Gives records evenly for a while."""
    begin = time.monotonic()
    for index, value in enumerate(values):
        due = begin + seconds * index / len(values)
        while time.monotonic() < due:
            producer.poll(0.01)
            meanwhile()
        producer.produce(topic, value, partition=index % partitions)
    assert producer.flush(120) == 0


def test_live_slots_survive_twenty_kills(broker, jme):
    values = live_values(3000)
    topic = broker.topic(4)
    broker.write(topic, rows(50), 4)  # what came before the run does not count
    arguments = [broker.url(topic), *LOUD, "--steps", "60", "--state", jme.state()]
    draw = random.Random(4)
    job = jme.start(*arguments)
    time.sleep(2)
    state = {"job": job, "kills": 0, "due": time.monotonic() + 1}

    def meanwhile():
        if state["kills"] >= 20 or time.monotonic() < state["due"]:
            return
        state["job"].kill()
        state["job"].result()
        state["kills"] += 1
        state["job"] = jme.start(*arguments)
        state["due"] = time.monotonic() + draw.uniform(0.2, 1.2)

    feed(broker.producer(), topic, values, 30, 4, meanwhile)
    while state["kills"] < 20:  # the machine may be slow
        time.sleep(0.05)
        meanwhile()
    result = state["job"].result()
    assert result.releases.count("\n") == 60
    expect_all_rows(result, values)


def test_ctrl_c_keeps_the_open_slot_and_the_next_process_goes_on(broker, jme):
    values = live_values(800)
    topic = broker.topic(2)
    arguments = [broker.url(topic), *LOUD, "--steps", "12", "--state", jme.state()]
    job = jme.start(*arguments)
    time.sleep(2)
    broker.write(topic, values[:400], 2)
    time.sleep(1)
    job.kill(signal.SIGINT)
    stopped = job.result()
    assert stopped.code == -signal.SIGINT
    assert "is kept" in stopped.err
    broker.write(topic, values[400:], 2)  # while nobody reads
    expect_all_rows(jme.run(*arguments), values)


def test_following_rows_of_one_partition_comes_to_the_releases_of_a_file(broker, jme):
    values = rows(300)
    topic = broker.topic()
    broker.write(topic, values[:120])
    arguments = [*BUDGET, *BOUNDS, "--rows", "300", "--every", "50"]
    job = jme.start(broker.url(topic), *arguments, "--follow", "--state", jme.state())
    time.sleep(2)
    broker.write(topic, values[120:])
    time.sleep(2)
    job.kill(signal.SIGTERM)
    expected = ok(jme.run(jme.file("rows.ndjson", values), *arguments))
    assert job.result().releases == expected.releases


# The broker.


def test_a_broker_that_is_killed_ten_times_loses_nothing(broker, jme):
    values = live_values(2000)
    topic = broker.topic(2)
    arguments = [broker.url(topic), *LOUD, "--steps", "300", "--state", jme.state()]
    job = jme.start(*arguments)
    time.sleep(3)
    producer = broker.producer(**{"message.timeout.ms": 300_000})
    for part in range(10):
        for value in values[200 * part : 200 * part + 200]:
            producer.produce(topic, value, partition=part % 2)
        producer.poll(0.2)
        broker.kill()
        time.sleep(0.5)
        broker.start()
    assert producer.flush(120) == 0
    time.sleep(8)
    job.kill(signal.SIGINT)
    stopped = job.result()
    assert "no Kafka broker answers" in stopped.err
    # The slots that are left pass at once where the schedule is short: only the count of rows matters.
    last = [line for line in stopped.out.splitlines() if '"rows"' in line][-1]
    assert round(json.loads(last)["rows"]) == len(values)


# What ends a run.


def left_open(jme) -> list[str]:
    return [*BUDGET, *BOUNDS, "--rows", "1000", "--every", "50", "--state", jme.state(), "--leave-open"]


def test_records_that_retention_deleted_are_not_passed_over(broker, jme):
    topic = broker.topic()
    broker.write(topic, rows(200))
    arguments = [broker.url(topic), *left_open(jme)]
    ok(jme.run(*arguments))
    broker.write(topic, rows(100, 5))
    broker.delete_records(topic, 0, 230)
    gap = jme.run(*arguments)
    assert gap.code == 3
    assert "offset 200 is not there" in gap.err
    assert gap.out == ""


def test_another_topic_is_refused(broker, jme):
    topic, other = broker.topic(), broker.topic()
    broker.write(topic, rows(100))
    broker.write(other, rows(100))
    arguments = left_open(jme)
    ok(jme.run(broker.url(topic), *arguments))
    refused = jme.run(broker.url(other), *arguments)
    assert refused.code == 5
    assert "this stream reads the topic" in refused.err
    file = jme.run(jme.file("rows.ndjson", rows(10)), *arguments)
    assert file.code == 5


def test_a_topic_that_is_not_there_or_was_deleted_ends_the_run(broker, jme):
    missing = jme.run(broker.url("nothing-here"), *BUDGET, *BOUNDS, "--rows", "10")
    assert missing.code == 3 and "there is no such topic" in missing.err
    topic = broker.topic()
    job = jme.start(broker.url(topic), *LOUD, "--steps", "1000", "--state", jme.state())
    time.sleep(3)
    broker.delete(topic)
    gone = job.result(180)
    assert gone.code == 3 and "it was deleted" in gone.err
    assert "is kept" in gone.err


def test_a_topic_made_anew_is_refused_where_its_offsets_show_it(broker, jme):
    topic = broker.topic()
    broker.write(topic, rows(200))
    arguments = [broker.url(topic), *left_open(jme)]
    ok(jme.run(*arguments))
    broker.delete(topic)
    time.sleep(3)
    broker.create(topic, 1)
    broker.write(topic, rows(20, 6))
    refused = jme.run(*arguments)
    assert refused.code == 3 and "was made anew" in refused.err


def test_partitions_that_were_added_are_read_from_their_first_record(broker, jme):
    values = rows(300)
    topic = broker.topic()
    broker.write(topic, values[:200])
    arguments = [*BUDGET, *BOUNDS, "--rows", "300", "--every", "100"]
    durable = [broker.url(topic), *arguments, "--state", jme.state(), "--leave-open"]
    ok(jme.run(*durable))
    broker.add_partitions(topic, 2)
    producer = broker.producer()
    for value in values[200:]:
        producer.produce(topic, value, partition=1)
    assert producer.flush(60) == 0
    expected = ok(jme.run(jme.file("rows.ndjson", values), *arguments))
    assert ok(jme.run(*durable)).releases == expected.releases


def test_settings_that_would_break_the_promise_are_refused(broker, jme):
    topic = broker.topic(2)
    url = broker.url(topic)
    common = [url, *BUDGET, *BOUNDS]
    for arguments, text in [
        (["--rows", "10", "--kafka-option", "isolation.level=read_uncommitted"], "jme sets this one itself"),
        (["--rows", "10", "--kafka-option", "sasl.password=hunter2"], "command lines"),
        (["--kafka-option", "no.such.option=1", "--rows", "10"], "option of librdkafka"),
        (["--rows", "10", "--kafka-option", "socket.timeout.ms=hunter2"], "does not take the value"),
        (["--rows", "10", "--on-bad-row", "fail"], "would end the run for all others"),
        (["--rows", "10", "--missing", "fail"], "would end the run for all others"),
        (["--rows", "10", "--format", "npy"], "ndjson or csv"),
        (["--rows", "10", "--follow"], "2 partitions"),
        (["--every", "1h", "--steps", "3"], "follow"),
    ]:
        result = jme.run(*common, *arguments)
        assert result.code == 2, result.err
        assert text in result.err
        assert "hunter2" not in result.err
    found = jme.run("--kafka-option", "client.id=x", "--kafka-option", "fetch.wait.max.ms=10", *common, "--rows", "10")
    assert found.code == 3 and "no rows" in found.err
    secrets = jme.file("secrets", ["# a comment", "sasl.password=hunter2"])
    (jme.folder / "secrets").chmod(0o644)
    result = jme.run(*common, "--rows", "10", "--kafka-options", secrets)
    assert result.code == 2 and "chmod 600" in result.err
    (jme.folder / "secrets").chmod(0o600)
    assert jme.run(*common, "--rows", "10", "--kafka-options", secrets).code == 3  # no rows


def test_errors_never_show_a_value(broker, jme):
    topic = broker.topic()
    secret = "31337.4242"
    broker.write(topic, [f'{{"temp":{secret}, "co":"{secret}"}}', secret, f"{{{secret}"] * 10)
    arguments = [broker.url(topic), *BUDGET, *BOUNDS, "--every", "10", "--state", jme.state()]
    for horizon in ["5", "30"]:
        result = jme.run(*arguments, "--rows", horizon, "--stream", horizon)
        assert result.code == (4 if horizon == "5" else 0), result.err
        assert secret not in result.err and not re.search("31337", result.out + result.err)
