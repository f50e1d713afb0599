"""What the README and the page about checking show is so: commands run, settings load, pictures are the program's."""

import os
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import click
import pytest

from scripts.pictures import BEGIN, END, PICTURES, WIDTH, picture
from tests.cases import each_of
from tests.program import Run, own_environment, run_here, view
from trialrun.cli.program import program
from trialrun.documentation import pages
from trialrun.errors import INTERNAL_ERROR_EXIT, USAGE_EXIT
from trialrun.lint import registry

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CHECKING = (ROOT / "docs" / "checking.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[str]:
    return [block.strip() for block in re.findall(rf"^```{language}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)]


TRY, TEST, TRIAL_RUNS = blocks(README, "sh")
(USE,) = blocks(CHECKING, "sh")
USED = USE.splitlines()
INLINE = sorted(
    {" ".join(c.split()) for c in re.findall(r"`(trialrun [^`]+)`", (README + CHECKING).replace("```", ""))}
)
SETTINGS = blocks(CHECKING, "toml")[0]
(DOCUMENT,) = [block for block in blocks(README, "yaml") if block.startswith("kind: ")]
LONGEST_README = 150
LONGEST_PICTURE = 40


def links(path: Path) -> list[str]:
    found = re.findall(r"\]\(([^)\s]+)\)", path.read_text(encoding="utf-8"))
    return [link for link in found if not link.startswith(("https://", "http://"))]


def parsed(line: str) -> click.Context:
    """A command line as click reads it, which refuses commands and options that do not exist."""
    words = shlex.split(line.partition(" <")[0], comments=True)
    with click.Context(program) as above:
        command = program.get_command(above, words[1])
        assert command is not None
        return command.make_context(words[1], words[2:], parent=above)


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A folder with the files that the README speaks of, and the program on the path."""
    for name in ("channels/summer.yaml", "views/a.yaml", "draft.yaml", "bin/trialrun"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(view(name.replace("/", "-").removesuffix(".yaml")))
    (tmp_path / "brand.yaml").write_text("kind: Brand\nname: smashwell\nstores: [{name: austin-lamar}]\n")
    launcher = tmp_path / "bin" / "trialrun"
    launcher.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m trialrun "$@"\n')
    launcher.chmod(launcher.stat().st_mode | stat.S_IXUSR)
    return tmp_path


LONG = " 10,000 random sessions"
"""In what is said of a line that takes seconds."""


@pytest.mark.parametrize(
    "line",
    [
        pytest.param(line, marks=[pytest.mark.exhaustive] if line.endswith(LONG) else [])
        for line in USED
        if "--watch" not in line and " < " not in line
    ],
)
def test_a_line_of_use_runs(run: Run, workspace: Path, line: str) -> None:
    ran = run(*shlex.split(line, comments=True)[1:], cwd=workspace)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out


@pytest.mark.parametrize("line", [line for line in USED if " < " in line])
def test_a_line_of_use_with_a_file_as_its_input_runs_in_a_shell(workspace: Path, line: str) -> None:
    environment = own_environment(workspace)
    environment["PATH"] = f"{workspace / 'bin'}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(["sh", "-c", line], cwd=workspace, env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout


@each_of([*USED, *TRIAL_RUNS.splitlines(), *INLINE])
def test_a_command_exists_with_its_options(line: str) -> None:
    assert parsed(line)


@pytest.mark.parametrize("line", ["trialrun chek", "trialrun check --no-such-option", "trialrun check --fail-on never"])
def test_one_that_does_not_exist_would_be_told(line: str) -> None:
    with pytest.raises((click.UsageError, AssertionError)):
        parsed(line)


def test_the_options_it_names_exist(run: Run) -> None:
    told = "".join(run(command, "--help").out for command in ("check", "sync", "fetch", "session", "test"))
    named = set(re.findall(r"`(--[a-z-]+)", README))
    assert named
    assert {option for option in named if option not in told} == set()


def test_the_example_workspace_ends_as_it_says(run: Run) -> None:
    assert "it ends with exit code 1" in README.replace("\n", " ")
    path = TRY.rpartition(" ")[2]
    assert TRY.endswith(f"trialrun check {path}")
    assert run("check", path, cwd=ROOT).code == 1


def test_the_exit_codes(run: Run, tmp_path: Path) -> None:
    sentence = re.search(r"Exit codes: .*?\.\s", README, re.DOTALL)
    assert sentence is not None
    assert re.findall(r"\b\d\b", sentence[0]) == ["0", "1", "2", "3"]
    (tmp_path / "view.yaml").write_text(view())
    (tmp_path / "broken.yaml").write_text(view("w", cron="0 25 * * *"))
    assert run("check", "view.yaml").code == 0
    assert run("check", "broken.yaml").code == 1
    assert run("check", "--no-such-option").code == USAGE_EXIT == 2
    assert INTERNAL_ERROR_EXIT == 3


def test_it_is_short_and_its_file_is_sound(run: Run, tmp_path: Path) -> None:
    assert README.count("\n") <= LONGEST_README
    (tmp_path / "view.yaml").write_text(DOCUMENT)
    ran = run("check", "--select", "all", "--ignore", "missing-etag")
    assert (ran.code, ran.out) == (0, "1 file checked, nothing found\n")


def test_the_settings_load(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text(SETTINGS)
    ran = run("settings")
    assert ran.code == 0
    assert all(line.startswith("note: ") and "matches nothing" in line for line in ran.err.splitlines())
    shown = [line.split()[0].partition(".")[0] for line in ran.out.splitlines() if line.endswith("(trialrun.toml)")]
    assert {*shown} - {*registry.ids()} == {*tomllib.loads(SETTINGS)}


def test_the_settings_say_truly_what_is_off() -> None:
    off = re.findall(r"^([a-z-]+) = .*# a rule that is off", SETTINGS, re.MULTILINE)
    assert off
    assert [rule_id for rule_id in off if registry.load(rule_id).on] == []


def run_in_process(arguments: tuple[str, ...], folder: Path, variables: dict[str, str]) -> tuple[int, str, str]:
    ran = run_here(arguments, folder, variables)
    return ran.code, ran.out, ran.err


@pytest.mark.parametrize(
    ("page", "command"),
    [
        pytest.param(page, command, id=command, marks=[pytest.mark.exhaustive] if page == "docs/plan.md" else [])
        for command, page in PICTURES.items()
    ],
)
def test_a_picture_is_the_output_of_the_program(page: str, command: str) -> None:
    pictures = [text.partition(END)[0] for text in (ROOT / page).read_text(encoding="utf-8").split(BEGIN)[1:]]
    shown = picture(command, run_in_process)
    assert shown in pictures, "run python scripts/pictures.py"
    lines = shown.splitlines()[1:-1]
    assert len(lines) <= LONGEST_PICTURE
    assert max(len(line) for line in lines if not line.startswith("$ ")) <= WIDTH


PARTS = [".ci/bare", ".ci/editors", ".ci/servers", ".ci/browser", ".ci/clients", ".ci/instructions", ".ci/versions"]
"""What the script of the pipeline runs, in this order, before the tests."""
PYTESTS = ["-m pytest", "-m pytest -m exhaustive or cluster or browser or client"]


def run_pipeline(folder: Path, failing: str) -> subprocess.CompletedProcess[str]:
    """Run the script of the pipeline where each of its programs prints its name, and one of them fails."""
    (folder / ".ci").mkdir()
    shutil.copy(ROOT / ".ci" / "run", folder / ".ci" / "run")
    for name in (*PARTS, "bin/python3", ".venv/bin/pip", ".venv/bin/python"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        body = f'words="{name} $*"; echo "$words"; case "$words" in {failing}) exit 3;; esac'
        (folder / name).write_text(f"#!/bin/sh\n{body}\n")
        (folder / name).chmod(0o755)
    environment = {"PATH": f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run([folder / ".ci" / "run"], env=environment, capture_output=True, text=True, check=False)


def test_the_script_of_the_pipeline_runs_the_parts_in_their_order_and_ends_with_the_other_tests(tmp_path: Path) -> None:
    done = run_pipeline(tmp_path, '""')
    lines = [line.strip() for line in done.stdout.splitlines()]
    pytests = [
        line.removeprefix(".venv/bin/python ") for line in lines if line.startswith(".venv/bin/python -m pytest")
    ]
    assert (done.returncode, done.stderr) == (0, "")
    assert lines[: len(PARTS)] == PARTS
    assert pytests == PYTESTS


@pytest.mark.parametrize(
    "failing",
    [
        '".ci/bare "',
        '".ci/versions "',
        '*"--editable .[test]"',
        '*"-m pytest"',
        '*"or client"',
        '*"skips.py fast"*',
        '*"skips.py rest"*',
    ],
)
def test_the_script_of_the_pipeline_fails_where_one_part_fails_and_runs_the_others(
    tmp_path: Path, failing: str
) -> None:
    done = run_pipeline(tmp_path, failing)
    assert done.returncode == 3
    assert PYTESTS[1] in done.stdout


def test_the_bare_part_runs_the_two_commands_of_the_readme() -> None:
    assert [line for line in README.splitlines() if line.startswith("python3 -m venv ")] == [TRY, TEST]


def test_it_needs_no_link_that_only_a_clone_has() -> None:
    assert links(ROOT / "README.md") == []


def test_the_pages_it_names_are_installed() -> None:
    named = {command.split()[2] for command in INLINE if command.startswith("trialrun docs ")} - {"PAGE"}
    assert named
    assert named <= set(pages())


PAGES = ["README.md", "CONTRIBUTING.md", *sorted(str(page.relative_to(ROOT)) for page in ROOT.glob("docs/**/*.md"))]


@each_of(PAGES)
def test_links_lead_to_files(page: str) -> None:
    path = ROOT / page
    assert [link for link in links(path) if not (path.parent / link.partition("#")[0]).exists()] == []
