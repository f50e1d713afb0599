"""A repository names commands wherever git takes one; no command of ours runs any of them."""

from pathlib import Path

import pytest

from tests.cases import first_of, pairs_of
from tests.program import view
from tests.security.conftest import Canary, Trialrun, git
from trialrun.git_process import SWITCHES
from trialrun.repository import Repository, find_repository

CONFIGURATIONS = {
    "a monitor of files": "[core]\n  fsmonitor = {canary}\n",
    "hooks": "[core]\n  hooksPath = {hooks}\n",
    "a filter": '[filter "x"]\n  clean = {canary}\n  smudge = {canary}\n  required = true\n',
    "a filter that stays": '[filter "x"]\n  process = {canary}\n',
    "a filter with = in its name": '[filter "x=y"]\n  clean = {canary}\n  process = {canary}\n',
    "a text conversion": '[diff "x"]\n  textconv = {canary}\n  cachetextconv = true\n',
    "a diff program": '[diff "x"]\n  command = {canary}\n[diff]\n  external = {canary}\n',
    "a merge program": '[merge "x"]\n  driver = {canary}\n',
    "aliases": "[alias]\n  ls-files = !{canary}\n  diff = !{canary}\n  blame = !{canary}\n  config = !{canary}\n",
    "an include": "[include]\n  path = {included}\n",
    "a conditional include": '[includeIf "gitdir:**"]\n  path = {included}\n',
    "a configuration of the work tree": "[extensions]\n  worktreeConfig = true\n",
    "attributes elsewhere": '[core]\n  attributesFile = {attributes}\n[filter "x"]\n  clean = {canary}\n',
    "a partial clone": '[extensions]\n  partialclone = o\n[remote "o"]\n  url = ext::{canary}\n  promisor = true\n'
    '[protocol "ext"]\n  allow = always\n[core]\n  repositoryformatversion = 1\n',
    "signatures": "[log]\n  showSignature = true\n[gpg]\n  program = {canary}\n",
    "a pager and an editor": "[core]\n  pager = {canary}\n  editor = {canary}\n[pager]\n  diff = true\n",
    "credentials and ssh": "[credential]\n  helper = {canary}\n[core]\n  sshCommand = {canary}\n  askPass = {canary}\n",
    "another work tree": "[core]\n  worktree = {outside}\n",
}
TOGETHER = list(CONFIGURATIONS)[:9]
"""Those that one repository may have at once."""
COMMANDS = {
    "check": ("check",),
    "check of a folder": ("check", "bare"),
    "check with fixes": ("check", "--fix", "--diff"),
    "check since": ("check", "--since", "HEAD"),
    "plan": ("plan", "HEAD"),
    "plan of two revisions": ("plan", "HEAD...HEAD", "--rows"),
    "suppressions": ("suppressions",),
    "schedule": ("schedule",),
    "test": ("test",),
    "sync --plan": ("sync", "--plan"),
    "fetch": ("fetch", "v", "1"),
    "search": ("search", "v", "--entity", "1"),
    "resolve": ("resolve", "store"),
    "session": ("session", "store"),
    "explore": ("explore", "store"),
    "settings": ("settings",),
    "baseline": ("baseline", "write", "baseline.json"),
    "rules test": ("rules", "test"),
    "the hook": ("check", "--discovered", "--ignore", "workspace", "a.yaml", "bare/b.yaml"),
}


def plant_bare(folder: Path, canary: Canary) -> None:
    """Files that git takes for a repository, tracked like any others."""
    for name in ("objects", "refs"):
        (folder / name).mkdir(parents=True)
        (folder / name / "kept").write_text("")
    (folder / "HEAD").write_text("ref: refs/heads/main\n")
    work_tree = "repositoryformatversion = 0\n  bare = false\n  worktree = .."
    commands = f"fsmonitor = {canary.script}\n  hooksPath = {canary.script.parent}"
    (folder / "config").write_text(f"[core]\n  {work_tree}\n  {commands}\n")
    (folder / "b.yaml").write_text(view("b"))
    (folder / "trialrun.toml").write_text("")


def plant_hooks(folder: Path, canary: Canary) -> Path:
    folder.mkdir()
    for name in ("post-index-change", "reference-transaction", "post-checkout", "fsmonitor-watchman", "pre-auto-gc"):
        (folder / name).symlink_to(canary.script)
    return folder


@pytest.fixture
def hostile(tmp_path: Path, canary: Canary) -> Path:
    """A clone of a repository with a bare one inside, a suppression, a change, and attributes for every file."""
    origin = tmp_path / "origin"
    origin.mkdir()
    git(origin, "init", "-q", "-b", "main")
    (origin / "a.yaml").write_text(f"# trialrun: ignore-file[cron-syntax] agreed\n{view('a', cron='0 25 * * *')}")
    (origin / ".gitattributes").write_text("* filter=x diff=x merge=x\n")
    (origin / "trialrun.toml").write_text("")
    plant_bare(origin / "bare", canary)
    git(origin, "add", "-A")
    git(origin, "commit", "-qm", "one")
    git(tmp_path, "clone", "-q", str(origin), "clone")
    clone = tmp_path / "clone"
    (clone / "a.yaml").write_text((clone / "a.yaml").read_text() + "# changed\n")
    return clone


def configure(clone: Path, text: str, canary: Canary, outside: Path) -> None:
    folder = clone.parent
    included, attributes = folder / "included", folder / "attributes"
    included.write_text(f'[core]\n  fsmonitor = {canary.script}\n[filter "x"]\n  clean = {canary.script}\n')
    attributes.write_text("* filter=x\n")
    (clone / ".git" / "config.worktree").write_text(included.read_text())
    places = {"included": included, "attributes": attributes, "outside": outside}
    written = text.format(canary=canary.script, hooks=plant_hooks(folder / "hooks", canary), **places)
    with (clone / ".git" / "config").open("a") as config:
        config.write(written)


@pytest.mark.parametrize("name", first_of([*reversed(CONFIGURATIONS)], 4))
def test_nothing_that_a_configuration_names_is_run(
    hostile: Path, canary: Canary, outside: Path, trialrun: Trialrun, name: str
) -> None:
    configure(hostile, CONFIGURATIONS[name], canary, outside)
    assert trialrun("check", folder=hostile).code == 0
    assert trialrun("check", "--since", "HEAD", folder=hostile).code == 0
    assert trialrun("plan", "HEAD", folder=hostile).code == 0
    assert trialrun("suppressions", folder=hostile).code == 0


@pytest.mark.parametrize(("name", "folder"), pairs_of([*COMMANDS], ["at the top", "in the bare repository"]))
def test_no_command_runs_anything_of_the_repository(
    hostile: Path, canary: Canary, outside: Path, trialrun: Trialrun, name: str, folder: str
) -> None:
    inside = folder != "at the top"
    configure(hostile, "".join(CONFIGURATIONS[configuration] for configuration in TOGETHER), canary, outside)
    words = [word.removeprefix("bare/").replace("a.yaml", "../a.yaml") if inside else word for word in COMMANDS[name]]
    trialrun(*("." if word == "bare" and inside else word for word in words), folder=hostile / ("bare" * inside))


def test_not_even_a_command_that_writes_would_run_a_hook(hostile: Path, canary: Canary, outside: Path) -> None:
    configure(hostile, CONFIGURATIONS["hooks"], canary, outside)
    git(hostile, *SWITCHES, "rm", "-q", "--cached", "a.yaml")
    assert not canary.was_run
    git(hostile, "add", "a.yaml")
    assert canary.was_run
    canary.mark.unlink()


def test_the_canary_is_run_by_git_itself(hostile: Path, canary: Canary) -> None:
    git(hostile / "bare", "ls-files", "--others")
    assert canary.was_run
    canary.mark.unlink()


@pytest.mark.parametrize("target", ["bare", "../origin/.git", "../origin/bare"])
def test_a_git_file_that_leads_to_a_hostile_folder(
    hostile: Path, canary: Canary, trialrun: Trialrun, target: str
) -> None:
    folder = hostile / "other"
    folder.mkdir()
    (folder / ".git").write_text(f"gitdir: {'../' * (target == 'bare')}{'../' * target.startswith('..')}{target}\n")
    (folder / "a.yaml").write_text(view("c"))
    assert isinstance(find_repository(str(folder)), Repository)
    assert trialrun("check", "a.yaml", folder=folder).code == 0
    assert trialrun("check", folder=folder).code == 0


def test_a_repository_of_another_user_is_listed_without_git(
    hostile: Path, trialrun: Trialrun, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trialrun.repository.is_owned", lambda path: False)
    ran = trialrun("check", folder=hostile)
    assert ran.code == 0
    assert ran.text.count("note: ") == 1
    assert f"note: files are listed without git: the git repository {hostile} belongs to another user" in ran.text
    assert f"git config --global --add safe.directory {hostile}\n" in ran.text
    since = trialrun("check", "--since", "HEAD", folder=hostile)
    assert since.code == 2
    assert "--since: the git repository" in since.text


@pytest.mark.parametrize("line", first_of(["rules test", "suppressions", "settings", "test", "schedule"], 2))
def test_every_command_names_a_repository_of_another_user(
    hostile: Path, trialrun: Trialrun, monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    monkeypatch.setattr("trialrun.repository.is_owned", lambda path: False)
    ran = trialrun(*line.split(), folder=hostile)
    assert ran.text.count("note: files are listed without git: the git repository") == 1
