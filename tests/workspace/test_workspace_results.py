"""Rules across files find the same with and without kept verdicts, on one core and on several, in whatever order."""

import json
from pathlib import Path
from random import Random
from shutil import copytree

import pytest

from tests.cases import each_of
from tests.program import Run, write_files
from trialrun.diagnostic import Diagnostic
from trialrun.lint import registry, workspace_rules
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.file_result import Fact
from trialrun.lint.rule import session_types
from trialrun.lint.selection import Selection
from trialrun.lint.workspace_rules import FactLocations

NOODLE_BARS = Path(__file__).parent.parent.parent / "fixtures" / "workspaces" / "noodle-bars"
ACROSS_FILES = [rule for rule, (group, _) in registry.files().items() if group == "workspace"]
PADDING = "# " + "x" * 100_000 + "\n"
"""Makes a file so large that several processes share the work."""
BRAND = "kind: Brand\nname: acme\ndefaults: [lunch]\n"
CONFIG = "kind: ChannelConfig\nname: projects/p/locations/l/brands/acme/channelConfigs/{}\ntype: AGENT_CUSTOMIZATION\n"


def found(run: Run, *arguments: str) -> list[tuple[str, str]]:
    told = json.loads(run("check", "--output-format", "json", *arguments).out)["diagnostics"]
    return [(diagnostic["path"], diagnostic["rule"]) for diagnostic in told if diagnostic["rule"] in ACROSS_FILES]


def with_and_without_cache(run: Run) -> list[tuple[str, str]]:
    kept = found(run)
    assert kept == found(run, "--no-cache") == found(run)
    return kept


def test_a_change_of_one_file_changes_what_is_found_in_another(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"brand.yaml": BRAND, "config.yaml": CONFIG.format("lunch")})
    assert with_and_without_cache(run) == []
    (tmp_path / "brand.yaml").write_text(BRAND.replace("lunch", "dinner"))
    assert with_and_without_cache(run) == [
        ("brand.yaml", "unknown-channel-config"),
        ("config.yaml", "unused-channel-config"),
    ]
    (tmp_path / "config.yaml").write_text(CONFIG.format("dinner"))
    assert with_and_without_cache(run) == []
    (tmp_path / "brand.yaml").unlink()
    assert with_and_without_cache(run) == []


def test_a_kept_fact_remembers_that_its_document_was_not_read_whole(run: Run, tmp_path: Path) -> None:
    (tmp_path / "brand.yaml").write_text(BRAND + "bindings: [{rule: r, channelConfig: dinner}\nstores: []\n")
    (tmp_path / "config.yaml").write_text(CONFIG.format("dinner"))
    assert ("config.yaml", "unused-channel-config") not in with_and_without_cache(run)


@pytest.mark.parametrize("jobs", ["2", "3"])
def test_several_processes_find_what_one_finds(run: Run, tmp_path: Path, jobs: str) -> None:
    copytree(NOODLE_BARS, tmp_path / "bars")
    for file in (tmp_path / "bars").rglob("*.yaml"):
        file.write_text(file.read_text(encoding="utf-8") + PADDING, encoding="utf-8")
    formats = ("--no-cache", "--output-format", "json")
    alone = run("check", *formats, "--jobs", "1")
    at_stores = {rule for rule in ACROSS_FILES if rule.endswith("-at-store")} | {"field-of-other-type"}
    expected = {*ACROSS_FILES} - {"duplicate-resource-name", "unknown-view", "unreachable-upsell"} - at_stores
    assert {load["rule"] for load in json.loads(alone.out)["diagnostics"]} >= expected
    assert run("check", *formats, "--jobs", jobs).out == alone.out


def facts(selection: Selection) -> list[Fact]:
    linter = Linter(selection, now=EXAMPLE_TIME, session_types=lambda: session_types(()))
    files = [file for file in NOODLE_BARS.rglob("*") if file.suffix in (".yaml", ".json")]
    return [fact for file in files for fact in linter.lint(file.read_bytes(), str(file)).facts]


@each_of(ACROSS_FILES)
def test_the_order_of_the_facts_does_not_matter(rule: str) -> None:
    selection = Selection(frozenset({rule}))
    known = facts(selection)

    def judged(of: list[Fact]) -> list[Diagnostic]:
        return workspace_rules.run_workspace_rules(of, selection, FactLocations(lambda path: Path(path).read_bytes()))

    first = judged(known)
    for seed in range(3):
        assert judged(Random(seed).sample(known, len(known))) == first


def test_a_config_whose_name_was_refused_may_be_the_one_that_a_brand_means(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"brand.yaml": BRAND, "config.yaml": CONFIG.format("lunch").replace("name: ", "name: 5 #")})
    assert found(run) == found(run, "brand.yaml") == []


def test_a_brand_that_is_checked_alone_is_told_what_was_meant(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"brand.yaml": BRAND, "config.yaml": CONFIG.format("lunches")})
    assert 'did you mean "lunches"?' in run("check", "brand.yaml").out


def test_options_of_a_path_hold_for_what_is_told_of_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text(
        "options.sync-herd-size = 2\n[[overrides]]\npaths = ['d.yaml']\noptions.sync-herd-size = 4\n"
    )
    for name in "abcde":
        view = f"name: projects/p/locations/l/featureOnlineStores/s/featureViews/{name}"
        (tmp_path / f"{name}.yaml").write_text(f"{view}\nsyncConfig: {{cron: 0 3 * * *}}\n")
    assert found(run) == [("c.yaml", "sync-herd"), ("e.yaml", "sync-herd")]


def test_a_file_of_which_nothing_is_read_may_have_what_is_missed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "brand.yaml").write_text(BRAND)
    (tmp_path / "config.yaml").symlink_to("config.yaml")
    assert found(run, "brand.yaml", "config.yaml") == []
    (tmp_path / "config.yaml").unlink()
    (tmp_path / "config.yaml").write_text("kind: ChannelConfig\nname: " + "[" * 200)
    assert found(run) == found(run, "brand.yaml") == []
    (tmp_path / "config.yaml").write_text("kind: ChannelConfig\nname: nothing/at/all\n")
    assert ("brand.yaml", "unknown-channel-config") in found(run, "brand.yaml")


def test_the_folder_of_the_workspace_is_the_whole_of_it(run: Run, tmp_path: Path) -> None:
    silenced = "# trialrun: ignore-file[unknown-channel-config] not so any more\n"
    write_files(tmp_path, {"brand.yaml": silenced + BRAND, "config.yaml": CONFIG.format("lunch")})
    assert "unused-suppression" in run("check").out
    assert run("check", ".").out == run("check", str(tmp_path)).out == run("check").out
    assert "unused-suppression" in run("check", "brand.yaml").out
