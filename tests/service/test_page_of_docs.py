"""docs/service.md: its code runs and prints what it says, and its tables are those of the program."""

import re
from operator import attrgetter
from pathlib import Path
from types import ModuleType

import pytest

from tests.cases import each_of
from trialrun.lint.settings import Profiles, read_settings
from trialrun.runtime.clock import SystemClock
from trialrun.service import listing
from trialrun.service.channel_config import ChannelConfigService
from trialrun.service.channel_config import messages as of_configs
from trialrun.service.feature_view import FeatureViewService
from trialrun.service.feature_view import messages as of_views
from trialrun.service.iam import ROLES
from trialrun.workspace import CheckRequest
from trialrun.workspace.dry_run import dry_run

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "service.md").read_text(encoding="utf-8")
VIEWS, CONFIGS = PAGE.split("\n## ChannelConfigs, brands and stores\n")


def rows(part: str) -> list[list[str]]:
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for line in part.splitlines() if line[:2] == "| "]


OPERATIONS = [
    (service, messages, row)
    for part, service, messages in ((VIEWS, FeatureViewService, of_views), (CONFIGS, ChannelConfigService, of_configs))
    for row in rows(part)
    if row[1].startswith("`")
]
HELD = {row[0].strip("`"): row[1] for row in rows(VIEWS) if row[0].startswith("`roles/")}
BESIDE = {"get_sync", "list_syncs", "run_until", "names", "replace_documents", "scheduled", "on_view_change", "on_sync"}
"""What the page tells in sentences."""


def test_the_code_prints_what_it_says(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))
    exec(compile(code, "docs/service.md", "exec"), {"__name__": "docs"})
    assert capsys.readouterr().out.splitlines() == re.findall(r"# -> (.*)", code)


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`here\.([\w.]+)`", PAGE))))
def test_what_the_text_names_of_a_trial_is_there(name: str) -> None:
    root, clock = str(ROOT / "fixtures" / "workspaces" / "burger-brand"), SystemClock()
    here = dry_run(CheckRequest(root=root, now=clock.now(), profiles=Profiles(read_settings(root))), clock)
    assert attrgetter(name)(here)


@pytest.mark.parametrize("service", [FeatureViewService, ChannelConfigService])
def test_every_operation_has_its_row(service: type) -> None:
    told = {row[1].strip("`") for of, _, row in OPERATIONS if of is service}
    assert told | BESIDE == {name for name in vars(service) if not name.startswith("_")} | BESIDE


@each_of(OPERATIONS)
def test_the_row_of_an_operation(service: type, messages: ModuleType, row: list[str]) -> None:
    operation, method, *told = row
    assert re.sub("_(.)", lambda match: match[1].upper(), method.strip("`")) == operation
    assert hasattr(service, method.strip("`"))
    for name in re.findall(r"\w+(?:Request|Response)\b", " ".join(told)):
        assert hasattr(messages, name) or hasattr(listing, name)


def test_every_role_has_its_row() -> None:
    assert HELD.keys() == ROLES.keys()


@pytest.mark.parametrize("role", ROLES)
def test_the_permissions_of_a_role_are_those_of_its_row(role: str) -> None:
    shown, above = HELD[role], [*HELD][: [*HELD].index(role)]
    told = set(re.findall(r"[a-z]+(?:[A-Z]\w+)?", shown.replace("all of the above", "")))
    inherited = set().union(*(ROLES[one] for one in above)) if "all of" in shown else set()
    assert {f"featureViews.{one}" for one in told} | inherited == ROLES[role]
