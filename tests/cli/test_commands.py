"""Pages, settings, help texts and errors as commands print them."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from tests.program import Run, write_files
from trialrun.cli.program import program
from trialrun.documentation import assumptions, page_text, page_title, pages
from trialrun.lint import registry
from trialrun.lint.settings.model import TABLES, WorkspaceSettings

ROOT = Path(__file__).parent.parent.parent


def test_the_list_has_every_page_with_its_title(run: Run) -> None:
    ran = run("docs")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split()[0] for line in ran.out.splitlines()] == list(pages())
    assert ["scenarios", "Scenarios"] in [line.split() for line in ran.out.splitlines()]


def test_every_page_of_the_repository_is_one() -> None:
    files = {file.stem for file in (ROOT / "docs").glob("*.md")}
    assert files | {"rules", "changelog", "contributing"} <= set(pages())


@pytest.mark.parametrize("name", ["scenarios", "scenarios.md", "docs/scenarios.md"])
def test_a_page_is_printed_as_it_is_written(run: Run, name: str) -> None:
    ran = run("docs", name)
    assert (ran.code, ran.out) == (0, (ROOT / "docs" / "scenarios.md").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("name", "hint"), [("scenaros", '; did you mean "scenarios"?'), ("zzz", "; trialrun docs lists them")]
)
def test_a_page_that_is_not_there_is_a_usage_error(run: Run, name: str, hint: str) -> None:
    ran = run("docs", name)
    assert (ran.code, ran.out, ran.err) == (2, "", f'error: there is no page "{name}"{hint}\n')


def test_a_title_has_no_marks_of_markdown() -> None:
    assert [name for name in pages() if not page_title(name) or page_title(name).startswith("#")] == []


def test_an_assumption_is_explained_with_what_changes_it(run: Run) -> None:
    ran = run("explain", "read-yaml")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith("read-yaml  assumption\n\nNot specified: the dialect of YAML\n\nChosen: 1.2, core schema")
    assert "Setting: severity of `ambiguous-scalar`" in ran.out


def test_every_row_of_the_assumptions_is_read() -> None:
    rows = [line for line in page_text("assumptions").splitlines() if line.startswith("| ")]
    heads = [line for line in rows if line.startswith("| id ")]
    assert len(assumptions()) == len(rows) - len(heads) > 100


SETTINGS = """\
[severity]
cron-dst = "error"
[options]
sync-herd-size = 9
[[overrides]]
paths = ["legacy/**"]
options.sync-herd-size = 2
ignore = ["cron-syntax"]
[[suppress]]
path = "a.json"
rule = "cron-dst"
reason = "old"
"""


def shown(run: Run, folder: Path, *words: str) -> dict[str, Any]:
    shown: dict[str, Any] = json.loads(run("settings", *words, "--output-format", "json", cwd=folder).out)
    return shown


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write_files(tmp_path, {"work/trialrun.toml": SETTINGS, "user.toml": "[limits]\nthreads = 2\n"})
    monkeypatch.setenv("TRIALRUN_USER_SETTINGS", str(tmp_path / "user.toml"))
    return tmp_path / "work"


def test_every_setting_is_shown_where_nothing_is_set(run: Run, tmp_path: Path) -> None:
    settings = shown(run, tmp_path, "--isolated")["settings"]
    names = {*WorkspaceSettings.fields_by_key()} - {"options", "runtime", "overrides", "suppress"}
    names |= {f"options.{name}" for name in TABLES["options"].fields_by_key()}
    names |= {f"runtime.{name}" for name in TABLES["runtime"].fields_by_key()}
    names |= {"allow-paths", *(f"limits.{name}" for name in TABLES["limits"].fields_by_key())}
    assert names <= {*settings}
    assert all(entry["from"] == "default" and entry["value"] == entry["default"] for entry in settings.values())


def test_a_setting_has_its_value_its_origin_and_its_default(run: Run, workspace: Path) -> None:
    settings = shown(run, workspace)["settings"]
    assert settings["options.sync-herd-size"] == {"value": 9, "from": "trialrun.toml", "default": 5}
    assert settings["severity.cron-dst"] == {
        "value": "error",
        "from": "trialrun.toml",
        "default": registry.load("cron-dst").severity.word,
    }
    assert settings["limits.threads"] == {"value": 2, "from": str(workspace.parent / "user.toml"), "default": 0}
    assert [table["rule"] for table in settings["suppress"]["value"]] == [["cron-dst"]]
    assert shown(run, workspace, "--isolated")["settings"]["limits.threads"]["value"] == 0


def test_overrides_hold_for_their_files(run: Run, workspace: Path) -> None:
    found = shown(run, workspace, "legacy/view.yaml")
    of_override = "trialrun.toml: overrides[0]"
    assert found["settings"]["options.sync-herd-size"] == {"value": 2, "from": of_override, "default": 5}
    assert found["rules"]["cron-syntax"] == {"value": "off", "from": of_override, "default": "on"}


def test_the_text_has_a_default_beside_what_somebody_chose(run: Run, workspace: Path) -> None:
    lines = [" ".join(line.split()) for line in run("settings", cwd=workspace).out.splitlines()]
    assert "options.sync-herd-size 9, default 5 (trialrun.toml)" in lines
    assert "options.min-sync-interval unset (default)" in lines
    assert 'runtime.memory-limit "2GB" (default)' in lines


REFUSED = {
    "chekc": 'there is no command "chekc"; did you mean "check"?',
    "rules tset": 'there is no command "tset"; did you mean "test"?',
    "baseline wirte": 'there is no command "wirte"; did you mean "write"?',
    "rules qqq": 'there is no command "qqq"; see trialrun rules --help',
    "check --jobs -1": "invalid value for '--jobs': -1 is not in the range x>=0; see trialrun check --help",
    "check --select": "option '--select' requires an argument",
    "explain": "missing argument 'ID'; see trialrun explain --help",
    "explain qqq": 'there is no rule "qqq"; trialrun rules lists them',
    "check --select qqq": '--select: there is no rule "qqq"; trialrun rules lists them',
    "rules new a --on Qqq": '--on: there is no message "Qqq"; name a kind of document, or a part of one',
}


@pytest.mark.parametrize("line", REFUSED)
def test_a_command_line_is_refused(run: Run, line: str) -> None:
    ran = run(*line.split())
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {REFUSED[line]}\n")


def test_an_option_that_does_not_exist_is_refused(run: Run) -> None:
    ran = run("--nope")
    assert (ran.code, ran.out) == (2, "")
    # In the words of click, which are others below 8.4.
    assert re.fullmatch(r"error: no such option:? '?--nope'?; see trialrun --help\n", ran.err)


def test_a_group_without_a_command_shows_its_help(run: Run) -> None:
    ran = run("baseline")
    assert ran.code == 2
    assert "prune  Remove from FILE the findings that no longer occur." in ran.err


def options_without_help(command: click.Command, path: str) -> Iterator[str]:
    """Options of a command, and of those below it, of which `--help` prints the name alone."""
    context = click.Context(command, info_name=path)
    for parameter in command.params:
        if isinstance(parameter, click.Option) and not parameter.hidden and not parameter.help:
            yield f"{path} {parameter.opts[0]}"
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from options_without_help(below, f"{path} {name}")


def test_every_option_has_a_help_text() -> None:
    assert list(options_without_help(program, "trialrun")) == []
