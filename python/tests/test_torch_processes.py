"""Two processes that train together do what one would do."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import torch
from torch_models import Centre, centres, made, trained

HERE = pathlib.Path(__file__).resolve().parent
SETTINGS = {"clip": 1000.0, "method": "jme", "steps": 6}  # nothing is clipped, so that sums are exact in any order

PROGRAM = """
import sys, torch, torch.distributed as dist, datetime
folder, rank = sys.argv[1], int(sys.argv[2])
dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2,
                        timeout=datetime.timedelta(seconds=40))
import jme
from torch_models import Centre, centres, made, trained
from test_torch_processes import SETTINGS
model = Centre(300)
if rank == 1:
    model.p.data.zero_()  # all begin with what the first process has
optimizer = made(model, **SETTINGS)
trained(optimizer, model, centres(100, 300), 6)
torch.save((model.p.detach(), optimizer.steps_done, optimizer._adam is not None), f"{folder}/{rank}")
try:
    optimizer.add_examples([torch.zeros(0, 300)], 0)
    optimizer.step()
except jme.BudgetExhausted:
    pass
other = made(Centre(300), **SETTINGS)
other.add_examples([torch.zeros(0, 300)], 0)
if rank == 0:
    other._sums.raw_gradients()[:] = 1e9  # not what clipping gives
try:
    other.step()
except jme.Error as error:
    print(type(error).__name__)
dist.barrier()
"""


def test_two_processes_have_the_parameters_of_one(tmp_path):
    environment = {**os.environ, "PYTHONPATH": f"{os.environ['JME_PYTHON_DIR']}:{HERE}", "OMP_NUM_THREADS": "1"}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(tmp_path), str(rank)],
            env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for rank in range(2)
    ]  # fmt: skip
    try:
        said = [process.communicate(timeout=60) for process in running]
    finally:
        for process in running:
            process.kill()
    assert [process.returncode for process in running] == [0, 0], said
    assert [out.strip() for out, _ in said] == ["DataError", "StateError"]
    model = Centre(300)
    trained(made(model, **SETTINGS), model, centres(100, 300), 6)
    for rank in range(2):
        found, steps, has_noise = torch.load(tmp_path / str(rank))
        assert torch.equal(found, model.p), "the noise is the same, and was added once"
        assert (steps, has_noise) == (6, rank == 0)
