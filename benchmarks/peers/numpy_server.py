"""What one would write without jme: an HTTP server that adds up rows with numpy. It keeps sums in memory, with no noise, no
durability and no tokens; rows come as CSV or, one at a time, as JSON arrays."""

import io

import numpy as np
from fastapi import FastAPI, Request

app = FastAPI()
sums = np.zeros(6)
products = np.zeros((6, 6))
rows = 0


@app.post("/rows", status_code=202)
async def take(request: Request):
    global rows
    body = await request.body()
    batch = np.loadtxt(io.BytesIO(body), delimiter=",", skiprows=1, ndmin=2)
    sums[:] += batch.sum(axis=0)
    products[:] += batch.T @ batch
    rows += len(batch)
    return {"rows": len(batch)}


@app.get("/mean")
def mean():
    return {"rows": rows, "mean": (sums / max(rows, 1)).tolist()}
