"""Gradients of each example: by layers, by vmap, one after another, all the same."""

from __future__ import annotations

import warnings

import jme
import jme.torch
import pytest
import torch
from jme.torch import _layers
from torch import nn
from torch_models import made


class Tokens(nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.table = nn.Embedding(11, 6, **settings)
        self.norm = nn.LayerNorm(6)
        self.linear = nn.Linear(6, 4)
        self.last = nn.Linear(4, 3, bias=False)

    def forward(self, words):
        return self.last(self.linear(self.norm(self.table(words))).tanh().mean(1))


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(5, 5)
        self.b = nn.Linear(5, 5)
        self.b.weight = self.a.weight

    def forward(self, x):
        return self.b(self.a(self.a(x).relu()).relu())


class Beside(nn.Module):
    """Uses the weights of a layer beside calling it, which the layer's own hook cannot see."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(5, 5)

    def forward(self, x):
        return self.a(x).relu() @ self.a.weight


class Rows(nn.Module):
    """Merges examples and positions before a layer."""

    def __init__(self):
        super().__init__()
        self.a = nn.Linear(5, 2)

    def forward(self, x):
        return self.a(x.reshape(-1, 5)).reshape(x.shape[0], -1)


class Scaled(nn.Module):
    def __init__(self):
        super().__init__()
        self.a, self.scale = nn.Linear(5, 2), nn.Parameter(torch.ones(2))

    def forward(self, x):
        return self.a(x) * self.scale


def pictures(*layers):
    return nn.Sequential(*layers, nn.Flatten())


def words(count):
    return torch.arange(count * 7).reshape(count, 7) % 11


NORMAL = {
    "linear": (lambda: nn.Sequential(nn.Linear(5, 4), nn.Tanh(), nn.Linear(4, 3, bias=False)), (5,), "layers"),
    "linear on positions": (lambda: nn.Sequential(nn.Linear(5, 4), nn.Flatten()), (3, 2, 5), "layers"),
    "conv2d": (lambda: pictures(nn.Conv2d(3, 4, 3, padding=1), nn.ReLU(inplace=True)), (3, 6, 5), "layers"),
    "conv2d, strides": (lambda: pictures(nn.Conv2d(3, 4, (3, 2), (2, 1), (1, 0))), (3, 8, 7), "layers"),
    "conv2d, dilated": (lambda: pictures(nn.Conv2d(2, 4, 2, dilation=2, stride=2)), (2, 8, 8), "layers"),
    "conv2d, groups": (lambda: pictures(nn.Conv2d(4, 6, 3, groups=2, padding=1)), (4, 6, 6), "layers"),
    "conv2d, same": (lambda: pictures(nn.Conv2d(2, 3, 3, padding="same")), (2, 6, 6), "vmap"),
    "conv2d, large": (lambda: pictures(nn.Conv2d(16, 8, 3, padding=1)), (16, 40, 40), "layers"),
    "conv2d, no bias": (lambda: pictures(nn.Conv2d(3, 4, 3, bias=False, padding=(2, 1))), (3, 6, 5), "layers"),
    "conv1d, no bias": (lambda: pictures(nn.Conv1d(3, 4, 2, bias=False, dilation=2)), (3, 9), "layers"),
    "conv1d": (lambda: pictures(nn.Conv1d(3, 4, 3, stride=2, padding=1)), (3, 9), "layers"),
    "group norm": (lambda: pictures(nn.Conv2d(2, 4, 3), nn.GroupNorm(2, 4), nn.MaxPool2d(2)), (2, 6, 6), "layers"),
    "layer norm": (lambda: nn.Sequential(nn.LayerNorm(5), nn.Linear(5, 2)), (5,), "layers"),
    "layer norm of two axes": (lambda: pictures(nn.LayerNorm([4, 5])), (3, 4, 5), "layers"),
    "tied weights, used twice": (Tied, (5,), "layers"),
    "weights used beside the layer": (Beside, (5,), "vmap"),
    "rows merged": (Rows, (3, 5), "vmap"),
    "a parameter of its own": (Scaled, (5,), "vmap"),
    "a layer that is not known": (lambda: pictures(nn.ConvTranspose1d(2, 3, 2), nn.Tanh()), (2, 6), "vmap"),
}


def one_by_one(model, loss, inputs, targets):
    rows = []
    for j in range(len(inputs)):
        value = loss(model(inputs[j : j + 1]), targets[j : j + 1])
        rows.append([g.to_dense() for g in torch.autograd.grad(value, list(model.parameters()))])
    return [torch.stack(parts) for parts in zip(*rows, strict=True)]


@pytest.mark.parametrize("name", NORMAL)
def test_gradients_are_those_of_one_example_after_another(name):
    """In double: 1e-10 of the largest gradient is far above rounding, and far below any mistake."""
    make, shape, by = NORMAL[name]
    torch.manual_seed(1)
    model = make().double()
    inputs = torch.randn(6, *shape, dtype=torch.float64)
    targets = torch.randn_like(model(inputs))
    loss = nn.MSELoss()
    expected = one_by_one(model, loss, inputs, targets)
    gradients = jme.torch.per_example(model, loss)
    losses = gradients(inputs, targets)
    assert gradients.by == by
    assert torch.allclose(losses.mean(), loss(model(inputs), targets), rtol=1e-12)
    for p, right in zip(model.parameters(), expected, strict=True):
        assert p.grad_sample.shape == right.shape
        assert torch.allclose(p.grad_sample, right, rtol=0, atol=1e-10 * float(right.abs().max()))
        assert p.requires_grad and p.grad is None
    jme.torch.per_example(model, loss, by="vmap")(inputs, targets)
    for p, right in zip(model.parameters(), expected, strict=True):
        assert torch.allclose(p.grad_sample, right, rtol=0, atol=1e-10 * float(right.abs().max()))


GROUPED = {
    "plain": (nn.Conv2d(8, 16, 3, padding=1), (8, 14, 14)),
    "strides": (nn.Conv2d(16, 8, (3, 2), (2, 1), (1, 0)), (16, 9, 8)),
    "dilated": (nn.Conv2d(8, 4, 2, dilation=2, stride=2, bias=False), (8, 8, 9)),
    "groups": (nn.Conv2d(16, 32, 3, groups=2, padding=1), (16, 6, 6)),
    "pieces": (nn.Conv2d(64, 128, 3, padding=1), (64, 8, 8)),
    "a line": (nn.Conv1d(8, 4, 3, stride=2, padding=1), (8, 21)),
}


@pytest.mark.parametrize("name", GROUPED)
def test_convolutions_of_floats_are_made_as_groups_and_are_those_of_products(name):
    """Off by at most what n roundings of terms of this size can be; the products are made in double."""
    layer, shape = GROUPED[name]
    torch.manual_seed(1)
    x = torch.randn(10, *shape)
    g = torch.randn_like(layer(x).detach())
    function = _layers.LAYERS[type(layer)]

    def gradients(x, g):
        return function(layer, _layers.Call(x, g), g)

    flat = _layers._Flat(layer) if isinstance(layer, nn.Conv1d) else layer
    assert _layers._suits_groups(flat, x) and not _layers._suits_groups(flat, x.double())
    found, right, size = (
        gradients(x, g),
        gradients(x.double(), g.double()),
        gradients(x.double().abs(), g.double().abs()),
    )
    assert found.keys() == right.keys()
    for key, values in found.items():
        terms = g[0, 0].numel()
        assert values.shape == right[key].shape
        assert bool(((values - right[key]).abs() <= (terms + 2) * 2.0**-24 * size[key]).all()), key


@pytest.mark.parametrize("name", GROUPED)
@pytest.mark.parametrize("bad", [float("nan"), float("inf"), 1e38])
def test_groups_of_one_example_have_nothing_of_the_others(name, bad):
    """Also where channels of two examples lie in one vector of the processor, and one is not finite."""
    layer, shape = GROUPED[name]
    torch.manual_seed(1)
    x = torch.randn(10, *shape)
    g = torch.randn_like(layer(x).detach())
    function = _layers.LAYERS[type(layer)]
    before = {key: values.clone() for key, values in function(layer, _layers.Call(x, g), g).items()}
    x[4], g[4] = bad, bad
    for key, values in function(layer, _layers.Call(x, g), g).items():
        others = [j for j in range(10) if j != 4]
        assert torch.equal(values[others], before[key][others]), key
        assert not torch.equal(values[4], before[key][4]), key


@pytest.mark.parametrize("settings", [{}, {"padding_idx": 3}, {"sparse": True}])
def test_gradients_of_embeddings_are_those_of_one_example_after_another(settings):
    torch.manual_seed(1)
    model = Tokens(**settings).double()
    labels = torch.arange(6) % 3
    expected = one_by_one(model, nn.CrossEntropyLoss(), words(6), labels)
    gradients = jme.torch.per_example(model, nn.CrossEntropyLoss())
    gradients(words(6), labels)
    assert gradients.by == "layers"
    for p, right in zip(model.parameters(), expected, strict=True):
        assert torch.allclose(p.grad_sample, right, rtol=0, atol=1e-10)


def small_network():
    torch.manual_seed(1)
    return nn.Sequential(
        nn.Conv2d(1, 8, 3, padding=1), nn.GroupNorm(4, 8), nn.ReLU(), nn.MaxPool2d(2),
        nn.Conv2d(8, 16, 3, padding=1), nn.GroupNorm(4, 16), nn.ReLU(), nn.Flatten(), nn.Linear(16 * 49, 10),
    )  # fmt: skip


def test_an_example_counts_the_same_bits_wherever_it_stands():
    model = small_network()
    gradients = jme.torch.per_example(model, nn.CrossEntropyLoss(), micro_batch=8)
    assert not gradients.companions_matter(torch.randn(8, 1, 14, 14), torch.arange(8))


class Mixing(nn.Module):
    def __init__(self, mix):
        super().__init__()
        self.a, self.mix = nn.Linear(5, 2), mix

    def forward(self, x):
        return self.mix(self.a(x))


MIXES = {
    "minus the mean": lambda x: x - x.mean(0),
    "over the largest": lambda x: x / x.abs().max(),
    "one at the place of another": lambda x: x + 0.1 * x.roll(1, 0),
    "weighted by likeness": lambda x: (x @ x.T).softmax(1) @ x,
}


@pytest.mark.parametrize("by", [None, "layers"])
@pytest.mark.parametrize("mix", MIXES)
def test_a_model_that_mixes_examples_is_refused(mix, by):
    torch.manual_seed(1)
    gradients = jme.torch.per_example(Mixing(MIXES[mix]), nn.MSELoss(), by=by)
    with pytest.raises(jme.InvalidParameter, match="mixes examples") as caught:
        gradients(torch.randn(32, 5), torch.randn(32, 2))
    assert caught.value.field == "model"


def test_a_model_that_would_mix_examples_has_one_at_a_time_by_vmap():
    model = Mixing(MIXES["minus the mean"])
    gradients = jme.torch.per_example(model, nn.MSELoss(), by="vmap")
    gradients(torch.randn(6, 5), torch.randn(6, 2))
    assert float(model.a.weight.grad_sample.abs().max()) == 0, "an example minus itself"


def test_batch_norm_is_refused_and_companions_are_noticed():
    with pytest.raises(jme.InvalidParameter, match="BatchNorm1d mixes examples"):
        jme.torch.per_example(nn.Sequential(nn.Linear(5, 5), nn.BatchNorm1d(5)), nn.MSELoss())
    gradients = jme.torch.per_example(Mixing(MIXES["minus the mean"]), nn.MSELoss(), by="layers")
    gradients._prepare = lambda *_: None
    assert gradients.companions_matter(torch.randn(6, 5), torch.randn(6, 2))


@pytest.mark.parametrize("by", ["vmap", "layers"])
def test_micro_batches_of_one_have_the_same_gradients(by):
    torch.manual_seed(1)
    model, inputs, targets = nn.Linear(5, 2), torch.randn(4, 5), torch.randn(4, 2)
    single = jme.torch.per_example(model, nn.MSELoss(), micro_batch=1, by=by)
    together = jme.torch.per_example(model, nn.MSELoss(), micro_batch=4)
    together(inputs, targets)
    expected = model.weight.grad_sample
    for j in range(4):
        single(inputs[j : j + 1], targets[j : j + 1])
        assert torch.allclose(model.weight.grad_sample[0], expected[j], rtol=1e-5, atol=1e-6)
    assert not single.companions_matter(inputs, targets)


class PlaceMatters(torch.autograd.Function):
    """A kernel that rounds otherwise in the second half of a batch."""

    @staticmethod
    def forward(ctx, x):
        factor = torch.ones(len(x), 1)
        factor[len(x) // 2 :] += 2.0**-23
        return x * factor

    @staticmethod
    def backward(ctx, gradient):
        return gradient


@pytest.mark.parametrize(("micro_batch", "warned"), [(8, 1), (1, 0)])
def test_kernels_that_treat_places_differently_are_warned_of_once(micro_batch, warned):
    model = Mixing(PlaceMatters.apply)
    gradients = jme.torch.per_example(model, nn.MSELoss(), micro_batch=micro_batch, by="layers")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(2):
            gradients.accumulate(made(model), torch.randn(8, 5), torch.randn(8, 2))
    assert [("place in a micro-batch" in str(w.message)) for w in caught] == [True] * warned


def test_a_model_that_draws_is_not_warned_of():
    model = nn.Sequential(nn.Linear(5, 64), nn.Dropout(), nn.Linear(64, 2))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        jme.torch.per_example(model, nn.MSELoss())(torch.randn(8, 5), torch.randn(8, 2))


def test_layers_are_not_taken_where_they_miss_gradients():
    with pytest.raises(jme.InvalidParameter, match='must be "vmap"'):
        jme.torch.per_example(Beside(), nn.MSELoss(), by="layers")(torch.randn(6, 5), torch.randn(6, 5))


def test_micro_batches_change_nothing():
    """Parts are filled up, so that kernels are the same: bits of sums, too."""
    model = small_network()
    inputs, labels = torch.randn(21, 1, 14, 14), torch.arange(21) % 10
    sums = []
    for order in (range(21), [*range(7, 21), *range(7)]):
        optimizer = made(model)
        gradients = jme.torch.per_example(model, nn.CrossEntropyLoss(), micro_batch=8)
        loss = gradients.accumulate(optimizer, inputs[list(order)], labels[list(order)])
        sums.append(torch.from_numpy(optimizer._sums.raw_gradients().copy()))
    # 21 doubles in another order.
    assert torch.allclose(sums[0], sums[1], rtol=0, atol=21 * 2.0**-52)
    assert loss == pytest.approx(float(nn.CrossEntropyLoss()(model(inputs), labels)), rel=1e-5)


def test_an_empty_batch_is_a_batch():
    model = small_network()
    optimizer = made(model)
    gradients = jme.torch.per_example(model, nn.CrossEntropyLoss())
    gradients.accumulate(optimizer, torch.zeros(0, 1, 14, 14), torch.zeros(0, dtype=torch.long))
    optimizer.step()
    gradients(torch.zeros(0, 1, 14, 14), torch.zeros(0, dtype=torch.long))
    optimizer.step()
    assert optimizer.steps_done == 2


def test_dropout_leaves_out_by_example():
    torch.manual_seed(1)
    model = nn.Sequential(nn.Linear(5, 400), nn.Dropout(0.5), nn.Linear(400, 1))
    # vmap of torch 1.13 has no dropout.
    for by in ("layers", "vmap") if torch.__version__ >= "2" else ("layers",):
        gradients = jme.torch.per_example(model, nn.MSELoss(), by=by)
        gradients(torch.ones(2, 5), torch.ones(2, 1))
        kept = [(row != 0).any(1) for row in model[0].weight.grad_sample]
        assert not torch.equal(*kept)
        assert 0.3 < float(kept[0].float().mean()) < 0.7  # 400 coins: 8 standard deviations
    chosen = jme.torch.per_example(model, nn.MSELoss())
    chosen(torch.ones(2, 5), torch.ones(2, 1))
    assert chosen.by == "layers"


def test_frozen_parameters_are_left_alone():
    model = small_network()
    model[0].weight.requires_grad_(False)
    optimizer = jme.torch.Adam(
        [p for p in model.parameters() if p.requires_grad],
        sigma=1, delta=1e-5, steps=2, examples=100, batch_size=10, clip=1.0,
    )  # fmt: skip
    before = model[0].weight.clone()
    jme.torch.per_example(model, nn.CrossEntropyLoss()).accumulate(
        optimizer, torch.randn(3, 1, 14, 14), torch.arange(3)
    )
    optimizer.step()
    assert torch.equal(before, model[0].weight)
    with pytest.raises(jme.InvalidParameter, match="params"):
        jme.torch.per_example(small_network(), nn.CrossEntropyLoss()).accumulate(
            optimizer, torch.randn(3, 1, 14, 14), torch.arange(3)
        )


def test_parts_of_different_length_are_refused():
    gradients = jme.torch.per_example(nn.Linear(5, 2), nn.MSELoss())
    with pytest.raises(jme.DataError, match="same number"):
        gradients(torch.randn(6, 5), torch.randn(5, 2))
