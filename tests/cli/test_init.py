"""`trialrun init`: what it writes, what it leaves alone, and that the commands it names work."""

import os
import re
import shlex
from pathlib import Path

import pytest

from tests.program import Ran, Run, view, write_files
from trialrun.templates.starter import CONTENTS, HOOKS, SETTINGS, hook_lines, starter_file

HOOK_OF_OTHERS = "repos:\n  - repo: local\n    hooks: [{id: tidy, name: tidy, entry: tidy, language: system}]\n"


def files_in(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if not path.is_dir()}


def commands(ran: Ran) -> list[list[str]]:
    """The commands that are named, each with its words."""
    shown = ran.out.partition("next")[2]
    return [shlex.split(line.partition("  ")[0]) for line in re.findall(r"^  trialrun (.*)", shown, re.MULTILINE)]


@pytest.mark.parametrize(
    ("words", "folder", "following"), [(["a/shop"], "a/shop/", "next, after cd a/shop:"), ([], "", "\nnext:\n")]
)
def test_a_folder_gets_everything(run: Run, tmp_path: Path, words: list[str], folder: str, following: str) -> None:
    ran = run("init", *words)
    assert (ran.code, ran.err) == (0, "")
    assert files_in(tmp_path) == {f"{folder}{path}" for path in CONTENTS}
    assert following in ran.out
    page = re.findall(r"trialrun docs (\w+)", ran.out)
    assert run("docs", *page).code == 0


def test_the_next_three_commands_work(run: Run, tmp_path: Path) -> None:
    named = commands(run("init", "shop"))
    assert [words[0] for words in named] == ["check", "test", "session"]
    for words in named:
        ran = run(*words, cwd=tmp_path / "shop", stdin=b"add Cheeseburger\naccept\n")
        assert (ran.code, ran.err) == (0, "")


def test_a_second_run_changes_nothing(run: Run, tmp_path: Path) -> None:
    run("init")
    before = {path: (tmp_path / path).read_bytes() for path in CONTENTS}
    ran = run("init")
    assert ran.code == 0
    assert (
        "there already: 6 files with documents, trialrun.toml, .pre-commit-config.yaml\nnothing to write\n" in ran.out
    )
    assert {path: (tmp_path / path).read_bytes() for path in files_in(tmp_path)} == before


def test_documents_get_settings_and_a_hook_alone(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"views/mine.yaml": view()})
    ran = run("init")
    assert ran.code == 0
    assert files_in(tmp_path) == {"views/mine.yaml", SETTINGS, HOOKS}
    for words in commands(ran):
        assert run(*words).code == 0


def test_settings_of_a_workspace_around_are_enough(run: Run, tmp_path: Path) -> None:
    (tmp_path / SETTINGS).write_text("")
    write_files(tmp_path, {"views/mine.yaml": view()})
    assert f"there already: 1 file with documents, {SETTINGS}\n" in run("init", "views").out
    assert files_in(tmp_path / "views") == {"mine.yaml", HOOKS}


def test_which_settings_count(run: Run, tmp_path: Path) -> None:
    (tmp_path / SETTINGS).write_text("")
    (tmp_path / "shop" / "views").mkdir(parents=True)
    assert run("init", "shop").code == 0
    assert files_in(tmp_path / "shop") == set(CONTENTS)  # without documents it becomes a workspace of its own
    write_files(tmp_path, {"other/pyproject.toml": "[tool.trialrun]\n"})
    assert run("init", cwd=tmp_path / "other").code == 0
    assert files_in(tmp_path / "other") == {"pyproject.toml", *CONTENTS} - {SETTINGS}


def test_a_hook_is_added_by_a_person(run: Run, tmp_path: Path) -> None:
    (tmp_path / HOOKS).write_text(HOOK_OF_OTHERS)
    ran = run("init")
    assert ran.code == 0
    assert f"add this hook to repos in {HOOKS}:\n\n{hook_lines()}" in ran.out
    assert (tmp_path / HOOKS).read_text() == HOOK_OF_OTHERS
    (tmp_path / HOOKS).write_text(HOOK_OF_OTHERS + hook_lines())
    assert "nothing to write" in (again := run("init").out)
    assert "add this hook" not in again


@pytest.mark.parametrize("text", ["repos: [", "[1, 2]", "repos: {a: 1}", "repos: [{hooks: [null, 3]}]", ""])
def test_hooks_of_any_form_are_left_alone(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / HOOKS).write_text(text)
    assert "add this hook" in run("init").out
    assert (tmp_path / HOOKS).read_text() == text


def test_pre_commit_reads_the_hooks_at_the_top_of_a_repository(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {".git/HEAD": "ref: refs/heads/main\n"})
    for name in ("objects", "refs"):
        (tmp_path / ".git" / name).mkdir()
    ran = run("init", "shop")
    assert f"pre-commit reads the file at the top; write this to {HOOKS}:\n\n{starter_file(HOOKS).decode()}" in ran.out
    (tmp_path / HOOKS).write_text(HOOK_OF_OTHERS)
    assert f"add this hook to repos in {HOOKS}:" in run("init", "shop").out
    assert files_in(tmp_path / "shop") == set(CONTENTS) - {HOOKS}


@pytest.mark.parametrize("path", ["brand/menu.yaml", "views", "views/data/menu_taste.csv"])
def test_a_name_that_is_taken_leaves_all_as_it_was(run: Run, tmp_path: Path, path: str) -> None:
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text("mine")
    before = sorted(tmp_path.rglob("*"))
    ran = run("init")
    assert (ran.code, ran.out) == (2, "")
    assert path in ran.err
    assert sorted(tmp_path.rglob("*")) == before
    assert (tmp_path / path).read_text() == "mine"


@pytest.mark.parametrize(("link", "cwd"), [("shop/views", "."), ("repository/shop", "repository")])
def test_a_link_is_not_written_through(run: Run, tmp_path: Path, link: str, cwd: str) -> None:
    (tmp_path / "target").mkdir()
    (tmp_path / link).parent.mkdir()
    (tmp_path / link).symlink_to(tmp_path / "target")
    assert run("init", "shop", cwd=tmp_path / cwd).code == 2
    assert not files_in(tmp_path / "target")
    assert [path.name for path in (tmp_path / link).parent.iterdir()] == [Path(link).name]


@pytest.mark.parametrize("name", [SETTINGS, HOOKS, "brand/brand.yaml"])
def test_a_link_to_nothing_is_not_written_through(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "shop" / "brand").mkdir(parents=True)
    (tmp_path / "shop" / name).symlink_to(tmp_path / "elsewhere")
    run("init", "shop")
    assert not os.path.lexists(tmp_path / "elsewhere")


def test_names_that_are_no_folders(run: Run, tmp_path: Path) -> None:
    (tmp_path / "shop").write_text("")
    ran = run("init", "shop")
    assert (ran.code, ran.err) == (2, "error: shop is not a folder; name one, or a new one\n")
    ran = run("init", "x\x1b[31m")
    assert (ran.code, "\x1b" in ran.out) == (0, False)


def test_settings_that_cannot_be_read_are_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / SETTINGS).write_text("select = [")
    assert run("init").code == 2
    assert files_in(tmp_path) == {SETTINGS}


# ---- nothing there yet


@pytest.mark.parametrize("paths", [[], ["."], ["sub"]])
def test_a_check_of_nothing_names_the_first_steps(run: Run, tmp_path: Path, paths: list[str]) -> None:
    write_files(tmp_path, {"sub/other.yaml": "a: 1\n"})
    ran = run("check", *paths)
    assert (ran.code, ran.out.split(" (")[0].strip()) == (0, "no files checked")
    assert ran.err.startswith("note: there are no documents here; ")
    named = re.findall(r"trialrun (\w+)", ran.err)
    assert named == ["init", "new", "import"]
    for name in named:
        assert run(name, "--help").code == 0


@pytest.mark.parametrize("words", [["--discovered"], ["--output-format", "json"], ["--since", "HEAD"], ["other.yaml"]])
def test_a_program_or_a_narrow_check_hears_nothing_of_them(run: Run, tmp_path: Path, words: list[str]) -> None:
    (tmp_path / "other.yaml").write_text("a: 1\n")
    assert "trialrun init" not in run("check", *words).err
