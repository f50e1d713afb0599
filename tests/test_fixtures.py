"""Drop a file into `fixtures/valid` or `fixtures/invalid` and it is a test.

A file of `valid` gives no finding at all. A file of `invalid` marks every finding with an arrow, `# <- rule-id` at the
end of the line on which the finding starts, or `# line 7 <- rule-id` on a line of its own; several ids are set apart
by commas. A JSON file, which has no comments, has its arrows in a file of the same name with `.arrows` added. The
workspace `noodle-bars` marks what is found when it is checked whole.
"""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

from tests.cases import each_of
from trialrun.diagnostic import Diagnostic
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import CheckRequest, check

FIXTURES = Path(__file__).parent.parent / "fixtures"
ARROW = re.compile(r"(?:#|//)[ \t]*(?:line (\d+) )?<-[ \t]*([a-z0-9-]+(?:,[ \t]*[a-z0-9-]+)*)[ \t]*$", re.MULTILINE)
ENDINGS = {".yaml", ".yml", ".json"}


def files(folder: str) -> list[Path]:
    return sorted(path for path in (FIXTURES / folder).rglob("*") if path.suffix in ENDINGS)


def told(path: Path, *, root: Path) -> list[Diagnostic]:
    profiles = Profiles(Settings())
    request = CheckRequest(root=str(root), now=EXAMPLE_TIME, profiles=profiles, paths=[str(path)], jobs=1, cache=False)
    return check(request).diagnostics


def found(path: Path) -> list[tuple[int, str]]:
    alone = told(path, root=path.parent / "nothing-beside-it")
    return sorted((diagnostic.range.start.line, diagnostic.rule) for diagnostic in alone)


def found_in(workspace: Path) -> list[tuple[str, int, str]]:
    together = told(workspace, root=workspace)
    return sorted(
        (diagnostic.path.rpartition(f"{workspace.name}/")[2], diagnostic.range.start.line, diagnostic.rule)
        for diagnostic in together
    )


def promised(path: Path) -> list[tuple[int, str]]:
    arrows = path.with_name(path.name + ".arrows")
    return sorted(_arrows((arrows if arrows.exists() else path).read_text(encoding="utf-8")))


def _arrows(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), start=1):
        if match := ARROW.search(line):
            yield from ((int(match[1] or number), rule.strip()) for rule in match[2].split(","))


@each_of(files("valid"))
def test_a_valid_file_gives_no_finding(path: Path) -> None:
    assert found(path) == []


@each_of(files("invalid"))
def test_an_invalid_file_gives_exactly_the_findings_it_marks(path: Path) -> None:
    assert promised(path), "the file marks no finding"
    assert found(path) == promised(path)


def test_a_workspace_gives_exactly_the_findings_it_marks() -> None:
    workspace = FIXTURES / "workspaces" / "noodle-bars"
    marked = [
        (str(path.relative_to(workspace)), *finding) for path in files(str(workspace)) for finding in promised(path)
    ]
    assert found_in(workspace) == sorted(marked)


def test_the_sound_part_of_a_workspace_gives_one_note_and_what_its_settings_suppress() -> None:
    found = found_in(FIXTURES / "workspaces" / "burger-brand")
    assert [file for file in found if not file[0].startswith("broken/")] == [
        ("channels/pilot-listen-only.json", 9, "upsell-unreachable-at-store"),  # suppressed in its settings
        ("feature-views/menu-search.yaml", 40, "brute-force-index"),
    ]
    unused = [path for path, _, rule in found if rule == "unused-channel-config"]
    assert unused == ["broken/combo-week.yaml", "broken/night-voice.yaml", "broken/store-opening.json"]


def test_terraform_and_yaml_of_the_same_views_give_the_same_findings() -> None:
    workspaces = [FIXTURES / "workspaces" / name for name in ("ramen-terraform", "ramen-yaml")]
    in_terraform, in_yaml = (
        [(one.rule, one.severity, one.pointer) for one in told(folder, root=folder)] for folder in workspaces
    )
    assert in_terraform == in_yaml
    assert len(in_terraform) == 9


def test_the_clock_of_fixtures_is_fixed() -> None:
    assert datetime(2026, 11, 20, tzinfo=UTC) == EXAMPLE_TIME
