"""Topics give the recorded releases of tests/golden, as files do."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))

import golden
import inputs
from cases import CASES

RELEASES = {case: recorded["releases"] for case, recorded in golden.load().items()}


@pytest.mark.parametrize(
    "case", ["box", "private-count", "missing-observed", "people", "slots", "slots-people-per-day"]
)
@pytest.mark.parametrize("durable", [False, True])
def test_a_topic_has_the_recorded_releases(broker, jme, tmp_path, case, durable):
    topic = broker.topic()
    broker.write(topic, inputs.ndjson(case).decode().splitlines())
    config = tmp_path / "run.json"
    config.write_text(json.dumps({key.rstrip("_"): value for key, value in CASES[case].items()}))
    state = ["--state", jme.state()] if durable else []
    for _ in range(2 if durable else 1):
        result = jme.run(broker.url(topic), "--config", str(config), *state)
        assert result.code == 0, result.err
        assert golden.of_lines(result.releases.splitlines(), CASES[case]["emit"]) == RELEASES[case]
