"""The settings of the golden releases: one name for each, and what is special about its input."""

from __future__ import annotations

from typing import Any

BOUNDS = {"temp": [-20, 45], "co": [0, 100], "rain": [0, 8]}
COMMON = {
    "epsilon": 1,
    "delta": 1e-6,
    "bounds": BOUNDS,
    "insecure_test_seed": 11,
    "emit": ["first", "second", "mean", "covariance"],
}
ROWS = {**COMMON, "rows": 1200, "every": 100}
DAY = {**COMMON, "time": "when", "every": "1h", "from": "2026-01-01", "until": "2026-01-02"}
LIMITED = {"person": "who", "rows_per_person": 2, "on_bad_row": "zero"}
FIRST = {"second": "none", "emit": ["first", "mean"]}
# The ball has no bounds and so no natural units.
BALL = {**{key: value for key, value in ROWS.items() if key != "bounds"}, "norm_bound": 60, "columns": ["temp", "rain"]}


def rows(**changed: Any) -> dict[str, Any]:
    return {**ROWS, **changed}


def slots(**changed: Any) -> dict[str, Any]:
    return {**DAY, "on_bad_row": "zero", **changed}


CASES: dict[str, dict[str, Any]] = {
    "box": rows(),
    "box-diagonal": rows(second="diagonal"),
    "first-alone": rows(**FIRST),
    "ball": rows(geometry="ball"),
    "ball-trace": rows(geometry="ball-trace"),
    "norm-bound": BALL,
    "prefix-sqrt": rows(workload="prefix", shape="sqrt"),
    "decay-blt": rows(workload="decay:0.9", shape="blt:4"),
    "window-banded": rows(workload="window:300", shape="banded:4"),
    "scaled-blt": rows(shape="scaled-blt:3"),
    "banded-inverse": rows(workload="prefix", shape="banded-inverse:4"),
    "identity": rows(shape="identity"),
    "dense": rows(shape="dense"),
    "two-shapes": rows(shape="sqrt", shape2="identity"),
    "two-workloads": {**BALL, "workload": "prefix", "workload2": "decay:0.95", "emit": ["first", "second"]},
    "lambda-jme": rows(method="lambda-jme", lambda_=0.1),
    "ime": rows(method="ime", alpha=0.4),
    "cs": rows(method="cs"),
    "pp": rows(method="pp", every=10, rows=200),
    "pp-debiased": rows(method="pp-debiased", every=10, rows=200),
    "every-row": rows(every=1, rows=120),
    "unbounded": rows(rows="unbounded", every=50),
    "sigma": {**{key: value for key, value in ROWS.items() if key not in ("epsilon", "delta")}, "sigma": 0.5},
    "add-remove": rows(adjacency="add-remove"),
    "private-count": rows(private_count=True, on_bad_row="zero"),
    "participations": rows(participations=3, separation=300),
    "missing-centre": rows(missing="centre"),
    "missing-mean": rows(missing="mean,rain=0"),
    "missing-model": rows(missing="model"),
    "missing-observed": rows(missing="observed", on_bad_row="zero"),
    "bad-rows": rows(on_bad_row="zero"),
    "people": rows(**LIMITED),
    "people-observed": rows(**LIMITED, missing="observed"),
    "people-participate": rows(**{**LIMITED, "rows_per_person": 1}, workload="prefix"),
    "slots": slots(),
    "slots-decay": slots(workload="decay:half=6h"),
    "slots-window": slots(workload="window:6h", every="2h"),
    "slots-replace": slots(adjacency="replace-one"),
    "slots-observed": slots(missing="observed"),
    "slots-first-alone": slots(**FIRST, workload="prefix"),
    "slots-people-per-day": slots(person="who", rows_per_person="3/day"),
    "slots-people-per-slot": slots(person="who", rows_per_person="1/slot", every="6h"),
    "slots-people-in-all": slots(person="who", rows_per_person="2/day:4"),
    "bounds-found": {
        **{key: value for key, value in ROWS.items() if key != "bounds"},
        "columns": ["temp", "co", "rain"],
        "bounds": "auto",
        "first": 900,
        "rows": 200,
    },
}


def horizon(case: str) -> int | None:
    """Records that a case reads at most; none: all."""
    settings = CASES[case]
    if not isinstance(settings.get("rows"), int):
        return None
    return settings["rows"] + settings.get("first", 0)


def has_holes(case: str) -> bool:
    """Whether records with missing cells belong to its input."""
    return bool({"missing", "on_bad_row"} & set(CASES[case]))
