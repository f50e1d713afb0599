"""A kept result is the result of a fresh run; the database stays small, and a damaged one says nothing."""

import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.cases import number_of_cases
from tests.program import CONDITION, Run, view
from tests.workspace.damaged_cache import wrong_outputs
from trialrun.workspace import cache_store
from trialrun.workspace.cache_store import LAYOUT, CacheStore, row_digest

SCHEMA = """\
kind: SessionSchema
name: session
types: {Order: {TOTAL: double}}
variables: {order: Order}
"""


def diagnostics(run: Run, *arguments: str) -> Any:
    return json.loads(run("check", "--output-format", "json", *arguments).out)["diagnostics"]


def same_with_and_without_cache(run: Run, *arguments: str) -> Any:
    kept = diagnostics(run, *arguments)
    assert kept == diagnostics(run, "--no-cache", *arguments)
    return kept


def test_the_settings_count(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    assert same_with_and_without_cache(run)[0]["severity"] == "error"
    (tmp_path / "trialrun.toml").write_text('[severity]\ncron-syntax = "note"\n')
    assert same_with_and_without_cache(run)[0]["severity"] == "note"
    (tmp_path / "trialrun.toml").write_text('ignore = ["cron-syntax"]\n')
    assert same_with_and_without_cache(run) == []


def test_an_option_counts(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="'*/5 * * * *'"))
    assert same_with_and_without_cache(run) == []
    (tmp_path / "trialrun.toml").write_text("[options]\nmin-sync-interval = 15\n")
    assert [diagnostic["rule"] for diagnostic in same_with_and_without_cache(run)] == ["cron-too-frequent"]


def test_the_selected_rules_count(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    assert same_with_and_without_cache(run) == []
    found = same_with_and_without_cache(run, "--select", "missing-etag")
    assert [file["rule"] for file in found] == ["missing-etag"]


def test_the_day_counts_where_a_rule_asks_for_it(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="CRON_TZ=America/New_York 30 2 * * *"))
    today = same_with_and_without_cache(run, "--at", "2026-11-20T00:00:00Z")
    later = same_with_and_without_cache(run, "--at", "2030-11-20T00:00:00Z")
    assert today[0]["rule"] == later[0]["rule"] == "cron-dst"
    assert today[0]["message"] != later[0]["message"]


def test_the_session_schema_of_another_file_counts(run: Run, tmp_path: Path) -> None:
    (tmp_path / "config.yaml").write_text(CONDITION)
    types = ("--select", "cel-type")
    assert [diagnostic["severity"] for diagnostic in same_with_and_without_cache(run, *types)] == ["warning"]
    (tmp_path / "session.yaml").write_text(SCHEMA)
    assert [diagnostic["severity"] for diagnostic in same_with_and_without_cache(run, *types)] == ["error"]
    (tmp_path / "session.yaml").write_text(SCHEMA.replace("TOTAL", "total"))
    assert same_with_and_without_cache(run, *types) == []
    assert same_with_and_without_cache(run, "config.yaml") == []


def test_the_path_is_that_of_the_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    assert same_with_and_without_cache(run)[0]["path"] == "view.yaml"
    (tmp_path / "view.yaml").rename(tmp_path / "other.yaml")
    assert same_with_and_without_cache(run)[0]["path"] == "other.yaml"


def test_the_ending_counts(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    assert same_with_and_without_cache(run) == []
    (tmp_path / "view.yaml").rename(tmp_path / "view.json")
    assert {diagnostic["rule"] for diagnostic in same_with_and_without_cache(run)} == {"syntax-error"}


def test_a_file_given_by_name_counts(run: Run, tmp_path: Path) -> None:
    (tmp_path / "other.yaml").write_text("kindly: FeatureView\n")
    assert same_with_and_without_cache(run) == []
    assert [diagnostic["rule"] for diagnostic in same_with_and_without_cache(run, "other.yaml")] == ["unknown-kind"]


def test_a_verdict_is_really_found_again(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    diagnostics(run)
    database = sqlite3.connect(tmp_path.parent / f"{tmp_path.name}-cache" / f"verdicts-{LAYOUT}.sqlite")
    query = """SELECT key, report FROM verdicts WHERE report LIKE '{"day"%'"""
    key, report = database.execute(query).fetchone()
    head, _, facts = report.partition("\n")
    kept = json.loads(head)
    where = [[1, 1], [1, 2]]
    kept["diagnostics"] = [["cron-syntax", 3, "planted", "view.yaml", where, 0, "", None, [], None, "", "", None, None]]
    planted = f"{json.dumps(kept)}\n{facts}"
    row = (planted, row_digest(key, planted), key)
    database.execute("UPDATE verdicts SET report = ?, digest = ? WHERE key = ?", row)
    database.commit()
    database.close()
    assert [diagnostic["message"] for diagnostic in diagnostics(run)] == ["planted"]
    assert diagnostics(run, "--no-cache") == []


@pytest.mark.parametrize("damage", [b"", b"no database", b"SQLite format 3\0" + b"\xff" * 4096])
def test_a_damaged_store_is_as_good_as_none(run: Run, tmp_path: Path, damage: bytes) -> None:
    folder = tmp_path.parent / f"{tmp_path.name}-cache"
    folder.mkdir()
    (folder / f"verdicts-{LAYOUT}.sqlite").write_bytes(damage)
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    for _ in range(3):
        ran = run("check")
        assert ran.code == 1
        assert ran.err == ""
    assert (folder / f"verdicts-{LAYOUT}.sqlite").read_bytes().startswith(b"SQLite format 3")


@pytest.mark.parametrize("file", ["../shared/session.yaml", "excluded/session.yaml"])
def test_session_types_of_a_file_where_no_search_looks(run: Run, tmp_path: Path, file: str) -> None:
    workspace = tmp_path / "brand"
    (workspace / file).parent.mkdir(parents=True)
    (workspace / "config.yaml").write_text(CONDITION)
    (workspace / "trialrun.toml").write_text(f'exclude = ["excluded/"]\nsession-schema = "{file}"\n')
    for field, count in (("TOTAL", 1), ("total", 0), ("TOTAL", 1)):
        (workspace / file).write_text(SCHEMA.replace("TOTAL", field))
        words = ("--select", "cel-type", "--allow-path", str(tmp_path), str(workspace))
        assert len(same_with_and_without_cache(run, *words)) == count


def key(number: int) -> bytes:
    return b"%040d" % number


def size(folder: Path) -> int:
    return (folder / f"verdicts-{LAYOUT}.sqlite").stat().st_size


def write(folder: Path, rows: range, text: str) -> None:
    """Write rows in a run of their own."""
    store = CacheStore(str(folder))
    store.write((key(number), text) for number in rows)
    store.close()


def is_kept(folder: Path, number: int) -> bool:
    store = CacheStore(str(folder))
    try:
        return store.find(key(number)) is not None
    finally:
        store.close()


def test_rows_of_any_length_take_no_more_than_is_allowed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_store, "MAX_BYTES", 1_000_000)
    for run in range(20):
        write(tmp_path, range(run * 10, run * 10 + 10), "x" * 20_000)
    assert size(tmp_path) < 1_500_000
    assert is_kept(tmp_path, 199)
    assert not is_kept(tmp_path, 0)


def test_more_rows_than_are_allowed_push_out_the_oldest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cache_store, "MAX_ROWS", 10)
    write(tmp_path, range(30), "x")
    assert [number for number in range(30) if is_kept(tmp_path, number)] == [*range(20, 30)]


def test_a_database_that_has_grown_far_too_large_is_recreated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, range(10), "x" * 300_000)
    monkeypatch.setattr(cache_store, "MAX_BYTES", 1_000_000)
    assert not is_kept(tmp_path, 9)
    assert size(tmp_path) < 100_000
    write(tmp_path, range(1), "x")
    assert is_kept(tmp_path, 0)


def test_the_databases_of_older_versions_are_deleted(tmp_path: Path) -> None:
    older = [tmp_path / f"verdicts-{layout}.sqlite{end}" for layout in (1, LAYOUT - 1) for end in ("", "-wal")]
    others = [tmp_path / f"verdicts-{LAYOUT + 1}.sqlite", tmp_path / "names.sqlite"]
    for file in older + others:
        file.write_bytes(b"x")
    write(tmp_path, range(3), "x")
    assert [file for file in older if file.exists()] == []
    assert all(file.exists() for file in others)


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
        results = """SELECT count(*) FROM verdicts WHERE report LIKE '{"day"%'"""
        assert database.execute(results).fetchone() == (1,)
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


NO_FOLDER = {"TRIALRUN_CACHE_DIR": "", "XDG_CACHE_HOME": ""}


@pytest.mark.parametrize(
    "environment",
    [
        {"HOME": "/proc", **NO_FOLDER},
        {"HOME": "/dev/null", **NO_FOLDER},
        {"TRIALRUN_CACHE_DIR": "/dev/null/cache"},
        {"TRIALRUN_CACHE_DIR": "/dev/full"},
    ],
)
def test_a_store_that_cannot_be_written_is_as_good_as_none(
    run: Run, tmp_path: Path, environment: dict[str, str]
) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    assert checked(run, **environment) == ["cron-syntax"]
