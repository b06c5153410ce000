"""The network of an executor is cut in the midst of batches: network.py FOLDER, inside a network namespace of its own.

A standalone master and a worker are here, a second worker is behind a virtual cable in a second namespace. Prints how
often the cable was cut while tasks ran behind it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
HERE, THERE = "10.77.0.1", "10.77.0.2"
os.environ["SPARK_LOCAL_IP"] = HERE
import conftest

os.environ["SPARK_LOCAL_IP"] = HERE
import jme.spark
from standalone import Standalone, wait_for
from test_streams import ROWS, files, run, slowed

folder = Path(sys.argv[1])
cluster = Standalone(folder)


def do(*words: str) -> None:
    subprocess.run(words, check=True)


cable = "cable0"
try:
    holder = cluster.start("unshare", "--net", "sleep", "3600")
    wait_for(lambda: os.readlink(f"/proc/{holder.pid}/ns/net") != os.readlink("/proc/self/ns/net"), "a namespace")
    inside = ["nsenter", "--target", str(holder.pid), "--net"]
    do("ip", "link", "set", "lo", "up")
    do("ip", "link", "add", cable, "type", "veth", "peer", "name", "cable1", "netns", str(holder.pid))
    do("ip", "addr", "add", f"{HERE}/24", "dev", cable)
    do("ip", "link", "set", cable, "up")
    do(*inside, "ip", "link", "set", "lo", "up")
    do(*inside, "ip", "addr", "add", f"{THERE}/24", "dev", "cable1")
    do(*inside, "ip", "link", "set", "cable1", "up")
    master = cluster.master(HERE, 7077)
    cluster.worker(master, HERE)
    cluster.worker(master, THERE, inside=holder.pid)

    session = conftest.session_for(
        master,
        folder,
        **{
            "spark.driver.host": HERE,
            "spark.driver.bindAddress": HERE,
            "spark.executor.heartbeatInterval": "1s",
            "spark.locality.wait": "0s",  # tasks go to both executors
            "spark.network.timeout": "6s",
            "spark.network.timeoutInterval": "2s",
            "spark.storage.blockManagerHeartbeatTimeoutMs": "6s",
            "spark.storage.blockManagerSlaveTimeoutMs": "6s",
            "spark.shuffle.io.maxRetries": "1",
            "spark.shuffle.io.retryWait": "1s",
            "spark.executor.memory": "768m",
        },
    )

    def hosts() -> set[str]:
        text = str(session.sparkContext._jsc.sc().getExecutorMemoryStatus().keys().mkString(","))
        return {address.split(":")[0] for address in text.split(",")}

    def busy_there() -> bool:
        infos = session.sparkContext._jsc.sc().statusTracker().getExecutorInfos()
        return any(info.host() == THERE and info.numRunningTasks() > 0 for info in infos)

    wait_for(lambda: THERE in hosts(), "an executor behind the cable")
    cuts = 0
    with jme.spark.sink(ROWS, name="air", state=folder / "state", public_batches=True) as sink:

        def deliver(batch: Any, number: int) -> None:
            global cuts
            if cuts == 5:
                sink(batch, number)
                return
            wait_for(lambda: THERE in hosts(), "an executor behind the cable again")
            given: list[BaseException] = []
            is_done = threading.Event()

            def cut() -> None:
                global cuts
                try:
                    wait_for(lambda: busy_there() or is_done.is_set(), "a task behind the cable")
                    if is_done.is_set():
                        return  # the other executor was quicker
                    do("ip", "link", "set", cable, "down")
                    cuts += 1
                    wait_for(lambda: not busy_there(), "the loss is noticed")
                    do("ip", "link", "set", cable, "up")
                except BaseException as error:
                    given.append(error)

            thread = threading.Thread(target=cut)
            thread.start()
            sink(batch, number)
            is_done.set()
            thread.join()
            if given:
                raise given[0]

        run(slowed(files(session, folder / "in").repartition(4)), deliver, folder / "checkpoint")
        (folder / "releases").write_text(json.dumps(sink.releases()))
    session.stop()
    print(cuts)
finally:
    cluster.end()
