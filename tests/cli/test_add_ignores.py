"""`check --add-ignores`: after it a check finds nothing, and nothing but suppressions has changed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.program import Run, view
from trialrun.parser import parse

FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
BROKEN = view(cron="0 25 * * *")
JSON = json.dumps({"kind": "Menu", "name": "m", "items": [{"name": "Fries", "prise": 3}, {"name": "Fries"}]})
REASON = "known before the gate"


def findings(run: Run, *arguments: str, **options: Any) -> list[tuple[str, str]]:
    report = json.loads(run("check", "--output-format", "json", *arguments, **options).out)
    return [(diagnostic["path"], diagnostic["rule"]) for diagnostic in report["diagnostics"]]


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file() and ".trialrun" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_a_comment_for_a_finding(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    ran = run("check", "--add-ignores", REASON, "--until", "2999-01-31")
    assert (ran.code, ran.out) == (0, "1 file checked, nothing found (1 suppressed)\n")
    assert ran.err == "suppressed 1 finding by changes in 1 file\n"
    added = f"25 * * *  # trialrun: ignore[cron-syntax] until=2999-01-31 {REASON}\n"
    assert (tmp_path / "view.yaml").read_text() == BROKEN.replace("25 * * *\n", added)


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("workspaces/noodle-bars", ""),
        ("invalid", "document-*"),
        pytest.param("workspaces/burger-brand", "", marks=pytest.mark.exhaustive),
        pytest.param("invalid", "", marks=pytest.mark.exhaustive),
    ],
)
def test_a_workspace_is_clean_afterwards(run: Run, tmp_path: Path, name: str, left_out: str) -> None:
    shop = shutil.copytree(FIXTURES / name, tmp_path / "shop", ignore=shutil.ignore_patterns(left_out))
    before = contents(shop)
    run("check", "--add-ignores", REASON, cwd=shop)
    assert {rule for _, rule in findings(run, cwd=shop)} <= {"syntax-error", "encoding-error"}
    after = contents(shop)
    for path, data in before.items():
        if path.endswith((".yaml", ".json")):
            values = [[document.value for document in parse(text, path).documents] for text in (data, after[path])]
            assert values[0] == values[1]
        elif path != "trialrun.toml":
            assert data == after[path]
    run("check", "--add-ignores", REASON, cwd=shop)
    assert contents(shop) == after


def test_json_gets_tables(run: Run, tmp_path: Path) -> None:
    (tmp_path / "menu.json").write_text(JSON)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "menu.json").write_text(JSON.replace('"m"', '"n"').replace(', {"name": "Fries"}', ""))
    assert run("check", "menu.json", "--add-ignores", REASON, "--until", "2999-01-31").code == 0
    tables = tomllib.loads((tmp_path / "trialrun.toml").read_text())["suppress"]
    assert [(table["path"], table["rule"]) for table in tables] == [
        ("/menu.json", "unknown-field"),
        ("/menu.json", "duplicate-item"),
    ]
    assert {(table["reason"], str(table["until"])) for table in tables} == {(REASON, "2999-01-31")}
    assert findings(run, "menu.json") == []
    assert findings(run, "sub/menu.json") == [("sub/menu.json", "unknown-field")]
    assert (tmp_path / "menu.json").read_text() == JSON


def test_tables_go_to_the_settings_that_apply(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.trialrun]\n")
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "trialrun.toml").write_bytes(b'edition = "2026.5"\r\n')
    for folder in ("", "team"):
        (tmp_path / folder / "menu.json").write_text(JSON)
    assert run("check", "--add-ignores", REASON).code == 0
    assert len(tomllib.loads((tmp_path / "pyproject.toml").read_text())["tool"]["trialrun"]["suppress"]) == 2
    assert (tmp_path / "team" / "trialrun.toml").read_bytes().startswith(b'edition = "2026.5"\r\n\r\n[[suppress]]\r\n')
    assert findings(run) == []


def test_only_selected_rules_are_suppressed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "menu.yaml").write_text("kind: Menu\nname: m\nitems:\n  - {name: Fries, prise: 3}\n  - {name: Fries}\n")
    assert run("check", "--select", "unknown-field", "--add-ignores", REASON).code == 0
    assert findings(run) == [("menu.yaml", "duplicate-item")]
    assert run("check", "--ignore", "duplicate-item", "--add-ignores", REASON).err == "nothing to suppress\n"


def test_findings_of_a_baseline_stay_there(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    run("baseline", "write")
    (tmp_path / "other.yaml").write_text(view("w", cron="0 26 * * *"))
    assert run("check", "--baseline", "trialrun-baseline.json", "--add-ignores", REASON).code == 0
    assert (tmp_path / "view.yaml").read_text() == BROKEN
    assert "ignore[cron-syntax]" in (tmp_path / "other.yaml").read_text()


def test_findings_of_a_branch_alone(run: Run, tmp_path: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=n", "-c", "user.email=e@example.com")
        subprocess.run(["git", *identity, *words], cwd=tmp_path, check=True, capture_output=True)

    git("init", "--quiet")
    (tmp_path / "view.yaml").write_text(BROKEN)
    git("add", ".")
    git("commit", "--quiet", "-m", "first")
    (tmp_path / "other.yaml").write_text(view("w", cron="0 26 * * *"))
    assert run("check", "--since", "HEAD", "--add-ignores", REASON).code == 0
    assert findings(run) == [("view.yaml", "cron-syntax")]


def test_what_cannot_be_read_is_left(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view().replace("cron: ", "cron: *"))
    before = contents(tmp_path)
    ran = run("check", "--add-ignores", REASON)
    assert ran.code == 1
    assert "finding of syntax-error not suppressed: parts of the file are not read; fix it" in ran.err
    assert contents(tmp_path) == before


def test_bytes_that_are_no_text_are_left(run: Run, tmp_path: Path) -> None:
    (tmp_path / "menu.yaml").write_bytes(b"kind: Menu\nname: m\nitems: [{name: Fries, prise: 3}] # \xff\n")
    before = contents(tmp_path)
    ran = run("check", "--add-ignores", REASON)
    assert ran.code == 1
    assert "unknown-field not suppressed: the file has invalid bytes or characters; fix these first" in ran.err
    assert contents(tmp_path) == before


def test_an_expired_suppression_is_left(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(
        BROKEN.replace("* * *\n", "* * *  # trialrun: ignore[cron-syntax] until=2020-01-31 old\n")
    )
    ran = run("check", "--add-ignores", REASON)
    assert ran.code == 1
    assert ran.err.endswith("note: 1 finding of expired-suppression not suppressed: it cannot be suppressed\n")
    assert findings(run) == [("view.yaml", "expired-suppression")]


def test_a_suppression_without_reason_is_explained(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN.replace("* * *\n", "* * *  # trialrun: ignore[cron-syntax]\n"))
    assert (
        run("check", "--select", "all", "--ignore", "missing-etag,implicit-time-zone", "--add-ignores", REASON).code
        == 0
    )
    assert findings(run, "--select", "unexplained-suppression,cron-syntax") == []


def test_a_place_where_a_comment_covers_nothing_gets_a_table(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(text := f"{view()}# trialrun: ignore[cron-syntax] nothing is below\n")
    assert run("check", "--add-ignores", REASON).code == 0
    assert (tmp_path / "view.yaml").read_text() == text
    assert tomllib.loads((tmp_path / "trialrun.toml").read_text())["suppress"][0]["rule"] == "unused-suppression"
    assert findings(run) == []


def test_a_diff_writes_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    (tmp_path / "menu.json").write_text(JSON)
    before = contents(tmp_path)
    ran = run("check", "--diff", "--add-ignores", REASON)
    assert ran.code == 1
    assert contents(tmp_path) == before
    assert "+  cron: 0 25 * * *  # trialrun: ignore[cron-syntax]" in ran.out
    assert "+++ b/trialrun.toml\n" in ran.out
    subprocess.run(["git", "apply", "-"], input=ran.out.encode(), cwd=tmp_path, check=True)
    assert findings(run) == []


def test_an_encoding_stays(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_bytes(BROKEN.encode("utf-16"))
    assert run("check", "--add-ignores", REASON).code == 0
    assert "ignore[cron-syntax]" in (tmp_path / "view.yaml").read_bytes().decode("utf-16")


def test_a_link_that_leads_out_is_not_written(run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(BROKEN)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "view.yaml").symlink_to(outside)
    assert run("check", "--add-ignores", REASON, cwd=tmp_path / "shop").code == 1
    assert outside.read_text() == BROKEN


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="everybody may write here")
def test_a_file_that_may_not_be_written_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    (tmp_path / "view.yaml").chmod(0o444)
    ran = run("check", "--add-ignores", REASON)
    assert ran.code == 2
    assert "error: view.yaml was not changed: it is read-only" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--until", "2999-01-31"], "--until is the last day of new suppressions; give their reason by --add-ignores"),
        (["--add-ignores", ""], "--add-ignores: the reason is empty; say why the findings are accepted"),
        (["--add-ignores", "<reason>"], "--add-ignores: the reason is empty; say why the findings are accepted"),
        (["--add-ignores", "a\nb"], "--add-ignores: the reason has to be one line of printable characters"),
        (["--add-ignores", "see # no"], '--add-ignores: a comment ends at " # "; write the reason without it'),
        (["--add-ignores", "a until=2999-01-31"], "--add-ignores: the reason contains a date; give it by --until"),
        (["--add-ignores", "a", "--until", "soon"], '--until: "soon" is not a date; write it as 2027-01-31'),
        (["--add-ignores", "a", "--until", "2020-01-31"], "--until: 2020-01-31 is over; name a day to come"),
        (["--add-ignores", "a", "--fix"], "--add-ignores cannot be combined with --fix; run check --fix first"),
        (["--add-ignores", "a", "--unsafe-fixes"], "--add-ignores cannot be combined with --unsafe-fixes; run"),
        (["--add-ignores", "a", "--watch"], "--add-ignores cannot be combined with --watch; files are not changed"),
        (["--add-ignores", "a", "--show-files"], "--add-ignores cannot be combined with --show-files; it checks"),
        (["--add-ignores", "a", "--isolated"], "--add-ignores cannot be combined with --isolated; suppressions in"),
        (["--add-ignores", "a", "-"], "--add-ignores writes files; name them instead of standard input"),
        (["--add-ignores", "a", "--diff", "--output-format", "json"], "--diff uses standard output; write the report"),
        (["--add-ignores", "a", "gone.yaml"], "there is no file or folder gone.yaml"),
    ],
)
def test_wrong_usage(run: Run, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    ran = run("check", *words, stdin=b"")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {message}")
    assert (tmp_path / "view.yaml").read_text() == BROKEN


def test_an_owner_may_be_named(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    assert run("check", "--add-ignores", "owner=search see #12").code == 0
    assert "search" in run("suppressions").out


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text")
def test_a_file_whose_name_is_not_utf_8_gets_no_table(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('edition = "2026.5"\n', encoding="utf-8")
    document = b'{"kind": "Menu", "name": "m", "items": [{"name": "Fries", "prise": 3}]}'
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.json")).write_bytes(document)
    ran = run("check", "--add-ignores", "known before")
    assert "1 finding of unknown-field not suppressed: neither a comment nor a table" in ran.err
    assert ran.code == 1
