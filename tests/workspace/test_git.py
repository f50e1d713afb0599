"""Every call of git: in a repository that this user owns, and nothing that its configuration names is run."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import write_files
from trialrun import git_process, repository
from trialrun.git import Answer, NoAnswer, disable_filter_switches, run_git
from trialrun.git_process import git_program
from trialrun.repository import ForeignRepository, Repository, find_repository


@pytest.fixture
def top(tmp_path: Path) -> Path:
    """A repository with one file in its index."""
    folder = tmp_path / "top"
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    (folder / "a.yaml").write_text("a: 1\n")
    subprocess.run(["git", "-C", str(folder), "add", "a.yaml"], check=True)
    return folder


def configure(top: Path, text: str) -> None:
    with (top / ".git" / "config").open("a") as config:
        config.write(text)


def bare(folder: Path) -> Path:
    """A folder that git would take for a bare repository."""
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True)
    write_files(folder, {"HEAD": "ref: refs/heads/main\n", "config": "[core]\n  bare = true\n"})
    return folder


def test_a_folder_is_in_the_nearest_repository_with_a_git_folder(top: Path) -> None:
    assert find_repository(str(bare(top / "below"))) == Repository(str(top), str(top / ".git"))


def test_a_folder_outside_of_a_repository(tmp_path: Path) -> None:
    assert find_repository(str(tmp_path)) is None


def test_a_worktree_is_followed_to_its_git_folder(top: Path, tmp_path: Path) -> None:
    identity = ["-c", "user.name=n", "-c", "user.email=e@example.com"]
    subprocess.run(["git", "-C", str(top), *identity, "commit", "-qm", "one"], check=True)
    subprocess.run(["git", "-C", str(top), "worktree", "add", "-q", str(tmp_path / "other")], check=True)
    found = find_repository(str(tmp_path / "other"))
    assert found == Repository(str(tmp_path / "other"), str(top / ".git" / "worktrees" / "other"))
    assert isinstance(found, Repository)
    answer = run_git(found, "ls-files")
    assert isinstance(answer, Answer) and answer.out == b"a.yaml\n"


@pytest.mark.parametrize("text", ["", "gitdir: nowhere\n", "gitdir: \0\n", "nonsense"])
def test_a_git_file_that_names_no_git_folder(top: Path, text: str) -> None:
    write_files(top, {"below/.git": text})
    assert find_repository(str(top / "below")) is None


@pytest.mark.parametrize("given_away", [".", ".git", ".git/config"])
def test_the_owner_of_a_repository(top: Path, given_away: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(top / given_away, 4321, 4321)
    found = find_repository(str(top))
    assert isinstance(found, Repository if given_away == ".git/config" else ForeignRepository)


def test_a_git_file_is_not_followed_to_a_folder_of_another_user(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_files(tmp_path, {"other/.git": f"gitdir: {top}/.git\n"})
    real = repository.is_owned
    monkeypatch.setattr(repository, "is_owned", lambda path: path != str(top / ".git") and real(path))
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))
    found = find_repository(str(tmp_path / "other"))
    assert found == ForeignRepository(str(tmp_path / "other"))
    assert f"git config --global --add safe.directory {tmp_path}/other" in found.advice


@pytest.mark.parametrize(
    ("values", "is_safe"),
    [
        ("directory = {top}", True),
        ("directory = {top}/", True),
        ("directory = *", True),
        ("directory = {above}/*", True),
        ("directory = {top}/*", False),
        ("directory = {above}", False),
        ("directory = {top}\n  directory =", False),
        ("directory =\n  directory = {top}", True),
        ("directory = .", False),
    ],
)
def test_safe_directories_of_the_user_count_and_those_of_the_repository_do_not(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: str, is_safe: bool
) -> None:
    section = "[safe]\n  " + values.format(top=top, above=tmp_path) + "\n"
    monkeypatch.setattr(repository, "is_owned", lambda path: False)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(top)
    configure(top, section)
    assert isinstance(find_repository(str(top)), ForeignRepository)
    (tmp_path / ".gitconfig").write_text(section)
    assert isinstance(find_repository(str(top)), Repository if is_safe else ForeignRepository)


@pytest.mark.parametrize("name", ["plain", "with.dot", "a=b", "with space", 'quo\\"te'])
def test_each_filter_driver_is_turned_off_by_name(top: Path, name: str) -> None:
    mark = top.parent / "mark"
    configure(top, f'[filter "{name}"]\n  clean = touch {mark}; cat\n  process = touch {mark}\n  required = true\n')
    write_files(top, {".git/info/attributes": f"*.yaml filter={name.replace(' ', '')}\n", "a.yaml": "a: 2\n"})
    found = find_repository(str(top))
    assert isinstance(found, Repository)
    switches = disable_filter_switches(found)
    assert not isinstance(switches, NoAnswer)
    answer = run_git(found, "diff", "--raw", "--no-ext-diff", "--no-textconv", switches=switches)
    assert isinstance(answer, Answer) and (answer.code, answer.out[-7:]) == (0, b"a.yaml\n")
    assert not mark.exists()


def test_a_repository_with_too_many_filters(top: Path) -> None:
    configure(top, "".join(f'[filter "f{at}"]\n  clean = x\n' for at in range(101)))
    found = find_repository(str(top))
    assert isinstance(found, Repository)
    assert disable_filter_switches(found) == NoAnswer("the configuration of the repository has more than 100 filters")


def test_git_is_ended_with_all_that_it_started(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    os.mkfifo(top / "pipe")
    configure(top, f"[include]\n  path = {top}/pipe\n")
    monkeypatch.setattr(git_process, "TIMEOUT", 0.5)
    found = find_repository(str(top))
    assert isinstance(found, Repository)
    assert run_git(found, "ls-files") == NoAnswer("git did not answer within 0.5 seconds")


@pytest.mark.parametrize("pipe", ["stdout", "stderr"])
def test_git_is_ended_when_it_writes_too_much(pipe: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_process, "MAX_OUTPUT", 2**20)
    code = f"import sys\nwhile True: sys.{pipe}.write('x' * 1000)"
    answer = git_process.run_process([sys.executable, "-c", code], os.sep, dict(os.environ), b"", asked="")
    assert answer == NoAnswer("git wrote more than 1 MB")


def test_git_may_write_as_much_as_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(git_process, "MAX_OUTPUT", 2**20)
    code = "import sys; data = sys.stdin.buffer.read(); sys.stdout.buffer.write(data)"
    given = bytes(range(256)) * 2**12
    answer = git_process.run_process([sys.executable, "-c", code], os.sep, dict(os.environ), given, asked="")
    assert answer == Answer(0, given, b"")


def test_git_need_not_read_what_it_is_given() -> None:
    command = [sys.executable, "-c", "import sys; sys.exit(3)"]
    answer = git_process.run_process(command, os.sep, dict(os.environ), b"x" * 2**20, asked="")
    assert answer == Answer(3, b"", b"")


@pytest.mark.parametrize("knows_the_variable", [True, False])
def test_a_missing_object_is_not_fetched(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, knows_the_variable: bool
) -> None:
    if not knows_the_variable:  # as git before 2.44
        monkeypatch.delitem(git_process.OWN_ENVIRONMENT, "GIT_NO_LAZY_FETCH")
    mark = tmp_path / "mark"
    remote = (
        f'[remote "origin"]\n  url = ext::sh -c "touch {mark}"\n  promisor = true\n  partialclonefilter = blob:none\n'
    )
    configure(top, f'[protocol "ext"]\n  allow = always\n[extensions]\n  partialclone = origin\n{remote}')
    configure(top, "[core]\n  repositoryformatversion = 1\n")
    found = find_repository(str(top))
    assert isinstance(found, Repository)
    run_git(found, "cat-file", "--batch", given=b"1234567890123456789012345678901234567890\n")
    assert not mark.exists()


def test_git_is_found_in_absolute_folders_outside_of_the_work_tree(
    top: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for folder in (top, tmp_path / "bin"):
        folder.mkdir(exist_ok=True)
        (folder / "git").write_text("#!/bin/sh\n")
        (folder / "git").chmod(0o755)
    monkeypatch.chdir(top)
    monkeypatch.setenv("PATH", os.pathsep.join([".", "", "top", str(top), str(tmp_path / "bin")]))
    assert git_program(str(top)) == str(tmp_path / "bin" / "git")


def test_the_environment_says_nothing_of_another_repository(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GIT_DIR", "GIT_INDEX_FILE", "GIT_EXTERNAL_DIFF", "GIT_CONFIG_PARAMETERS", "GIT_SSH_COMMAND"):
        monkeypatch.setenv(name, "x")
    names = {name for name in git_process.environment() if name.startswith("GIT_")}
    assert names == {"GIT_NO_LAZY_FETCH", "GIT_TERMINAL_PROMPT", "GIT_ALLOW_PROTOCOL"}
