"""Rows that tests write into topics, and what they expect of runs that read them."""

from __future__ import annotations

import json
import random
import signal
import time

import pytest

BUDGET = ["--epsilon", "1", "--delta", "1e-6", "--insecure-test-seed", "7"]
BOUNDS = ["--bounds", "temp=-20:45,co=0:100"]
DAY = ["--time", "when", "--every", "1h", "--from", "2026-01-01", "--until", "2026-01-02"]
# Hardly any noise, so that the number of rows can be read from a release.
LOUD = ["--sigma", "1e-4", *BOUNDS, "--emit", "mean", "--follow", "--every", "1s"]


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


def live_values(count: int) -> list[str]:
    return [json.dumps({"temp": index % 60 - 15, "co": index % 97}) for index in range(count)]


def ok(result):
    assert result.code == 0, result.err
    return result


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
