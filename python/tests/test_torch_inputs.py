"""What programs for torch do: recurrent layers, closures, batches as dicts, data sets without a length."""

from __future__ import annotations

import collections

import jme
import jme.torch
import pytest
import torch
from torch import nn
from torch_models import made


class Recurrent(nn.Module):
    def __init__(self, kind, **settings):
        super().__init__()
        self.recurrent, self.last = kind(5, 4, batch_first=True, **settings), nn.Linear(4, 2)

    def forward(self, x):
        return self.last(self.recurrent(x)[0][:, -1])


def same_as_one_by_one(model, loss, losses, *parts):
    for j in range(len(losses)):
        value = loss(*(part[j : j + 1] for part in parts))
        assert torch.allclose(value.detach(), losses[j], rtol=1e-10, atol=1e-12)
        for p, right in zip(model.parameters(), torch.autograd.grad(value, list(model.parameters())), strict=True):
            assert torch.allclose(p.grad_sample[j], right, rtol=1e-8, atol=1e-12)


@pytest.mark.parametrize("settings", [{}, {"num_layers": 2}], ids=["one layer", "two"])
@pytest.mark.parametrize("kind", [nn.GRU, nn.LSTM, nn.RNN])
def test_recurrent_networks_are_trained_one_example_after_another(kind, settings):
    torch.manual_seed(1)
    model = Recurrent(kind, **settings).double()
    x, y = torch.randn(6, 3, 5).double(), torch.randn(6, 2).double()
    gradients = jme.torch.per_example(model, nn.MSELoss())
    losses = gradients(x, y)
    assert gradients.by == "examples"
    same_as_one_by_one(model, lambda x, y: nn.MSELoss()(model(x), y), losses, x, y)
    for p in model.parameters():
        p.grad_sample = None
    optimizer = made(model)
    mean = gradients.accumulate(optimizer, x, y)
    optimizer.step()
    assert mean == pytest.approx(float(losses.mean()), rel=1e-10) and optimizer.steps_done == 1


def test_vmap_is_refused_for_recurrent_networks_with_what_to_do():
    model = Recurrent(nn.GRU)
    with pytest.raises(jme.InvalidParameter, match='by: must be "examples"'):
        jme.torch.per_example(model, nn.MSELoss(), by="vmap")(torch.randn(6, 3, 5), torch.randn(6, 2))


def test_a_loss_that_vmap_cannot_have_is_used_one_example_after_another():
    def loss(output, target):
        return (output - target).square().sum() * (2.0 if output.sum().item() > 0 else 1.0)

    torch.manual_seed(1)
    model = nn.Linear(5, 2).double()
    x, y = torch.randn(6, 5).double(), torch.randn(6, 2).double()
    gradients = jme.torch.per_example(model, loss)
    losses = gradients(x, y)
    assert gradients.by == "examples"
    same_as_one_by_one(model, lambda x, y: loss(model(x), y), losses, x, y)


@pytest.mark.parametrize("by", [None, "vmap", "examples"])
def test_examples_one_after_another_are_those_of_other_ways(by):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 2)).double()
    x, y = torch.randn(6, 5).double(), torch.randn(6, 2).double()
    losses = jme.torch.per_example(model, nn.MSELoss(), by=by)(x, y)
    same_as_one_by_one(model, lambda x, y: nn.MSELoss()(model(x), y), losses, x, y)


def test_a_closure_that_accumulates_is_a_step():
    torch.manual_seed(1)
    model = nn.Linear(5, 2)
    optimizer = made(model)
    gradients = jme.torch.per_example(model, nn.MSELoss())
    x, y = torch.randn(6, 5), torch.randn(6, 2)

    def closure():
        optimizer.zero_grad()
        return gradients.accumulate(optimizer, x, y)

    before, mean = model.weight.clone(), float(nn.MSELoss()(model(x), y))
    assert optimizer.step(closure) == pytest.approx(mean, rel=1e-5)
    assert optimizer.steps_done == 1 and not torch.equal(before, model.weight)


def test_a_closure_that_calls_backward_is_told_what_to_call():
    model = nn.Linear(5, 2)
    optimizer = made(model)

    def closure():
        loss = model(torch.randn(6, 5)).sum()
        loss.backward()
        return loss

    with pytest.raises(jme.DataError, match=r"closure .* call gradients\.accumulate\(optimizer, inputs, targets\)"):
        optimizer.step(closure)
    with pytest.raises(jme.DataError, match=r"call gradients\.accumulate\(optimizer, inputs, targets\)"):
        optimizer.step()
    assert optimizer.steps_done == 0


class Words(nn.Module):
    """Takes keywords, as networks for text do, and returns a dict."""

    def __init__(self):
        super().__init__()
        self.table, self.last = nn.Embedding(11, 6), nn.Linear(6, 3)

    def forward(self, input_ids, attention_mask):
        kept = attention_mask.unsqueeze(2).to(self.table.weight.dtype)
        return {"logits": self.last((self.table(input_ids) * kept).sum(1))}


def text(count):
    ids = torch.arange(count * 7).reshape(count, 7) % 11
    return {"input_ids": ids, "attention_mask": (ids > 2).long()}, torch.arange(count) % 3


def of_logits(output, labels):
    return nn.functional.cross_entropy(output["logits"], labels)


@pytest.mark.parametrize("by", [None, "vmap", "examples"])
@pytest.mark.parametrize("mapping", [dict, collections.OrderedDict, collections.UserDict])
def test_batches_may_be_dicts_for_the_model_and_for_the_loss(mapping, by):
    torch.manual_seed(1)
    model = Words().double()
    inputs, labels = text(6)
    gradients = jme.torch.per_example(model, of_logits, by=by)
    losses = gradients(mapping(inputs), mapping({"labels": labels}))
    assert gradients.by == (by or "layers")

    def loss(ids, mask, labels):
        return of_logits(model(ids, mask), labels)

    same_as_one_by_one(model, loss, losses, *inputs.values(), labels)


def test_dicts_from_a_loader_are_trained_on():
    torch.manual_seed(1)
    model = Words()
    inputs, labels = text(100)
    ids, mask = inputs.values()
    data = [{"ids": ids[j], "mask": mask[j], "labels": labels[j]} for j in range(100)]
    optimizer = made(model)
    gradients = jme.torch.per_example(model, of_logits)
    batches = iter(optimizer.loader(data))
    for _ in range(5):
        batch = next(batches)
        named = {"input_ids": batch["ids"], "attention_mask": batch["mask"]}
        gradients.accumulate(optimizer, named, batch["labels"])
        optimizer.step()
    assert optimizer.steps_done == 5


@pytest.mark.parametrize(
    ("inputs", "words"),
    [
        ({"a": torch.zeros(3, 5), "b": ["x", "y", "z"]}, r"inputs\['b'\]: must be a tensor .* not list"),
        ((torch.zeros(3, 5), None), r"inputs\[1\]: must be a tensor .* not NoneType"),
        ("text", r"inputs: must be a tensor, a tuple of tensors or a dict of tensors, not str"),
        (torch.tensor(1.0), r"inputs\[0\]: must be a tensor .* without axes"),
    ],
)
def test_inputs_that_are_no_tensors_are_refused_by_name(inputs, words):
    model = nn.Linear(5, 2)
    with pytest.raises(jme.DataError, match=words):
        jme.torch.per_example(model, nn.MSELoss()).accumulate(made(model), inputs, torch.zeros(3, 2))


class Endless(torch.utils.data.IterableDataset):
    def __iter__(self):
        return iter(range(100))


class WithLength(Endless):
    def __len__(self):
        return 100


@pytest.mark.parametrize("data", [Endless(), WithLength(), iter(range(100))], ids=["endless", "with length", "iter"])
def test_data_sets_without_items_by_number_are_refused_with_what_to_do(data):
    words = r"dataset: .* cannot be sampled: .* a list of its examples"
    with pytest.raises(jme.InvalidParameter, match=words):
        made(nn.Linear(5, 2)).loader(data)
    with pytest.raises(jme.InvalidParameter, match=words):
        jme.torch.PoissonLoader(data, batch_size=10, steps=3)
