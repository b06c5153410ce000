"""Tries a model on made-up examples before the first gradients, and again when the model has changed."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence

import torch
from torch import Tensor, nn

from . import _recorded
from ._examples import Examples
from ._plan import wrong
from ._watch import Watch, same_bits, watched
from ._ways import Ways

SECONDS_OF_SILENCE = 1.0


class Trial:
    """Which way of making gradients is right for a model, and whether it treats examples by themselves."""

    def __init__(self, ways: Ways, watch: Watch, like: Examples, size: int, wish: str | None) -> None:
        """`like`: examples of these shapes and types are made up; it has none. `watch` has remembered the modules."""
        self._ways = ways
        self._watch = watch
        self._like = like
        self._size = size
        self._wish = wish
        self._steps = _Steps()
        self._before = watch.another()
        self._first: tuple[Examples, list[Tensor]] | None = None  # a micro-batch and its gradients
        self.places_matter = False

    def run(self) -> str:
        """Throws InvalidParameter where the model keeps or mixes what it is given."""
        devices = {x.device for x in self._like.tensors() if x.is_cuda}
        with torch.random.fork_rng(devices=devices):
            torch.manual_seed(1)
            try:
                self._before.remember()
                self._call_once()
                self._watch.remember()
                way, change = watched(self._watch, self._chosen)
            finally:
                self._steps.end()
        if change is not None:
            self._before.restore()  # attributes that were set in the first call, too
            raise change.refusal()
        return str(way)

    def _call_once(self) -> None:
        """Modules may make constants now, as attributes, but may not change buffers."""
        try:
            with torch.no_grad():
                self._ways.by("examples", self._made_up(1))
                if _recorded.owners(self._ways.model) is not None:
                    self._ways.output(self._made_up(self._size))
        except Exception:  # made-up examples do not do for every model
            pass
        finally:
            change = self._watch.restore(may_set_attributes=True)
        if change is not None:
            raise change.refusal()

    def _chosen(self) -> str:
        one = self._made_up(1)
        try:
            expected = self._gradients("examples", one)
            begin = time.monotonic()
            again = self._gradients("examples", one, seed=3)
            self._steps.is_long = (time.monotonic() - begin) * self._size > SECONDS_OF_SILENCE
        except Exception:  # they do not do for this model: the way that cannot mix
            expected = None
        if self._wish == "examples":
            return "examples"
        if expected is None:
            return "examples" if self._is_recurrent() and self._wish is None else self._agreed("vmap")
        draws = not _same(expected, again)
        way = self._agreed(self._right_way(one, expected, draws))
        if way != "examples" and self._size > 1 and not draws:
            self._try_places(way)
        return way

    def _agreed(self, way: str) -> str:
        if self._wish == "layers" and way != "layers":
            raise wrong("by", f'must be "{way}": layers have not all gradients of this model')
        if self._wish == "vmap" and way == "examples":
            raise wrong("by", 'must be "examples": vmap cannot make the gradients of this model')
        return way

    def _right_way(self, one: Examples, expected: list[Tensor], draws: bool) -> str:
        if self._wish != "vmap" and _recorded.owners(self._ways.model) is not None and self._layers_are_right():
            return "layers"
        if self._is_recurrent():
            return "examples"
        try:
            found = self._gradients("vmap", one)
        except Exception:
            return "examples"
        comparable = not draws and all(bool(g.isfinite().all()) for g in expected)
        return "vmap" if not comparable or _near(found, expected) else "examples"

    def _is_recurrent(self) -> bool:
        """These keep their weights in a list, too, which vmap does not replace."""
        return any(isinstance(layer, nn.RNNBase) for layer in self._ways.model.modules())

    def _layers_are_right(self) -> bool:
        """Whether layers find the gradients that autograd finds. Throws where the first example's depend on others."""
        few = self._made_up(min(self._size, 4))
        try:
            torch.manual_seed(2)
            expected = self._ways.by_autograd(few)
            found = [gradients.sum(0) for gradients in self._gradients("layers", few)]
            if not _near(found, expected):
                return False
            if self._size == 1:
                return True
            first, second = self._made_up(self._size), self._made_up(self._size)
            beside_others = first.beside(second)
            self._steps.next("does it mix examples?")
            ours = self._gradients("layers", first)
            self._steps.next("does it mix examples?")
            again = self._gradients("layers", beside_others)
            self._first = first, ours
        except Exception:
            return False
        if not _near([g[0] for g in again], [g[0] for g in ours]):
            raise wrong("model", "mixes examples: the gradient of one depends on which others are there")
        return True

    def _try_places(self, way: str) -> None:
        """Every example one place further, so that any two places that are treated differently meet, and some of them
        replaced by zeros."""
        size = self._size
        examples = self._made_up(size) if self._first is None else self._first[0]
        order = [*range(1, size), 0]
        kept = [place for place in range(size) if size < 4 or place % 7 not in (2, 5)]
        zeros = examples.each(torch.zeros_like, torch.zeros_like)
        moved = examples[order].where(kept, zeros)
        try:
            if self._first is None:
                self._steps.next("do places matter?")
                self._first = examples, self._gradients(way, examples)
            self._steps.next("do places matter?")
            again = self._gradients(way, moved)
        except Exception:
            return
        self.places_matter = rows_differ(self._first[1], again, [(order[place], place) for place in kept])

    def _gradients(self, way: str, examples: Examples, seed: int = 2) -> list[Tensor]:
        torch.manual_seed(seed)  # dropout leaves out the same in all
        return self._ways.by(way, examples)[0]

    def _made_up(self, count: int) -> Examples:
        words = [layer.num_embeddings for layer in self._ways.model.modules() if isinstance(layer, nn.Embedding)]

        def numbers(x: Tensor) -> Tensor:
            made = x.new_empty(count, *x.shape[1:])
            if x.dtype == torch.bool:
                return torch.rand(made.shape, device=x.device) < 0.5
            if x.is_floating_point() or x.is_complex():
                return torch.rand_like(made)
            return torch.randint_like(made, min(words, default=2))

        return self._like.each(numbers, lambda x: x.new_zeros(count, *x.shape[1:]))


def rows_differ(some: list[Tensor], others: list[Tensor], places: Sequence[tuple[int, int]]) -> bool:
    return any(not same_bits(a[i], b[j]) for a, b in zip(some, others, strict=True) for i, j in places)


def _same(some: list[Tensor], others: list[Tensor]) -> bool:
    return all(same_bits(a, b) for a, b in zip(some, others, strict=True))


def _near(ours: list[Tensor], right: list[Tensor]) -> bool:
    """Rounding is some 1e-6 of the largest; a layer that was missed, or an example that was mixed in, is much more."""
    return all(
        torch.allclose(a, b.reshape(a.shape), rtol=0, atol=1e-3 * float(b.abs().max()) + 1e-12)
        for a, b in zip(ours, right, strict=True)
    )


class _Steps:
    """A line in a terminal or a notebook, where trying a model takes seconds."""

    def __init__(self) -> None:
        self._began = time.monotonic()
        self._width = 0
        self.is_long = False  # what comes

    def next(self, question: str) -> None:
        seconds = time.monotonic() - self._began
        if not (self.is_long or seconds >= SECONDS_OF_SILENCE) or not _is_seen():
            return
        words = f"jme: trying the model on made-up examples: {question} ({seconds:.0f} s)"
        self._width = len(words)
        sys.stderr.write("\r" + words)
        sys.stderr.flush()

    def end(self) -> None:
        if self._width:
            sys.stderr.write("\r" + " " * self._width + "\r")
            sys.stderr.flush()


def _is_seen() -> bool:
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return sys.stderr is not None and (sys.stderr.isatty() or hasattr(shell, "kernel"))
