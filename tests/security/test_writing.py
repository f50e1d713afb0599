"""What is written, is written where it was read: a link that came in between is not followed, nor a name of git's."""

import os
import subprocess
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.program import view
from tests.security.conftest import Trialrun, git
from trialrun.cli import fix
from trialrun.user_state import read_own_file
from trialrun.workspace import add_ignores
from trialrun.workspace import write_files as writing
from trialrun.workspace.write_files import FileNotWritten, write_back

OLD, NEW = b"old", b"new"


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    (folder / "trialrun.toml").write_text("")
    return folder


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    """A file outside with the same bytes as the one to be fixed."""
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    (folder / "v.yaml").write_bytes(OLD)
    return folder / "v.yaml"


def swap_for_link(file: Path, target: Path) -> None:
    file.unlink()
    file.symlink_to(target)


def test_a_file_that_became_a_link_out(repository: Path, victim: Path) -> None:
    (repository / "v.yaml").symlink_to(victim)
    with pytest.raises(FileNotWritten, match="outside of"):
        write_back(str(repository / "v.yaml"), NEW, instead_of=OLD, named_in=str(repository))
    assert victim.read_bytes() == OLD


def test_a_folder_that_became_a_link_out(repository: Path, victim: Path) -> None:
    (repository / "below").symlink_to(victim.parent)
    file = repository / "below" / "v.yaml"
    with pytest.raises(FileNotWritten):
        write_back(str(file), NEW, instead_of=OLD, named_in=str(repository))
    assert victim.read_bytes() == OLD


@pytest.mark.parametrize("moment", ["create_temporary", "replace_file"])
def test_a_file_that_is_swapped_while_it_is_written(
    repository: Path, victim: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    file = repository / "v.yaml"
    file.write_bytes(OLD)
    real = getattr(writing, moment)

    def swapped(*arguments: object) -> object:
        swap_for_link(file, victim)
        return real(*arguments)

    monkeypatch.setattr(writing, moment, swapped)
    with suppress(FileNotWritten):
        write_back(str(file), NEW, instead_of=OLD)
    assert victim.read_bytes() == OLD
    assert sorted(os.listdir(victim.parent)) == ["v.yaml"]


def test_fix_checks_again_at_writing(
    repository: Path, victim: Path, trialrun: Trialrun, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = repository / "v.yaml"
    file.write_text(view(cron="0 3 * * * Europe/Berlin"))
    victim.write_bytes(file.read_bytes())
    before, real = victim.read_bytes(), fix.write_back

    def swapped(path: str, data: bytes, **options: Any) -> object:
        swap_for_link(file, victim)
        return real(path, data, **options)

    monkeypatch.setattr(fix, "write_back", swapped)
    ran = trialrun("check", "--unsafe-fixes", "v.yaml", folder=repository)
    assert ran.code == 2, ran.text
    assert "outside of" in " ".join(ran.text.split())
    assert file.is_symlink()
    assert victim.read_bytes() == before


@pytest.mark.parametrize(
    "name", ["../../escaped.yaml", "..", ".git/hooks/escaped.yaml", ".GIT/escaped.yaml", "/x.yaml"]
)
def test_a_revision_with_names_that_lead_out(repository: Path, trialrun: Trialrun, tmp_path: Path, name: str) -> None:
    """A tree may hold names that git itself would not check out; comparing with it writes none of them."""
    (repository / "v.yaml").write_text(view())
    git(repository, "add", "-A")
    git(repository, "commit", "-qm", "one")

    def made(*words: str, given: bytes) -> str:
        command = ["git", "-C", str(repository), "-c", "user.name=n", "-c", "user.email=e@example.com", *words]
        return subprocess.run(command, input=given, check=True, capture_output=True).stdout.decode().strip()

    blob = made("hash-object", "-w", "--stdin", given=view("w").encode())
    settings = made("hash-object", "-w", "--stdin", given=b"")
    entries = [(name, blob), ("trialrun.toml", settings), ("v.yaml", blob)]
    rows = [b"100644 " + entry.encode() + b"\0" + bytes.fromhex(id) for entry, id in entries]
    tree = made("hash-object", "-t", "tree", "-w", "--literally", "--stdin", given=b"".join(rows))
    commit = made("commit-tree", "-m", "hostile", tree, given=b"")
    (repository / "trialrun.toml").write_text('ignore = ["cron-dst"]\n')
    trialrun("check", "--since", commit, folder=repository)
    assert not list(tmp_path.rglob("escaped.yaml"))


@pytest.mark.parametrize(
    "words",
    [
        ("search", "v", "--vector", "@linked"),
        ("session", "store", "--script", "linked"),
        ("rules", "new", "mine", "--folder", "away"),
        ("init", "away"),
        ("new", "Menu", "mine", "-o", "away/menu.yaml"),
        ("new", "Menu", "mine", "-o", "missing.yaml"),
        ("new", "Menu", "mine", "--from", "linked"),
    ],
    ids=" ".join,
)
def test_a_named_link_that_leads_out(
    repository: Path, outside: Path, trialrun: Trialrun, words: tuple[str, ...]
) -> None:
    (repository / "linked").symlink_to(outside / "secret.txt")
    (repository / "away").symlink_to(outside)
    (repository / "missing.yaml").symlink_to(outside / "missing.yaml")
    (repository / "v.yaml").write_text(view())
    before = sorted(os.listdir(outside))
    assert trialrun(*words, folder=repository).code == 2
    assert sorted(os.listdir(outside)) == before


@pytest.mark.parametrize("name", ["secret.toml", "missing.toml"])
def test_suppressions_in_settings_that_lead_out(repository: Path, outside: Path, trialrun: Trialrun, name: str) -> None:
    (repository / "trialrun.toml").unlink()
    (repository / "trialrun.toml").symlink_to(outside / name)
    (repository / "menu.json").write_text('{"kind": "Menu", "name": "m", "items": [{"prise": 3}]}')
    before = {path.name: path.read_bytes() for path in outside.iterdir()}
    assert trialrun("check", "--add-ignores", "ok", folder=repository).code == 2
    assert {path.name: path.read_bytes() for path in outside.iterdir()} == before


def test_a_file_of_suppressions_that_is_swapped_while_it_is_checked(
    repository: Path, victim: Path, trialrun: Trialrun, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = repository / "v.yaml"
    file.write_text(view(cron="0 25 * * *"))
    victim.write_bytes(file.read_bytes())
    before, real = victim.read_bytes(), add_ignores.added_ignores

    def swapped(*arguments: Any) -> object:
        added = real(*arguments)
        swap_for_link(file, victim)
        return added

    monkeypatch.setattr(add_ignores, "added_ignores", swapped)
    ran = trialrun("check", "--add-ignores", "ok", "v.yaml", folder=repository)
    assert ran.code == 2, ran.text
    assert "outside of" in " ".join(ran.text.split())
    assert victim.read_bytes() == before


# ---- what the program keeps for a user is read from the user's own files alone


def test_a_file_is_read_up_to_a_number_of_bytes(tmp_path: Path) -> None:
    (tmp_path / "key").write_bytes(b"12345")
    assert [read_own_file(tmp_path / "key", most) for most in (4, 6)] == [b"1234", b"12345"]


@pytest.mark.skipif(not hasattr(os, "O_NOFOLLOW"), reason="links are followed here")
def test_a_link_to_a_file_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"12345")
    (tmp_path / "key").symlink_to("secret")
    with pytest.raises(OSError, match="key"):
        read_own_file(tmp_path / "key", 6)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no named pipes here")
@pytest.mark.timeout(5)
def test_a_pipe_that_nobody_writes_to_is_refused_at_once(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "key")
    with pytest.raises(OSError, match="not a regular file"):
        read_own_file(tmp_path / "key", 6)
