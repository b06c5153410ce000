"""What ends a run that reads a topic, and settings that are refused."""

from __future__ import annotations

import re
import signal

from readings import BOUNDS, BUDGET, DAY, LOUD, ok, rows


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
    job.wait_for_releases(1)
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
    broker.create(topic, 1)
    broker.write(topic, rows(20, 6))
    refused = jme.run(*arguments)
    assert refused.code == 3 and "was made anew" in refused.err


def test_slots_that_were_released_are_not_released_for_other_rows(broker, jme):
    topic = broker.topic()
    broker.write(topic, rows(500))
    arguments = [broker.url(topic), *BUDGET, *BOUNDS, *DAY, "--state", jme.state()]
    ok(jme.run(*arguments))
    broker.delete(topic)
    broker.create(topic, 1)
    broker.write(topic, rows(600, 9))
    refused = jme.run(*arguments)
    assert refused.code == 5 and "was released with other sums" in refused.err
    assert refused.out == ""


def test_a_run_that_follows_tells_that_partitions_were_added(broker, jme):
    topic = broker.topic()
    job = jme.start(broker.url(topic), *LOUD, "--steps", "60")
    job.wait_for_releases(1)
    broker.add_partitions(topic, 2)
    job.wait_until(lambda: "has 2 partitions now" in job.notes())
    job.kill(signal.SIGINT)
    job.result()


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
        (["--rows", "10", "--kafka-option", "api.version.request=false"], "jme sets this one itself"),
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
    file = jme.run(jme.file("rows.ndjson", rows(10)), *common[1:], "--rows", "10", "--each-person-in-one-partition")
    assert file.code == 2 and "is for an input kafka" in file.err
    result = jme.run(*common, "--rows", "10", "--kafka-options", jme.file("torn", ["client.id=x", "", "hunter2"]))
    assert result.code == 2 and "line 3" in result.err and "hunter2" not in result.err
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
