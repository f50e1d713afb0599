"""A cache may lose everything and never says anything wrong: damage, foreign owners, folders that cannot be written."""

from __future__ import annotations

import json
import os
import sqlite3
from pathlib import Path

import pytest

from benchmarks.damaged_cache import wrong_outputs
from tests.cases import number_of_cases
from tests.program import Run, view
from trialrun.workspace.result_cache import LAYOUT, CacheStore

NOT_ROOT = 12345
RUNS = int(os.environ.get("DAMAGED_CACHE_RUNS", number_of_cases(50, 16)))
needs_root = pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root gives files away")


def store_of(tmp_path: Path) -> Path:
    return tmp_path.parent / f"{tmp_path.name}-cache" / f"verdicts-{LAYOUT}.sqlite"


def checked(run: Run, **environment: str) -> list[str]:
    ran = run("check", "--output-format", "json", **environment)
    assert ran.err == ""
    return [load["rule"] for load in json.loads(ran.out)["diagnostics"]]


@pytest.mark.generated
def test_flipped_bits_never_change_what_is_printed(tmp_path: Path) -> None:
    assert wrong_outputs(tmp_path, runs=RUNS, seed=2) == 0


def test_a_row_that_was_edited_is_not_believed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    assert checked(run) == ["cron-syntax"]
    with sqlite3.connect(store_of(tmp_path)) as database:
        database.execute("""UPDATE verdicts SET report = replace(report, 'cron-syntax', 'cron-zyntax')""")
    database.close()
    assert checked(run) == ["cron-syntax"]


def test_rows_of_two_files_that_changed_places_are_not_believed(tmp_path: Path) -> None:
    store = CacheStore(str(tmp_path))
    store.write([(b"a", "of a"), (b"b", "of b")])
    store.close()
    with sqlite3.connect(tmp_path / f"verdicts-{LAYOUT}.sqlite") as database:
        database.execute("UPDATE verdicts SET key = CASE key WHEN x'61' THEN x'00' ELSE x'61' END")
    database.close()
    assert CacheStore(str(tmp_path)).find(b"a") is None


def test_a_damaged_store_is_removed_and_another_made_in_the_same_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    checked(run)
    data = bytearray(store_of(tmp_path).read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    store_of(tmp_path).write_bytes(data)
    checked(run)
    with sqlite3.connect(store_of(tmp_path)) as database:
        assert database.execute("SELECT count(*) FROM verdicts").fetchone() == (1,)
    database.close()


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE VIEW more AS SELECT 1",
        "CREATE TRIGGER more AFTER INSERT ON verdicts BEGIN DELETE FROM verdicts; END",
        "ALTER TABLE verdicts ADD COLUMN more",
    ],
)
def test_a_store_with_other_tables_is_made_anew(tmp_path: Path, statement: str) -> None:
    store = CacheStore(str(tmp_path))
    store.write([(b"a", "of a")])
    store.close()
    with sqlite3.connect(tmp_path / f"verdicts-{LAYOUT}.sqlite") as database:
        database.execute(statement)
    database.close()
    store = CacheStore(str(tmp_path))
    assert store.find(b"a") is None
    store.write([(b"b", "of b")])
    store.close()
    assert CacheStore(str(tmp_path)).find(b"b") == "of b"


def test_a_store_that_another_run_writes_to_is_kept(tmp_path: Path) -> None:
    store = CacheStore(str(tmp_path))
    store.write([(b"a", "of a")])
    other = sqlite3.connect(tmp_path / f"verdicts-{LAYOUT}.sqlite", isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    store.write([(b"b", "of b")])
    store.close()
    other.execute("ROLLBACK")
    other.close()
    store = CacheStore(str(tmp_path))
    assert (store.find(b"a"), store.find(b"b")) == ("of a", None)


@needs_root
@pytest.mark.parametrize("what", ["folder", "store"])
def test_what_another_user_made_is_not_opened(run: Run, tmp_path: Path, what: str) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    checked(run)
    before = store_of(tmp_path).read_bytes()
    os.chown(store_of(tmp_path).parent if what == "folder" else store_of(tmp_path), NOT_ROOT, NOT_ROOT)
    assert checked(run) == ["cron-syntax"]
    if what == "folder":
        assert store_of(tmp_path).read_bytes() == before
    else:
        assert store_of(tmp_path).stat().st_uid == 0


def test_a_folder_that_everybody_may_write_to_is_not_used(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    folder = store_of(tmp_path).parent
    folder.mkdir()
    folder.chmod(0o777)
    assert checked(run) == []
    assert not list(folder.iterdir())


def test_a_store_that_is_a_link_is_replaced_and_not_followed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    target = tmp_path / "precious.sqlite"
    target.write_bytes(b"precious")
    store_of(tmp_path).parent.mkdir()
    store_of(tmp_path).symlink_to(target)
    assert checked(run) == []
    assert target.read_bytes() == b"precious"
    assert store_of(tmp_path).is_file()
    assert not store_of(tmp_path).is_symlink()


@pytest.mark.parametrize("home", ["/proc", "/dev/null"])
def test_a_home_that_cannot_be_written_to_changes_nothing(run: Run, tmp_path: Path, home: str) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    assert checked(run, HOME=home, TRIALRUN_CACHE_DIR="", XDG_CACHE_HOME="") == ["cron-syntax"]
