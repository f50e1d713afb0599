"""The history of a repository that lies elsewhere is read only where the user says so, or git put it there itself."""

import shutil
from pathlib import Path

import pytest

from tests.cases import pairs_of
from tests.program import view, write_files
from tests.security.conftest import Trialrun, git


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A repository of the user that a stranger's points to."""
    return made(tmp_path / "victim")


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    return made(tmp_path / "hostile")


def made(folder: Path) -> Path:
    folder.mkdir()
    git(folder, "init", "-q", "-b", "main")
    write_files(folder, {"v.yaml": view(), "trialrun.toml": ""})
    git(folder, "add", "-A")
    git(folder, "commit", "-qm", "one")
    return folder


def plant_git_file(hostile: Path, victim: Path) -> Path:
    shutil.rmtree(hostile / ".git")
    (hostile / ".git").write_text(f"gitdir: {victim}/.git\n")
    return victim / ".git"


def plant_link(hostile: Path, victim: Path) -> Path:
    shutil.rmtree(hostile / ".git")
    (hostile / ".git").symlink_to(victim / ".git")
    return victim / ".git"


def plant_common_dir(hostile: Path, victim: Path) -> Path:
    (hostile / ".git/commondir").write_text(f"{victim}/.git\n")
    return victim / ".git"


def plant_worktree_of_others(hostile: Path, victim: Path) -> Path:
    git(victim, "worktree", "add", "-q", "../other")
    shutil.rmtree(hostile / ".git")
    (hostile / ".git").write_text(f"gitdir: {victim}/.git/worktrees/other\n")
    return victim / ".git/worktrees/other"


def plant_alternates(hostile: Path, victim: Path) -> Path:
    write_files(hostile, {".git/objects/info/alternates": f"# shared\n{victim}/.git/objects\n"})
    return victim / ".git/objects"


def plant_alternates_of_alternates(hostile: Path, victim: Path) -> Path:
    (hostile / "store/info").mkdir(parents=True)
    (hostile / "store/info/alternates").write_text(f'"{victim}/.git/\\157bjects"\n')
    (hostile / ".git/objects/info/alternates").write_text("../../store\n")
    return victim / ".git/objects"


def plant_objects(hostile: Path, victim: Path) -> Path:
    shutil.rmtree(hostile / ".git/objects")
    (hostile / ".git/objects").symlink_to(victim / ".git/objects")
    return victim / ".git/objects"


def plant_object(hostile: Path, victim: Path) -> Path:
    folder = next(path for path in (victim / ".git/objects").iterdir() if len(path.name) == 2)
    shutil.rmtree(hostile / ".git/objects" / folder.name, ignore_errors=True)
    (hostile / ".git/objects" / folder.name).mkdir()
    file = next(folder.iterdir())
    (hostile / ".git/objects" / folder.name / file.name).symlink_to(file)
    return folder


def plant_reference(hostile: Path, victim: Path) -> Path:
    (hostile / ".git/refs/heads/theirs").symlink_to(victim / ".git/refs/heads/main")
    return victim / ".git/refs/heads"


PLANTED = {
    function.__name__.removeprefix("plant_"): function
    for function in (
        plant_git_file,
        plant_link,
        plant_common_dir,
        plant_worktree_of_others,
        plant_alternates,
        plant_alternates_of_alternates,
        plant_objects,
        plant_object,
        plant_reference,
    )
}


@pytest.mark.parametrize(
    ("name", "words"), pairs_of([*PLANTED], ["check --since HEAD", "plan HEAD", "report --since HEAD"])
)
def test_a_history_elsewhere_is_refused_and_can_be_allowed(
    hostile: Path, victim: Path, trialrun: Trialrun, name: str, words: str
) -> None:
    folder = PLANTED[name](hostile, victim)
    ran = trialrun(*words.split(), folder=hostile)
    assert ran.code == 2
    assert f"leads out of its folder, to {folder}" in ran.text
    assert f"allow it with --allow-path {folder}\n" in ran.text
    allowed = trialrun(*words.split(), "--allow-path", str(victim / ".git"), folder=hostile)
    assert allowed.code == 0, allowed.text
    assert trialrun("check", folder=hostile).code == 0


def test_worktrees_and_submodules_of_git_need_no_word(hostile: Path, victim: Path, trialrun: Trialrun) -> None:
    git(victim, "worktree", "add", "-q", "../linked")
    git(victim, "submodule", "--quiet", "add", str(hostile), "parts")
    git(victim, "commit", "-qm", "two")
    for folder in (victim.parent / "linked", victim / "parts", victim):
        assert trialrun("check", "--since", "HEAD", folder=folder).code == 0
        assert trialrun("plan", "HEAD", folder=folder).code == 0


def test_a_moved_worktree_is_refused_until_git_repairs_it(victim: Path, trialrun: Trialrun) -> None:
    git(victim, "worktree", "add", "-q", "../linked")
    moved = (victim.parent / "linked").rename(victim.parent / "moved")
    assert trialrun("plan", "HEAD", folder=moved).code == 2
    git(moved, "worktree", "repair")
    assert trialrun("plan", "HEAD", folder=moved).code == 0


def test_what_is_allowed_for_git_is_not_read_by_documents(hostile: Path, victim: Path, trialrun: Trialrun) -> None:
    (hostile / "v.yaml").write_text(view().replace("bq://p.d.t", f"file://{victim}/.git/config.csv"))
    (victim / ".git/config.csv").write_text("the-secret-outside,1\n")
    assert trialrun("fetch", "v", "1", "--allow-path", str(victim / ".git"), folder=hostile).code in (1, 2)
