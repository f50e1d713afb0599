"""`trialrun docs` prints the pages that were installed, and `trialrun explain` the assumptions that answers cite."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.program import Run
from trialrun.documentation import assumptions, page_text, page_title, pages

ROOT = Path(__file__).parent.parent.parent


def test_the_list_has_every_page_with_its_title(run: Run) -> None:
    ran = run("docs")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines()] == list(pages())
    assert ["scenarios", "Scenarios"] in [line.split() for line in ran.out.splitlines()]


def test_every_page_of_the_repository_is_one() -> None:
    files = {file.stem for file in (ROOT / "docs").glob("*.md")}
    assert files | {"rules", "changelog", "contributing"} <= set(pages())


@pytest.mark.parametrize("name", ["scenarios", "scenarios.md", "docs/scenarios.md"])
def test_a_page_is_printed_as_it_is_written(run: Run, name: str) -> None:
    ran = run("docs", name)
    assert (ran.code, ran.out) == (0, (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "hint"), [("scenaros", '; did you mean "scenarios"?'), ("zzz", "; trialrun docs lists them")]
)
def test_a_page_that_is_not_there_is_a_usage_error(run: Run, name: str, hint: str) -> None:
    ran = run("docs", name)
    assert (ran.code, ran.out, ran.err) == (2, "", f'error: there is no page "{name}"{hint}\n')


def test_a_title_has_no_marks_of_markdown() -> None:
    assert [name for name in pages() if not page_title(name) or page_title(name).startswith("#")] == []


def test_an_assumption_is_explained_with_what_changes_it(run: Run) -> None:
    ran = run("explain", "read-yaml")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("read-yaml  assumption\n\nNot specified: the dialect of YAML\n\nChosen: 1.2, core schema")
    assert "Setting: severity of `ambiguous-scalar`" in ran.out


def test_every_row_of_the_assumptions_is_read() -> None:
    rows = [line for line in page_text("assumptions").splitlines() if line.startswith("| ")]
    heads = [line for line in rows if line.startswith("| id ")]
    assert len(assumptions()) == len(rows) - len(heads) > 100
