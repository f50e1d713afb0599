"""What is shown in settings, baselines and policies."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.hover.hover_fixture import marked
from tests.lsp.hover.hover_fixture import shown as shown_at
from trialrun.lsp.analysis.load_settings import workspace_request
from trialrun.lsp.features.hover import hover
from trialrun.lsp.ipc.messages import Options
from trialrun.workspace.open_workspace import OpenWorkspace

SETTINGS = """\
# edition and cron-dst in a comment
edition = "2026.2"
select = ["all", "feature-view"]
exclude = [
  "old/",  # cron-dst
]
policies = ["cost", "policies/"]
kinds = { "views/**" = "FeatureView" }
baseline = "baseline.json"

[severity]
missing-etag = "warning"
"cron-portability" = "off"

[options]
min-sync-interval = "1h30m"

[[overrides]]
paths = ["legacy/**"]
ignore = ["views-have-an-owner"]

[[suppress]]
path = "a.json"
rule = "cron-dst"

[runtime]
list-merge = "append"
"""
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


def shown(live: OpenWorkspace, place: str, text: str = SETTINGS, path: str = "trialrun.toml") -> str:
    """What is shown at `|` of the settings."""
    found = hover(live, path, text.index(place.replace("|", "", 1)) + place.index("|"))
    return found.markdown if found else ""


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("|edition =", "**`edition`**: The default rules are those of this edition"),
        ("2026|.2", "New in it: `menu-id-mismatch`, "),
        ("a|ll", "`all`: 1"),
        ("feature|-view", "`brute-force-index`, "),
        ("[sever|ity]", "**`severity`**: How grave the findings of a rule are"),
        ("missing-e|tag", "**missing-etag**: A view carries the etag"),
        ("cron-port|ability", "**cron-portability**: A schedule is written"),
        ("warn|ing", "`warning`: fails it with `--fail-on warning`."),
        ("o|ff", "`off`: the rule does not run."),
        ("co|st", "`cost`: a shipped pack of policies.\n\n- `"),
        ("Feature|View", "**`FeatureView`**: The representation of values"),
        ("min-sync|-interval", "**`options.min-sync-interval`**: The shortest time"),
        ("1h3|0m", "`1h30m`: 1 h 30 min"),
        ("[[over|rides", "**`overrides`**: Settings for some paths alone"),
        ("pat|hs", "**`overrides.paths`**: The globs"),
        ("[[supp|ress", "**`suppress`**: Findings that are not"),
        ("ru|le =", "**`suppress.rule`**: The id of the rule"),
        ('rule = "cron-|dst', "**cron-dst**: No run of a schedule"),
        ("views-have|-an-owner", "**views-have-an-owner**: Nobody owns this view"),
        ("appe|nd", "**`runtime.list-merge`**: A later config's list"),
    ],
)
def test_settings_are_told(live: OpenWorkspace, place: str, told: str) -> None:
    assert told in shown(live, place)


@pytest.mark.parametrize("place", ["# edi|tion", "and cron|-dst", "# cron|-dst\n]"])
def test_comments_of_settings_tell_nothing(live: OpenWorkspace, place: str) -> None:
    assert shown(live, place) == ""


def test_tables_of_other_tools_tell_nothing(live: OpenWorkspace, tmp_path: Path) -> None:
    text = '[tool.other]\nselect = ["cron-dst"]\n[tool.trialrun]\nignore = ["cron-dst"]\n'
    (tmp_path / "pyproject.toml").write_text(text)
    assert shown(live, 'select = ["cron|-dst', text, "pyproject.toml") == ""
    assert "**cron-dst**" in shown(live, 'ignore = ["cron|-dst', text, "pyproject.toml")


@pytest.mark.parametrize(
    "text", ["", "[", '[severity\ncron-dst = "', "= =", "[[[]]]\na.b.c = 1", "x = '''\n[y]\n'''", "[severity]"]
)
def test_no_place_of_broken_settings_is_a_fault(live: OpenWorkspace, text: str) -> None:
    live.set_overlay(str(Path("trialrun.toml").resolve()), text.encode())
    for offset in range(len(text) + 1):
        hover(live, "trialrun.toml", offset)


def test_a_rule_of_the_baseline_is_told(live: OpenWorkspace) -> None:
    assert shown_at(live, "baseline.json", "cron|-dst").startswith("**cron-dst**: No run")


def test_a_policy_in_a_comment_is_told(live: OpenWorkspace) -> None:
    assert shown_at(live, "view.yaml", "views-have|-an-owner").startswith("**views-have-an-owner**: Nobody owns")


def test_a_finding_of_a_policy_has_its_page(live: OpenWorkspace) -> None:
    live.set_overlay(str(Path("view.yaml").resolve()), b"kind: FeatureView\noptimizedConfig: {}\n")
    assert "**views-have-an-owner**: Nobody owns this view" in shown_at(live, "view.yaml", "optimized|Config")


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
    assert told in shown_at(live, "policies/owner.yaml", place)


def test_a_part_of_an_expression_is_marked(live: OpenWorkspace) -> None:
    assert marked(live, "policies/owner.yaml", "self.la|bels") == "self.labels"
