"""Optimisers whose updates are private."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NoReturn

import numpy as np
import torch

from .. import _core, _html
from ..errors import BudgetExhausted, DataError, StateError
from ._plan import named, square_layers, sum_error, whole, wrong
from ._processes import STATE, STEP, Together
from ._slices import Slices
from .loader import PoissonLoader, check_can_be_sampled

# What belongs to a state in which a training can go on beside the number of its steps, under the engine's names.
VECTORS = ("first_moment", "second_moment", "secret_noise_first", "secret_noise_second")


class Adam(torch.optim.Optimizer):  # type: ignore[misc]
    """Adam on noisy sums of clipped per-example gradients. All updates together are (epsilon, delta) private.

    A step is: per-example gradients (`jme.torch.per_example`, or `p.grad_sample` from elsewhere), `virtual_step()` for
    every part of the batch but the last, `step()`. What one example can change is whether it is there (add-remove).

    params, lr, betas, eps: as in torch.optim.Adam. Groups may have their own `lr` (schedulers change it) and, for
        AdamW, `weight_decay`; `betas` and `eps` are the same for all, and `betas` stay what they are.
    epsilon, delta: the privacy of the whole training; or `sigma`, the noise multiplier, with `delta` for
        `epsilon_spent`.
    steps: how many there will be at most.
    examples: how many there are in the data set. Public.
    batch_size: examples in a batch, on average: every example is in every batch with probability batch_size / examples
        (`loader`), decided by nobody who could tell.
    clip: no example's gradient is longer than this.
    method: "jme" (noisy squares of every example's gradient), "pp-debiased" (square of the noisy mean minus the noise's
        variance; mostly best for batches of hundreds), "pp", "joint-clip", "jme-batch-mean", "jme-paper" (no epsilon).
    noise_floor: v is at least this many standard deviations of its own noise. torch's `eps` alone is far too small.
    least_square: v is at least this. update_bound: no coordinate of an update is larger, before `lr`.
    update_norm: no update is longer, before `lr`.
    lambda_: weight of the squares. square_clip: bound of single squares, for all or one for each parameter (jme only).
    participations, separation: instead of sampling, batches of exactly batch_size in a public order: how often one
        example is used, and the least number of steps between two uses. `shape` and `shape2` then shape the noise.
    process_group: processes that train together; default all, where torch.distributed was initialised. All of them
        make the optimiser, every step and every `state_dict()`.
    insecure_test_seed: the same noise again; nothing is private then.
    """

    _decays = False

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 0.0,
        *,
        steps: int,
        examples: int,
        batch_size: float,
        clip: float,
        delta: float,
        epsilon: float | None = None,
        sigma: float | None = None,
        method: str = "jme",
        noise_floor: float = 1.0,
        least_square: float = 0.0,
        update_bound: float | None = None,
        update_norm: float | None = None,
        lambda_: float | None = None,
        square_clip: float | Sequence[float] | None = None,
        participations: int | None = None,
        separation: int = 1,
        adjacency: str = "add-remove",
        shape: str = "identity",
        shape2: str | None = None,
        process_group: Any = None,
        threads: int | None = None,
        insecure_test_seed: int | None = None,
    ) -> None:
        self._is_made = False
        super().__init__(params, {"lr": lr, "betas": tuple(betas), "eps": eps, "weight_decay": weight_decay})
        if not 0 < delta < 1:
            raise wrong("delta", "must be in (0, 1)")
        if (epsilon is None) == (sigma is None):
            raise wrong("epsilon", "either epsilon or sigma must be given")
        sampled = participations is None
        rate = batch_size / whole("examples", examples) if sampled else 1.0
        if sampled and not 0 < rate < 1:
            raise wrong("batch_size", "must be above 0 and below the number of examples")
        self._tensors: list[torch.Tensor] = [p for group in self.param_groups for p in group["params"]]
        if not all(p.is_floating_point() for p in self._tensors):
            raise wrong("params", "must be real numbers")
        self._sizes = [p.numel() for p in self._tensors]
        self._settings: dict[str, Any] = {
            "learning_rate": 1.0,  # the engine gives the direction; every group has its own rate
            "weight_decay": 0.0,
            "beta_first": float(betas[0]),
            "beta_second": float(betas[1]),
            "eps": float(eps),
            "noise_floor": float(noise_floor),
            "least_square": float(least_square),
            "update_bound": update_bound,
            "update_norm": update_norm,
        }
        self._config: dict[str, Any] = {
            "epsilon": epsilon,
            "delta": delta if sigma is None else None,
            "sigma": sigma,
            "steps": whole("steps", steps),
            "dimension": sum(self._sizes),
            "norm_bound": float(clip),
            "method": method,
            "batch": float(batch_size),
            "sampling_rate": rate,
            "adjacency": adjacency,
            "participations": None if participations is None else whole("participations", participations),
            "separation": whole("separation", separation),
            "beta_first": float(betas[0]),
            "beta_second": float(betas[1]),
            "shape": shape,
            "shape2": shape2,
            "lambda": lambda_,
            "square_clip": square_layers(square_clip, self._sizes),
            "sum_error": sum_error(examples, batch_size, rate),
        }
        self.examples, self.batch_size, self.steps, self.delta = int(examples), batch_size, int(steps), float(delta)
        self._seed = insecure_test_seed
        self._is_secret = insecure_test_seed is None
        self._knows_batches = False
        self._together = Together(process_group)
        config = {**self._config, "threads": threads}
        self._check_groups()
        self._mechanism = named(lambda: _core.BatchMechanism(config))
        self._slices = Slices(self._together, sum(self._sizes))
        self._adam = named(lambda: self._made_adam(config))
        self._is_broken = False
        self._sums = _core.ClippedSums(self._mechanism)
        self._examples = 0
        self._batch_began: int | None = None  # after how many steps
        # Sums of this process's slice, rounded to float once.
        self._gradients = np.zeros(self._slices.count, np.float32)
        self._squares = np.zeros(self._slices.count if self._mechanism.takes_squares else 0, np.float32)
        self._update = np.zeros(sum(self._sizes), np.float32)
        with torch.no_grad():
            for p in self._tensors:
                self._together.copy_first(p.data)
        self._is_made = True

    def _made_adam(self, config: dict[str, Any]) -> _core.Adam:
        together, slices = self._together, self._slices
        if together.size == 1:
            return _core.Adam(config, self._settings, self._seed)
        together.check_same((self._config, self._settings, self._seed))
        # Each process draws the noise of its own slice. With one key they draw what one process would draw.
        secret = together.secret_of_first(_core.new_noise_secret(self._seed))
        return _core.Adam(
            config,
            self._settings,
            secret,
            (slices.begin, slices.count),
            lambda numbers: together.add_up(torch.from_numpy(numbers)),
        )

    def virtual_step(self) -> None:
        """Clips the gradients in `p.grad_sample`, adds them to those of the batch so far, and forgets them."""
        samples: list[torch.Tensor] = []
        expected: list[int] = []
        for place, p in enumerate(self._tensors):
            sample: Any = getattr(p, "grad_sample", None)
            pieces = sample if isinstance(sample, list) else [sample]  # Opacus has one for each backward pass
            if sample is None or not pieces:
                raise DataError(f"grad_sample: parameter {place} has none; make per-example gradients first")
            lengths = [len(piece) for piece in pieces]
            expected = expected or lengths
            if lengths != expected:
                raise DataError(
                    f"grad_sample: parameter {place} has those of other examples than parameter 0; in every backward "
                    "pass each parameter needs a row for each example"
                )
            samples.append(torch.cat(pieces) if len(pieces) > 1 else pieces[0])
        self._forget_samples()  # first: an interruption must not leave examples that were added
        self.add_examples(samples, len(samples[0]))

    def add_examples(self, gradients: Sequence[torch.Tensor], count: int) -> None:
        """Clips and adds the first `count` of these gradients: for each parameter one tensor with the examples along
        its first axis. If adding is interrupted, the whole batch is forgotten."""
        if len(gradients) != len(self._tensors):
            raise DataError(f"gradients: {len(gradients)} tensors for {len(self._tensors)} parameters")
        rows = []
        for place, (p, gradient) in enumerate(zip(self._tensors, gradients, strict=True)):
            if gradient.shape[1:] != p.shape or len(gradient) < count:
                raise DataError(f"gradients: those of parameter {place} have the shape of another one")
            flat = gradient.detach().reshape(len(gradient), p.numel())
            rows.append(flat.to("cpu", torch.float32).contiguous().numpy())
        if not self._has_batch:
            self._forget_sums()
        self._batch_began = self.steps_done
        try:
            self._sums.add(rows, count)
            self._examples += count
        except BaseException:  # nobody knows what was added, and who adds it again would count examples twice
            self.discard()
            raise

    def discard(self) -> None:
        """Forgets the examples that were added since the last step."""
        self._forget_sums()
        self._forget_samples()

    def _forget_sums(self) -> None:
        self._sums.clear()
        self._examples = 0
        self._batch_began = None

    @property
    def _has_batch(self) -> bool:
        """As soon as the engine has made a step, the batch is used up, wherever an interruption comes."""
        return self._batch_began == self.steps_done

    def zero_grad(self, set_to_none: bool = True) -> None:
        """Forgets `p.grad` and `p.grad_sample`; what `virtual_step` has added stays."""
        super().zero_grad(set_to_none)
        self._forget_samples()

    def _forget_samples(self) -> None:
        for p in self._tensors:
            if getattr(p, "grad_sample", None) is not None:
                p.grad_sample = None

    def _has_samples(self) -> bool:
        return any(getattr(p, "grad_sample", None) is not None for p in self._tensors)

    @torch.no_grad()  # type: ignore[untyped-decorator]
    def step(self, closure: Callable[[], Any] | None = None) -> Any:
        """Adds noise to the batch's sums and moves the parameters. A batch without examples is a step, too."""
        self._check_is_whole()
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        if self._has_samples():
            self.virtual_step()
        if not self._has_batch:
            raise DataError(_missing_gradients(closure is not None))
        self._check_groups()
        if self.steps_done >= self.steps:
            raise BudgetExhausted("steps: all steps of the training are done")
        if not self._knows_batches and self._config["sampling_rate"] < 1:
            self._knows_batches = True
            warnings.warn(
                "jme: these batches do not come from optimizer.loader(...); epsilon holds only where every example is "
                "in every batch with probability batch_size / examples, on its own and in secret",
                stacklevel=4,  # torch wraps step twice
            )
        before = self.steps_done
        try:
            self._make_update()
        except BaseException as error:
            # Alone, Ctrl-C comes before or after the engine's call, which is then whole; what fails inside is not.
            may_be_torn = isinstance(error, Exception) or self._together.size > 1
            self._is_broken = self._is_broken or (may_be_torn and self.steps_done != before)
            raise
        finally:
            if not self._has_batch:
                self.discard()
        self._apply_update()
        return loss

    def _make_update(self) -> None:
        said = self._together.agreed(STEP, [self.steps_done, self._examples])
        if len({steps for steps, _ in said}) > 1:
            raise StateError("the processes have made different numbers of steps")
        if self._together.size > 1:  # sums that were added up in part or in all are nobody's own: never again
            self._batch_began = None
        for rounded, sums in (
            (self._gradients, self._sums.raw_gradients()),
            (self._squares, self._sums.raw_squares()),
        ):
            if len(sums) > 0:
                np.copyto(rounded, self._slices.add_up(sums), casting="same_kind")
        own = self._update[self._slices.own]
        own.fill(0)
        error: BaseException | None = None
        try:
            self._adam.set(self._settings_now())
            self._adam.step(own, self._gradients, self._squares, sum(examples for _, examples in said))
        except BaseException as problem:
            error = problem
        self._check_outcome(error)
        self._slices.gather(self._update)

    def _check_outcome(self, error: BaseException | None) -> None:
        """Raises in all processes where one has failed. Noise that only some of them have used must not be used again
        with other sums."""
        outcomes = self._together.agreed(STEP, [int(error is not None), self.steps_done])
        if any(failed for failed, _ in outcomes):
            self._is_broken = any(steps != self.steps_done for _, steps in outcomes)
            raise error or StateError("another process could not make the step; its error says why")

    def _apply_update(self) -> None:
        """p (1 - lr decay) - lr update, rounded after each product as the engine does; torch sees that p changes."""
        update = torch.from_numpy(self._update)
        begin = 0
        for group in self.param_groups:
            rate, shrink = float(group["lr"]), 1 - float(group["lr"]) * float(group["weight_decay"])
            for p in group["params"]:
                part = update[begin : begin + p.numel()].reshape(p.shape).to(p.device)
                begin += p.numel()
                if shrink != 1:
                    p.mul_(shrink)
                p.add_((part * rate).to(p.dtype))

    def _settings_now(self) -> dict[str, Any]:
        settings = {**self._settings, "eps": float(self.param_groups[0]["eps"])}
        if self._config["method"] == "pp-debiased":
            # The engine's own floor leaves this method out, because its noise depends on the gradient; the noise is at
            # least this.
            least = self._mechanism.debiased_noise(settings["beta_second"], self.steps_done + 1)
            settings["least_square"] = max(settings["least_square"], settings["noise_floor"] * least)
        return settings

    def _check_groups(self) -> None:
        for group in self.param_groups:
            for field in ("lr", "weight_decay", "eps"):
                if not 0 <= float(group[field]) < math.inf:
                    raise wrong(field, "must be a finite number of at least 0")
            if not self._decays and group["weight_decay"] != 0:
                raise wrong("weight_decay", "must be 0; AdamW has it")
            if tuple(group["betas"]) != (self._config["beta_first"], self._config["beta_second"]):
                raise wrong("betas", "must be the same in all groups and steps; schedulers may change lr")
            if group["eps"] != self.param_groups[0]["eps"]:
                raise wrong("eps", "must be the same in all groups")

    @property
    def steps_done(self) -> int:
        return self._adam.steps_done

    @property
    def sigma(self) -> float:
        """The noise multiplier."""
        return self._mechanism.sigma

    def epsilon_spent(self, delta: float | None = None, steps: int | None = None) -> float:
        """Epsilon of the steps so far, or of the first `steps`. Their number must have been fixed beforehand: who looks
        at results and stops because of them has spent the epsilon of all steps. Infinite where nothing is promised."""
        if not self._is_secret:
            return math.inf
        done = self.steps_done if steps is None else steps
        return self._mechanism.epsilon(self.delta if delta is None else delta, done)

    def noise_level(self) -> tuple[float, float]:
        """Standard deviation of the noise on a coordinate of the averaged gradient and of the averaged squares, both
        corrected for their start, as they stand. Public."""
        return self._adam.noise_level()

    def loader(self, dataset: Any, **settings: Any) -> PoissonLoader:
        """The batches of this training, drawn from `dataset`; settings are those of PoissonLoader."""
        if self._config["sampling_rate"] == 1:
            raise wrong("participations", "the batches of this training are not sampled; use a loader of torch")
        check_can_be_sampled(dataset)
        if len(dataset) != self.examples:
            raise wrong("examples", f"are {self.examples}, but the data set has {len(dataset)}")
        settings.setdefault("insecure_test_seed", self._seed)
        settings.setdefault("first_step", self.steps_done)
        settings.setdefault("process_group", self._together)
        self._knows_batches = True
        self._is_secret = self._is_secret and settings["insecure_test_seed"] is None
        loader = PoissonLoader(dataset, batch_size=self.batch_size, steps=self.steps, **settings)
        loader._before_batch = self._check_batch_is_used
        return loader

    def state_dict(self) -> dict[str, Any]:
        """As torch has it, and under "jme" what the noise needs to go on. Parts called secret_... must not be
        published: with the updates they reveal gradients. They are empty where noise is fresh in every step. Processes
        that train together all call it, and each gets the whole state."""
        self._check_no_batch()
        self._check_is_whole()
        self._together.agreed(STATE, [])
        state: dict[str, Any] = super().state_dict()
        parts = named(self._adam.state)
        vectors = {name: torch.from_numpy(self._slices.whole(parts[name])) for name in VECTORS}
        own = {"config": dict(self._config), "steps": self.steps_done, "is_secret": self._is_secret}
        state["jme"] = {**own, **vectors}
        return state

    def load_state_dict(self, state_dict: dict[str, Any]) -> None:
        """Goes on from a state, with fresh noise. Only a new optimiser can; two that go on from one spend twice."""
        state = dict(state_dict)
        own = state.pop("jme", None)
        if own is None:
            raise StateError("state: it has no part of jme; another optimiser has written it")
        if own["config"] != self._config:
            different = sorted(name for name in self._config if own["config"].get(name) != self._config[name])
            raise StateError(f"state: it is of another training: {', '.join(different)}")
        if self.steps_done > 0 or self._has_batch:
            raise StateError("state: only an optimiser that has done nothing can go on from one")
        vectors = (self._slices.part(own[name].cpu().contiguous().numpy()) for name in VECTORS)
        # Steps with noise or batches of a test seed stay open to everybody. States before this was kept do not say it.
        self._is_secret = self._is_secret and bool(own.get("is_secret", True))
        self._adam.restore(int(own["steps"]), *vectors)
        super().load_state_dict(state)

    def _repr_html_(self) -> str:
        return _html.training(self)

    def _check_no_batch(self) -> None:
        if self._has_batch:
            raise StateError("a batch is half-way: its sums are raw data; save after step()")

    def _check_is_whole(self) -> None:
        if self._is_broken:
            raise StateError("a step failed after some of its noise was used: the training cannot go on")

    def _check_batch_is_used(self) -> None:
        """An example that is in two batches would count twice in one step."""
        if self._has_batch or self._has_samples():
            raise StateError("a batch waits for its step: call step(), or discard() to forget it, before the next one")

    def add_param_group(self, param_group: dict[str, Any]) -> None:
        if self._is_made:
            raise wrong("params", "cannot grow: the noise was made for those that there are")
        super().add_param_group(param_group)

    def _refuse_copy(self) -> NoReturn:
        raise StateError("an optimiser with noise can be neither copied nor pickled: use state_dict()")

    def __deepcopy__(self, memo: dict[int, Any]) -> NoReturn:
        self._refuse_copy()

    def __reduce_ex__(self, protocol: Any) -> NoReturn:
        self._refuse_copy()


def _missing_gradients(had_closure: bool) -> str:
    return (
        "grad_sample: there are no per-example gradients since the last step"
        f"{', and the closure made none' if had_closure else ''}. p.grad, which loss.backward() makes, is a sum over "
        f"examples and not used: {'in the closure' if had_closure else 'before step()'}, "
        "call gradients.accumulate(optimizer, inputs, targets), where gradients is jme.torch.per_example(model, loss)"
    )


class AdamW(Adam):
    """Adam whose parameters shrink by lr * weight_decay in every step, whatever the gradients are. The other keywords
    are those of Adam."""

    _decays = True

    def __init__(
        self,
        params: Iterable[Any],
        lr: float = 1e-3,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-8,
        weight_decay: float = 1e-2,
        **private: Any,
    ) -> None:
        super().__init__(params, lr, betas, eps, weight_decay, **private)
