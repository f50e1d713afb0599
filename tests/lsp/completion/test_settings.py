"""The settings are completed: tables, keys, and the words that each key may say."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.lsp.completion.conftest import applied_configs
from trialrun.errors import UsageError
from trialrun.lint.settings.parse_settings import settings_of
from trialrun.lint.settings.runtime import KEYS as OF_TRIAL_RUNS
from trialrun.lint.settings.schema import KEYS
from trialrun.lsp.results import Completion

Ask = Callable[..., list[Completion]]
Labels = Callable[..., list[str]]
After = Callable[..., str]

TOML = "trialrun.toml"
SCHEMA = "kind: SessionSchema\nvariables: {cart: int}\n"
WHOLE = """# all of them
edition = "2026.4"
select = ["all"]
severity = {cron-syntax = "note"}
policies = []
exclude = ["a/**", 'b']

[runtime]
threads = 1 # few
list-merge = "append"

[kinds]
"views/*.yaml" = "FeatureView"

[[overrides]]
paths = ["legacy/**"]
ignore = [
  "cron-syntax", # the feed
  "unknown-field",
]
[overrides.severity]
cron-dst = "off"
"""


def test_the_settings_have_their_keys(labels: Labels) -> None:
    assert labels("¦", TOML) == list(KEYS)
    assert labels("[runtime]\n¦", TOML) == list(OF_TRIAL_RUNS)


def test_keys_that_are_there_are_left_out(labels: Labels) -> None:
    assert labels("[[suppress]]\npath = 'a'\n¦\nreason = ''\n", TOML) == ["pointer", "rule", "until"]
    assert "path" in labels("[[suppress]]\npath = 'a'\n[[suppress]]\n¦", TOML)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("[severity]\ncron-syntax = ¦", ["note", "warning", "error", "off"]),
        ("severity = { cron-syntax = '¦' }", ["note", "warning", "error", "off"]),
        ('[kinds]\n"a/**" = "¦"', ["FeatureView", "ChannelConfig"]),
        ("edition = '¦", ["2026.5", "2026.4"]),
        ("[runtime]\nlist-merge = ¦", ["replace", "append"]),
        ("runtime = {cron-semantics = '¦'}", ["wall-clock", "vixie"]),
        ("[runtime]\nthreads = ¦", ["0", "1"]),
        ("[options]\nmin-sync-interval = '¦'", ["5m", "15m"]),
        ("session-schema = '¦'", ["schema.yaml"]),
        ("[[overrides]]\npaths = ['¦']", ["schema.yaml"]),
        ("[[overrides]]\nsession-schema = '¦'", ["schema.yaml"]),
        ("[[suppress]]\npath = '¦'", ["schema.yaml"]),
        ("[[suppress]]\nuntil = '¦'", ["2026-12-20"]),
        ("[¦", ["severity", "options"]),
        ("[[¦]]", ["overrides", "suppress"]),
    ],
)
def test_values_are_those_that_the_settings_take(labels: Labels, text: str, first: list[str]) -> None:
    assert labels(text, TOML, schema=SCHEMA)[: len(first)] == first


def test_groups_of_rules_can_be_selected(labels: Labels) -> None:
    assert {"all", "feature-view", "cron-syntax"} <= set(labels("select = ['¦']", TOML))
    assert "all" not in labels("[[suppress]]\nrule = '¦'", TOML)


def test_rules_that_a_list_has_are_left_out(labels: Labels) -> None:
    assert "cron-syntax" not in labels("select = ['cron-syntax', '¦']", TOML)


def test_a_value_without_quotes_gets_them(after: After) -> None:
    assert after("[runtime]\nlist-merge = re¦", "append", TOML) == '[runtime]\nlist-merge = "append"'
    assert after("ignore = ¦", "cron-syntax", TOML) == 'ignore = ["cron-syntax"]'


def test_a_key_comes_with_its_sign(after: After) -> None:
    assert after("sel¦", "select", TOML) == 'select = [""]'
    assert after("sel¦ = []", "select", TOML) == "select = []"


def test_a_folder_is_gone_through(ask: Ask, labels: Labels, tmp_path: Path) -> None:
    (tmp_path / "views").mkdir()
    (tmp_path / "views" / "a.yaml").touch()
    assert labels("exclude = ['v¦']", TOML)[-2:] == ["views/", "views/**"]
    assert labels("exclude = ['views/¦']", TOML) == ["views/a.yaml"]


def test_comments_are_left_alone(labels: Labels) -> None:
    assert labels("# ¦", TOML) == []
    assert labels("select = [\n  # ¦\n]", TOML) == []


def test_in_a_project_file_only_our_tables_are_completed(labels: Labels) -> None:
    assert labels("[tool.other]\n¦", "pyproject.toml") == []
    assert "select" in labels("[tool.trialrun]\n¦", "pyproject.toml")
    assert labels("[tool.trialrun.runtime]\nlist-merge = '¦'", "pyproject.toml") == ["replace", "append"]
    assert "tool.trialrun.runtime" in labels("[¦]", "pyproject.toml")


def refusal(text: str) -> str | None:
    """Why there is no such setting, or no such value; None for all else."""
    try:
        settings_of(tomllib.loads(text), TOML)
    except tomllib.TOMLDecodeError:
        return "not TOML"
    except UsageError as error:
        told = [one for one in error.messages if "there is no" in one or "use one of" in one]
        return next((one for one in told if "there is no rule" not in one), None)
    return None


def test_whatever_is_taken_is_a_setting(ask: Ask) -> None:
    """At every place of a text that has all sorts of settings, and in what is left of it when it ends there."""
    wrong = []
    for offset in range(len(WHOLE) + 1):
        for text in (WHOLE, WHOLE[:offset]):
            found = ask(f"{text[:offset]}¦{text[offset:]}", TOML)
            for one in [*found[:2], *found[-1:]]:
                after = applied_configs(text, one)
                if refusal(text) is None and (why := refusal(after)):
                    wrong.append((text[max(offset - 20, 0) : offset], one.label, one.text, why))
    assert wrong == [], "\n".join(map(repr, wrong))
