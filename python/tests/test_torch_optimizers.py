"""jme.torch.Adam and AdamW as optimisers."""

from __future__ import annotations

import copy
import math
import os
import pickle
import warnings

import jme
import jme.torch
import numpy as np
import pytest
import torch
from torch_models import DELTA, Centre, centres, half_square, made, trained

DATA = centres(100, 30)


def two_layers():
    torch.manual_seed(1)
    return torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 2))


def random_samples(model, count=5, scale=1.0):
    generator = torch.Generator().manual_seed(2)
    return [scale * torch.randn(count, *p.shape, generator=generator) for p in model.parameters()]


def stepped(model, optimizer, samples=None):
    optimizer.add_examples(samples or random_samples(model), 5)
    optimizer.step()
    return [p.detach().clone() for p in model.parameters()]


def test_it_is_an_optimizer_and_a_step_is_seen_by_autograd():
    model = two_layers()
    optimizer = made(model)
    assert isinstance(optimizer, torch.optim.Optimizer)
    versions = [p._version for p in model.parameters()]
    stepped(model, optimizer)
    assert all(p._version > before for p, before in zip(model.parameters(), versions, strict=True))


def test_groups_have_their_own_rates_and_decay():
    models = [two_layers() for _ in range(2)]
    before = [p.detach().clone() for p in models[0].parameters()]
    plain = stepped(models[0], made(models[0], lr=0.01))
    groups = [
        {"params": models[1][0].parameters(), "lr": 0.04},
        {"params": models[1][1].parameters(), "weight_decay": 0.5},
    ]
    keywords = {"sigma": 0.5, "delta": DELTA, "steps": 20, "examples": 100, "batch_size": 10, "clip": 1.0}
    optimizer = jme.torch.AdamW(groups, lr=0.01, weight_decay=0.0, insecure_test_seed=3, **keywords)
    grouped = stepped(models[1], optimizer)
    # Two products and a difference in float: 2^-23 of numbers below 1 each.
    for place, rate, decay in ((0, 4, 0.0), (1, 4, 0.0), (2, 1, 0.5), (3, 1, 0.5)):
        moved = (plain[place] - before[place]) * rate - 0.01 * decay * before[place]
        assert torch.allclose(grouped[place] - before[place], moved, rtol=0, atol=4 * 2.0**-23)


def test_a_scheduler_changes_the_rate():
    model = two_layers()
    optimizer = made(model, lr=0.01)
    scheduler = torch.optim.lr_scheduler.LambdaLR(optimizer, lambda epoch: 0.0 if epoch > 0 else 1.0)
    once = stepped(model, optimizer)
    scheduler.step()
    twice = stepped(model, optimizer)
    assert all(torch.equal(a, b) for a, b in zip(once, twice, strict=True))
    assert optimizer.steps_done == 2


def test_a_batch_may_come_in_parts():
    models = [two_layers() for _ in range(2)]
    samples = random_samples(models[0])
    whole = stepped(models[0], made(models[0]), samples)
    optimizer = made(models[1])
    for part in (slice(0, 2), slice(2, 5)):
        for p, sample in zip(models[1].parameters(), samples, strict=True):
            p.grad_sample = sample[part]
        if part.start == 0:
            optimizer.virtual_step()
            optimizer.zero_grad()  # as people do after each part
            assert all(p.grad_sample is None for p in models[1].parameters())
    optimizer.step()
    assert all(torch.equal(a, b) for a, b in zip(whole, models[1].parameters(), strict=True))


def test_grad_sample_as_opacus_leaves_it_is_taken():
    models = [two_layers() for _ in range(2)]
    samples = random_samples(models[0])
    whole = stepped(models[0], made(models[0]), samples)
    for p, sample in zip(models[1].parameters(), samples, strict=True):
        p.grad_sample = [sample[:1].double(), sample[1:].double()]  # several backward passes, another precision
    optimizer = made(models[1])
    optimizer.step()
    assert all(torch.equal(a, b) for a, b in zip(whole, models[1].parameters(), strict=True))


@pytest.mark.parametrize(
    ("first", "other"),
    [([5], [4]), ([4], [5]), ([3, 2], [3]), ([3, 2], [2, 3]), ([3, 2], [5])],
    ids=["fewer", "more", "a pass less", "other passes", "one pass"],
)
def test_samples_of_different_examples_are_refused(first, other):
    """Rows at the same place would be taken for one example's, and rows that are too many cut off."""
    model = Centre(3)
    model.q = torch.nn.Parameter(torch.zeros(2))
    optimizer = made(model)
    for p, lengths in ((model.p, first), (model.q, other)):
        pieces = [torch.ones(length, *p.shape) for length in lengths]
        p.grad_sample = pieces if len(pieces) > 1 else pieces[0]
    for work in (optimizer.virtual_step, optimizer.step):
        with pytest.raises(jme.DataError, match="parameter 1 has those of other examples than parameter 0"):
            work()
    optimizer.zero_grad()
    with pytest.raises(jme.DataError, match="since the last step"):
        optimizer.step()


def test_an_empty_list_of_samples_is_none():
    model = Centre(3)
    model.p.grad_sample = []
    with pytest.raises(jme.DataError, match="parameter 0 has none"):
        made(model).virtual_step()


def test_a_closure_makes_the_gradients():
    model = two_layers()
    gradients = jme.torch.per_example(model, torch.nn.MSELoss())
    assert float(made(model).step(lambda: gradients(torch.ones(5, 3), torch.ones(5, 2)).mean())) > 0


def test_parameters_of_other_precision_move_with_the_same_update():
    single, double = two_layers(), two_layers().double()
    before = [p.detach().clone() for p in double.parameters()]
    begin = [p.detach().clone() for p in single.parameters()]
    a, b = stepped(single, made(single)), stepped(double, made(double))
    for place in range(4):
        assert torch.allclose((b[place] - before[place]).float(), a[place] - begin[place], rtol=0, atol=2.0**-22)


@pytest.mark.parametrize("method", ["jme", "pp", "joint-clip"])
def test_no_example_counts_for_more_than_the_clip(method):
    model = Centre(30)
    optimizer = made(model, method=method, clip=0.5)
    for scale in (1e-3, 1.0, 1e6, 1e30):
        optimizer.add_examples([scale * torch.ones(1, 30)], 1)
        assert np.linalg.norm(optimizer._sums.raw_gradients()) <= 0.5
        optimizer.discard()


def test_an_example_that_is_not_finite_counts_as_nothing():
    model = Centre(30)
    optimizer = made(model, clip=100.0)
    optimizer.add_examples([torch.stack([torch.ones(30), torch.full((30,), math.nan), torch.full((30,), math.inf)])], 3)
    assert optimizer._sums.raw_gradients().tolist() == [1.0] * 30


def test_the_noise_has_the_size_that_sigma_says():
    """30,000 coordinates: their standard deviation is off by 1/sqrt(60,000) = 0.41%, 6.4 times which has probability
    1.6e-10. Noise 10% too small would be 24 of these away."""
    dimension = 30_000
    model = Centre(dimension)
    optimizer = made(model, method="pp", sigma=2.0, batch_size=10, insecure_test_seed=11)
    optimizer.add_examples([torch.zeros(0, dimension)], 0)
    optimizer.step()
    found = optimizer.state_dict()["jme"]["first_moment"].numpy() / 0.1
    expected = 2.0 * optimizer._mechanism.std_first / optimizer._mechanism.sigma / 10
    assert abs(found.std() / expected - 1) < 6.4 * 0.0041
    assert optimizer.noise_level()[0] == pytest.approx(optimizer._mechanism.std_first / 10, rel=1e-12)


def test_noise_differs_between_optimizers_with_keys_of_their_own():
    models = [Centre(30) for _ in range(2)]
    a, b = (stepped(m, made(m, insecure_test_seed=None), [torch.zeros(5, 30)])[0] for m in models)
    assert not torch.equal(a, b)


@pytest.mark.parametrize("method", ["jme", "pp-debiased"])
def test_the_noise_floor_is_on_by_default(method):
    """Without it, coordinates whose v is below 0 move by lr m / 1e-8."""
    largest = {}
    for floor in (None, 0.0):
        model = Centre(2000)
        given = {} if floor is None else {"noise_floor": floor}
        optimizer = made(model, method=method, lr=1.0, **given)
        optimizer.add_examples([torch.zeros(0, 2000)], 0)
        optimizer.step()
        largest[floor] = float((model.p.detach() - 0.25).abs().max())
    assert largest[None] < 20 < 1e4 < largest[0.0]


def test_epsilon_is_that_of_the_accountant():
    model = Centre(30)
    optimizer = made(model, sigma=None, epsilon=1.5, insecure_test_seed=None)
    assert optimizer.epsilon_spent() == 0
    trained(optimizer, model, DATA, 4)
    asked = jme.account(sampling_rate=0.1, steps=4, delta=DELTA, sigma=optimizer.sigma)["epsilon_pld"]
    assert optimizer.epsilon_spent() == pytest.approx(asked, rel=1e-9)
    assert 0 < optimizer.epsilon_spent() < optimizer.epsilon_spent(steps=20) == 1.5
    assert optimizer.epsilon_spent(delta=1e-3) < optimizer.epsilon_spent()


def test_nothing_is_promised_for_a_test_seed_or_the_method_as_printed():
    assert made(Centre(3)).epsilon_spent() == math.inf
    optimizer = made(Centre(3), method="jme-paper", insecure_test_seed=None)
    assert optimizer.epsilon_spent(steps=1) == math.inf


def test_nothing_is_promised_for_batches_that_a_test_seed_draws():
    optimizer = made(Centre(30), insecure_test_seed=None)
    assert math.isfinite(optimizer.epsilon_spent(steps=1))
    optimizer.loader(torch.utils.data.TensorDataset(DATA), insecure_test_seed=1)
    assert optimizer.epsilon_spent(steps=1) == math.inf


def test_batches_from_elsewhere_are_warned_about_once():
    """A loader of torch shuffles instead of sampling, and then epsilon is another one."""
    model = Centre(30)
    optimizer = made(model)
    optimizer.add_examples([DATA[:10]], 10)
    with pytest.warns(UserWarning, match="do not come from optimizer.loader") as caught:
        optimizer.step()
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        optimizer.add_examples([DATA[:10]], 10)
        optimizer.step()
        trained(made(model), model, DATA, 2)
        fixed = made(model, participations=2, separation=10)
        fixed.add_examples([DATA[:10]], 10)
        fixed.step()


def test_a_step_whose_update_cannot_be_applied_counts_and_uses_up_its_batch():
    model = Centre(30)
    optimizer = made(model, insecure_test_seed=None)
    optimizer.add_examples([DATA[:10]], 10)
    optimizer._apply_update = lambda: (_ for _ in ()).throw(RuntimeError("no memory"))
    with pytest.raises(RuntimeError):
        optimizer.step()
    assert optimizer.steps_done == 1 and optimizer.epsilon_spent() == optimizer.epsilon_spent(steps=1) > 0
    del optimizer._apply_update
    with pytest.raises(jme.DataError, match="since the last step"):
        optimizer.step()


def test_a_notebook_shows_what_a_training_has_spent():
    model = Centre(30)
    optimizer = made(model, sigma=None, epsilon=1.5, insecure_test_seed=None)
    trained(optimizer, model, DATA, 4)
    html = optimizer._repr_html_()
    assert f"4 of 20 steps, epsilon {optimizer.epsilon_spent():.3g} of 1.5 at delta = 1e-05" in html
    assert "data:image/svg+xml;base64," in html
    assert "nothing is private here" in made(Centre(3))._repr_html_()


def test_no_step_follows_the_last_one():
    model = Centre(30)
    optimizer = made(model, steps=2)
    trained(optimizer, model, DATA, 2)
    optimizer.add_examples([torch.zeros(0, 30)], 0)
    before = model.p.detach().clone()
    with pytest.raises(jme.BudgetExhausted):
        optimizer.step()
    assert torch.equal(before, model.p)


def test_a_step_without_gradients_of_examples_is_refused():
    model = Centre(30)
    optimizer = made(model)
    half_square(model(DATA)).backward()  # p.grad is not what is needed
    with pytest.raises(jme.DataError, match="grad_sample"):
        optimizer.step()
    with pytest.raises(jme.DataError, match="grad_sample"):
        optimizer.virtual_step()
    with pytest.raises(jme.DataError, match="parameter 0"):
        optimizer.add_examples([torch.zeros(4, 29)], 4)
    with pytest.raises(jme.DataError, match="parameter 0"):
        optimizer.add_examples([torch.zeros(4, 30)], 5)


class Interrupted:
    """A part of the engine: Ctrl-C comes as soon as this call of it has returned."""

    def __init__(self, part, call, error=KeyboardInterrupt):
        self._part, self._call, self._error = part, call, error

    def __getattr__(self, name):
        found = getattr(self._part, name)

        def interrupted(*given):
            found(*given)
            raise self._error

        return interrupted if name == self._call else found


def test_an_interrupted_batch_leaves_nothing_to_the_next():
    """Who runs the loop again would else have examples in the sums that count twice."""
    model = Centre(30)
    optimizer = made(model, clip=1000.0)
    left = [10_000]

    def loss(difference):
        left[0] -= 1
        if left[0] == 0:
            raise KeyboardInterrupt
        return half_square(difference)

    gradients = jme.torch.per_example(model, loss, micro_batch=1, by="vmap")
    gradients.accumulate(optimizer, DATA[:2])  # a batch may come in parts
    left[0] = 2
    with pytest.raises(KeyboardInterrupt):
        gradients.accumulate(optimizer, DATA[2:5])
    optimizer.state_dict()  # no batch is half-way
    gradients.accumulate(optimizer, DATA[:5])
    expected = (0.25 - DATA[:5].double()).sum(0)
    assert optimizer._sums.raw_gradients().tolist() == expected.tolist()


@pytest.mark.parametrize("by_samples", [True, False])
def test_examples_that_were_added_when_it_was_interrupted_are_forgotten(by_samples):
    model = Centre(30)
    optimizer = made(model)
    sums = optimizer._sums
    optimizer._sums = Interrupted(sums, "add")
    with pytest.raises(KeyboardInterrupt):
        if by_samples:
            model.p.grad_sample = DATA[:5]
            optimizer.virtual_step()
        else:
            optimizer.add_examples([DATA[:5]], 5)
    optimizer._sums = sums
    assert not sums.raw_gradients().any()
    with pytest.raises(jme.DataError, match="since the last step"):
        optimizer.step()


def test_a_step_that_is_interrupted_after_its_noise_was_used_counts_and_uses_up_its_batch():
    model, other = Centre(30), Centre(30)
    optimizer, whole = made(model), made(other)
    adam = optimizer._adam
    optimizer.add_examples([DATA[:10]], 10)
    whole.add_examples([DATA[:10]], 10)
    whole.step()
    optimizer._adam = Interrupted(adam, "step")
    with pytest.raises(KeyboardInterrupt):
        optimizer.step()
    assert optimizer.steps_done == 1
    assert not optimizer._sums.raw_gradients().any()
    with pytest.raises(jme.DataError, match="since the last step"):
        optimizer.step()
    optimizer._adam = adam
    # The engine is whole: the next step has the noise and the moments that it has elsewhere.
    for each in (optimizer, whole):
        each.add_examples([DATA[10:20]], 10)
        each.step()
    assert optimizer.steps_done == 2
    for name in ("first_moment", "second_moment"):
        assert torch.equal(optimizer.state_dict()["jme"][name], whole.state_dict()["jme"][name])


def test_a_step_that_is_interrupted_before_its_noise_was_used_can_be_made_again():
    models = [Centre(30) for _ in range(2)]
    optimizer, expected = made(models[0]), stepped(models[1], made(models[1]), [DATA[:5]])
    optimizer.add_examples([DATA[:5]], 5)
    adam = optimizer._adam
    optimizer._adam = Interrupted(adam, "set")
    with pytest.raises(KeyboardInterrupt):
        optimizer.step()
    optimizer._adam = adam
    assert optimizer.steps_done == 0
    optimizer.step()
    assert torch.equal(models[0].p, expected[0])


def test_epsilon_counts_a_step_that_was_interrupted():
    optimizer = made(Centre(30), insecure_test_seed=None)
    optimizer.add_examples([DATA[:10]], 10)
    optimizer._adam = Interrupted(optimizer._adam, "step")
    with pytest.raises(KeyboardInterrupt):
        optimizer.step()
    assert optimizer.epsilon_spent() == optimizer.epsilon_spent(steps=1) > 0


def test_nothing_goes_on_after_a_step_that_failed_inside():
    optimizer = made(Centre(30))
    optimizer.add_examples([DATA[:10]], 10)
    optimizer._adam = Interrupted(optimizer._adam, "step", MemoryError)
    with pytest.raises(MemoryError):
        optimizer.step()
    assert optimizer.steps_done == 1
    for work in (optimizer.step, optimizer.state_dict):
        with pytest.raises(jme.StateError, match="cannot go on"):
            work()


WRONG = [
    ("epsilon", {"epsilon": 1.0}),
    ("epsilon", {"sigma": None}),
    ("epsilon", {"sigma": None, "epsilon": -1.0}),
    ("delta", {"delta": 0.0}),
    ("delta", {"delta": 2.0}),
    ("sigma", {"sigma": 0.0}),
    ("steps", {"steps": 0}),
    ("steps", {"steps": 2.5}),
    ("examples", {"examples": 0}),
    ("batch_size", {"batch_size": 100}),
    ("batch_size", {"batch_size": 0}),
    ("batch_size", {"batch_size": 0.5}),
    ("clip", {"clip": 0.0}),
    ("clip", {"clip": math.nan}),
    ("method", {"method": "best"}),
    ("lr", {"lr": -1.0}),
    ("lr", {"lr": math.nan}),
    ("betas", {"betas": (0.9, 1.0)}),
    ("eps", {"eps": -1.0}),
    ("weight_decay", {"weight_decay": 0.1}),
    ("noise_floor", {"noise_floor": -1.0}),
    ("least_square", {"least_square": -1.0}),
    ("update_bound", {"update_bound": 0.0}),
    ("update_norm", {"update_norm": 0.0}),
    ("lambda_", {"lambda_": -1.0}),
    ("square_clip", {"square_clip": 2.0}),
    ("square_clip", {"square_clip": [0.1, 0.1]}),
    ("square_clip", {"square_clip": 0.1, "method": "pp"}),
    ("adjacency", {"adjacency": "nobody"}),
    ("shape", {"shape": "round", "participations": 1}),
    ("shape", {"shape": "sqrt"}),
    ("participations", {"participations": 0}),
    ("separation", {"separation": 0}),
]


@pytest.mark.parametrize(("field", "given"), WRONG, ids=lambda x: x if isinstance(x, str) else str(sorted(x.items())))
def test_a_wrong_setting_is_named(field, given):
    with pytest.raises(jme.InvalidParameter) as caught:
        made(Centre(30), **given)
    assert caught.value.field == field
    assert str(caught.value).startswith(field)


def test_settings_that_noise_depends_on_do_not_change_later():
    model = Centre(30)
    optimizer = made(model)
    optimizer.add_examples([torch.zeros(0, 30)], 0)
    for field, value in (("betas", (0.5, 0.999)), ("lr", math.nan), ("weight_decay", 0.1)):
        kept = optimizer.param_groups[0][field]
        optimizer.param_groups[0][field] = value
        with pytest.raises(jme.InvalidParameter) as caught:
            optimizer.step()
        assert caught.value.field == field
        optimizer.param_groups[0][field] = kept
    with pytest.raises(jme.InvalidParameter, match="params"):
        optimizer.add_param_group({"params": [torch.nn.Parameter(torch.zeros(2))]})
    optimizer.step()


SHAPED = {"participations": 2, "separation": 10, "shape": "blt:2", "batch_size": 10}


@pytest.mark.parametrize("given", [{}, SHAPED], ids=["fresh noise", "shaped noise"])
def test_a_training_goes_on_from_a_saved_state(tmp_path, given):
    model = Centre(30)
    optimizer = made(model, insecure_test_seed=None, **given)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, 1, 0.5)
    for _ in range(3):
        optimizer.add_examples([DATA[:10]], 10)
        optimizer.step()
        scheduler.step()
    torch.save(optimizer.state_dict(), tmp_path / "state")
    state = torch.load(tmp_path / "state")
    secret = state["jme"]["secret_noise_first"]
    assert (secret.numel() > 0) == bool(given), "noise that is fresh in every step leaves nothing to hide"
    after = made(model, insecure_test_seed=None, **given)
    after.load_state_dict(state)
    assert after.steps_done == 3
    assert after.param_groups[0]["lr"] == 0.01 / 8
    for name in ("first_moment", "second_moment", "secret_noise_first", "secret_noise_second"):
        assert torch.equal(after.state_dict()["jme"][name], state["jme"][name])
    assert after.epsilon_spent() == optimizer.epsilon_spent()
    after.add_examples([DATA[:10]], 10)
    after.step()
    assert after.steps_done == 4


@pytest.mark.parametrize("part", ["noise", "batches", "neither"])
def test_nothing_is_promised_for_a_training_that_began_with_a_test_seed(part):
    data = torch.utils.data.TensorDataset(DATA)
    model = Centre(30)
    first = made(model, insecure_test_seed=3 if part == "noise" else None)
    first.loader(data, insecure_test_seed=3 if part == "batches" else None)
    first.add_examples([DATA[:10]], 10)
    first.step()
    for _ in range(2):  # saved and loaded twice
        later = made(model, insecure_test_seed=None)
        later.load_state_dict(first.state_dict())
        assert math.isfinite(later.epsilon_spent()) == (part == "neither")
        first = later


def test_a_state_that_does_not_say_whether_a_test_seed_was_used_is_read():
    model = Centre(30)
    state = made(model, insecure_test_seed=None).state_dict()
    del state["jme"]["is_secret"]
    for seed, is_finite in ((None, True), (3, False)):
        later = made(model, insecure_test_seed=seed)
        later.load_state_dict(state)
        assert math.isfinite(later.epsilon_spent(steps=1)) == is_finite


def test_a_state_of_another_training_is_refused():
    model = Centre(30)
    state = made(model).state_dict()
    with pytest.raises(jme.StateError, match="norm_bound"):
        made(model, clip=2.0).load_state_dict(state)
    with pytest.raises(jme.StateError, match="another optimiser"):
        made(model).load_state_dict(torch.optim.Adam(model.parameters()).state_dict())
    used = made(model)
    trained(used, model, DATA, 1)
    with pytest.raises(jme.StateError, match="done nothing"):
        used.load_state_dict(state)


def test_a_half_batch_is_never_saved():
    optimizer = made(Centre(30))
    optimizer.add_examples([DATA[:3]], 3)
    with pytest.raises(jme.StateError, match="raw data"):
        optimizer.state_dict()


def test_noise_is_neither_copied_nor_pickled_nor_used_after_a_fork():
    model = Centre(30)
    optimizer = made(model)
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(jme.StateError):
            copied(optimizer)
    loader = optimizer.loader(torch.utils.data.TensorDataset(DATA))
    optimizer.add_examples([torch.zeros(0, 30)], 0)
    child = os.fork()
    if child == 0:
        refused = 0
        for work in (optimizer.step, lambda: next(iter(loader))):
            try:
                work()
            except jme.StateError:
                refused += 1
        os._exit(refused)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 2


@pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA here")
def test_parameters_may_be_elsewhere():
    here, there = two_layers(), two_layers().cuda()
    a = stepped(here, made(here))
    b = stepped(there, made(there), [x.cuda() for x in random_samples(here)])
    assert all(torch.allclose(x, y.cpu(), rtol=0, atol=1e-6) for x, y in zip(a, b, strict=True))
