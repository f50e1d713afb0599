"""The page of imports: its commands run, and it has every format, attribute and option."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from tests.importers.menu_inputs import SQUARE
from tests.importers.terraform_values import VIEW, resource, state, view_values
from tests.importers.test_import_api import VIEW as API_VIEW
from tests.importers.test_import_schema import FIELDS
from tests.program import Run
from trialrun.importers.run import FORMATS
from trialrun.importers.terraform_resource import VIEW_ATTRIBUTES

PAGE = Path(__file__).parent.parent.parent / "docs" / "import.md"
REGISTRY = Path(__file__).parent / "feast_registry.json"
COMMANDS = re.findall(r"^(trialrun import .*)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_of_the_page_writes_documents(run: Run, tmp_path: Path, command: str) -> None:
    (tmp_path / "views.json").write_text(json.dumps({"featureViews": [API_VIEW]}), encoding="utf-8")
    (tmp_path / "state.json").write_text(state(resource(VIEW, view_values())), encoding="utf-8")
    (tmp_path / "profile.json").write_text(json.dumps(FIELDS), encoding="utf-8")
    (tmp_path / "catalog.json").write_text(json.dumps(SQUARE), encoding="utf-8")
    (tmp_path / "registry.json").write_bytes(REGISTRY.read_bytes())
    ran = run(*shlex.split(command)[1:])
    assert ran.code in (0, 1), ran.err
    assert list((tmp_path / "config").rglob("*.yaml"))


def test_the_page_has_every_format_and_attribute() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert [name for name in FORMATS if f"| `{name}` |" not in text] == []
    assert [name for name in VIEW_ATTRIBUTES if name not in text] == []
    assert COMMANDS
