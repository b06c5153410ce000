"""Spark with separate executor processes, the command to compare with, and made-up rows. No part is a stand-in."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

PACKAGE = os.environ["JME_PYTHON_DIR"]
BINARY = os.environ["JME_BINARY"]
sys.path.insert(0, PACKAGE)
os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1", PYTHONPATH=PACKAGE)

from pyspark.sql import SparkSession

BOUNDS = {"temp": [-20, 45], "co": [0, 100], "rain": [0, 8]}
SEEDED = {"epsilon": 1, "delta": 1e-6, "bounds": BOUNDS, "on_bad_row": "zero", "insecure_test_seed": 7}
START = 1767225600  # 2026-01-01


def session_for(master: str, folder: Path, **more: str) -> SparkSession:
    settings = {
        "spark.executorEnv.PYTHONPATH": PACKAGE,
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.local.dir": str(folder / "local"),
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.shuffle.partitions": "3",
        "spark.sql.session.timeZone": "Asia/Tokyo",  # results must not depend on it
        "spark.driver.memory": "1g",
        "spark.driver.extraJavaOptions": f"-Dderby.system.home={folder}",
        "spark.deploy.maxExecutorRetries": "-1",
        "spark.task.maxFailures": "8",  # a lost executor is a failure of its tasks
        "spark.executor.cores": "1",
        **more,
    }
    builder = SparkSession.builder.master(master).appName("jme")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF" if not os.environ.get("JME_SPARK_LOG") else os.environ["JME_SPARK_LOG"])
    return session


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    begin = time.monotonic()
    folder = tmp_path_factory.mktemp("spark")
    os.environ["SPARK_WORKER_DIR"] = str(folder / "work")
    session = session_for("local-cluster[2,1,1024]", folder)
    session.range(4).repartition(4).count()
    print(f"\nSpark {session.version} took {time.monotonic() - begin:.0f} s to start")
    yield session
    session.stop()


def made_up(count: int, seed: int = 1) -> pd.DataFrame:
    """Rows of the columns of BOUNDS with times in and around a day; some cells are outside of their bounds."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal([15.0, 50.0, 2.0], [15.0, 30.0, 3.0], (count, 3)), columns=list(BOUNDS))
    table["when"] = pd.to_datetime(START + rng.integers(-3600, 90000, count), unit="s", utc=True)
    return table


@pytest.fixture
def command(tmp_path: Path) -> Callable[..., list[dict[str, Any]]]:
    """The releases that `jme run` prints for these rows."""

    def run(table: pd.DataFrame, **given: Any) -> list[dict[str, Any]]:
        file, config = tmp_path / "rows.csv", tmp_path / "run.json"
        times = table["when"].dt.strftime("%Y-%m-%dT%H:%M:%SZ")
        table.assign(when=times).to_csv(file, index=False, float_format="%.17g")
        config.write_text(json.dumps(given))
        arguments = [BINARY, "run", str(file), "--config", str(config)]
        done = subprocess.run(arguments, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return [json.loads(line) for line in done.stdout.splitlines()[1:]]

    return run
