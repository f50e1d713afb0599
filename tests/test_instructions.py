"""The counts of instructions: what is compared, what is skipped, and that the five runs are counted."""

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent))  # benchmarks/ is no part of the installed package

from benchmarks import instructions
from benchmarks.instructions import RUNS, Comparison, combination, kept_counts, prepare, table, with_counts
from tests.cases import each_of

HERE = {"python": "3.11.7", "machine": "x86_64", "pydantic": "2.14.3"}
OTHER = {**HERE, "pydantic": "2.13.0"}
needs_valgrind = pytest.mark.skipif(shutil.which("valgrind") is None, reason="needs valgrind; run .ci/instructions")


@each_of([(103, 100, "equal"), (104, 100, "slower"), (97, 100, "equal"), (96, 100, "faster"), (100, None, "not kept")])
def test_three_per_cent_are_tolerated(count: int, kept: int | None, verdict: str) -> None:
    compared = Comparison("one view", count, kept)
    assert (compared.verdict, compared.is_slower) == (verdict, verdict == "slower")


def test_counts_are_kept_for_exactly_one_combination() -> None:
    entries = with_counts([], HERE, {"version": 1}, "first counts")
    entries = with_counts(entries, OTHER, {"version": 2}, "other library")
    entries = with_counts(entries, HERE, {"version": 3}, "less is imported")
    assert [kept_counts(entries, each) for each in (HERE, OTHER, {**HERE, "python": "3.12"})] == [
        {"version": 3},
        {"version": 2},
        {},
    ]
    assert entries[-1]["why"] == "less is imported"


def test_the_table_names_every_run() -> None:
    lines = list(table([Comparison("version", 73_400_000, 73_000_000), Comparison("one view", 10**9, None)]))
    assert lines[2:] == ["| version | 73.4 | 73.0 | 1.005 | equal |", "| one view | 1000.0 | - | - | not kept |"]


def test_what_is_kept_is_whole() -> None:
    entries: list[dict[str, Any]] = json.loads(instructions.KEPT.read_text(encoding="utf-8"))
    assert entries
    for entry in entries:
        assert entry["combination"].keys() == combination().keys()
        assert entry["counts"].keys() == RUNS.keys()
        assert entry["why"]


def test_the_files_of_the_runs(tmp_path: Path) -> None:
    prepare(tmp_path)
    assert (tmp_path / "view.yaml").read_bytes().startswith((b"#", b"kind", b"name"))
    assert b"conditionExpression" in (tmp_path / "config.yaml").read_bytes()
    assert sum(path.suffix == ".yaml" for path in (tmp_path / "files").rglob("*")) == instructions.FILES


def run_main(monkeypatch: pytest.MonkeyPatch, *words: str, kept: object, tmp_path: Path) -> int:
    file = tmp_path / "kept.json"
    file.write_text(json.dumps(kept))
    monkeypatch.setattr(instructions, "KEPT", file)
    monkeypatch.setattr(instructions, "count", lambda run, folder: 1000)
    monkeypatch.setattr(instructions, "prepare", lambda folder: None)
    monkeypatch.setattr(shutil, "which", lambda name: name)
    monkeypatch.setattr(sys, "argv", ["instructions", *words])
    return instructions.main()


def test_another_combination_is_skipped_by_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = with_counts([], OTHER, dict.fromkeys(RUNS, 1), "other library")
    assert run_main(monkeypatch, kept=kept, tmp_path=tmp_path) == 0
    assert capsys.readouterr().out.splitlines()[-1].startswith("skipped: no counts are kept for python 3.")


def test_a_slower_run_fails_until_it_is_kept_with_a_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    kept = with_counts([], combination(), {**dict.fromkeys(RUNS, 1000), "one view": 900}, "first counts")
    assert run_main(monkeypatch, kept=kept, tmp_path=tmp_path) == 1
    *lines, advice = capsys.readouterr().out.splitlines()
    assert "| one view | 0.0 | 0.0 | 1.111 | slower |" in lines
    assert "--keep" in advice
    assert run_main(monkeypatch, "--only", "version", kept=kept, tmp_path=tmp_path) == 0
    assert run_main(monkeypatch, "--keep", "a new rule", kept=kept, tmp_path=tmp_path) == 0
    entries = json.loads((tmp_path / "kept.json").read_text())
    assert (entries[-1]["counts"]["one view"], entries[-1]["why"]) == (1000, "a new rule")
    assert run_main(monkeypatch, kept=entries, tmp_path=tmp_path) == 0


@pytest.mark.exhaustive
@needs_valgrind
def test_instructions_are_counted_alike_twice(tmp_path: Path) -> None:
    prepare(tmp_path)
    first, second = (instructions.count("one view", tmp_path) for _ in range(2))
    assert first == pytest.approx(second, rel=0.005)


@pytest.mark.exhaustive
@needs_valgrind
def test_no_run_needs_more_instructions_than_are_kept() -> None:
    """It takes a minute; what is counted for a combination without kept counts is in the reason of the skip."""
    here = combination()
    kept = kept_counts(instructions.kept_entries(), here)
    compared = instructions.compare(RUNS, kept)
    if not kept:
        counts = ", ".join(f"{each.run} {each.count / 1e6:.1f} million" for each in compared)
        pytest.skip(f"{instructions.reason_to_skip(here)}: {counts}")
    assert not [each.run for each in compared if each.is_slower], "\n".join([instructions.ADVICE, *table(compared)])
