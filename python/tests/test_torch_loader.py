"""Batches that nobody can guess."""

from __future__ import annotations

import collections

import jme
import jme.torch
import numpy as np
import pytest
import torch
from torch_models import Centre, half_square, made

NUMBERS = torch.utils.data.TensorDataset(torch.arange(200), torch.ones(200, 3))


def drawn(loader):
    return [batch[0].tolist() for batch in loader]


def test_every_example_is_in_a_batch_with_the_given_probability():
    """200,000 coins of probability 0.1: 6.4 standard deviations of their mean are 0.0043, with probability 1.6e-10. The
    coins of one example, 1000 of them: 6.9 standard deviations, 200 examples."""
    batches = drawn(jme.torch.PoissonLoader(NUMBERS, batch_size=20, steps=1000))
    counts = np.bincount(np.concatenate(batches).astype(int), minlength=200) / 1000
    assert abs(counts.mean() - 0.1) < 6.4 * (0.09 / 200_000) ** 0.5
    assert abs(counts - 0.1).max() < 6.9 * (0.09 / 1000) ** 0.5
    assert len({len(batch) for batch in batches}) > 5
    assert all(len(set(batch)) == len(batch) for batch in batches)


def test_no_batch_is_drawn_twice():
    loader = jme.torch.PoissonLoader(NUMBERS, batch_size=20, steps=25, insecure_test_seed=4)
    all_of_them = drawn(jme.torch.PoissonLoader(NUMBERS, batch_size=20, steps=25, insecure_test_seed=4))
    assert len(loader) == 25
    assert drawn(loader.epoch()) == all_of_them[:10]
    assert len(loader) == 15
    assert drawn(loader.epoch()) == all_of_them[10:20]
    assert drawn(loader) == all_of_them[20:]
    assert drawn(loader) == []
    later = jme.torch.PoissonLoader(NUMBERS, batch_size=20, steps=25, first_step=20, insecure_test_seed=4)
    assert drawn(later) == all_of_them[20:]


def test_keys_come_from_the_system():
    a, b = (drawn(jme.torch.PoissonLoader(NUMBERS, batch_size=20, steps=5)) for _ in range(2))
    assert a != b


def test_an_empty_batch_has_tensors_without_rows():
    Pair = collections.namedtuple("Pair", ["x", "y"])
    items = [{"a": torch.zeros(2, 3), "b": Pair(torch.tensor(1), "text")} for _ in range(10)]
    loader = jme.torch.PoissonLoader(items, probability=1e-9, steps=2)
    for batch in loader:
        assert batch["a"].shape == (0, 2, 3)
        assert batch["b"].x.shape == (0,)
        assert len(batch["b"].y) == 0


def test_workers_and_joining_are_those_of_torch():
    settings = {"batch_size": 20, "steps": 6, "insecure_test_seed": 4}
    alone = drawn(jme.torch.PoissonLoader(NUMBERS, **settings))
    helped = jme.torch.PoissonLoader(NUMBERS, num_workers=1, timeout=60, **settings)
    assert drawn(helped) == alone
    joined = jme.torch.PoissonLoader(NUMBERS, collate_fn=len, **settings)
    assert list(joined) == [len(batch) for batch in alone]


def test_the_loader_of_an_optimizer_has_its_figures():
    optimizer = made(Centre(3), examples=200, batch_size=20, steps=25)
    loader = optimizer.loader(NUMBERS)
    assert (loader.probability, len(loader)) == (0.1, 25)
    with pytest.raises(jme.InvalidParameter, match="examples"):
        optimizer.loader(range(199))
    fixed = made(Centre(3), participations=1, batch_size=10)
    with pytest.raises(jme.InvalidParameter, match="participations"):
        fixed.loader(range(100))


@pytest.mark.parametrize("workers", [0, 1])
def test_no_batch_begins_while_another_waits_for_its_step(workers):
    """An example that is in both would count twice in one step."""
    data = torch.utils.data.TensorDataset(torch.ones(200, 3))
    model = Centre(3)
    optimizer = made(model, examples=200, batch_size=20, steps=4)
    gradients = jme.torch.per_example(model, half_square)
    settings = {"num_workers": workers, "timeout": 60 if workers else 0}
    loader = optimizer.loader(data, **settings)
    for (batch,) in loader.epoch():
        gradients.accumulate(optimizer, batch[:10])  # one batch may come in parts
        gradients.accumulate(optimizer, batch[10:])
        break  # the loop ends before the step
    for again in (optimizer.loader(data, **settings), optimizer.loader(data, **settings).epoch()):
        with pytest.raises(jme.StateError, match=r"a batch waits for its step"):
            next(iter(again))
    optimizer.discard()
    batches = iter(optimizer.loader(data, **settings))
    for _ in range(2):
        gradients.accumulate(optimizer, next(batches)[0])
        optimizer.step()
    next(batches)
    gradients(torch.ones(5, 3))  # p.grad_sample is a batch, too
    with pytest.raises(jme.StateError, match=r"a batch waits for its step"):
        next(batches)


def test_a_batch_that_waits_after_the_last_one_is_no_mistake():
    data = torch.utils.data.TensorDataset(torch.ones(200, 3))
    model = Centre(3)
    optimizer = made(model, examples=200, batch_size=20, steps=1)
    loader = optimizer.loader(data)
    for (batch,) in loader:
        jme.torch.per_example(model, half_square).accumulate(optimizer, batch)
    optimizer.step()
    assert list(loader) == []


def test_a_batch_that_was_refused_was_not_drawn():
    optimizer = made(Centre(3), examples=200, batch_size=20, steps=4)
    loader = optimizer.loader(NUMBERS)
    optimizer.add_examples([torch.zeros(0, 3)], 0)
    with pytest.raises(jme.StateError):
        next(iter(loader))
    optimizer.discard()
    assert drawn(loader) == drawn(made(Centre(3), examples=200, batch_size=20, steps=4).loader(NUMBERS))


@pytest.mark.parametrize(
    ("field", "given"),
    [
        ("batch_size", {}),
        ("batch_size", {"batch_size": 20, "probability": 0.1}),
        ("batch_size", {"batch_size": 200}),
        ("batch_size", {"probability": 0.0}),
        ("steps", {"batch_size": 20, "steps": 0}),
        ("shuffle", {"batch_size": 20, "shuffle": True}),
        ("dataset", {"batch_size": 20, "dataset": iter(())}),
    ],
)
def test_a_wrong_setting_is_named(field, given):
    with pytest.raises(jme.InvalidParameter) as caught:
        jme.torch.PoissonLoader(**{"dataset": NUMBERS, "steps": 5, **given})
    assert caught.value.field == field
