"""The command gives the recorded releases in whatever form the rows come, and after a restart."""

from __future__ import annotations

import pathlib

import command
import golden
import inputs
import pytest
from cases import CASES

RECORDED = golden.load()
RELEASES = {case: RECORDED[case]["releases"] for case in RECORDED}
PLAIN = [case for case in CASES if not {"person", "time"} & set(CASES[case]) and "columns" not in CASES[case]]
IN_ROWS = [case for case in CASES if "time" not in CASES[case]]


def test_every_case_is_recorded_once():
    assert sorted(RECORDED) == sorted(CASES)
    for case in CASES:
        assert RECORDED[case]["settings"] == command.settings(case)
        assert RELEASES[case]


@pytest.mark.parametrize("case", CASES)
def test_a_file_has_the_recorded_releases(case: str, tmp_path: pathlib.Path):
    assert command.run(case, tmp_path) == RELEASES[case]


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("form", ["ndjson", "quoted", "csv.gz"])
def test_every_text_has_the_recorded_releases(case: str, form: str, tmp_path: pathlib.Path):
    assert command.run(case, tmp_path, form) == RELEASES[case]


@pytest.mark.parametrize("case", PLAIN)
def test_a_binary_file_has_the_recorded_releases(case: str, tmp_path: pathlib.Path):
    assert command.run(case, tmp_path, "npy") == RELEASES[case]


@pytest.mark.parametrize("case", CASES)
def test_a_pipe_has_the_recorded_releases(case: str, tmp_path: pathlib.Path):
    assert command.run(case, tmp_path, by_pipe=True) == RELEASES[case]


@pytest.mark.parametrize("threads", ["1", "2", "7"])
@pytest.mark.parametrize("case", ["box", "slots", "people", "every-row", "missing-model"])
def test_every_number_of_threads_has_the_recorded_releases(case: str, threads: str, tmp_path: pathlib.Path):
    assert command.run(case, tmp_path, "csv", "--threads", threads) == RELEASES[case]


@pytest.mark.parametrize("case", IN_ROWS)
def test_a_stream_that_goes_on_has_the_recorded_releases(case: str, tmp_path: pathlib.Path):
    state = ["--state", str(tmp_path / "state")]
    length = len(inputs.records(case))
    if CASES[case].get("bounds") == "auto":
        cuts = [CASES[case]["first"] + 20, CASES[case]["first"] + 150]
    else:
        cuts = [length // 7, length // 2]
    for cut in cuts:
        before = command.run(case, tmp_path, "csv", *state, "--leave-open", only=cut)
        assert before == RELEASES[case][: len(before)]
    assert command.run(case, tmp_path, "csv", *state) == RELEASES[case]
    assert command.run(case, tmp_path, "csv", *state) == RELEASES[case]


@pytest.mark.parametrize("case", [case for case in CASES if case not in IN_ROWS])
def test_slots_that_were_kept_are_the_recorded_releases(case: str, tmp_path: pathlib.Path):
    for _ in range(2):
        assert command.run(case, tmp_path, "csv", "--state", str(tmp_path / "state")) == RELEASES[case]
