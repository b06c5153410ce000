"""A driver that ends by SIGKILL: driver.py FOLDER SEED rows|slots. Its query goes on where the last one was killed."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
import jme.spark
from conftest import session_for
from test_streams import ROWS, SLOTS, files, run

folder, seed = Path(sys.argv[1]), int(sys.argv[2])
spark = session_for("local[2]", folder / f"spark-{seed}")
done = 0
moment = "before" if seed % 8 == 7 else "after"


def end(now: str) -> None:
    """The first batch comes again or follows, the second one is the last."""
    if done == 2 and moment == now:
        os.kill(os.getpid(), signal.SIGKILL)


by_rows = sys.argv[3] == "rows"
with jme.spark.sink(ROWS if by_rows else SLOTS, name="air", state=folder / "state", public_batches=by_rows) as sink:

    def deliver(batch: Any, number: int) -> None:
        global done
        done += 1
        end("before")
        sink(batch, number)
        end("after")

    run(files(spark, folder / "in"), deliver, folder / "checkpoint")
    slots = len(sink.releases())
    while not by_rows and len(sink.releases()) == slots:
        time.sleep(0.2)
    (folder / "releases").write_text(json.dumps(sink.releases()))
