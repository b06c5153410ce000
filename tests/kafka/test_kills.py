"""Runs that read topics are killed, and so is the broker: no row is lost, and none counts twice."""

from __future__ import annotations

import json
import random
import signal
import time

from readings import BOUNDS, BUDGET, DAY, LOUD, expect_all_rows, feed, kill_until_done, live_values, ok, rows


def test_twenty_kills_lose_no_row_and_repeat_none(broker, jme):
    values = rows(30_000)
    topic = broker.topic(3)
    broker.write(topic, values, 3)
    arguments = [broker.url(topic), *BUDGET, *BOUNDS, "--rows", "40000", "--every", "70"]
    expected = ok(jme.run(*arguments)).releases
    assert expected.count("\n") == 429  # 428 x 70 + 40
    print("kills:", kill_until_done(jme, arguments, expected, 1, 20))


def test_slots_of_own_times_survive_kills(broker, jme):
    values = rows(30_000)
    topic = broker.topic(4)
    broker.write(topic, values, 4)
    arguments = [broker.url(topic), *BUDGET, *BOUNDS, *DAY]
    expected = ok(jme.run(*arguments)).releases
    print("kills:", kill_until_done(jme, arguments, expected, 3, 5))


def test_live_slots_survive_twenty_kills(broker, jme):
    values = live_values(3000)
    topic = broker.topic(4)
    broker.write(topic, rows(50), 4)  # what came before the run does not count
    arguments = [broker.url(topic), *LOUD, "--steps", "60", "--state", jme.state()]
    draw = random.Random(4)
    job = jme.start(*arguments)
    job.wait_for_releases(1)
    state = {"job": job, "kills": 0, "due": time.monotonic() + 1}

    def meanwhile():
        if state["kills"] >= 20 or time.monotonic() < state["due"]:
            return
        state["job"].kill()
        assert state["job"].result().code == -signal.SIGKILL
        state["kills"] += 1
        state["job"] = jme.start(*arguments)
        state["due"] = time.monotonic() + draw.uniform(0.2, 1.2)

    feed(broker.producer(), topic, values, 30, 4, meanwhile)
    while state["kills"] < 20:  # the machine may be slow
        time.sleep(0.05)
        meanwhile()
    result = state["job"].result()
    assert result.releases.count("\n") == 60
    print("kills:", state["kills"])
    expect_all_rows(result, values)


def test_ctrl_c_keeps_the_open_slot_and_the_next_process_goes_on(broker, jme):
    values = live_values(800)
    topic = broker.topic(2)
    arguments = [broker.url(topic), *LOUD, "--steps", "12", "--state", jme.state()]
    job = jme.start(*arguments)
    job.wait_for_releases(1)
    broker.write(topic, values[:400], 2)
    time.sleep(1)
    job.kill(signal.SIGINT)
    stopped = job.result()
    assert stopped.code == -signal.SIGINT
    assert "is kept" in stopped.err
    broker.write(topic, values[400:], 2)  # while nobody reads
    expect_all_rows(jme.run(*arguments), values)


def test_runs_that_are_stopped_while_records_stream_in_lose_none(broker, jme):
    values = live_values(200_000)
    topic = broker.topic(2)
    arguments = [broker.url(topic), *LOUD, "--steps", "40", "--state", jme.state()]
    job = jme.start(*arguments)
    job.wait_for_releases(1)
    producer = broker.producer()
    draw = random.Random(5)
    for part in range(10):
        begin = len(values) * part // 10
        stop_at = begin + draw.randrange(len(values) // 20, len(values) // 10)
        for index in range(begin, len(values) * (part + 1) // 10):
            while True:
                try:
                    producer.produce(topic, values[index], partition=index % 2)
                    break
                except BufferError:
                    producer.poll(0.1)
            if index % 100 == 0:
                producer.poll(0)
            if index == stop_at:
                job.kill(signal.SIGINT if part % 2 == 0 else signal.SIGTERM)
                assert job.result().code in (-signal.SIGINT, -signal.SIGTERM)
                job = jme.start(*arguments)
    assert producer.flush(120) == 0
    expect_all_rows(job.result(), values)


def test_following_rows_of_one_partition_comes_to_the_releases_of_a_file(broker, jme):
    values = rows(300)
    topic = broker.topic()
    broker.write(topic, values[:120])
    arguments = [*BUDGET, *BOUNDS, "--rows", "300", "--every", "50"]
    job = jme.start(broker.url(topic), *arguments, "--follow", "--state", jme.state())
    job.wait_for_releases(2)
    broker.write(topic, values[120:])
    job.wait_for_releases(6)
    job.kill(signal.SIGTERM)
    expected = ok(jme.run(jme.file("rows.ndjson", values), *arguments))
    assert job.result().releases == expected.releases


def rows_of_last_release(job) -> int:
    releases = job.releases()
    return round(json.loads(releases[-1])["rows"]) if releases else 0


def test_a_broker_that_is_killed_ten_times_loses_nothing(broker, jme):
    values = live_values(2000)
    topic = broker.topic(2)
    arguments = [broker.url(topic), *LOUD, "--steps", "300", "--state", jme.state()]
    job = jme.start(*arguments)
    job.wait_for_releases(1)
    producer = broker.producer(**{"message.timeout.ms": 300_000})
    for part in range(10):
        for value in values[200 * part : 200 * part + 200]:
            producer.produce(topic, value, partition=part % 2)
        producer.poll(0.2)
        broker.kill()
        time.sleep(0.5)
        broker.start()
    assert producer.flush(120) == 0
    job.wait_until(lambda: rows_of_last_release(job) >= len(values))
    job.wait_for_releases(len(job.releases()) + 3)  # nothing comes twice
    job.kill(signal.SIGINT)
    stopped = job.result()
    assert "no Kafka broker answers" in stopped.err
    assert round(stopped.last["rows"]) == len(values)
