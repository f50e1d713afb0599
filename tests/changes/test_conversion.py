"""The file of `plan --conversion`: what it says, and exact messages for what it may not say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cases import each_of
from tests.changes import burger_workspace
from tests.changes.git_workspace import commit, plan
from tests.changes.test_played_scenarios import SWAPPED
from tests.cli.example_workspace import NOON
from tests.program import Run
from trialrun.changes.conversion import MAX_BYTES, InvalidRates, parse_rates

SOUND = """\
default: {accept: 0.3, decline: 0.4}
upsells:
  Fries with burgers: {accept: 1}
  "12": {decline: .5}
"""
WRONG = {
    "": "it has 0 documents; write one with default and upsells",
    "a: 1\n---\nb: 2\n": "it has 2 documents; write one with default and upsells",
    "{": "1: the bracket { is not closed; close it with }",
    "[1]": "1: the file is no mapping; write upsells, each with accept and decline",
    "{}": "1: it has no rates; write default and upsells",
    "rates: {}": '1: "rates" is not known here; use default or upsells',
    "default: {}\nupsell: {}": '2: "upsell" is not known here; did you mean "upsells"?',
    "upsells: [Fries]": '1: "upsells" is no mapping; write upsells, each with accept and decline',
    "upsells:\n  Fries: 0.3": '2: "Fries" is no mapping; write accept and decline',
    "upsells:\n  Fries: {}": '2: "Fries" has no rates; write accept and decline',
    "upsells:\n  Fries: {acept: 1}": '2: "acept" is not known here; did you mean "accept"?',
    "default:\n  accept: 1.5": "2: accept 1.5 is not a share; use a number from 0 to 1",
    "default:\n  accept: -0.1": "2: accept -0.1 is not a share; use a number from 0 to 1",
    "default: {decline: .nan}": "1: decline nan is not a share; use a number from 0 to 1",
    "default: {decline: .inf}": "1: decline inf is not a share; use a number from 0 to 1",
    "default: {decline: true}": "1: decline true is not a share; use a number from 0 to 1",
    "default: {decline: 30%}": '1: decline "30%" is not a share; use a number from 0 to 1',
    "default: {decline: [1]}": "1: decline of type list is not a share; use a number from 0 to 1",
    "default: {decline: null}": "1: decline of type NoneType is not a share; use a number from 0 to 1",
    "default: {accept: 0.7, decline: 0.4}": "1: accept 0.7 and decline 0.4 add up to more than 1; lower one of them",
    "upsells: {a: {accept: 1}, a: {accept: 0}}": '1: duplicate key "a"; remove one of the two',
}


def test_rates_of_a_file() -> None:
    rates = parse_rates(SOUND.encode(), "rates.yaml")
    assert (rates.default, rates.upsells) == ((0.3, 0.4), {"Fries with burgers": (1.0, 0.0), "12": (0.0, 0.5)})


def test_rates_in_json() -> None:
    rates = parse_rates(b'{"upsells": {"Fries": {"accept": 0.5}}}', "rates.json")
    assert (rates.default, rates.upsells) == ((0.3, 0.4), {"Fries": (0.5, 0.0)})


@each_of([*WRONG])
def test_what_a_file_may_not_say(text: str) -> None:
    with pytest.raises(InvalidRates) as caught:
        parse_rates(text.encode(), "rates.yaml")
    assert str(caught.value) == WRONG[text]


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b"a: &a [x]\n" + b"".join(b"b%d: &b%d [*a, *a, *a]\n" % (n, n) for n in range(50)),
        b"\xff\xfe\x00",
        b"upsells: {a: {accept: 1" + b"0" * 400 + b"}}",
        b"default: {accept: " + b"9" * 5000 + b"}",
        b"a" * 100_000 + b": 1",
        b'{"default": {"accept": "' + b"a" * 100_000 + b'"}}',
        b" " * (MAX_BYTES + 1),
    ],
    ids=["deep", "aliases", "binary", "large number", "larger number", "long key", "long text", "large"],
)
def test_hostile_files_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidRates) as caught:
        parse_rates(data, "rates.yaml")
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--conversion", "gone.yaml"], "--conversion: there is no file gone.yaml"),
        (["--conversion", "."], "--conversion: . cannot be read"),
        (["--conversion", "bad.yaml"], "--conversion: bad.yaml: 1: accept 2 is not a share"),
        (["--conversion", "bad.yaml", "--sessions", "0"], "--conversion needs sessions; leave out --sessions 0"),
    ],
)
def test_wrong_usage(run: Run, tmp_path: Path, words: list[str], message: str) -> None:
    burger_workspace.write(tmp_path)
    commit(tmp_path)
    (tmp_path / "bad.yaml").write_text("default: {accept: 2}\n")
    ran = run("plan", "HEAD", *words)
    assert ran.code == 2
    assert ran.err.startswith(f"error: {message}")


def test_offers_and_acceptances_of_every_upsell(run: Run, tmp_path: Path) -> None:
    burger_workspace.write(tmp_path)
    commit(tmp_path)
    burger_workspace.write(tmp_path, SWAPPED)
    (tmp_path / "rates.json").write_text(
        '{"default": {"accept": 0}, "upsells": {"Cola with burgers": {"accept": 1}, "Sundae": {"accept": 1}}}'
    )
    found = plan(run, "HEAD", *NOON, "--sessions", "40", "--conversion", "rates.json")
    (sessions,) = found["changes"][0]["reach"]["sessions"]
    counts = {one["upsell"]: one for one in sessions["upsells"]}
    assert list(counts) == ["Cola with burgers", "Fries with burgers", "Pie with shakes"]
    for side in ("before", "after"):
        cola, fries = counts["Cola with burgers"][side], counts["Fries with burgers"][side]
        assert (fries["accepted"], fries["declined"], cola["declined"]) == (0, 0, 0)
        assert 0 < cola["accepted"] <= cola["offered"]
    assert counts["Cola with burgers"]["before"]["accepted"] < counts["Cola with burgers"]["after"]["accepted"]
    assert {"what": "rates of upsell Sundae", "why": "no config has an upsell of this name"} in found["not_compared"]
