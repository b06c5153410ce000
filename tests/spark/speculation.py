"""Two hosts of this machine, of which one is slow: speculation.py FOLDER. The sums of one partition are made twice."""

from __future__ import annotations

import json
import socket
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import conftest
import jme.spark
from conftest import SEEDED, made_up
from standalone import Standalone, wait_for

folder = Path(sys.argv[1])
marks = folder / "marks"
marks.mkdir()


def slow_at_first(batches: Any) -> Any:
    from pyspark import TaskContext

    task = TaskContext.get()
    (marks / f"{task.partitionId()}-{task.attemptNumber()}").touch()
    if task.partitionId() == 0 and task.attemptNumber() == 0:
        time.sleep(30)
    yield from batches


with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]
cluster = Standalone(folder)
try:
    master = cluster.master("127.0.0.1", port)
    for host in ("127.0.0.1", "127.0.0.2"):
        cluster.worker(master, host)
    session = conftest.session_for(
        master,
        folder,
        **{
            "spark.speculation": "true",
            "spark.speculation.interval": "100ms",
            "spark.speculation.quantile": "0.5",
            "spark.speculation.minTaskRuntime": "100ms",
            "spark.locality.wait": "0s",
            "spark.executor.memory": "768m",
        },
    )
    # One address is the driver's.
    memory = session.sparkContext._jsc.sc().getExecutorMemoryStatus
    wait_for(lambda: memory().size() == 3, "two executors")
    rows = session.createDataFrame(made_up(200)[list(conftest.BOUNDS)]).repartition(4)
    slow = rows.mapInArrow(slow_at_first, "temp double, co double, rain double")
    begin = time.monotonic()
    (release,) = jme.spark.moments(slow, {**SEEDED, "rows": 200})
    took = time.monotonic() - begin
    found = {"mean": release.mean.tolist(), "covariance": release.covariance.tolist(), "took": took}
    (folder / "release").write_text(json.dumps(found))
    session.stop()
finally:
    cluster.end()
