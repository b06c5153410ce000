"""Limits of rows per person where the rows come from a topic."""

from __future__ import annotations

import json
import random
import signal

import pytest
from readings import BOUNDS, BUDGET, DAY, LOUD, expect_all_rows, kill_until_done, ok, rows


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


def test_kills_forget_nobody_whose_rows_are_limited(broker, jme):
    values = rows(20_000, people=3000)
    topic = broker.topic()
    broker.write(topic, values)
    arguments = ["--person", "who", "--rows-per-person", "3", *BUDGET, *BOUNDS, "--rows", "30000", "--every", "100"]
    expected = ok(jme.run(jme.file("rows.ndjson", values), "--on-bad-row", "zero", *arguments)).releases
    print("kills:", kill_until_done(jme, [broker.url(topic), *arguments], expected, 2, 5))


def test_which_records_of_a_person_count_depends_on_offsets_alone(broker, jme):
    draw = random.Random(11)
    parts: list[list[str]] = [[] for _ in range(4)]
    for value in rows(2000, people=150):  # the records of a person are in all partitions, and differ in size
        padded = {**json.loads(value), "other": "x" * int(10 ** draw.uniform(0, 4))}
        parts[draw.randrange(4)].append(json.dumps(padded))
    topic = broker.topic(4)
    producer = broker.producer()
    for part, values in enumerate(parts):
        for value in values:
            producer.produce(topic, value, partition=part)
    assert producer.flush(60) == 0
    in_order = jme.file("rows.ndjson", [value for values in parts for value in values])
    limit = ["--person", "who", "--rows-per-person", "4", *BUDGET, *BOUNDS]
    hurry = ["--kafka-option", "fetch.wait.max.ms=1", "--kafka-option", "fetch.message.max.bytes=1000"]
    whole = ["--kafka-option", "fetch.min.bytes=50000000", "--kafka-option", "fetch.wait.max.ms=300"]
    for steps in [DAY, ["--rows", "2000", "--every", "100"]]:
        expected = ok(jme.run(in_order, *limit, *steps, "--on-bad-row", "zero")).releases
        for pace in [[], hurry, whole]:
            assert ok(jme.run(broker.url(topic), *limit, *steps, *pace)).releases == expected


def test_following_several_partitions_needs_each_person_in_one(broker, jme):
    topic = broker.topic(2)
    limit = ["--person", "who", "--rows-per-person", "2"]
    refused = jme.run(broker.url(topic), *LOUD, "--steps", "3", *limit)
    assert refused.code == 2
    assert "each-person-in-one-partition" in refused.err and "2 partitions" in refused.err
    one = broker.topic(1)
    ok(jme.run(broker.url(one), *LOUD, "--steps", "1", *limit))


def test_the_statement_names_what_is_assumed_of_partitions(broker, jme):
    limit = ["--person", "who", "--rows-per-person", "2", "--each-person-in-one-partition"]
    plan = [broker.url(broker.topic(1)), *BUDGET, *BOUNDS, *limit, "--dry-run"]
    live = ["--steps", "2", "--every", "1s", "--follow"]
    assumed = "assumed to be in one partition"
    assert assumed in " ".join(ok(jme.run(*plan, *live)).out.split())
    assert assumed not in " ".join(ok(jme.run(*plan, "--rows", "2000", "--every", "100")).out.split())


def test_live_limits_per_person_survive_kills(broker, jme):
    values = [
        json.dumps({"who": f"p{index % 200}", "temp": index % 60 - 15, "co": index % 97}) for index in range(1000)
    ]
    topic = broker.topic(3)
    limit = ["--person", "who", "--rows-per-person", "2", "--each-person-in-one-partition"]
    arguments = [broker.url(topic), *LOUD, "--steps", "30", "--state", jme.state(), *limit]
    jobs = [jme.start(*arguments)]
    jobs[0].wait_for_releases(1)
    producer = broker.producer()
    for begin in range(0, 1000, 100):  # everybody has 5 records, one of them in every second part
        for index in range(begin, begin + 100):
            producer.produce(topic, values[index], partition=index % 200 % 3)
        assert producer.flush(60) == 0
        jobs[-1].kill()
        assert jobs[-1].result().code == -signal.SIGKILL
        jobs.append(jme.start(*arguments))
    expect_all_rows(jobs[-1].result(), values[:400])
    print("kills:", len(jobs) - 1)
