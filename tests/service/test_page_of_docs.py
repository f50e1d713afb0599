"""docs/service.md: its code runs and prints what it says, and its tables are those of the program."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trialrun.service.feature_view import FeatureViewService, messages
from trialrun.service.feature_view.permissions import ROLES

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in PAGE.splitlines() if line.startswith("| ")]
OPERATIONS = [row for row in ROWS if row[1].startswith("`")]
HELD = {row[0].strip("`"): row[1] for row in ROWS if row[0].startswith("`roles/")}
ALL = 14


def test_the_code_prints_what_it_says(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    exec(compile(code, "docs/service.md", "exec"), {"__name__": "docs"})
    assert capsys.readouterr().out.splitlines() == re.findall(r"# -> (.*)", code)


def test_every_operation_has_its_row() -> None:
    assert len(OPERATIONS) == ALL


@pytest.mark.parametrize("row", OPERATIONS, ids=lambda row: row[0])
def test_the_row_of_an_operation(row: list[str]) -> None:
    operation, method, *told = row
    assert re.sub("_(.)", lambda match: match[1].upper(), method.strip("`")) == operation
    assert hasattr(FeatureViewService, method.strip("`"))
    for name in re.findall(r"\w+(?:Request|Response)\b", " ".join(told)):
        assert hasattr(messages, name)


def test_every_role_has_its_row() -> None:
    assert HELD.keys() == ROLES.permissions_of.keys()


@pytest.mark.parametrize("role", ROLES.permissions_of)
def test_the_permissions_of_a_role_are_those_of_its_row(role: str) -> None:
    shown, above = HELD[role], [*HELD][: [*HELD].index(role)]
    told = set(re.findall(r"[a-z]+(?:[A-Z]\w+)?", shown.replace("all of the above", "")))
    inherited = set().union(*(ROLES.permissions_of[one] for one in above)) if "all of" in shown else set()
    assert {f"featureViews.{one}" for one in told} | inherited == ROLES.permissions_of[role]
