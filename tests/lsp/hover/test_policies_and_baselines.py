"""What is shown in baselines and policies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.hover.hover_fixture import marked, shown
from trialrun.lsp.analysis.load_settings import workspace_request
from trialrun.lsp.features.hover import hover
from trialrun.lsp.ipc.messages import Options
from trialrun.workspace.open_workspace import OpenWorkspace

SETTINGS = 'policies = ["policies/"]\nbaseline = "baseline.json"\nignore = ["cron-dst"]\n'
POLICY = """\
id: views-have-an-owner
on: FeatureView
at: optimizedConfig.automaticResources.minReplicaCount
check: has(self.labels) && self.optimizedConfig.automaticResources.minReplicaCount > 1
message: nobody owns this view; name its owner in labels
"""
BASELINE = (
    '{"version": 1, "findings": [{"fingerprint": "ab", "rule": "cron-dst", "path": "a", "pointer": "", "message": ""}]}'
)
VIEW = "kind: FeatureView  # trialrun: ignore[views-have-an-owner] not yet\nname: prices\n"


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies").mkdir()
    texts = {"trialrun.toml": SETTINGS, "policies/owner.yaml": POLICY, "baseline.json": BASELINE, "view.yaml": VIEW}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return OpenWorkspace(workspace_request(str(tmp_path), Options(cache=False)))


def test_settings_are_left_to_editors_of_toml(live: OpenWorkspace) -> None:
    assert hover(live, "trialrun.toml", SETTINGS.index("cron-dst")) is None


def test_a_rule_of_the_baseline_is_told(live: OpenWorkspace) -> None:
    assert shown(live, "baseline.json", "cron|-dst").startswith("**cron-dst**: Schedule with runs")


def test_a_policy_in_a_comment_is_told(live: OpenWorkspace) -> None:
    assert shown(live, "view.yaml", "views-have|-an-owner").startswith("**views-have-an-owner**: Nobody owns")


def test_a_finding_of_a_policy_has_its_page(live: OpenWorkspace) -> None:
    live.set_overlay(str(Path("view.yaml").resolve()), b"kind: FeatureView\noptimizedConfig: {}\n")
    assert "**views-have-an-owner**: Nobody owns this view" in shown(live, "view.yaml", "optimized|Config")


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("o|n: F", "**`on`**, required: the message that the policy looks at"),
        ("Feature|View", "**`FeatureView`**: The representation of values"),
        ("automatic|Resources.minReplicaCount\ncheck", "**`AutomaticResources.minReplicaCount`**: an integer"),
        ("self.la|bels", "**`FeatureView.labels`**: a mapping of texts"),
        ("minReplica|Count > 1", "`self.optimizedConfig.automaticResources.minReplicaCount`: `int`"),
        ("|&& self", "`a && b`: True if both are"),
        ("no|body", "**`message`**, required: what is wrong"),
    ],
)
def test_a_policy_is_told(live: OpenWorkspace, place: str, told: str) -> None:
    assert told in shown(live, "policies/owner.yaml", place)


def test_a_part_of_an_expression_is_marked(live: OpenWorkspace) -> None:
    assert marked(live, "policies/owner.yaml", "self.la|bels") == "self.labels"


WORKSPACE_POLICY = """\
id: few-views
scope: workspace
on: FeatureView
parameters: {max: {type: int, default: 4}}
check: documents("FeatureView").filter(v, v.name == self.name).size() < parameters.max && texts(self) == []
message: m
"""


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("scop|e", "**`scope`**, optional: what the policy looks at"),
        ("docu|ments(", '`documents("FeatureView")`: `list(FeatureView)`'),
        ("docu|ments(", "All documents of a kind in the workspace"),
        ("v.na|me", "Resource name"),
        ("parameters.m|ax", "`parameters.max`: `int`"),
        ("te|xts(self)", "All free texts and conditions of a message"),
    ],
)
def test_a_policy_on_the_workspace_is_told(live: OpenWorkspace, place: str, told: str) -> None:
    live.set_overlay(str(Path("policies/owner.yaml").resolve()), WORKSPACE_POLICY.encode())
    assert told in shown(live, "policies/owner.yaml", place)
