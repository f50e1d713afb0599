"""A kept verdict is the verdict of a fresh run, whatever changes in between."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from tests.program import CONDITION, Run, view
from trialrun.workspace.result_cache import LAYOUT, row_digest

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


def test_the_bytes_of_a_file_count(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "view.yaml"
    file.write_text(view())
    assert same_with_and_without_cache(run) == []
    file.write_text(view(cron="0 25 * * *"))
    assert [diagnostic["rule"] for diagnostic in same_with_and_without_cache(run)] == ["cron-syntax"]
    file.write_text(view())
    assert same_with_and_without_cache(run) == []


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


def test_another_file_counts_for_rules_across_files(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    assert same_with_and_without_cache(run) == []
    (tmp_path / "b.yaml").write_text(view())
    assert [diagnostic["path"] for diagnostic in same_with_and_without_cache(run)] == ["b.yaml"]
    (tmp_path / "a.yaml").unlink()
    assert same_with_and_without_cache(run) == []


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
    key, report = database.execute("SELECT key, report FROM verdicts").fetchone()
    kept = json.loads(report)
    where = [1, 1, 1, 2]
    kept["diagnostics"] = [["cron-syntax", 3, "planted", where, 0, "", None, [], None, "", "", None]]
    planted = json.dumps(kept)
    database.execute("UPDATE verdicts SET report = ?, digest = ?", (planted, row_digest(key, planted)))
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


def test_a_store_that_cannot_be_written_is_as_good_as_none(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    ran = run("check", TRIALRUN_CACHE_DIR="/dev/null/cache")
    assert (ran.code, ran.err) == (1, "")


def test_a_full_disk_loses_only_the_cache(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    ran = run("check", TRIALRUN_CACHE_DIR="/dev/full")
    assert (ran.code, ran.err) == (1, "")


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
