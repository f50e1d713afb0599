"""What an upgrade to another edition would newly report, said before it does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.program import Run, view
from trialrun.lint import editions

BRAND = """\
kind: Brand
name: acme
defaults: [projects/p/locations/l/brands/acme/channelConfigs/none]
"""


def test_what_would_be_new(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('edition = "2026.1"\n')
    (tmp_path / "brand.yaml").write_text(BRAND)
    assert run("check").code == 0
    ran = run("rules", "diff", "2026.2")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "from edition 2026.1 to 2026.2"
    assert "  + unknown-channel-config  1 finding" in lines
    assert lines[-2].startswith("brand.yaml:3:12: error unknown-channel-config ")
    assert lines[-1] == "1 finding would be new"


def test_the_same_for_programs(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('edition = "2026.1"\n')
    (tmp_path / "brand.yaml").write_text(BRAND)
    told = json.loads(run("rules", "diff", "2026.2", "--output-format", "json").out)
    assert (told["from"], told["to"], told["removed"]) == ("2026.1", "2026.2", [])
    assert sorted(editions.ADDED["2026.2"]) == told["added"]
    assert [(diagnostic["rule"], diagnostic["line"]) for diagnostic in told["diagnostics"]] == [
        ("unknown-channel-config", 3)
    ]


def test_a_rule_that_the_settings_turn_off_stays_off(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('edition = "2026.1"\nignore = ["unknown-channel-config"]\n')
    (tmp_path / "brand.yaml").write_text(BRAND)
    assert "unknown-channel-config" not in run("rules", "diff", "2026.2").out


def test_back_again(run: Run) -> None:
    ran = run("rules", "diff", "2026.1")
    assert "  - sync-herd\n" in ran.out
    assert ran.out.endswith("0 findings would be new\n")


def test_the_same_edition(run: Run) -> None:
    assert run("rules", "diff", editions.NEWEST).out.splitlines()[1] == "  the same rules"


@pytest.mark.parametrize("edition", ["1999", ""])
def test_an_edition_that_there_is_not(run: Run, edition: str) -> None:
    ran = run("rules", "diff", edition)
    assert (ran.code, ran.err) == (
        2,
        f'error: there is no edition "{edition}"; use one of 2026.1, 2026.2, 2026.3, 2026.4, 2026.5\n',
    )


def test_every_rule_of_an_edition_exists() -> None:
    from trialrun.lint import registry

    assert set().union(*editions.ADDED.values()) <= set(registry.ids())


@pytest.mark.parametrize(
    ("arguments", "added"), [(("--ignore", "sync-herd"), 7), (("--select", "sync-herd"), 0), ((), 8)]
)
def test_the_command_line_decides_on_both_sides(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], added: int
) -> None:
    (tmp_path / "trialrun.toml").write_text('edition = "2026.1"\n')
    assert run("rules", "diff", "2026.2", *arguments).out.count("\n  + ") == added


def test_editions_of_nested_workspaces_are_in_the_json(run: Run, tmp_path: Path) -> None:
    for folder, edition in {".": "2026.1", "b": "2026.3", "a": "2026.2", "c": "2026.1"}.items():
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "trialrun.toml").write_text(f'edition = "{edition}"\n')
        (tmp_path / folder / "v.yaml").write_text(view(f"v-{edition[-1]}"))
    difference = json.loads(run("rules", "diff", "2026.4", "--output-format=json").out)
    assert difference["from"] == "2026.1"
    assert difference["nested"] == [{"path": "a", "edition": "2026.2"}, {"path": "b", "edition": "2026.3"}]
