"""A training step of jme.torch beside Opacus and beside torch without privacy: the same network, batch and threads.

Usage: torch_opacus.py [--quick] [--threads N] FOLDER, with an interpreter that has torch and Opacus; FOLDER has the
package jme. ../../bench --train --opacus calls it. All sides make a step in turns, so that they have the machine in the
same moods. Time of whole steps, from pictures to new parameters: the processor's for one thread, as in the other
measurements, the wall clock's for several. Memory is what a process with one side alone holds at most during steps beyond
what it held before the first.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import time
import warnings

BATCH, CLASSES, CLIP = 256, 10, 1.0
# The network of jme-train on CIFAR-10: channels, and whether the picture is halved after them.
STAGES = ((32, False), (32, True), (64, False), (64, True), (128, True))
PARTS = (16, 32, 64)


def network(torch):
    nn, layers, channels = torch.nn, [], 3
    for wide, halves in STAGES:
        layers += [nn.Conv2d(channels, wide, 3, padding=1, bias=False), nn.GroupNorm(8, wide), nn.ReLU()]
        layers += [nn.MaxPool2d(2)] if halves else []
        channels = wide
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(16 * channels, CLASSES))


def ours(torch, model, method, part):
    import jme.torch

    optimizer = jme.torch.Adam(
        model.parameters(), sigma=1, delta=1e-5, examples=50_000, batch_size=BATCH, steps=100_000, clip=CLIP, method=method
    )
    gradients = jme.torch.per_example(model, torch.nn.CrossEntropyLoss(), micro_batch=part)

    def step(pictures, labels):
        gradients.accumulate(optimizer, pictures, labels)
        optimizer.step()

    return step


def plain(torch, model, part):
    optimizer = torch.optim.Adam(model.parameters())
    loss = torch.nn.CrossEntropyLoss(reduction="sum")

    def step(pictures, labels):
        for begin in range(0, BATCH, part):
            here = slice(begin, begin + part)
            (loss(model(pictures[here]), labels[here]) / BATCH).backward()
        optimizer.step()
        optimizer.zero_grad()

    return step


def opacus(torch, model, part, mode="hooks"):
    """In its default mode, or with the clipping that needs lengths of gradients alone ("ghost"), part by part."""
    from opacus import PrivacyEngine

    data = torch.utils.data.TensorDataset(torch.zeros(50_000, 1))
    loss = torch.nn.CrossEntropyLoss()
    made = PrivacyEngine().make_private(
        module=model,
        optimizer=torch.optim.Adam(model.parameters()),
        criterion=loss,
        data_loader=torch.utils.data.DataLoader(data, batch_size=BATCH),
        noise_multiplier=1.0,
        max_grad_norm=CLIP,
        poisson_sampling=False,
        grad_sample_mode=mode,
    )
    model, optimizer = made[0], made[1]
    loss = made[2] if mode == "ghost" else loss

    def step(pictures, labels):
        for begin in range(0, BATCH, part):
            here = slice(begin, begin + part)
            optimizer.zero_grad()
            optimizer.signal_skip_step(do_skip=begin + part < BATCH)
            loss(model(pictures[here]), labels[here]).backward()
            optimizer.step()
        optimizer.zero_grad()

    return step


SIDES = {
    "ours pp 32": lambda torch, model: ours(torch, model, "pp", 32),
    "ours jme 32": lambda torch, model: ours(torch, model, "jme", 32),
    f"opacus {BATCH}": lambda torch, model: opacus(torch, model, BATCH),
    **{f"opacus {part}": lambda torch, model, part=part: opacus(torch, model, part) for part in PARTS},
    f"ghost {BATCH}": lambda torch, model: opacus(torch, model, BATCH, "ghost"),
    **{f"ghost {part}": lambda torch, model, part=part: opacus(torch, model, part, "ghost") for part in PARTS},
    **{f"plain {part}": lambda torch, model, part=part: plain(torch, model, part) for part in (*PARTS, BATCH)},
}


def status(field):
    lines = pathlib.Path("/proc/self/status").read_text().splitlines()
    return next(1024 * int(line.split()[1]) for line in lines if line.startswith(field))


def prepared(torch, sides, threads):
    """A step of each side, on the same pictures."""
    warnings.simplefilter("ignore")  # the batch is always the same one, which nobody should do otherwise
    torch.set_num_threads(threads)
    torch.manual_seed(1)
    pictures, labels = torch.randn(BATCH, 3, 32, 32), torch.randint(CLASSES, (BATCH,))
    steps = {side: SIDES[side](torch, network(torch)) for side in sides}
    return {side: lambda step=step: step(pictures, labels) for side, step in steps.items()}


def memory(side, threads):
    """What two steps of one side need in this process."""
    import torch

    step = prepared(torch, [side], threads)[side]
    pathlib.Path("/proc/self/clear_refs").write_text("5")  # the peak is counted from here
    before = status("VmRSS")
    step()
    step()
    return status("VmHWM") - before


def measured(options):
    import torch

    found = {"torch": torch.__version__}
    for side in SIDES:
        command = [sys.executable, __file__, options.folder, "--threads", str(options.threads), "--memory", side]
        done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
        found[side] = {"bytes": json.loads(done.stdout), "seconds": []}
    clock = time.process_time if options.threads == 1 else time.perf_counter
    steps = prepared(torch, SIDES, options.threads)
    for turn in range(options.turns + 1):
        for side, step in steps.items():
            begin = clock()
            step()
            if turn > 0:
                found[side]["seconds"].append(clock() - begin)
    return found


def best(found, kind):
    """Part size and figures of the fastest of a kind."""
    sides = {side: statistics.median(found[side]["seconds"]) for side in SIDES if side.startswith(kind + " ")}
    side = min(sides, key=sides.get)
    return side.split()[-1], sides[side], found[side]["bytes"]


def line(what, left, right, ratio, target="", holds=None):
    verdict = "" if holds is None else "  PASS" if holds else "  MISS"
    print(f"{what:<66}{left:>10}{right:>12}{ratio:>8.2f}x   {target}{verdict}".rstrip())


def show(found, options):
    import opacus

    s = {side: statistics.median(found[side]["seconds"]) for side in SIDES}
    ms, mb = (lambda x: f"{1e3 * x:.0f} ms"), (lambda x: f"{1e-6 * x:.0f} MB")
    threads = f"{options.threads} thread{'s' if options.threads > 1 else ''}"
    print(f"torch {found['torch']}, Opacus {opacus.__version__}, batch {BATCH} of 3 x 32 x 32, {threads}")
    print(f"{'what':<66}{'ours':>10}{'beside':>12}{'ratio':>9}   target")
    part, other, other_bytes = best(found, "opacus")
    ghost_part, ghost, ghost_bytes = best(found, "ghost")
    plain_part, without, plain_bytes = best(found, "plain")
    whole = f"opacus {BATCH}"
    for method in ("pp", "jme"):
        mine, bytes_ = s[f"ours {method} 32"], found[f"ours {method} 32"]["bytes"]
        name = f"training step, {method} | "
        faster = lambda beside, least: (beside / mine, f">= {least}x", beside / mine >= least)  # noqa: E731
        line(name + "Opacus, default", ms(mine), ms(s[whole]), *faster(s[whole], 2))
        line(f"  | Opacus, {part} at a time (its best)", ms(mine), ms(other), *faster(other, 1.4))
        line(f"  | Opacus, ghost clipping, {ghost_part} at a time (its best)", ms(mine), ms(ghost), ghost / mine)
        line(f"  | torch without privacy, {plain_part} at a time (its best)", ms(mine), ms(without), mine / without, "<= 1.3x",
             mine <= 1.3 * without)  # fmt: skip
        opacus_bytes = found[whole]["bytes"]
        line("  memory of steps | Opacus, default", mb(bytes_), mb(opacus_bytes), bytes_ / opacus_bytes, "<= 0.33x",
             3 * bytes_ <= opacus_bytes)  # fmt: skip
        for what, beside in ((f"Opacus, {part}", other_bytes), (f"ghost, {ghost_part}", ghost_bytes), (f"torch, {plain_part}", plain_bytes)):
            line(f"  memory of steps | {what} at a time", mb(bytes_), mb(beside), bytes_ / beside)
    sizes = ", ".join(f"{side} {ms(seconds)}" for side, seconds in s.items() if not side.startswith("ours"))
    print(f"All: {sizes}.")
    print(f"Medians of {options.turns} turns.")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--memory", choices=list(SIDES), help="print the bytes that this side needs")
    options = parser.parse_args()
    sys.path.insert(0, options.folder)
    options.turns = 3 if options.quick else 7
    if options.memory:
        print(memory(options.memory, options.threads))
    else:
        show(measured(options), options)


if __name__ == "__main__":
    main()
