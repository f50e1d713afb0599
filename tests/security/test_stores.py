"""A store that this user did not make is not opened, and a damaged one is one clear error for every command."""

import os
import random
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.cases import first_of, seeds
from tests.cli.example_workspace import NOON, copied
from trialrun.cli.main import main

VIEW, SEARCHED = "menu_search_exact", "SW-412"
COMMANDS = (
    ("fetch", VIEW, SEARCHED),
    ("search", VIEW, "--entity", SEARCHED),
    ("fetch", VIEW, SEARCHED, *NOON),
    ("sync", "--due", *NOON),
    ("sync", VIEW, *NOON),
)
Damage = Callable[[Path, random.Random], None]


@pytest.fixture(scope="module")
def synced_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    # The fixture may be made twice in one process, since workers take tests from each other.
    folder = copied(tmp_path_factory.mktemp("stores") / "workspace")
    for file in (folder / "feature-views").iterdir():
        if file.name != "menu-search.yaml":
            file.unlink()  # or each command that syncs what is due reads them all
    before = os.getcwd()
    os.chdir(folder)
    try:
        assert main(["sync", VIEW, *NOON]) == 0
    finally:
        os.chdir(before)
    shutil.copytree(folder / ".trialrun", folder.with_name("sound"))
    return folder


@pytest.fixture
def workspace(synced_workspace: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The workspace with its store as the sync left it."""
    store = synced_workspace / ".trialrun"
    if store.is_symlink() or store.is_file():
        store.unlink()
    shutil.rmtree(store, ignore_errors=True)
    shutil.copytree(synced_workspace.with_name("sound"), store)
    monkeypatch.chdir(synced_workspace)
    yield synced_workspace


def files(store: Path) -> list[Path]:
    return sorted(path for path in store.rglob("*") if path.is_file() and path.name != ".gitignore")


def flip(store: Path, dice: random.Random) -> None:
    file = dice.choice([path for path in files(store) if path.stat().st_size])
    data = bytearray(file.read_bytes())
    for _ in range(dice.choice((1, 1, 8, 200))):
        data[dice.randrange(len(data))] ^= 1 << dice.randrange(8)
    file.write_bytes(data)


def flip_header(store: Path, dice: random.Random) -> None:
    (file,) = store.glob("*.db")
    data = bytearray(file.read_bytes())
    data[dice.randrange(100)] = dice.randrange(256)
    file.write_bytes(data)


def truncate(store: Path, dice: random.Random) -> None:
    file = dice.choice(files(store))
    os.truncate(file, dice.randrange(file.stat().st_size + 1))


def remove(store: Path, dice: random.Random) -> None:
    dice.choice(files(store)).unlink()


def swap(store: Path, dice: random.Random) -> None:
    one, other = dice.sample(files(store), 2)
    data = one.read_bytes()
    one.write_bytes(other.read_bytes())
    other.write_bytes(data)


def shuffle_pages(store: Path, dice: random.Random) -> None:
    (file,) = store.glob("*.db")
    data = file.read_bytes()
    pages = [data[start : start + 8192] for start in range(0, len(data), 8192)]
    for _ in range(3):
        pages[dice.randrange(1, len(pages))] = dice.choice(pages)
    file.write_bytes(b"".join(pages))


def link(store: Path, dice: random.Random) -> None:
    path = dice.choice([*files(store), *(path for path in store.rglob("*") if path.is_dir())])
    away = store.with_name("away")
    shutil.rmtree(away, ignore_errors=True)
    away.unlink() if away.exists() else None
    path.rename(away)
    path.symlink_to(away)


def edit(statement: str) -> Damage:
    def change(store: Path, dice: random.Random) -> None:
        (file,) = store.glob("*.db")
        with closing(sqlite3.connect(file, isolation_level=None)) as connection:
            connection.execute("PRAGMA writable_schema = ON")
            connection.execute(statement)

    return change


def zero_rows(store: Path, dice: random.Random) -> None:
    """Pages of zeros in place of the rows that are served and of their indexes."""
    (file,) = store.glob("*.db")
    with closing(sqlite3.connect(file)) as connection:
        ((size,),) = connection.execute("PRAGMA page_size").fetchall()
        roots = connection.execute("SELECT rootpage FROM sqlite_schema WHERE tbl_name = 'rows'").fetchall()
    data = bytearray(file.read_bytes())
    for (root,) in roots:
        data[(root - 1) * size : root * size] = bytes(size)
    file.write_bytes(data)


def out_of_range(store: Path, dice: random.Random) -> None:
    """Numbers that no value has, in every column of the rows but the entity id."""
    (file,) = store.glob("*.db")
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        for column in [column[1] for column in connection.execute("PRAGMA table_info(rows)")][1:]:
            connection.execute(f"UPDATE rows SET {column} = 4611686018427387904")


ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
EDITS = [
    """UPDATE snapshot SET layout = replace(layout, 'DOUBLE', 'INT64')""",
    """UPDATE snapshot SET layout = '[]'""",
    """UPDATE snapshot SET layout = NULL, digest = NULL""",
    """UPDATE snapshot SET synced_at = 9223372036854775807""",
    """UPDATE snapshot SET layout = NULL""",
    """UPDATE snapshot SET view = 'x; --'""",
    """DELETE FROM snapshot""",
    """INSERT INTO snapshot SELECT * FROM snapshot""",
    """UPDATE snapshot SET number = 77""",
    """DROP TABLE syncs""",
    """CREATE TABLE more (x)""",
    f"CREATE TRIGGER t AFTER UPDATE ON snapshot BEGIN SELECT ({ENDLESS}); END",
    f"CREATE VIEW endless AS {ENDLESS}",
    f"UPDATE sqlite_schema SET type = 'view', rootpage = 0, sql = 'CREATE VIEW snapshot AS {ENDLESS}' "
    "WHERE name = 'snapshot'",
    """UPDATE sqlite_schema SET rootpage = 1 WHERE name = 'rows'""",
    """UPDATE sqlite_schema SET sql = replace(sql, ', f1', '') WHERE name = 'rows'""",
    "PRAGMA user_version = 1",
    "PRAGMA journal_mode = DELETE",
]
DRAWN: list[Damage] = [flip_header, swap, shuffle_pages, truncate, remove, flip, link, flip]


def see_that_every_command_ends_well(capfd: pytest.CaptureFixture[str]) -> None:
    for words in COMMANDS:
        begin = time.perf_counter()
        code = main(list(words))
        told = capfd.readouterr().err
        assert code in (0, 1, 2), f"{words}: {told}"
        assert "Traceback" not in told
        assert time.perf_counter() - begin < 30
        if code == 2:
            assert told.startswith("error: ") and told.count("\n") <= 2, told


@pytest.mark.parametrize("seed", seeds(48, 4))
def test_a_damaged_store_never_ends_in_a_fault_of_ours(
    workspace: Path, seed: int, capfd: pytest.CaptureFixture[str]
) -> None:
    DRAWN[seed % len(DRAWN)](workspace / ".trialrun", random.Random(seed))
    see_that_every_command_ends_well(capfd)


@pytest.mark.parametrize("damage", [zero_rows, out_of_range])
def test_damaged_rows_never_end_in_a_fault_of_ours(
    workspace: Path, damage: Damage, capfd: pytest.CaptureFixture[str]
) -> None:
    damage(workspace / ".trialrun", random.Random(1))
    see_that_every_command_ends_well(capfd)


@pytest.mark.parametrize(
    "statement",
    [one if place % 3 == 2 else pytest.param(one, marks=pytest.mark.exhaustive) for place, one in enumerate(EDITS)],
)
def test_an_edited_store_never_ends_in_a_fault_of_ours(
    workspace: Path, statement: str, capfd: pytest.CaptureFixture[str]
) -> None:
    edit(statement)(workspace / ".trialrun", random.Random(1))
    see_that_every_command_ends_well(capfd)


@pytest.mark.parametrize("statement", [one for one in EDITS if "journal_mode" not in one])
def test_an_edited_store_serves_nothing(workspace: Path, statement: str, capfd: pytest.CaptureFixture[str]) -> None:
    edit(statement)(workspace / ".trialrun", random.Random(1))
    assert main(["fetch", VIEW, SEARCHED]) == 2
    assert "sync again" in capfd.readouterr().err


def test_the_store_is_made_anew_as_the_error_says(workspace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    flip_header(workspace / ".trialrun", random.Random(3))
    shutil.rmtree(workspace / ".trialrun")
    assert main(["sync", VIEW, *NOON]) == 0
    assert main(["fetch", VIEW, SEARCHED]) == 0


@pytest.mark.parametrize("words", COMMANDS, ids=lambda words: words[0])
def test_a_store_of_another_user_is_refused(
    workspace: Path, words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRIALRUN_STATE_DIR", str(workspace.with_name("other-user")))
    assert main(list(words)) == 2
    told = capfd.readouterr().err
    assert (
        "was created by another user, in another place or by an earlier version; move it away, and sync again" in told
    )


def test_a_store_that_was_copied_elsewhere_is_refused(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    other = workspace.with_name("copy")
    if not other.exists():
        shutil.copytree(workspace, other)
    monkeypatch.chdir(other)
    assert main(["fetch", VIEW, SEARCHED]) == 2
    assert "was created by another user, in another place" in capfd.readouterr().err


def test_a_state_folder_in_the_workspace_vouches_for_nothing(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    shutil.copytree(os.environ["TRIALRUN_STATE_DIR"], workspace / "state", dirs_exist_ok=True)
    monkeypatch.setenv("TRIALRUN_STATE_DIR", str(workspace / "state"))
    assert main(["fetch", VIEW, SEARCHED]) == 2
    shutil.rmtree(workspace / ".trialrun")
    assert main(["sync", VIEW, *NOON]) == 2
    assert "is in the workspace; set TRIALRUN_STATE_DIR to another one" in capfd.readouterr().err


def test_a_tracked_store_is_refused_by_name(workspace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=workspace, check=True, capture_output=True)

    git("init")
    try:
        git("add", "-f", ".trialrun")
        assert main(["fetch", VIEW, SEARCHED]) == 2
        assert "is tracked by git; remove it with git rm -r .trialrun, and sync again" in capfd.readouterr().err
    finally:
        shutil.rmtree(workspace / ".git")


@pytest.mark.parametrize("beside", first_of(["", "lock"]))
def test_a_journal_deletes_nothing(workspace: Path, beside: str, capfd: pytest.CaptureFixture[str]) -> None:
    """A hot journal names a master journal, which SQLite deletes when it rolls back."""
    victim = workspace / "victim"
    victim.write_text("precious")
    name = str(victim).encode()
    end = len(name).to_bytes(4, "big") + sum(name).to_bytes(4, "big") + bytes.fromhex("d9d505f920a163d7")
    header = bytes.fromhex("d9d505f920a163d7") + (0).to_bytes(4, "big") + bytes(8) + (512).to_bytes(4, "big")
    if beside:
        for path in (workspace / ".trialrun").glob("*.lock"):
            path.write_bytes(b"x")
    for path in (workspace / ".trialrun").glob("*.lock" if beside else "*.db"):
        content = header.ljust(512, b"\0") + (1).to_bytes(4, "big") + name + end
        path.with_name(f"{path.name}-journal").write_bytes(content)
    see_that_every_command_ends_well(capfd)
    assert main(["sync", VIEW, *NOON]) == 2
    assert victim.read_text() == "precious"
    assert [*(workspace / ".trialrun").glob("*-journal")]


@pytest.mark.parametrize("depth", first_of([2, 1, 3]))
def test_a_link_below_the_store_deletes_no_folder(
    workspace: Path, depth: int, capfd: pytest.CaptureFixture[str]
) -> None:
    (number,) = (workspace / ".trialrun" / "indexes").glob("*/*/[0-9]*")
    outside = workspace.with_name(f"outside-{depth}")
    for name in ("0", "1", "2", "9.part"):
        (outside / name).mkdir(parents=True, exist_ok=True)
    target = [number, *number.parents][depth]
    shutil.rmtree(target)
    target.symlink_to(outside)
    assert main(["sync", VIEW, *NOON]) == 2
    assert main(["search", VIEW, "--entity", SEARCHED]) == 2
    assert "is a link, and links are not followed" in capfd.readouterr().err
    assert {path.name for path in outside.iterdir()} == {"0", "1", "2", "9.part"}


def test_the_folder_itself_may_not_be_a_link(workspace: Path, capfd: pytest.CaptureFixture[str]) -> None:
    store, elsewhere = workspace / ".trialrun", workspace.with_name("elsewhere")
    shutil.rmtree(elsewhere, ignore_errors=True)
    store.rename(elsewhere)
    store.symlink_to(elsewhere)
    for words in COMMANDS:
        assert main(list(words)) == 2
        assert "is a link, and links are not followed" in capfd.readouterr().err
