"""A real broker, topics in it, and the command that reads them."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from confluent_kafka import Producer, TopicPartition
from confluent_kafka.admin import AdminClient, NewPartitions, NewTopic

pytest.register_assert_rewrite("readings")

SCRIPT = Path(__file__).with_name("broker")
BINARY = os.environ["JME_BINARY"]


class Broker:
    """One that can be killed and started again, with the same data."""

    def __init__(self, folder: Path, secure: bool = False) -> None:
        self.folder = folder
        if secure:
            self._do("secure")
        self.address = self._do("start")
        self.admin = AdminClient({"bootstrap.servers": self.address, "log_level": 0})
        self._names = 0

    def _do(self, what: str) -> str:
        done = subprocess.run([SCRIPT, what, self.folder], check=True, stdout=subprocess.PIPE, text=True)
        return done.stdout.strip()

    def kill(self) -> None:
        self._do("kill")

    def start(self) -> None:
        self._do("start")

    def stop(self) -> None:
        self._do("stop")

    def topic(self, partitions: int = 1, **config: str) -> str:
        self._names += 1
        name = f"rows-{self._names}"
        self.create(name, partitions, **config)
        return name

    def create(self, name: str, partitions: int, **config: str) -> None:
        topic = NewTopic(name, num_partitions=partitions, replication_factor=1, config=config)
        self.admin.create_topics([topic])[name].result(30)

    def delete(self, name: str) -> None:
        self.admin.delete_topics([name])[name].result(30)
        while name in self.admin.list_topics(timeout=30).topics:
            time.sleep(0.1)

    def add_partitions(self, name: str, total: int) -> None:
        self.admin.create_partitions([NewPartitions(name, total)])[name].result(30)

    def delete_records(self, name: str, partition: int, before: int) -> None:
        place = TopicPartition(name, partition, before)
        self.admin.delete_records([place])[place].result(30)

    def producer(self, **config: Any) -> Producer:
        # One that is not idempotent changes the order of records where it has to try again.
        common = {"bootstrap.servers": self.address, "linger.ms": 5, "enable.idempotence": True, "log_level": 0}
        return Producer({**common, **config})

    def url(self, topic: str) -> str:
        return f"kafka://{self.address}/{topic}"

    def write(self, topic: str, values: list[bytes | str | None], partitions: int = 1, seed: int = 1) -> None:
        """Values in their order, each in a partition that is drawn for it."""
        choose = random.Random(seed)
        producer = self.producer()
        for value in values:
            while True:
                try:
                    producer.produce(topic, value, partition=choose.randrange(partitions))
                    break
                except BufferError:
                    producer.poll(0.1)
        assert producer.flush(60) == 0


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    begin = time.monotonic()
    made = Broker(tmp_path_factory.mktemp("broker"))
    print(f"\nthe broker took {time.monotonic() - begin:.0f} s")
    yield made
    made.stop()


class Result:
    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def releases(self) -> str:
        """As they were printed, without the words of the configuration."""
        return self.out.partition("\n")[2]

    @property
    def last(self) -> dict[str, Any]:
        return json.loads(self.out.splitlines()[-1])


class Job:
    """The command on its way."""

    def __init__(self, arguments: list[str], folder: Path, environment: dict[str, str]) -> None:
        self._out = (folder / "out").open("w+")
        self._err = (folder / "err").open("w+")
        self.process = subprocess.Popen(
            [BINARY, "run", *arguments],
            stdout=self._out,
            stderr=self._err,
            stdin=subprocess.DEVNULL,
            env={**os.environ, **environment},
        )

    def releases(self) -> list[str]:
        """What is printed so far, in whole lines."""
        return Path(self._out.name).read_text().split("\n")[1:-1]

    def notes(self) -> str:
        return Path(self._err.name).read_text()

    def wait_until(self, condition: Callable[[], bool], timeout: float = 120) -> None:
        end = time.monotonic() + timeout
        while not condition():
            assert self.process.poll() is None, "it ended"
            assert time.monotonic() < end, "it takes too long"
            time.sleep(0.05)

    def wait_for_releases(self, count: int) -> None:
        """Until so many are printed; then it reads."""
        self.wait_until(lambda: self.process.poll() is not None or len(self.releases()) >= count)

    def kill(self, with_signal: int = signal.SIGKILL) -> None:
        self.process.send_signal(with_signal)

    def result(self, timeout: float = 120) -> Result:
        try:
            code = self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise
        texts = []
        for file in (self._out, self._err):
            file.seek(0)
            texts.append(file.read())
            file.close()
        return Result(code, *texts)


class Jme:
    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environment: dict[str, str] = {}

    def start(self, *arguments: str) -> Job:
        return Job(list(arguments), self.folder, self.environment)

    def run(self, *arguments: str, timeout: float = 120) -> Result:
        return self.start(*arguments).result(timeout)

    def file(self, name: str, lines: list[str]) -> str:
        path = self.folder / name
        path.write_text("".join(line + "\n" for line in lines))
        return str(path)

    def state(self, name: str = "state") -> str:
        return str(self.folder / name)


@pytest.fixture
def jme(tmp_path: Path) -> Jme:
    return Jme(tmp_path)
