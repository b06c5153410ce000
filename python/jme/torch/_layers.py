"""Every example's gradient of a layer's parameters, from what went into the layer and the gradient of what came out.

Each function returns one tensor for each of the layer's own parameters, with the examples along the first axis. No sum
goes over examples, and products are made for each example by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass
class Call:
    """One use of a layer in a forward pass."""

    x: Tensor  # what went in
    output: Tensor
    statistics: tuple[Tensor, Tensor] | None = None  # a group norm's means and 1 / deviations, where torch tells them
    memory: dict[str, Tensor] = field(default_factory=dict)  # kept from one micro-batch to the next

    def room(self, *shape: int) -> Tensor:
        """Memory for gradients. What was there is overwritten."""
        kept = self.memory.get("gradients")
        if kept is None or kept.shape != shape or kept.dtype != self.x.dtype or kept.device != self.x.device:
            kept = self.memory["gradients"] = self.x.new_empty(shape)
        return kept


Layer = Callable[[Any, Call, Tensor], dict[str, Tensor]]

# Numbers of unfolded input, or of gradients, at a time: what stays in the cache is not fetched again.
AT_A_TIME = 1 << 19
# Convolutions whose kernels have more numbers are no quicker as groups.
MOST_IN_GROUPS = 1 << 17


def linear(layer: nn.Linear, call: Call, g: Tensor) -> dict[str, Tensor]:
    x = call.x
    if g.dim() == 2:
        weight = call.room(len(x), *layer.weight.shape)
        return {"weight": torch.mul(g.unsqueeze(2), x.unsqueeze(1), out=weight), "bias": g}
    g, x = g.flatten(1, -2), x.flatten(1, -2)  # examples, positions, features
    return {"weight": torch.bmm(g.transpose(1, 2), x), "bias": g.sum(1)}


def conv2d(layer: nn.Conv2d, call: Call, g: Tensor) -> dict[str, Tensor]:
    x, groups = call.x, layer.groups
    weight = call.room(len(x) * groups, layer.weight.shape[0] // groups, layer.weight[0].numel())
    by = _by_groups if _suits_groups(layer, x) else _by_products
    by(layer, x, g, weight)
    found = {"weight": weight.reshape(len(x), *layer.weight.shape)}
    return found if layer.bias is None else {**found, "bias": g.flatten(2).sum(2)}


def _by_products(layer: nn.Conv2d, x: Tensor, g: Tensor, weight: Tensor) -> None:
    """What every place of the kernel sees is the input shifted; copying these views is quicker than F.unfold."""
    outputs, inputs = weight.shape[1:]
    shifted = _shifted(layer, x, positions_of=g.shape[2:])
    g = g.flatten(2)
    positions = g.shape[2]
    part = _part(len(x), layer.groups * inputs * positions)
    unfolded = x.new_empty(part, *shifted.shape[1:])
    for here in _slices(len(x), part):
        left = g[here].reshape(-1, outputs, positions)
        right = unfolded[: here.stop - here.start].copy_(shifted[here]).view(-1, inputs, positions)
        own = weight[here.start * layer.groups : here.stop * layer.groups]
        if inputs < outputs:  # products are quicker the other way round
            own.copy_(torch.bmm(right, left.transpose(1, 2)).transpose(1, 2))
        else:
            torch.bmm(left, right.transpose(1, 2), out=own)


def _by_groups(layer: nn.Conv2d, x: Tensor, g: Tensor, weight: Tensor) -> None:
    """The examples as groups of channels of one example, so that the sum over examples has one term. Some examples at a
    time: memory for what oneDNN makes of all would be taken anew for each micro-batch."""
    outputs = layer.weight.shape[0]
    numbers = max(layer.weight.numel(), x[0].numel() + g[0].numel())
    kernels = weight.view(len(x) * outputs, *layer.weight.shape[1:])
    for here in _slices(len(x), _part(len(x), numbers)):
        own = kernels[here.start * outputs : here.stop * outputs]
        _, made, _ = torch.ops.aten.convolution_backward(
            g[here].reshape(1, -1, *g.shape[2:]),
            x[here].reshape(1, -1, *x.shape[2:]),
            own,
            None,
            layer.stride,
            layer.padding,
            layer.dilation,
            False,
            [0, 0],
            (here.stop - here.start) * layer.groups,
            [False, True, False],
        )
        own.copy_(made)


def _suits_groups(layer: nn.Conv2d, x: Tensor) -> bool:
    """oneDNN is quick with groups of eight channels and more, the kernels of all other convolutions are not."""
    weight = layer.weight
    is_onednn = x.dtype == torch.float32 and x.device.type == "cpu" and torch.backends.mkldnn.is_available()
    return bool(is_onednn and weight.shape[1] % 8 == 0 and weight.numel() <= MOST_IN_GROUPS)


def _part(examples: int, numbers: int) -> int:
    """Examples at a time, of so many numbers each."""
    return min(examples, max(1, AT_A_TIME // max(1, numbers)))


def _slices(examples: int, part: int) -> Iterator[slice]:
    for begin in range(0, examples, part):
        yield slice(begin, min(begin + part, examples))


def _shifted(layer: nn.Conv2d, x: Tensor, positions_of: tuple[int, int]) -> Tensor:
    """The input that each place of the kernel meets at each position, as a view of the input with its border:
    examples, channels, kernel, positions."""
    (top, left), (down, right), (apart_y, apart_x) = layer.padding, layer.stride, layer.dilation
    padded = F.pad(x, (left, left, top, top))
    example, channel, row, column = padded.stride()
    return padded.as_strided(
        (*x.shape[:2], *layer.kernel_size, *positions_of),
        (example, channel, row * apart_y, column * apart_x, row * down, column * right),
        padded.storage_offset(),
    )


def conv1d(layer: nn.Conv1d, call: Call, g: Tensor) -> dict[str, Tensor]:
    flat = _Flat(layer)
    found = conv2d(flat, replace(call, x=call.x.unsqueeze(2)), g.unsqueeze(2))
    return {**found, "weight": found["weight"].squeeze(3)}


class _Flat:
    """A convolution of lines as one of pictures that are one pixel high."""

    def __init__(self, layer: nn.Conv1d) -> None:
        self.groups, self.weight, self.bias = layer.groups, layer.weight.unsqueeze(2), layer.bias
        self.kernel_size, self.stride = (1, *layer.kernel_size), (1, *layer.stride)
        self.dilation, self.padding = (1, *layer.dilation), (0, *layer.padding)


def embedding(layer: nn.Embedding, call: Call, g: Tensor) -> dict[str, Tensor]:
    examples = len(call.x)
    places = call.x.reshape(examples, -1)
    g = g.reshape(examples, -1, layer.embedding_dim)
    if layer.padding_idx is not None:
        g = g * (places != layer.padding_idx).unsqueeze(2)
    weight = g.new_zeros(examples, layer.num_embeddings, layer.embedding_dim)
    for j in range(examples):
        weight[j].index_add_(0, places[j], g[j])
    return {"weight": weight}


def group_norm(layer: nn.GroupNorm, call: Call, g: Tensor) -> dict[str, Tensor]:
    """torch sums over examples, but not over channels: here all channels of all examples are those of one example."""
    examples, channels = call.x.shape[:2]
    positions = call.x[0, 0].numel()
    x, g = (part.reshape(1, examples * channels, positions) for part in (call.x, g))
    mean, scale = (
        call.statistics
        or torch.native_group_norm(
            x, None, None, 1, examples * channels, positions, examples * layer.num_groups, layer.eps
        )[1:]
    )
    _, weight, bias = torch.ops.aten.native_group_norm_backward(
        g,
        x,
        mean.reshape(1, -1),
        scale.reshape(1, -1),
        x.new_empty(examples * channels),  # for the gradient of the input, which is not asked for
        1,
        examples * channels,
        positions,
        examples * layer.num_groups,
        [False, True, True],
    )
    return {"weight": weight.view(examples, channels), "bias": bias.view(examples, channels)}


def layer_norm(layer: nn.LayerNorm, call: Call, g: Tensor) -> dict[str, Tensor]:
    normed = F.layer_norm(call.x, layer.normalized_shape, eps=layer.eps)
    between = tuple(range(1, g.dim() - len(layer.normalized_shape)))
    product = g * normed
    return {"weight": product.sum(between), "bias": g.sum(between)} if between else {"weight": product, "bias": g}


LAYERS: dict[type, Layer] = {
    nn.Linear: linear,
    nn.Conv1d: conv1d,
    nn.Conv2d: conv2d,
    nn.Embedding: embedding,
    nn.GroupNorm: group_norm,
    nn.LayerNorm: layer_norm,
}


def statistics_of(layer: nn.Module, output: Tensor) -> tuple[Tensor, Tensor] | None:
    """What torch keeps of a group norm for the backward pass, as long as that has not been made."""
    if not isinstance(layer, nn.GroupNorm):
        return None
    mean, scale = (getattr(output.grad_fn, f"_saved_result{place}", None) for place in (1, 2))
    return None if mean is None or scale is None else (mean, scale)


def is_known(layer: nn.Module) -> bool:
    """Whether its gradients can be made here: exactly one of these layers, with nothing that changes what it does."""
    names = {name for name, _ in layer.named_parameters(recurse=False)}
    if type(layer) not in LAYERS or not names <= {"weight", "bias"}:
        return False
    if isinstance(layer, (nn.Conv1d, nn.Conv2d)):
        return layer.padding_mode == "zeros" and not isinstance(layer.padding, str)
    if isinstance(layer, nn.Embedding):
        return layer.max_norm is None and not layer.scale_grad_by_freq
    return True
