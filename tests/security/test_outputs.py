"""No output of any command controls a terminal or the CI system of a log, whatever a workspace contains."""

import ast
import re
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import click
import pytest

from tests.cases import some_of
from tests.program import Run, own_environment, run_here
from tests.security.hostile_workspace import HOSTILE, hostile_workspace
from tests.test_architecture import SOURCE, syntax_nodes
from trialrun.changes.report import REPORTS as PLAN_REPORTS
from trialrun.cli.program import program
from trialrun.cli.prove import FORMATS as PROVE_FORMATS
from trialrun.report.color import PALETTE
from trialrun.report.interface import FORMATS

NOON = ("--at", "2026-11-20T12:00:00Z")
STORE = "phoenix-airport"
ARGUMENTS: dict[str, list[tuple[str, ...]]] = {
    "init": [("new",), (HOSTILE,)],
    "new": [("Menu", "a"), ("FeatureView", "a", "--from", "fixable.yaml"), ("FeatureView", HOSTILE)],
    "check": [(), ("--statistics",), ("--show-files",), ("--since", "HEAD"), ("fixable.yaml",), (HOSTILE,)],
    "sync": [("--plan", "--all", *NOON), (HOSTILE,)],
    "fetch": [("guest_profile", HOSTILE), (HOSTILE, "1")],
    "search": [("menu_search", "--entity", HOSTILE)],
    "suppressions": [()],
    "baseline write": [("baseline.json",)],
    "baseline prune": [("baseline.json",)],
    "rules": [()],
    "rules show": [("hostile",), (HOSTILE,)],
    "rules diff": [("2026.1",), (HOSTILE,)],
    "rules test": [()],
    "rules new": [("mine",), (HOSTILE,)],
    "explain": [("hostile",), (HOSTILE,)],
    "docs": [("policies",), (HOSTILE,)],
    "schema": [("FeatureView",), (HOSTILE,)],
    "session": [(STORE, "--script", "script.txt", *NOON), (HOSTILE,)],
    "schedule": [NOON, (HOSTILE,)],
    "resolve": [(STORE,), (STORE, HOSTILE), ("--field", HOSTILE)],
    "languages": [(STORE,), ()],
    "explore": [(STORE, "--sessions", "5", *NOON)],
    "prove": [(STORE, *NOON), (STORE, "--condition", HOSTILE, *NOON)],
    "plan": [("HEAD",), (HOSTILE,)],
    "test": [(), ("--coverage", "--junit", "/dev/stdout", "--force"), ("--junit", "junit.xml")],
    "report": [
        ("-o", "page.html", "--sessions", "0"),
        ("-o", "-", "--sessions", "0"),
        ("-o", "-", "--only", "schedule"),
    ],
    "export api": [("channels",), ("view.json",)],
    "export yaml": [(), ("channels",)],
    "import": [("view.json", "--to", "imported"), (HOSTILE,)],
    "settings": [(), ("fixable.yaml",), (HOSTILE,)],
}
"""By command, the arguments of its runs; each is run in each format."""
MORE: dict[str, list[tuple[str, ...]]] = {
    "check": [
        ("--diff", "--unsafe-fixes"),
        ("--diff", "--unsafe-fixes", "--color", "always"),
        ("--add-ignores", "agreed", "--diff"),
        ("--color", "always"),
    ],
    "explain": [("hostile", "--color", "always")],
    "plan": [("HEAD", "--color", "always")],
    "import": [("view.json", "--to", "imported", "--color", "always")],
}
NOT_RUN = {"serve": "answers by HTTP; its log is tested with it", "lsp": "answers an editor by messages"}
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u2028\u2029]")
COMMAND = re.compile(r"^\s*::\w|##[\w.-]*\[", re.MULTILINE)
OWN_COMMAND = re.compile(r"^::(?:error|warning|notice) (?:file|title)=[^\n]*$", re.MULTILINE)
OWN_COLOR = re.compile(rf"\x1b\[(?:0|{'|'.join(PALETTE.values())})m")


def commands(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[tuple[str, click.Command]]:
    if not isinstance(command, click.Group):
        yield " ".join(path), command
        return
    if command.invoke_without_command:
        yield " ".join(path), command
    for name in command.list_commands(click.Context(command)):
        inner = command.get_command(click.Context(command), name)
        assert inner is not None
        yield from commands(inner, (*path, name))


@cache
def formats(name: str) -> tuple[str, ...]:
    """The output formats of a command, as the code has them."""
    of_files = {"check": FORMATS, "plan": PLAN_REPORTS, "prove": PROVE_FORMATS}
    if name in of_files:
        return tuple(of_files[name])
    parameters = dict(commands(program))[name].params
    option: Any = next((option for option in parameters if option.name == "output_format"), None)
    return () if option is None else tuple(option.type.choices)


def lines() -> Iterator[tuple[str, ...]]:
    for name, variants in ARGUMENTS.items():
        for arguments in variants:
            for form in formats(name) or ("",):
                yield (*name.split(), *arguments, *(("--output-format", form) if form else ()))
    for name, variants in MORE.items():
        yield from ((*name.split(), *arguments) for arguments in variants)


def test_every_command_is_run() -> None:
    assert {*ARGUMENTS, *NOT_RUN} == {name for name, _ in commands(program)}


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("hostile") / "workspace"
    hostile_workspace(folder)
    (folder / "script.txt").write_text("add Fries\ndone\n")
    return folder


@pytest.mark.parametrize(
    ["line"], some_of([(line,) for line in lines()]), ids=lambda line: " ".join(line).replace(HOSTILE, "…")
)
def test_no_output_controls_anything(workspace: Path, tmp_path: Path, line: tuple[str, ...]) -> None:
    folder = tmp_path / "copy"
    shutil.copytree(workspace, folder, symlinks=True)
    before = set(folder.rglob("*"))
    ran = run_here(line, folder, own_environment(folder))
    assert ran.code in (0, 1, 2), ran.err
    written = [path.read_text() for path in folder.rglob("*.*") if path not in before and path.suffix in REPORTS]
    for text in (ran.out, ran.err, *written):
        text = OWN_COLOR.sub("", text) if "always" in line else text
        text = OWN_COMMAND.sub("", text) if "github" in line else text
        assert not CONTROL.search(text.replace("\r\n", "\n").replace("\t", " ") if "--diff" in line else text)
        assert not COMMAND.search(text)


REPORTS = {".json", ".html", ".xml", ".yaml"}
PAST_THE_WRITER = {
    "cli/output.py": "the writer itself",
    "cli/options.py": "standard input",
    "cli/import.py": "standard input",
    "cli/session_repl.py": "standard input",
}


def is_past_the_writer(node: ast.AST) -> bool:
    if isinstance(node, ast.Attribute):
        return node.attr in ("buffer", "__stdout__", "__stderr__")
    return isinstance(node, ast.Call) and ast.unparse(node.func) in ("click.echo", "click.secho", "os.write")


def test_nothing_is_written_past_the_writer() -> None:
    files = sorted((SOURCE / "cli").rglob("*.py"))
    past = {path.relative_to(SOURCE).as_posix() for path in files if any(map(is_past_the_writer, syntax_nodes(path)))}
    assert past == set(PAST_THE_WRITER)


def test_the_writer_escapes_what_is_not_ours(run: Run, tmp_path: Path) -> None:
    (tmp_path / "v.yaml").write_text("kind: FeatureView\n")
    ran = run("check", "--color", "always", "--output-format", "concise", "\x1b[1;31mx\x1b[0m\u202e")
    assert "\x1b" not in ran.err and r"\x1b[1;31mx\x1b[0m\u202e" in ran.err
