"""A standalone cluster as processes of one program, and what belongs to waiting for them."""

from __future__ import annotations

import socket
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pyspark

SPARK = Path(pyspark.__file__).parent


def wait_for(condition: Callable[[], bool], what: str) -> None:
    end = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < end, what
        time.sleep(0.2)


class Standalone:
    """What it starts it ends."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._children: list[subprocess.Popen[bytes]] = []

    def start(self, *words: str) -> subprocess.Popen[bytes]:
        log = (self._folder / f"process-{len(self._children)}.log").open("wb")
        self._children.append(subprocess.Popen(words, stdout=log, stderr=log, stdin=subprocess.DEVNULL))
        return self._children[-1]

    def _spark_class(self, name: str, *words: str, at: str, inside: int | None = None) -> None:
        enter = [] if inside is None else ["nsenter", "--target", str(inside), "--net"]
        environment = ["env", f"SPARK_LOCAL_IP={at}", "SPARK_DAEMON_MEMORY=256m", f"SPARK_LOG_DIR={self._folder}"]
        self.start(*enter, *environment, str(SPARK / "bin" / "spark-class"), f"org.apache.spark.deploy.{name}", *words)

    def master(self, host: str, port: int) -> str:
        """Its address."""

        def answers() -> bool:
            with socket.socket() as connection:
                return connection.connect_ex((host, port)) == 0

        self._spark_class("master.Master", "--host", host, "--port", str(port), "--webui-port", "0", at=host)
        wait_for(answers, "a master")
        return f"spark://{host}:{port}"

    def worker(self, master: str, host: str, inside: int | None = None) -> None:
        """`inside`: in the network of this process."""
        words = f"--work-dir {self._folder}/work-{host} --host {host} --webui-port 0 --cores 1 --memory 1g".split()
        self._spark_class("worker.Worker", *words, master, at=host, inside=inside)

    def end(self) -> None:
        for child in reversed(self._children):
            child.kill()
            child.wait()
