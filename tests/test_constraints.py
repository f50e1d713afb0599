"""Every constraint of the specifications is held by something that exists, and the page of them is up to date."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from scripts import constraints as table
from tests.cases import each_of
from trialrun.lint import registry
from trialrun.model.kinds import find_message

ROOT = Path(__file__).parent.parent
SPECIFICATIONS = ROOT.parent / "shared" / "spec"
BEHAVIOURS = {"sync", "schedules", "search", "precedence", "session", "states", "features", "service"}
CONSTRAINTS = table.constraints()
CONSTRAINING = re.compile(
    r"\b(must|at most|at least|exactly|only|defaults?|maximum|unique|range|unset|not both|higher|lower|skip|needs?"
    r"|no fields|associated|instead|applies)\b",
    re.IGNORECASE,
)
"""What makes a sentence of a table's cell a constraint of its own, beside the row."""


def sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.]) (?=[A-Za-z])", text)


def constraints_of(text: str) -> Iterator[tuple[str, str]]:
    """Section and text of every table row, every constraining sentence in one, and every sentence outside of tables.

    Left out is what stands above the first section, and that something is "not shown".
    """
    section, before = "", ""
    for line in text.splitlines():
        if line.startswith("##"):
            section = line.lstrip("# ")
        elif section and line.startswith("|"):
            yield from ((section, item) for item in _of_row(line) if before.startswith("|"))
        elif section:
            shown = sentences(re.sub(r"^\d+\. ", "", line))
            yield from ((section, one) for one in shown if one and not one.endswith("not shown."))
        before = line


def _of_row(line: str) -> Iterator[str]:
    if set(line) <= set("|- "):
        return
    yield line
    parts = sentences(line.strip("| ").split(" | ")[-1])
    yield from (part for part in parts if len(parts) > 1 and CONSTRAINING.search(part))


def specification(name: str) -> str:
    if not SPECIFICATIONS.is_dir():
        pytest.skip(f"the specifications are not at {SPECIFICATIONS}")
    return (SPECIFICATIONS / f"{name}.md").read_text(encoding="utf-8")


def names_of_kind(sort: str) -> list[str]:
    return sorted(
        {
            check_id.partition(":")[2].strip()
            for row in CONSTRAINTS
            for check_id in row.by
            if check_id.startswith(f"{sort}:")
        }
    )


def assumptions() -> set[str]:
    return set(
        re.findall(r"^\| ([^|]+?) \|", (ROOT / "docs" / "assumptions.md").read_text(encoding="utf-8"), re.MULTILINE)
    )


def test_every_holder_is_of_a_known_sort() -> None:
    sorts = {check_id.partition(":")[0] for row in CONSTRAINTS for check_id in row.by}
    assert sorts == {"rule", "model", "runtime", "assumption"}


@each_of(names_of_kind("rule"))
def test_a_named_rule_exists(rule_id: str) -> None:
    assert rule_id in registry.ids()


@each_of(names_of_kind("model"))
def test_a_named_field_exists(name: str) -> None:
    message, _, field = name.partition(".")
    _, model = find_message(message)
    assert not field or field in model.model_fields or field in model.unions


@each_of(names_of_kind("assumption"))
def test_a_named_assumption_exists(name: str) -> None:
    assert name in assumptions()


@each_of(names_of_kind("runtime"))
def test_a_behaviour_of_the_runtime_is_one_of_those_designed(text: str) -> None:
    behaviour, _, deed = text.partition(": ")
    assert behaviour in BEHAVIOURS
    assert deed


@pytest.mark.parametrize("name", ["feature-view", "channel-config"])
def test_every_constraint_of_a_specification_is_covered(name: str) -> None:
    covered = {(constraint.section, constraint.text) for constraint in CONSTRAINTS if constraint.spec == name}
    assert [one for one in constraints_of(specification(name)) if one not in covered] == []


@pytest.mark.parametrize("name", ["feature-view", "channel-config"])
def test_every_entry_stands_in_its_section(name: str) -> None:
    sections = {
        part.partition("\n")[0].lstrip("# "): part for part in re.split(r"^##+ ", specification(name), flags=re.M)
    }
    listed = [constraint for constraint in CONSTRAINTS if constraint.spec == name]
    assert [file.text for file in listed if file.text not in sections.get(file.section, "")] == []


def test_what_is_a_constraint() -> None:
    text = (
        "# Title\n\nAn introduction.\n\n## 1. First\n\nIt must be. Errors: not shown.\n\n1. One level\n\n"
        "| Field | Rules |\n|---|---|\n| a | Some words. At most 3. |\n| b | unique |\n"
    )
    assert list(constraints_of(text)) == [
        ("1. First", "It must be."),
        ("1. First", "One level"),
        ("1. First", "| a | Some words. At most 3. |"),
        ("1. First", "At most 3."),
        ("1. First", "| b | unique |"),
    ]


@pytest.mark.parametrize("by", ["", "by = []\n"])
def test_a_constraint_that_nothing_holds_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    monkeypatch.setattr(table, "TABLE", tmp_path / "constraints.toml")
    table.TABLE.write_text(f'[[constraint]]\nspec = "feature-view"\nsection = "s"\ntext = "t"\n{by}')
    with pytest.raises(ValueError, match="nothing holds"):
        table.constraints()


def test_no_constraint_is_listed_twice() -> None:
    assert len({(constraint.spec, constraint.section, constraint.text) for constraint in CONSTRAINTS}) == len(
        CONSTRAINTS
    )


def test_the_page_is_up_to_date() -> None:
    assert table.PAGE.read_text(encoding="utf-8") == table.page(CONSTRAINTS), "run python scripts/constraints.py"
