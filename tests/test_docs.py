"""Every document that docs/companions.md shows is one that the linter finds nothing in."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.selection import default_selection
from trialrun.lint.session import session_types
from trialrun.model.companion import COMPANIONS

PAGE = Path(__file__).parent.parent / "docs" / "companions.md"
BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split("\n")[0])
def test_a_companion_document_is_sound(block: str) -> None:
    linter = Linter(default_selection(), now=EXAMPLE_TIME, session=lambda: session_types(()))
    assert linter.lint(block.encode(), "companion.yaml", named=True).diagnostics == []


def test_every_kind_of_companion_has_its_section() -> None:
    sections = re.findall(r"^## (\w+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(sections) == {model.__name__ for model in COMPANIONS}
