"""The file of a journal: what is written is there again, and what somebody else wrote is refused."""

from __future__ import annotations

import resource
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from trialrun.runtime.feature_view.store.guard import StoreGuard
from trialrun.service.journal import FILE_NAME, JournalError, JournalFile, Record, open_journal, read_journal


@contextmanager
def opened(folder: Path) -> Iterator[JournalFile]:
    with open_journal(folder, StoreGuard(folder)) as journal:
        yield journal


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".trialrun"


def test_what_was_written_is_there_again_in_its_order(folder: Path) -> None:
    with opened(folder) as journal:
        journal.write([Record("view", "b", {"n": 1}), Record("view", "a", {"n": 2}), Record("other", "b", {"n": 3})])
        journal.write([Record("view", "b", {"n": 4}), Record("other", "b", None)])
    with opened(folder) as journal:
        assert list(journal.read("view")) == [("b", {"n": 4}), ("a", {"n": 2})]
        assert list(journal.read("view", "a")) == [("a", {"n": 2})]
        assert (journal.names("view"), journal.names("other")) == (["b", "a"], [])
        assert (journal.get("view", "a"), journal.get("other", "b")) == ({"n": 2}, None)


@pytest.mark.parametrize("name", ["ü", "\ud800", "a/%_*", "", "\0"])
def test_any_text_is_a_name_and_a_value(folder: Path, name: str) -> None:
    with opened(folder) as journal:
        journal.write([Record("view", name, {name: name})])
        assert list(journal.read("view", name)) == [(name, {name: name})]


def test_a_second_server_is_refused(folder: Path) -> None:
    refused = pytest.raises(JournalError, match=r"another server uses .*; end it, or choose another")
    with opened(folder), refused, opened(folder):
        pass
    with opened(folder):  # the lock ends with its server
        pass


def test_a_journal_is_read_while_a_server_writes_it(folder: Path) -> None:
    guard = StoreGuard(folder)
    with read_journal(folder, guard) as journal:
        assert journal is None
    with opened(folder) as written:
        written.write([Record("view", "a", {"n": 1})])
        with read_journal(folder, guard) as journal:
            assert journal is not None and journal.get("view", "a") == {"n": 1}


def test_a_write_that_fails_in_the_middle_keeps_nothing(folder: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    with opened(folder) as journal:
        journal.write([Record("view", "a", {"n": 1})])
        resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, limits[1]))
        try:
            with pytest.raises(JournalError, match=r"cannot grow|is full"):
                journal.write([Record("view", f"many {number}", {"text": "x" * 1000}) for number in range(1000)])
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert list(journal.read("view")) == [("a", {"n": 1})]
        journal.write([Record("view", "b", {"n": 2})])
    with opened(folder) as journal:
        assert list(journal.read("view")) == [("a", {"n": 1}), ("b", {"n": 2})]


def change(folder: Path, statement: str) -> None:
    with closing(sqlite3.connect(folder / FILE_NAME)) as connection:
        connection.execute(statement)
        connection.commit()


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE records SET value = '{\"n\": 2}'",
        "UPDATE records SET value = 'no json'",
        "UPDATE records SET name = x'62'",
        "UPDATE records SET digest = ''",
        "UPDATE records SET number = 'first'",
        "UPDATE records SET number = 9223372036854775807",
        "UPDATE records SET name = x'ff'",
        "UPDATE records SET name = 'a'",
        "CREATE TABLE more (a)",
        "CREATE TRIGGER t AFTER INSERT ON records BEGIN DELETE FROM records; END",
        "PRAGMA application_id = 1",
        "PRAGMA user_version = 9",
    ],
)
def test_a_file_that_somebody_changed_is_refused(folder: Path, statement: str) -> None:
    with opened(folder) as journal:
        journal.write([Record("view", "a", {"n": 1})])
    change(folder, statement)
    with pytest.raises(JournalError, match=r"is damaged|of another (program|version)"), opened(folder) as journal:
        journal.names("view")
        list(journal.read("view"))


def test_a_folder_that_a_repository_brings_is_refused(folder: Path) -> None:
    folder.mkdir()
    (folder / FILE_NAME).write_bytes(b"SQLite format 3\0" + b"\0" * 4000)
    with pytest.raises(JournalError, match="was created by another user, in another place"), opened(folder):
        pass


@pytest.mark.parametrize("name", [FILE_NAME, f"{FILE_NAME}-wal", f"{FILE_NAME}-shm"])
def test_links_are_not_followed(folder: Path, tmp_path: Path, name: str) -> None:
    with opened(folder):
        pass
    (folder / name).unlink(missing_ok=True)
    (folder / name).symlink_to(tmp_path / "elsewhere")
    with pytest.raises(JournalError, match="links are not followed"), opened(folder):
        pass
    assert not (tmp_path / "elsewhere").exists()
