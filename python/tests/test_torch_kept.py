"""No module keeps anything of the examples: what a forward pass changes is put back, and the module is refused."""

from __future__ import annotations

import gc
import pickle
import warnings
import weakref

import jme
import jme.torch
import numpy as np
import pytest
import torch
from torch import nn
from torch.ao.quantization import FakeQuantize, MovingAverageMinMaxObserver
from torch.nn.utils.prune import l1_unstructured
from torch_models import made

RAW = 12345.678  # in every example, and nowhere else


class Keeping(nn.Module):
    """Keeps something of its input in a buffer, a parameter, an attribute, or a place of them."""

    def __init__(self, how):
        super().__init__()
        self.how, self.used = how, False
        self.register_buffer("sums", torch.zeros(5))
        self.register_buffer("hidden", torch.full((5,), float("nan")), persistent=False)
        self.register_buffer("absent", None)
        self.shift = nn.Parameter(torch.zeros(5), requires_grad=False)
        self.last, self.calls, self.history, self.by_name = torch.zeros(5), 0.5, [], {"mean": None}
        self.array = np.zeros(5)

    def forward(self, x):
        self.how(self, x)
        return x


def in_place(self, x):
    with torch.no_grad():
        self.sums.mul_(0.9).add_(x.mean(0))


def another(self, x):
    self.sums = 0.9 * self.sums + x.detach().mean(0)


def with_its_graph(self, x):
    self.sums += x.mean(0)


def not_saved(self, x):
    self.hidden.copy_(x.detach()[0])


def unversioned(self, x):
    self.sums.data.copy_(x.data[0])


def by_numpy(self, x):
    self.sums.numpy()[0] = float(x.detach()[0, 0])


def made_late(self, x):
    self.absent = x.detach().clone()


def registered(self, x):
    self.register_buffer("late", x.detach().mean(0))


def of_another_type(self, x):
    self.sums = x.detach().mean(0).double()


def other_memory(self, x):
    self.sums.data = x.detach()[0]


def a_parameter(self, x):
    self.shift.data.add_(x.detach()[0])


def a_submodule(self, x):
    self.add_module("part", Keeping(lambda *_: None))
    self.part.sums = x.detach()[0]


def an_attribute(self, x):
    self.last = x


def in_an_attribute(self, x):
    self.last.copy_(x.detach()[0])


def a_number(self, x):
    self.calls = float(x.detach()[0, 0])


def a_list(self, x):
    self.history.append(x)


def a_dict(self, x):
    self.by_name["mean"] = x.detach().mean(0)


def an_array(self, x):
    self.array[:] = x.detach()[0].numpy()


WAYS = [in_place, another, with_its_graph, not_saved, unversioned, by_numpy, made_late, registered, of_another_type,
        other_memory, a_parameter, a_submodule, an_attribute, in_an_attribute, a_number, a_list, a_dict,
        an_array]  # fmt: skip


class Rarely(nn.Module):
    """Keeps real examples only: the made-up ones before them are small."""

    def __init__(self, how):
        super().__init__()
        self.first, self.keeping, self.last = nn.Linear(5, 5), Keeping(how), nn.Linear(5, 2)

    def forward(self, x):
        if float(x.detach().abs().max()) > 100:
            self.keeping(x)
        return self.last(self.first(x))


class Later(Rarely):
    """Begins to keep examples when nobody tries it any more."""

    begun = False

    def forward(self, x):
        if self.begun:
            self.keeping(x)
        return self.last(self.first(x))


class Always(Rarely):
    def forward(self, x):
        return self.last(self.first(self.keeping(x)))


def state(model):
    """All that is in the modules, as bytes."""
    parts = {}
    for name, module in model.named_modules():
        for key, value in {**vars(module), **module._buffers, **module._parameters}.items():
            if isinstance(value, (torch.Tensor, np.ndarray, float, list)) or key == "by_name":
                parts[name, key] = pickle.dumps(value)
        parts[name, "names"] = (sorted(module._buffers), sorted(module._modules), module._non_persistent_buffers_set)
    return parts


def batch(count=6):
    x = torch.randn(count, 5)
    x[:, 0] = RAW
    return x, torch.randn(count, 2)


def has_raw(value, depth=4):
    if isinstance(value, torch.Tensor):
        return bool((value.detach().double() - RAW).abs().lt(1).any())
    if isinstance(value, np.ndarray):
        return bool((abs(value.astype(float) - RAW) < 1).any())
    if depth == 0 or isinstance(value, type):
        return False
    if isinstance(value, (list, tuple)):
        return any(has_raw(part, depth - 1) for part in value)
    if isinstance(value, dict):
        return any(has_raw(part, depth - 1) for part in value.values())
    return has_raw(vars(value), depth - 1) if hasattr(value, "__dict__") else False


def frames_of(error):
    """The frames of the package that an exception holds."""
    trace, found = error.__traceback__, []
    while trace is not None:
        if "jme/torch" in trace.tb_frame.f_code.co_filename:
            found.append(trace.tb_frame.f_locals)
        trace = trace.tb_next
    return found


def refused(model, by, accumulates=True):
    optimizer = made_for(model)
    gradients = jme.torch.per_example(model, nn.MSELoss(), micro_batch=4, by=by)
    before = state(model)
    inputs, targets = batch()
    with pytest.raises(jme.InvalidParameter, match=r"in forward") as caught:
        if accumulates:
            gradients.accumulate(optimizer, inputs, targets)
        else:
            gradients(inputs, targets)
    assert state(model) == before
    assert all(p.grad is None and getattr(p, "grad_sample", None) is None for p in model.parameters())
    assert not optimizer._sums.raw_gradients().any()
    with pytest.raises(jme.DataError, match="since the last step"):
        optimizer.step()
    error = caught.value
    assert error.field == "model" and str(int(RAW)) not in str(error)
    assert error.__context__ is None and error.__cause__ is None
    assert frames_of(error) and not any(has_raw(names) for names in frames_of(error))
    return str(error)


def made_for(model):
    return jme.torch.Adam([p for p in model.parameters() if p.requires_grad], sigma=1, delta=1e-5, steps=2,
                          examples=100, batch_size=10, clip=1.0)  # fmt: skip


@pytest.mark.parametrize("accumulates", [True, False])
@pytest.mark.parametrize("by", ["layers", "examples"])
@pytest.mark.parametrize("how", WAYS, ids=lambda how: how.__name__)
def test_a_module_that_keeps_real_examples_is_restored_and_refused_by_name(how, by, accumulates):
    torch.manual_seed(1)
    assert "'keeping' (Keeping)" in refused(Rarely(how), by, accumulates) or how is a_submodule


@pytest.mark.parametrize("how", [another, made_late, registered, of_another_type, an_attribute, a_list, a_dict])
def test_what_vmap_has_left_in_a_module_is_removed(how, monkeypatch):
    torch.manual_seed(1)
    model = Later(how)
    gradients = jme.torch.per_example(model, nn.MSELoss(), by="vmap")
    optimizer = made_for(model)
    gradients.accumulate(optimizer, *batch())
    before = state(model)
    monkeypatch.setattr(Later, "begun", True)
    with pytest.raises(jme.InvalidParameter, match=r"module 'keeping' \(Keeping\) changes its .* in forward") as caught:
        gradients.accumulate(optimizer, *batch())
    assert state(model) == before
    assert caught.value.__context__ is None and not any(has_raw(names) for names in frames_of(caught.value))


@pytest.mark.parametrize("by", [None, "layers", "vmap", "examples"])
@pytest.mark.parametrize("how", WAYS, ids=lambda how: how.__name__)
def test_a_module_that_always_keeps_something_is_refused_before_it_sees_an_example(how, by):
    torch.manual_seed(1)
    model = Always(how)
    seen = []
    model.register_forward_pre_hook(lambda module, inputs: seen.append(has_raw(list(inputs))))
    assert "'keeping' (Keeping)" in refused(model, by) or how is a_submodule
    assert seen and not any(seen)


@pytest.mark.parametrize("kind", [MovingAverageMinMaxObserver, FakeQuantize])
@pytest.mark.parametrize("by", [None, "layers", "vmap", "examples"])
def test_observers_of_quantization_are_refused(kind, by):
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(5, 4), kind(), nn.Linear(4, 2))
    assert f"module '1' ({kind.__name__}) changes its buffer" in refused(model, by)


def test_an_observer_that_is_switched_off_is_used():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(5, 4), FakeQuantize(), nn.Linear(4, 2))
    model(torch.randn(50, 5))
    model[1].disable_observer()
    model[1].disable_fake_quant()
    before = state(model)
    gradients = jme.torch.per_example(model, nn.MSELoss())
    gradients.accumulate(made(model), *batch())
    assert state(model) == before


def test_running_statistics_of_a_loss_are_refused():
    class Loss(nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("sums", torch.zeros(2))

        def forward(self, output, targets):
            self.sums = self.sums + output.detach().sum(0)
            return (output - targets).square().sum()

    model, loss = nn.Linear(5, 2), Loss()
    with pytest.raises(jme.InvalidParameter, match=r"module 'loss' \(Loss\) changes its buffer 'sums'"):
        jme.torch.per_example(model, loss).accumulate(made(model), *batch())
    assert not loss.sums.any()


def test_constants_that_are_made_once_may_be_kept():
    """They are made from examples that are made up, and no later pass changes them."""

    class Positions(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.scale = nn.Linear(5, 2), None

        def forward(self, x):
            if self.scale is None:
                self.scale = torch.linspace(0, 1, x.shape[1])
            return self.linear(x * self.scale)

    for by in (None, "vmap", "examples"):
        model = Positions()
        gradients = jme.torch.per_example(model, nn.MSELoss(), by=by)
        for _ in range(2):
            gradients.accumulate(made(model), *batch())
        assert torch.equal(model.scale, torch.linspace(0, 1, 5))


@pytest.mark.parametrize("settings", [{}, {"sparse": True}], ids=["dense", "sparse"])
def test_words_that_were_used_do_not_show_in_an_embedding(settings):
    """max_norm shortens the vectors of the words that an example has, and only those, also where they are frozen."""
    torch.manual_seed(1)
    model = nn.Sequential(nn.Embedding(11, 5, max_norm=0.5, **settings).requires_grad_(False), nn.Linear(5, 2))
    before = model[0].weight.clone()
    with pytest.raises(jme.InvalidParameter, match=r"module '0' \(Embedding\) changes its parameter 'weight'"):
        jme.torch.per_example(model, nn.MSELoss()).accumulate(made_for(model), torch.arange(6), torch.zeros(6, 2))
    assert torch.equal(model[0].weight, before)


ODD = {
    "sparse": lambda: torch.eye(3).to_sparse(),
    "rows": lambda: torch.eye(3).to_sparse_csr(),
    "complex": lambda: torch.ones(3, dtype=torch.complex128),
    "half": lambda: torch.ones((), dtype=torch.bfloat16),
    "bool": lambda: torch.ones(3, dtype=torch.bool),
    "transposed": lambda: torch.ones(4, 3).t(),
    "quantized": lambda: torch.quantize_per_tensor(torch.ones(3), 0.1, 0, torch.qint8),
    "empty": lambda: torch.zeros(0, 3),
    "zero": lambda: torch.zeros(3),
    "nan": lambda: torch.full((3,), float("nan")),
}


def numbers(t):
    t = t.dequantize() if t.is_quantized else t.to_dense() if t.layout != torch.strided else t
    return [t.shape, t.dtype, bytes(t.contiguous().reshape(-1).view(torch.uint8).tolist())]


@pytest.mark.parametrize("kind", ODD)
def test_buffers_of_every_kind_are_compared_by_their_bits(kind):
    class Odd(nn.Module):
        def __init__(self):
            super().__init__()
            self.linear, self.changes = nn.Linear(5, 2), False
            self.register_buffer("odd", ODD[kind]())

        def forward(self, x):
            if self.changes:
                part = self.odd._values() if kind == "sparse" else self.odd.values() if kind == "rows" else self.odd
                part.copy_(-part if kind in ("zero", "nan") else torch.zeros(part.shape))  # only a sign, or all
            return self.linear(x)

    model = Odd()
    gradients = jme.torch.per_example(model, nn.MSELoss())
    gradients.accumulate(made_for(model), *batch())
    assert gradients.by == "layers"
    before = numbers(model.odd)
    model.changes = True
    if kind == "empty":
        gradients.accumulate(made_for(model), *batch())
        return
    with pytest.raises(jme.InvalidParameter, match="changes its buffer 'odd'"):
        gradients.accumulate(made_for(model), *batch())
    assert numbers(model.odd) == before


@pytest.mark.parametrize("norm", ["weight_norm", "prune"])
def test_weights_that_torch_computes_from_parameters_are_used(norm):
    torch.manual_seed(1)
    layer = nn.Linear(5, 2)
    if norm == "weight_norm":
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            layer = nn.utils.weight_norm(layer)
    else:
        l1_unstructured(layer, "weight", amount=0.3)
    model = nn.Sequential(layer)
    optimizer = made(model)
    gradients = jme.torch.per_example(model, nn.MSELoss())
    for _ in range(2):
        gradients.accumulate(optimizer, *batch())
        optimizer.step()
    assert optimizer.steps_done == 2


def test_an_interrupted_pass_leaves_nothing_in_a_module():
    def interrupted(self, x):
        in_place(self, x)
        raise KeyboardInterrupt

    torch.manual_seed(1)
    model = Rarely(interrupted)
    before = state(model)
    with pytest.raises(KeyboardInterrupt):
        jme.torch.per_example(model, nn.MSELoss()).accumulate(made_for(model), *batch())
    assert state(model) == before


def test_a_pass_that_fails_after_it_kept_something_is_refused_without_its_own_error():
    def failing(self, x):
        in_place(self, x)
        raise RuntimeError(f"the largest is {float(x.max())}")

    torch.manual_seed(1)
    refused(Rarely(failing), "layers")


def test_what_was_kept_is_not_alive_any_more():
    kept = []

    def remembered(self, x):
        self.last = x.detach().clone()
        kept.append(weakref.ref(self.last))

    torch.manual_seed(1)
    refused(Rarely(remembered), "layers")
    gc.collect()
    assert kept and not any(reference() is not None for reference in kept)
