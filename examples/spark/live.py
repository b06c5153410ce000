"""A private covariance of a stream that two executors sum: live.py FOLDER"""

from __future__ import annotations

import os
import sys
import time

import jme
import jme.spark
from pyspark.sql import SparkSession

folder = sys.argv[1]
settings = {
    "spark.executorEnv.PYTHONPATH": os.environ["PYTHONPATH"],  # a cluster has jme installed instead
    "spark.local.dir": f"{folder}/local",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
}
builder = SparkSession.builder.master("local-cluster[2,1,1024]").appName("sensors")
for name, value in settings.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("ERROR")

seconds = spark.readStream.format("rate").option("rowsPerSecond", 2000).load()
# Made from the row's number alone, so that a batch that comes again has the same rows: rand() would not.
dice = "(pmod(hash(value, {}), 1000) + pmod(hash(value, {}), 1000) - 999) / 1000"
readings = seconds.selectExpr(
    f"15 + 10 * sin(value / 20000) + 6 * {dice.format(1, 2)} as temp",
    f"60 - 12 * sin(value / 20000) + 9 * {dice.format(3, 4)} as humidity",
)

# Public, and chosen beforehand: the budget, the ranges, how long a slot is and how many there will be.
config = {"epsilon": 1, "delta": 1e-6, "bounds": {"temp": [-20, 45], "humidity": [0, 100]}, "every": "5s", "steps": 12}
with jme.spark.sink(config, name="sensors", state=f"{folder}/state") as sink:
    print(sink.statement, end="\n\n", flush=True)

    def take(batch, number):
        """Rows that come after the last slot count nowhere."""
        try:
            if not sink.is_finished:
                sink(batch, number)
        except jme.BudgetExhausted:
            if not sink.is_finished:
                raise

    query = (
        readings.writeStream.foreachBatch(take)
        .option("checkpointLocation", f"{folder}/checkpoint")
        .trigger(processingTime="1 second")
        .start()
    )
    shown = 0
    while True:
        is_finished = sink.is_finished
        for release in sink.releases(since=shown):
            shown = release["t"]
            print(release["time"], "mean", release["mean"], "covariance", release["covariance"], flush=True)
        if is_finished or not query.isActive:
            break
        time.sleep(0.2)
    while query.isActive and query.status["isTriggerActive"]:  # a batch that is stopped midway prints Java's errors
        time.sleep(0.05)
    query.stop()
    if not sink.is_finished:
        raise query.exception() or RuntimeError("the query ended before its stream")
spark.stop()
