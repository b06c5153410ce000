"""Releases as objects, plans, the ledger, the report, and how they look in a notebook."""

from __future__ import annotations

import ast
import base64
import doctest
import inspect
import json
import keyword
import os
import pickle
import re
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree

import jme
import numpy as np
import pandas as pd
import pytest
from conftest import BOUNDS, ROOT, made_up
from jme import _core, _html, _settings, answers, blocks, plans, releases, stream


@pytest.fixture
def pushed(settings, rng):
    made = jme.Stream(**settings)
    return made, made.push(made_up(rng, 2000))


def test_every_setting_of_the_table_is_a_keyword():
    names = {field[0] for field in _core.fields()}
    keywords = set(inspect.signature(jme.Stream.__init__).parameters) - {"self"}
    assert keywords == {name + "_" if keyword.iskeyword(name) else name for name in names}
    for field in _core.fields():
        assert field[5] in jme.Stream.__doc__
    assert _settings.FIELDS["every"].default == "1"


def test_releases_are_a_sequence(pushed):
    _, found = pushed
    assert len(found) == 29
    assert found.t.tolist() == [*range(70, 2000, 70), 2000]
    assert [r.t for r in found[2:8:3]] == [210, 420]
    assert [r.t for r in found[::-1][:2]] == [2000, 1960]
    assert [r.t for r in found[1:][::-2][1:3]] == [1890, 1750]
    assert found[-1].t == 2000 and found[-1].step == 29
    assert len(found[5:5]) == 0
    with pytest.raises(IndexError):
        found[29]
    assert found.mean.value.shape == (29, 3)
    assert found.covariance.value.shape == (29, 3, 3)
    assert found.covariance.value[4].tobytes() == found[4].covariance.tobytes()


def test_counts_may_be_written_as_floats():
    s = jme.Stream(epsilon=1, delta=1e-6, bounds={"x": (0, 1)}, rows=1e6, every=1e3)
    assert (s.settings["rows"], s.settings["every"]) == (1_000_000, 1000)
    with pytest.raises(jme.InvalidParameter, match=r"rows = 0\.5"):
        jme.Stream(epsilon=1, delta=1e-6, bounds={"x": (0, 1)}, rows=0.5)


def test_a_place_that_there_is_not_is_named(pushed):
    _, releases = pushed
    with pytest.raises(IndexError, match=f"there is no release {len(releases)}: there are {len(releases)}"):
        releases[len(releases)]
    assert repr(releases[0].noise_std).startswith("<jme.NoiseStd: mean ")


def test_releases_survive_pickling(pushed):
    _, found = pushed
    again = pickle.loads(pickle.dumps(found[3:20:2]))
    assert again.t.tolist() == found.t[3:20:2].tolist()
    assert again[1].regression("co").coefficients.tolist() == found[5].regression("co").coefficients.tolist()
    assert again.columns == list(BOUNDS)


def test_releases_outlive_their_stream(settings, rng):
    release = jme.Stream(**settings).push(made_up(rng, 2000))[-1]
    mean = release.mean
    del release
    assert np.isfinite(mean).all()


def test_tables_have_names(pushed):
    _, found = pushed
    means = found.to_pandas()
    assert means.columns[:2].tolist() == ["temp", "temp_noise_std"]
    assert means.index.name == "t" and means.loc[2000, "co"] == found[-1].mean[1]
    pairs = found.to_pandas("covariance")
    assert pairs.loc[140, "temp*rain"] == found[1].covariance[0, 2]
    one = found[-1].to_pandas("covariance")
    assert one.loc["co", "temp"] == found[-1].covariance[1, 0]
    assert found[-1].to_pandas().loc["rain", "noise_std"] == found[-1].noise_std.mean[2]
    assert isinstance(found[-1].to_pandas("correlation"), pd.DataFrame)
    with pytest.raises(ValueError, match="must be mean"):
        found.to_pandas("median")


def test_a_diagonal_second_moment_gives_variances(settings, rng):
    found = jme.Stream(**settings, second="diagonal").push(made_up(rng, 140))
    assert found[0].covariance.shape == (3,)
    assert found.covariance.value.shape == (2, 3)
    assert "variance" in found[0].to_pandas("covariance")
    assert "<table" in found[0]._repr_html_()


def test_a_density_scores_and_samples(pushed):
    _, found = pushed
    density = found[-1].density()
    at_mean = density.outlier_score(density.mean.value).value
    assert at_mean[0] < 1e-12  # rounding between natural units and the unit box
    far = density.outlier_score([[45, 100, 8], [15, 50, 2]])
    assert far.value[0] > far.value[1]
    sample = density.sample(4000, rng=1)
    # The mean of 4,000 draws is within 7 standard errors of the density's own: wrong once in 1e11.
    error = np.sqrt(np.diag(density.covariance.value) / 4000)
    assert (np.abs(sample.mean(axis=0) - density.mean.value) < 7 * error).all()
    assert density.sample(3, rng=2).tolist() == density.sample(3, rng=np.random.default_rng(2)).tolist()
    with pytest.raises(ValueError, match="one number for each column"):
        density.log_density([1.0, 2.0])


def test_a_regression_predicts(pushed):
    _, found = pushed
    fit = found[-1].regression("co")
    assert fit.predict([[15.0, 2.0]])[0] == fit.intercept + fit.coefficients @ np.array([15.0, 2.0])
    assert found[-1].regression(-1).target == "rain"
    with pytest.raises(KeyError, match="there are temp, co, rain"):
        found[-1].regression("humidity")


def test_models_show_their_numbers_with_their_noise(settings, rng):
    names = [f"c{i}" for i in range(6)]
    found = jme.Stream(**{**settings, "bounds": dict.fromkeys(names, (0, 1))}).push(rng.random((140, 6)))[-1]
    fit, parts, density = found.regression("c2"), found.pca(5), found.density()
    pair = f"{fit.coefficients[0]:.4g} ± {fit.noise_std.coefficients[0]:.2g}"
    assert repr(fit).startswith(f"<jme.Regression of c2: intercept {fit.intercept:.4g} ± ")
    assert f"coefficients c0 {pair}, c1 " in repr(fit) and repr(fit).endswith(", ...>")
    assert repr(parts).startswith(f"<jme.Components: 5 of 6 columns, variances {parts.values[0]:.4g} ± ")
    assert repr(found.pca(1)).endswith("%)>")
    assert repr(density).startswith(f"<jme.Density: mean c0 {density.mean.value[0]:.4g} ± ")
    for shown in (fit, parts, density):
        assert "array(" not in repr(shown) and len(repr(shown)) < 300
    assert next(iter(fit)) == "c2"  # they are tuples as before


def test_signatures_can_be_inspected(settings):
    made = jme.Stream(**settings)
    assert str(inspect.signature(jme.Stream.push)) == "(self, /, rows, *, progress=None)"
    assert str(inspect.signature(made.push)) == "(rows, *, progress=None)"
    for name in ("finish", "commit", "releases", "close"):
        assert str(inspect.signature(getattr(made, name))) == "()"
        assert "($self" not in getattr(jme.Stream, name).__doc__
    assert "two seconds" in inspect.getdoc(jme.Stream.push)
    made.push(rows=(1.0, 2.0, 3.0), progress=False)
    for arguments, keywords in (((), {}), ((1, 2), {}), (((1.0, 2.0, 3.0),), {"progres": None}), ((1, 2, 3, 4, 5), {})):
        with pytest.raises(TypeError):
            made.push(*arguments, **keywords)
    with pytest.raises(TypeError):
        jme.Stream.push(object(), (1.0, 2.0, 3.0))
    assert made.rows == 1


def test_a_stream_of_many_columns_is_shown_without_eigenvectors(rng):
    """Those of 2,000 columns took 16 s. The limit is far above what the page needs on a slow machine, and far below."""
    made = jme.Stream(epsilon=1, delta=1e-6, norm_bound=1, dimension=2000, rows=10, every=5)
    made.push(rng.random((5, 2000)) / 100)
    began = time.process_time()
    html = made._repr_html_()
    assert time.process_time() - began < 2
    assert images(html) and "more columns than these charts" in html
    few = jme.Stream(epsilon=1, delta=1e-6, norm_bound=1, dimension=3, rows=10, every=5)
    few.push(rng.random((5, 3)) / 100)
    titles = re.findall(r'alt="([^"]*)"', few._repr_html_())
    assert "Correlation" in titles and "more columns" not in few._repr_html_()


def clamped_notes(rows):
    """What the notes say about cells of good rows outside of BOUNDS."""
    notes = []
    for kind, is_outside in (("clamped_low", lambda x, b: x < b[0]), ("clamped_high", lambda x, b: x > b[1])):
        for name, cells in zip(BOUNDS, rows[~np.isinf(rows).any(axis=1)].T, strict=True):
            there = cells[~np.isnan(cells)]
            count = int(is_outside(there, BOUNDS[name]).sum())
            notes += [{"kind": kind, "count": count, "rows": len(there), "column": name}] if count else []
    return notes


def test_notes_count_what_was_changed(settings, rng):
    rows = made_up(rng, 100)
    rows[:7, 1] = np.nan
    rows[10:13, 0] = np.inf
    made = jme.Stream(**settings, missing="mean", on_bad_row="zero")
    made.push(rows)
    assert made.notes == [
        {"kind": "bad_rows", "count": 3, "rows": 100},
        {"kind": "filled_rows", "count": 7, "rows": 100},
        {"kind": "filled_cells", "count": 7, "rows": 100, "column": "co"},
        *clamped_notes(rows),
    ]


def test_notes_say_which_rows_and_cells_were_left_out(settings, rng):
    rows = made_up(rng, 100)
    rows[:7, 1] = np.nan
    rows[10:13, 0] = np.inf
    made = jme.Stream(**settings, missing="observed", on_bad_row="zero")
    made.push(rows)
    assert made.notes == [
        {"kind": "unread_rows", "count": 3, "rows": 100},
        {"kind": "absent_rows", "count": 7, "rows": 100},
        {"kind": "absent_cells", "count": 7, "rows": 100, "column": "co"},
        *clamped_notes(rows),
    ]


def test_a_stream_ends_with_what_its_last_block_has(settings, rng):
    made = jme.Stream(**settings)
    assert [r.t for r in made.push(made_up(rng, 100))] == [70]
    assert made.newest.t == 70
    assert [r.t for r in made.finish()] == [100]
    assert made.is_finished
    with pytest.raises(jme.BudgetExhausted):
        made.push((1.0, 2.0, 3.0))


def test_a_test_seed_is_said_to_protect_nobody(settings):
    assert "NOT PRIVATE" in jme.Stream(**settings).statement or "nobody" in jme.Stream(**settings).statement
    private = {key: value for key, value in settings.items() if key != "insecure_test_seed"}
    assert "nobody" not in jme.Stream(**private).statement


def test_noise_is_fresh_without_a_seed(settings, rng):
    private = {key: value for key, value in settings.items() if key != "insecure_test_seed"}
    rows = made_up(rng, 70)
    assert jme.Stream(**private).push(rows)[0].mean.tolist() != jme.Stream(**private).push(rows)[0].mean.tolist()


def test_the_report_is_a_page(pushed, tmp_path):
    made, _ = pushed
    page = made.report(tmp_path / "page.html", title="A & B")
    assert (tmp_path / "page.html").read_text() == page
    assert page.startswith("<!") and "A &amp; B" in page
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    with pytest.raises(FileNotFoundError):
        made.report(tmp_path / "none" / "page.html")


def test_a_report_needs_a_release(settings):
    with pytest.raises(jme.DataError, match="no release yet"):
        jme.Stream(**settings).report()


def images(html: str) -> list[str]:
    return [base64.b64decode(data).decode() for data in re.findall(r'src="data:image/svg\+xml;base64,([^"]+)"', html)]


def test_notebooks_show_charts_as_images(pushed, settings):
    made, found = pushed
    for html in (made._repr_html_(), found._repr_html_()):
        assert images(html)
        for svg in images(html):
            assert ElementTree.fromstring(svg).tag.endswith("svg")
            assert "prefers-color-scheme" in svg
        assert "<svg" not in html
    assert "<table" in found[-1]._repr_html_()
    assert "What is promised" in jme.Stream(**settings)._repr_html_()


def test_numbers_have_the_digits_that_their_noise_leaves():
    shown = [_html.noisy(*pair) for pair in ((15.0781, 0.04647), (59.9, 0.10001), (-10.15, 2.44), (12345.6, 987.0))]
    assert shown == ["15.078 ± 0.046", "59.90 ± 0.10", "-10.2 ± 2.4", "12346 ± 987"]
    assert _html.noisy(float("nan"), float("nan")) == "nan ± nan"
    assert _html.noisy(1.5, 0.0) == "1.5 ± 0"
    assert (_html.number(20000), _html.number(1e-6), _html.number(True)) == ("20,000", "1e-06", "True")


def test_names_are_escaped(rng):
    bounds = {"<script>alert(1)</script>": (0, 1)}
    made = jme.Stream(epsilon=1, delta=1e-6, bounds=bounds, rows=10, every=5)
    found = made.push(rng.random((10, 1)))
    for html in (made._repr_html_(), found._repr_html_(), found[0]._repr_html_(), made.report()):
        assert "<script>" not in html


def test_plans_compare(settings):
    plan = jme.plan(**settings)
    assert plan.recommended in [{**c, "index": i} for i, c in enumerate(plan.candidates)]
    assert "jme" in repr(plan) and "*" in plan._repr_html_()
    assert plan.to_pandas()["method"].nunique() > 2
    one = jme.Stream(**settings).plan()
    assert one.recommended["method"] == "jme" and len(one.candidates) == 1
    with pytest.raises(jme.InvalidParameter, match="dimension"):
        jme.plan(epsilon=1, delta=1e-6, rows=10, norm_bound=1)


def test_answers_are_those_of_the_command(command):
    binary = os.environ["JME_BINARY"]

    def says(*words):
        return json.loads(subprocess.run([binary, *words, "--json"], capture_output=True, check=True).stdout)

    assert jme.calibrate(sigma=2, delta=1e-6) == says("calibrate", "--sigma", "2", "--delta", "1e-6")
    assert jme.account(sampling_rate=0.01, steps=100, delta=1e-5, sigma=2) == says(
        "account", "--sampling-rate", "0.01", "--steps", "100", "--delta", "1e-5", "--sigma", "2"
    )
    assert jme.shape("decay:0.9", steps=100) == says("shape", "--workload", "decay:0.9", "--steps", "100")
    assert jme.sensitivity(dimension=3, norm_bound=1.5, steps=50, shape="sqrt", lambda_=0.2) == says(
        "sensitivity",
        "--dimension",
        "3",
        "--norm-bound",
        "1.5",
        "--steps",
        "50",
        "--shape",
        "sqrt",
        "--lambda",
        "0.2",
    )
    with pytest.raises(jme.InvalidParameter, match="exactly two"):
        jme.calibrate(sigma=2)


def test_the_ledger_adds_up(settings, rng, tmp_path):
    private = {key: value for key, value in settings.items() if key != "insecure_test_seed"}
    for name in ("one", "two"):
        with jme.Stream(**private, state=tmp_path / "s", stream=name) as made:
            made.push(made_up(rng, 100))
    book = jme.Ledger(tmp_path / "s")
    assert [s["stream"] for s in book.streams] == ["one", "two"]
    assert book.spent() == pytest.approx(2**0.5 * book.streams[0]["mu"], rel=1e-12)  # the same sum in another order
    assert book.total[0]["mu"] == pytest.approx(book.spent(), rel=1e-12)
    assert "<table" in book._repr_html_() and "2 streams" in repr(book)
    with pytest.raises(jme.BudgetExhausted, match="more than"):
        jme.Stream(**private, state=tmp_path / "s", stream="three", max_mu=book.spent()).push((1.0, 2.0, 3.0))
    with pytest.raises(jme.Error):
        jme.Ledger(tmp_path / "none")


def test_a_ledger_counts_the_damaged_streams_that_no_total_has(tmp_path):
    for name in ("one", "two"):
        settings = {"epsilon": 1, "delta": 1e-6, "dimension": 1, "norm_bound": 1, "rows": 1}
        with jme.Stream(**settings, state=tmp_path / "s", stream=name) as made:
            made.push([[0.5]])
    book = jme.Ledger(tmp_path / "s")
    assert (book.unknown, book.total[0]["incomplete"]) == (0, False)
    next((tmp_path / "s").glob("default.one*.db")).write_bytes(b"x" * 4096)
    book = jme.Ledger(tmp_path / "s")
    assert (book.unknown, book.total[0]["incomplete"]) == (1, True)
    assert "1 of them unknown" in repr(book)


@pytest.mark.parametrize("module", [stream, releases, plans, answers, blocks], ids=lambda m: m.__name__)
def test_examples_in_docstrings_run(module):
    result = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert result.failed == 0


def test_the_stub_of_the_extension_has_its_names():
    stub = (ROOT / "python/jme/_core.pyi").read_text()
    for name in dir(_core):
        if name.startswith("_"):
            continue
        assert re.search(rf"^(class|def) {name}\b|^{name}: ", stub, re.M), name
        if inspect.isclass(getattr(_core, name)):
            body = stub[stub.index(f"class {name}:") :].split("\nclass ")[0]
            for member in vars(getattr(_core, name)):
                if not member.startswith("__"):
                    assert re.search(rf"def {member}\(|    {member}: ", body), f"{name}.{member}"


def test_help_says_what_the_stub_says():
    """Editors read the stub, people at a prompt ask the extension."""
    for part in ast.parse((ROOT / "python/jme/_core.pyi").read_text()).body:
        if not isinstance(part, ast.ClassDef):
            continue
        for member in part.body:
            words = ast.get_docstring(member) if isinstance(member, ast.FunctionDef) else None
            if words is not None:
                assert words in getattr(getattr(_core, part.name), member.name).__doc__, member.name
    assert jme.Stream.push.__doc__ and "two seconds" in jme.Stream.push.__doc__


def test_types_hold():
    folder = os.environ["JME_PYTHON_DIR"]
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--config-file",
            str(ROOT / "pyproject.toml"),
            "--cache-dir",
            f"{folder}/.mypy",
            "-p",
            "jme",
        ],
        cwd=folder,
        env={**os.environ, "MYPYPATH": folder},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_style_holds():
    for words in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *words, "--no-cache", str(ROOT / "python")],
            capture_output=True,
            text=True,
            cwd=ROOT,
        )
        assert done.returncode == 0, done.stdout + done.stderr
