"""Drop a file into `fixtures/valid` or `fixtures/invalid` and it is a test.

A file of `valid` gives no finding at all. A file of `invalid` marks every finding with an arrow, `# <- rule-id` at the
end of the line on which the finding starts, or `# line 7 <- rule-id` on a line of its own; several ids are set apart
by commas. A JSON file, which has no comments, has its arrows in a file of the same name with `.arrows` added.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import Request, check

FIXTURES = Path(__file__).parent.parent / "fixtures"
ARROW = re.compile(r"(?:#|//)[ \t]*(?:line (\d+) )?<-[ \t]*([a-z0-9-]+(?:,[ \t]*[a-z0-9-]+)*)[ \t]*$", re.MULTILINE)
ENDINGS = {".yaml", ".yml", ".json"}


def files(folder: str) -> list[Path]:
    return sorted(path for path in (FIXTURES / folder).rglob("*") if path.suffix in ENDINGS)


def found(path: Path) -> list[tuple[int, str]]:
    request = Request(
        root=str(path.parent / "nothing-beside-it"),
        now=EXAMPLE_TIME,
        profiles=Profiles(Settings()),
        paths=[str(path)],
        jobs=1,
        cache=False,
    )
    return sorted((one.range.start.line, one.rule) for one in check(request).diagnostics)


def promised(path: Path) -> list[tuple[int, str]]:
    arrows = path.with_name(path.name + ".arrows")
    text = (arrows if arrows.exists() else path).read_text(encoding="utf-8")
    return sorted(_arrows(text))


def _arrows(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if match := ARROW.search(line):
            yield from ((int(match[1] or number), rule.strip()) for rule in match[2].split(","))


@pytest.mark.parametrize("path", files("valid"), ids=lambda path: str(path.relative_to(FIXTURES)))
def test_a_valid_file_gives_no_finding(path: Path) -> None:
    assert found(path) == []


@pytest.mark.parametrize("path", files("invalid"), ids=lambda path: str(path.relative_to(FIXTURES)))
def test_an_invalid_file_gives_exactly_the_findings_it_marks(path: Path) -> None:
    assert promised(path), "the file marks no finding"
    assert found(path) == promised(path)


def test_the_clock_of_fixtures_is_fixed() -> None:
    assert datetime(2026, 11, 20, tzinfo=UTC) == EXAMPLE_TIME
