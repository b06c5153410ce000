"""A model is tried again whenever it computes in another way, and trying it is short."""

from __future__ import annotations

import io
import sys

import jme
import jme.torch
import pytest
import torch
from torch import nn
from torch_models import made


class MixesInTraining(nn.Module):
    """As batch norm does: by running figures, or by those of the batch."""

    def __init__(self, inner=None):
        super().__init__()
        self.inner = inner or nn.Identity()

    def forward(self, x):
        return self.inner(x) - (x.mean(0) if self.training else 0.5)


class Counting(nn.Module):
    """How many examples it was called with, each time."""

    def __init__(self, model):
        super().__init__()
        self.model, self.calls = model, CALLS

    def forward(self, x):
        CALLS.counts.append(len(x))
        return self.model(x)


class Calls:
    def __init__(self):
        self.counts = []


CALLS = Calls()


def batch(count=6):
    return torch.randn(count, 5), torch.randn(count, 2)


def accepted_at_first(part):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(5, 2), part)
    gradients = jme.torch.per_example(model, nn.MSELoss())
    optimizer = made(model)
    gradients.accumulate(optimizer, *batch())
    assert gradients.by == "layers"
    return model, gradients, optimizer


def refused(gradients, optimizer):
    with pytest.raises(jme.InvalidParameter, match="mixes examples"):
        gradients.accumulate(optimizer, *batch())
    assert not optimizer._sums.raw_gradients().any()
    with pytest.raises(jme.InvalidParameter, match="mixes examples"):  # not once only
        gradients(*batch())


def test_a_module_that_mixes_in_training_is_refused_after_a_first_batch_in_eval():
    model, gradients, optimizer = accepted_at_first(MixesInTraining().eval())
    model.train()
    refused(gradients, optimizer)
    model.eval()
    gradients.accumulate(optimizer, *batch())


def test_one_module_that_changes_its_mode_is_tried_again():
    model, gradients, optimizer = accepted_at_first(nn.Sequential(MixesInTraining(MixesInTraining()).eval()))
    model[1][0].inner.train()
    refused(gradients, optimizer)


@pytest.mark.parametrize("change", ["replaced", "added", "setting", "hook", "function"])
def test_another_module_or_setting_is_tried_again(change):
    class Set(nn.Module):
        def __init__(self):
            super().__init__()
            self.mixes, self.function = False, lambda x: x

        def forward(self, x):
            return self.function(x - x.mean(0) if self.mixes else x)

    model, gradients, optimizer = accepted_at_first(Set())
    if change == "replaced":
        model[1] = MixesInTraining()
    elif change == "added":
        model.add_module("more", MixesInTraining())
    elif change == "setting":
        model[1].mixes = True
    elif change == "hook":
        model[1].register_forward_hook(lambda module, inputs, output: output - output.mean(0))
    else:
        model[1].function = lambda x: x - x.mean(0)
    refused(gradients, optimizer)


def test_a_parameter_of_another_shape_is_tried_again():
    class MixesWhenSmall(nn.Module):
        def __init__(self):
            super().__init__()
            self.wide = nn.Parameter(torch.zeros(9), requires_grad=False)

        def forward(self, x):
            return x if len(self.wide) == 9 else x - x.mean(0)

    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(5, 2), MixesWhenSmall())
    gradients = jme.torch.per_example(model, nn.MSELoss())
    optimizer = jme.torch.Adam(model[0].parameters(), sigma=1, delta=1e-5, steps=3, examples=100, batch_size=10, clip=1)
    gradients.accumulate(optimizer, *batch())
    model[1].wide.data = torch.zeros(8)
    refused(gradients, optimizer)


def test_layers_of_another_kind_have_their_gradients_made_in_another_way():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(5, 4), nn.Linear(4, 2))
    gradients = jme.torch.per_example(model, nn.MSELoss())
    gradients(*batch())
    assert gradients.by == "layers"
    model[1] = nn.Bilinear(4, 4, 2)
    model[1].forward = lambda x: nn.functional.bilinear(x, x, model[1].weight, model[1].bias)
    gradients(*batch())
    assert gradients.by != "layers"
    assert model[1].weight.grad_sample.shape == (6, 2, 4, 4)


def test_micro_batches_of_one_do_not_stand_for_larger_ones():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(5, 2), MixesInTraining())
    gradients = jme.torch.per_example(model, nn.MSELoss(), micro_batch=1)
    gradients.accumulate(made(model), *batch())  # each is alone
    with pytest.raises(jme.InvalidParameter, match="mixes examples"):
        gradients(*batch())


def counts(model, by, accumulates=1):
    torch.manual_seed(1)
    CALLS.counts.clear()
    model = Counting(model)
    gradients = jme.torch.per_example(model, nn.MSELoss(), micro_batch=32)
    optimizer = made(model)
    for _ in range(accumulates):
        gradients.accumulate(optimizer, *batch(32))
    assert gradients.by == by
    return CALLS.counts


def test_trying_a_model_takes_few_passes_over_a_micro_batch():
    """Four by layers, of which one has no backward pass; by vmap two, each of which calls the model once. One more is
    that of the examples."""
    assert sum(count == 32 for count in counts(nn.Linear(5, 2), "layers")) - 1 == 4
    assert sum(count <= 4 for count in CALLS.counts) == 5

    class Scaled(nn.Module):
        def __init__(self):
            super().__init__()
            self.a, self.scale = nn.Linear(5, 2), nn.Parameter(torch.ones(2))

        def forward(self, x):
            return self.a(x) * self.scale

    assert len(counts(Scaled(), "vmap")) - 1 <= 3 + 1 + 2


def test_a_model_that_is_the_same_is_not_tried_again():
    first = len(counts(nn.Linear(5, 2), "layers"))
    assert len(counts(nn.Linear(5, 2), "layers", accumulates=5)) == first + 4


@pytest.mark.parametrize(("is_terminal", "seconds"), [(True, 0.0), (False, 0.0), (True, 1e9)])
def test_who_waits_in_front_of_a_terminal_is_told_what_for(monkeypatch, is_terminal, seconds):
    class Terminal(io.StringIO):
        def isatty(self):
            return is_terminal

    is_seen = is_terminal and seconds == 0

    monkeypatch.setattr(sys, "stderr", Terminal())
    monkeypatch.setattr(jme.torch._trial, "SECONDS_OF_SILENCE", seconds)
    counts(nn.Linear(5, 2), "layers")
    text = sys.stderr.getvalue()
    assert ("trying the model on made-up examples" in text) == is_seen
    assert not is_seen or text.endswith("\r")
