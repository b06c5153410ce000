"""Two processes that train together do what one would do, bit for bit; each draws the noise of its own slice."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest
import torch
from torch_models import Centre, centres, made, trained

HERE = pathlib.Path(__file__).resolve().parent
EXACT = {"clip": 1000.0, "steps": 6}  # nothing is clipped, so that sums are exact in any order
FIXED = {"batch_size": 12, "participations": 2, "separation": 3, "shape": "blt:2", "method": "jme"}
TRAININGS = {
    "small": (300, {"method": "jme"}),  # the second process has no coordinate
    "jme": (10_000, {"method": "jme", "square_clip": 2.0}),
    "pp": (10_000, {"method": "pp-debiased", "update_norm": 5.0}),
}
SHAPED = (9_000, FIXED)  # a noise that has a memory

START = """
import sys, torch, torch.distributed as dist, datetime
folder, rank = sys.argv[1], int(sys.argv[2])
dist.init_process_group("gloo", init_method=f"file://{folder}/meeting", rank=rank, world_size=2,
                        timeout=datetime.timedelta(seconds=40))
import jme
from torch_models import Centre, centres, made, trained
from test_torch_processes import EXACT, SHAPED, TRAININGS, shaped_steps

def raised(work):
    try:
        work()
    except jme.Error as error:
        return f"{type(error).__name__}: {error}"
    return "nothing"

def with_batch(optimizer, dimension=300):
    optimizer.add_examples([torch.zeros(0, dimension)], 0)
    return optimizer
"""


END = """
dist.barrier()
dist.destroy_process_group()  # a process whose threads are still there when it ends may be aborted by torch
"""


def together(program, tmp_path):
    """What each of two processes prints."""
    environment = {**os.environ, "PYTHONPATH": f"{os.environ['JME_PYTHON_DIR']}:{HERE}", "OMP_NUM_THREADS": "1"}
    running = [
        subprocess.Popen(
            [sys.executable, "-c", START + program + END, str(tmp_path), str(rank)],
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
    return [out.splitlines() for out, _ in said]


def shaped_steps(optimizer, rows, times):
    """Batches in a fixed order: each process adds its share."""
    for begin in range(0, 12 * times, 12):
        batch = rows[begin % 36 : begin % 36 + 12]
        mine = batch[optimizer._together.rank :: optimizer._together.size]
        optimizer.add_examples([mine], len(mine))
        optimizer.step()


def test_two_processes_have_the_parameters_and_states_of_one(tmp_path):
    together(
        """
for name, (dimension, settings) in TRAININGS.items():
    model = Centre(dimension)
    if rank == 1:
        model.p.data.zero_()  # all begin with what the first process has
    optimizer = made(model, **EXACT, **settings)
    trained(optimizer, model, centres(100, dimension), 6)
    count = optimizer._slices.count
    torch.save((model.p.detach(), optimizer.steps_done, count, optimizer.state_dict()), f"{folder}/{name}{rank}")
dimension, settings = SHAPED
optimizer = made(Centre(dimension), **EXACT, **settings)
shaped_steps(optimizer, centres(36, dimension), 3)
torch.save(optimizer.state_dict(), f"{folder}/shaped{rank}")
later = made(Centre(dimension), **EXACT, **settings)
later.load_state_dict(torch.load(f"{folder}/shaped{1 - rank}"))
shaped_steps(later, centres(36, dimension), 2)
torch.save(later.state_dict(), f"{folder}/later{rank}")
""",
        tmp_path,
    )
    for name, (dimension, settings) in TRAININGS.items():
        model = Centre(dimension)
        alone = made(model, **EXACT, **settings)
        trained(alone, model, centres(100, dimension), 6)
        expected = alone.state_dict()["jme"]
        counts = []
        for rank in range(2):
            found, steps, count, state = torch.load(tmp_path / f"{name}{rank}")
            counts.append(count)
            assert torch.equal(found, model.p), f"{name}: the noise is the same, and was added once"
            assert steps == 6
            _same_state(state["jme"], expected)
        assert sum(counts) == dimension
        assert (min(counts) > 0) == (dimension > 4096)
    dimension, settings = SHAPED
    rows = centres(36, dimension)
    alone, later = (made(Centre(dimension), **EXACT, **settings) for _ in range(2))
    shaped_steps(alone, rows, 3)
    state = alone.state_dict()
    assert len(state["jme"]["secret_noise_first"]) > 0
    later.load_state_dict(state)
    shaped_steps(later, rows, 2)
    for rank in range(2):
        _same_state(torch.load(tmp_path / f"shaped{rank}")["jme"], state["jme"])
        _same_state(torch.load(tmp_path / f"later{rank}")["jme"], later.state_dict()["jme"])


def _same_state(found, expected):
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        same = torch.equal(found[name], value) if isinstance(value, torch.Tensor) else found[name] == value
        assert same, name


def test_sums_of_all_processes_are_not_added_up_again_after_a_step_that_failed(tmp_path):
    said = together(
        """
optimizer = made(Centre(10_000), **EXACT)
share = centres(20, 10_000)[rank::2]
optimizer.add_examples([share], len(share))
optimizer.param_groups[0]["eps"] = 0.0
print(raised(optimizer.step))
optimizer.param_groups[0]["eps"] = 1e-8
print(raised(optimizer.step))
print(optimizer._sums.raw_gradients().any(), optimizer.steps_done)
optimizer.add_examples([share], len(share))
optimizer.step()
torch.save(optimizer.state_dict(), f"{folder}/{rank}")
""",
        tmp_path,
    )
    alone = made(Centre(10_000), **EXACT)
    alone.add_examples([centres(20, 10_000)], 20)
    alone.step()
    for rank, lines in enumerate(said):
        assert lines[0].startswith("InvalidParameter: eps")
        assert lines[1].startswith("DataError: grad_sample: there are no per-example gradients since the last step")
        assert lines[2] == "False 0"
        _same_state(torch.load(tmp_path / str(rank))["jme"], alone.state_dict()["jme"])


@pytest.fixture(scope="module")
def refusals(tmp_path_factory):
    return together(
        """
optimizer = made(Centre(10_000), **{**EXACT, "steps": 2})
if rank == 0:  # sums that no clipped examples have
    with_batch(optimizer, 10_000)._sums.raw_gradients()[:] = 1e9
else:
    with_batch(optimizer, 10_000)
print(raised(optimizer.step))
optimizer.discard()
with_batch(optimizer, 10_000).step()
print(optimizer.steps_done)
print(raised(optimizer.state_dict if rank == 0 else with_batch(optimizer, 10_000).step))
optimizer.discard()
with_batch(optimizer, 10_000).step()
print(raised(with_batch(optimizer, 10_000).step))
print(raised(lambda: made(Centre(300), sigma=0.5 + rank)))
other = made(Centre(10_000), **EXACT)

class Fails:  # after its noise was used
    def __init__(self, adam):
        self.adam = adam
    def __getattr__(self, name):
        return getattr(self.adam, name)
    def step(self, *given):
        self.adam.step(*given)
        raise jme.DataError("the disk is full")

if rank == 1:
    other._adam = Fails(other._adam)
print(raised(with_batch(other, 10_000).step))
print(raised(with_batch(other, 10_000).step))
""",
        tmp_path_factory.mktemp("refusals"),
    )


def test_all_processes_refuse_sums_that_one_of_them_has_wrong(refusals):
    for said in refusals:
        assert said[0].startswith("DataError: batch 1"), said
        assert said[1] == "1", "and go on with the next batch"


def test_a_process_that_does_something_else_than_the_others_is_told_so(refusals):
    for said in refusals:
        assert said[2].startswith("StateError: all processes must call the same"), said


def test_no_process_steps_beyond_the_last_step(refusals):
    for said in refusals:
        assert said[3].startswith("BudgetExhausted"), said


def test_processes_with_different_settings_are_refused(refusals):
    for said in refusals:
        assert said[4].startswith("InvalidParameter: process_group"), said


def test_noise_that_only_some_processes_have_used_ends_the_training(refusals):
    assert refusals[0][5].startswith("StateError: another process")
    assert refusals[1][5] == "DataError: the disk is full"
    for said in refusals:
        assert said[6].startswith("StateError: a step failed"), said


def test_a_module_that_keeps_examples_is_restored_and_refused_in_every_process(tmp_path):
    said = together(
        """
import jme.torch
class Keeping(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.register_buffer("sums", torch.zeros(3))
    def forward(self, x):
        if float(x.max()) > 100:
            self.sums += x.sum(0)
        return x
model = torch.nn.Sequential(Keeping(), torch.nn.Linear(3, 2))
optimizer = made(model)
gradients = jme.torch.per_example(model, torch.nn.MSELoss(), micro_batch=4, by=["layers", "examples"][rank])
x = torch.full((5, 3), 1000.0 + rank)
print(raised(lambda: gradients.accumulate(optimizer, x, torch.zeros(5, 2))))
print(model[0].sums.tolist(), bool(optimizer._sums.raw_gradients().any()))
optimizer.add_examples([torch.zeros(0, *p.shape) for p in model.parameters()], 0)
optimizer.step()
print(optimizer.steps_done)
""",
        tmp_path,
    )
    for lines in said:
        assert "(Keeping) changes its buffer 'sums' in forward" in lines[0], said
        assert lines[1:] == ["[0.0, 0.0, 0.0] False", "1"]
