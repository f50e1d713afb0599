"""What is kept of a workspace is what a fresh check finds, to the byte, after any edits, without reading it again."""

import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from unittest.mock import patch

import pytest

from benchmarks.brands import brand
from benchmarks.corpus import corpus, write
from tests.cases import first_of, number_of_cases
from tests.program import Run, view
from trialrun.lint import registry
from trialrun.lint.workspace_rules import READ_TABLES
from trialrun.workspace import walk
from trialrun.workspace.cache_store import LAYOUT, row_digest
from trialrun.workspace.result_cache import ResultCache

WORKSPACES = Path(__file__).parents[2] / "fixtures/workspaces"
SCHEMA = "kind: SessionSchema\nname: s\ntypes: {Order: {total: double}}\nvariables: {order: Order}\n"
SETTINGS = '[severity]\ncron-syntax = "note"\n[[overrides]]\npaths = ["*a*"]\nignore = ["sync-herd"]\n'
EDITS_OF_A_WORKSPACE = number_of_cases(12, 4)


def report(run: Run, *words: str, **environment: str) -> str:
    ran = run("check", "--output-format", "json", *words, **environment)
    assert ran.err == ""
    return ran.out


def same(run: Run, *words: str) -> str:
    kept = report(run, *words)
    assert kept == report(run, "--no-cache", *words)
    return kept


def rules(output: str) -> list[str]:
    return [diagnostic["rule"] for diagnostic in json.loads(output)["diagnostics"]]


@pytest.fixture
def tick(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], None]:
    """Waits until the clock of the file system shows another time, so that what changes then has another stamp."""
    monkeypatch.setattr(walk, "CLOCK_RESOLUTION", 0)
    probe = tmp_path.parent / f"{tmp_path.name}-probe"

    def wait() -> None:
        probe.write_text("")
        before = probe.stat().st_ctime_ns
        while probe.stat().st_ctime_ns == before:
            probe.write_text("")

    return wait


# ---- edits


def edit(folder: Path, dice: random.Random) -> None:
    """Change the workspace as people and programs do."""
    files = sorted(file for file in folder.rglob("*.yaml") if file.is_file() and ".git" not in file.parts)
    file, other = dice.choice(files), dice.choice(files)
    dice.choice((_comment, _number, _swap, _copy, _remove, _move, _line, _break, _schema, _settings, _link, _touch))(
        file, other, dice
    )


def _comment(file: Path, _: Path, dice: random.Random) -> None:
    file.write_bytes(b"# a line above\n" * dice.randint(1, 3) + file.read_bytes())


def _number(file: Path, _: Path, dice: random.Random) -> None:
    """Another digit: the size stays, and so does the time of the last change that programs may set."""
    data, status = file.read_bytes(), file.stat()
    if places := [match.start() for match in re.finditer(rb"\d", data)]:
        at = dice.choice(places)
        file.write_bytes(data[:at] + b"%d" % dice.randint(0, 9) + data[at + 1 :])
        os.utime(file, ns=(status.st_atime_ns, status.st_mtime_ns))


def _swap(file: Path, other: Path, _: random.Random) -> None:
    middle = file.with_name("middle")
    file.rename(middle)
    if other.exists():
        other.rename(file)
    middle.rename(other)


def _copy(file: Path, _: Path, dice: random.Random) -> None:
    shutil.copy2(file, file.with_name(f"copy-{dice.randint(0, 99)}.yaml"))


def _remove(file: Path, _: Path, __: random.Random) -> None:
    file.unlink()


def _move(file: Path, other: Path, dice: random.Random) -> None:
    file.rename(other.with_name(f"moved-{dice.randint(0, 99)}.yaml"))


def _line(file: Path, _: Path, dice: random.Random) -> None:
    lines = file.read_bytes().splitlines(keepends=True)
    del lines[dice.randrange(len(lines) or 1) :][:1]
    file.write_bytes(b"".join(lines))


def _break(file: Path, _: Path, dice: random.Random) -> None:
    data = file.read_bytes()
    at = dice.randrange(len(data) + 1)
    file.write_bytes(data[:at] + dice.choice((b'"', b"\t", b"]", b": ", b"\xff")) + data[at:])


def _schema(file: Path, _: Path, dice: random.Random) -> None:
    file.with_name("session.yaml").write_text(SCHEMA.replace("total", dice.choice(("total", "sum", "TOTAL"))))


def _settings(file: Path, _: Path, dice: random.Random) -> None:
    top = next(folder for folder in file.parents if (folder / ".top").exists())
    (top / "trialrun.toml").write_text(SETTINGS.replace("note", dice.choice(("note", "warning"))))


def _link(file: Path, other: Path, dice: random.Random) -> None:
    link = other.with_name(f"link-{dice.randint(0, 9)}.yaml")
    link.unlink(missing_ok=True)
    link.symlink_to(file)


def _touch(file: Path, _: Path, __: random.Random) -> None:
    file.touch()


def _write_example(folder: Path, name: str) -> None:
    shutil.copytree(WORKSPACES / name, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".trialrun"))


CONTENTS: dict[str, Callable[[Path], object]] = {
    "corpus": lambda folder: write(folder, corpus(25, seed=3)),
    "brand": lambda folder: write(folder, brand(14, 20, seed=1)),
    "burger-brand": lambda folder: _write_example(folder, "burger-brand"),
    "noodle-bars": lambda folder: _write_example(folder, "noodle-bars"),
}


@pytest.mark.generated
@pytest.mark.parametrize("content", [*CONTENTS])
@pytest.mark.parametrize("seed", range(number_of_cases(8)))
def test_after_any_edits_the_kept_report_is_the_fresh_one(
    run: Run, tmp_path: Path, tick: Callable[[], None], content: str, seed: int
) -> None:
    CONTENTS[content](tmp_path)
    (tmp_path / ".top").touch()
    dice = random.Random(f"{content} {seed}")
    for _ in range(EDITS_OF_A_WORKSPACE):
        tick()
        fresh = report(run, "--no-cache")
        assert [report(run), report(run)] == [fresh, fresh]
        for _ in range(dice.choice((1, 1, 1, 3))):
            edit(tmp_path, dice)


@pytest.mark.parametrize("content", first_of(["burger-brand", "brand"]))
def test_what_a_change_introduced_is_the_same_where_its_findings_are_kept(
    run: Run, tmp_path: Path, tick: Callable[[], None], content: str
) -> None:
    CONTENTS[content](tmp_path)
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "a"]):
        subprocess.run(["git", *words], cwd=tmp_path, check=True)
    dice = random.Random(content)
    for _ in range(5):
        edit(tmp_path, dice)
        tick()
        fresh = report(run, "--since", "HEAD", "--no-cache")
        assert [report(run, "--since", "HEAD"), report(run, "--since", "HEAD")] == [fresh, fresh]


# ---- single cases


def planted(tmp_path: Path, of: str, text: str, other: str) -> int:
    """Put another text into the rows that begin in a way; the number of rows."""
    store = tmp_path.parent / f"{tmp_path.name}-cache" / f"verdicts-{LAYOUT}.sqlite"
    with closing(sqlite3.connect(store)) as database, database:
        rows = database.execute("SELECT key, report FROM verdicts WHERE report LIKE ?", (f"{of}%",)).fetchall()
        rows = [(key, row.replace(text, other)) for key, row in rows if text in row]
        for key, row in rows:
            database.execute(
                "UPDATE verdicts SET report = ?, digest = ? WHERE key = ?", (row, row_digest(key, row), key)
            )
    return len(rows)


def test_what_has_not_changed_is_not_read_again(run: Run, tmp_path: Path, tick: Callable[[], None]) -> None:
    (tmp_path / "a.yaml").write_text(view())
    (tmp_path / "b.yaml").write_text(view())
    tick()
    assert rules(same(run)) == ["duplicate-resource-name"]
    assert planted(tmp_path, '{"terms"', "duplicate-resource-name", "planted") == 1
    assert rules(report(run)) == ["planted"]
    (tmp_path / "c.yaml").write_text(view("other"))
    assert rules(report(run)) == ["duplicate-resource-name"]


def test_facts_that_leave_the_cache_during_a_check_are_read_from_the_files(
    run: Run, tmp_path: Path, tick: Callable[[], None]
) -> None:
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(view())
    tick()
    same(run)
    (tmp_path / "c.yaml").write_text(view("other"))
    with patch.object(ResultCache, "fact_lines", return_value={}) as read:
        kept = report(run)
    assert read.called
    assert rules(kept) == ["duplicate-resource-name"]
    assert kept == report(run, "--no-cache")


def test_a_rule_runs_again_only_where_its_facts_have_changed(
    run: Run, tmp_path: Path, tick: Callable[[], None]
) -> None:
    for name, text in (("a", view()), ("b", view()), ("other", view("other"))):
        (tmp_path / f"{name}.yaml").write_text(text)
    tick()
    same(run)
    assert planted(tmp_path, '{"findings"', "duplicate-resource-name", "planted") == 1
    (tmp_path / "other.yaml").write_text(view("other", cron="15 3 * * *"))
    assert rules(report(run)) == ["planted"]
    (tmp_path / "b.yaml").write_text("# the finding is a line further down\n" + view())
    assert rules(same(run)) == ["duplicate-resource-name"]


@pytest.mark.parametrize(("seconds", "is_known"), [(0, False), (1, False), (3, True)])
def test_a_file_is_known_by_its_stamp_once_the_clock_has_moved_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seconds: int, is_known: bool
) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(view())
    os.utime(file, ns=(0, 0))  # the time of the change of its status stays that of now
    now = file.stat().st_ctime_ns + seconds * 1_000_000_000
    monkeypatch.setattr(walk.time, "time_ns", lambda: now)
    assert (walk.stamp_of(file.stat()) is not None) == is_known


def test_a_file_that_has_just_changed_is_read_although_it_looks_the_same(run: Run, tmp_path: Path) -> None:
    for hour in ("3", "33", "4", "44"):
        (tmp_path / "a.yaml").write_text(view(cron=f"'0 {hour} * * *'".ljust(16)))
        os.utime(tmp_path / "a.yaml", ns=(0, 0))
        assert rules(same(run)) == ([] if len(hour) == 1 else ["cron-syntax"])


def test_a_tracked_folder_that_becomes_a_link_to_the_outside_is_not_known(
    run: Run, tmp_path: Path, tick: Callable[[], None]
) -> None:
    inside, outside = tmp_path / "inside", tmp_path.parent / f"{tmp_path.name}-outside"
    inside.mkdir()
    (inside / "a.yaml").write_text(view())
    for words in (["init", "--quiet"], ["add", "--all"]):
        subprocess.run(["git", "-C", tmp_path, *words], check=True)
    tick()
    assert rules(same(run)) == []
    inside.rename(outside)
    inside.symlink_to(outside)
    assert rules(same(run)) == ["unreadable-file"]


def test_facts_that_the_cache_has_lost_are_gathered_again(run: Run, tmp_path: Path, tick: Callable[[], None]) -> None:
    for name in "ab":
        (tmp_path / f"{name}.yaml").write_text(f"# {name}\n{view()}")
    tick()
    same(run)
    assert planted(tmp_path, '{"day"', '"rules": {', '"rules": {}, "gone": {') == 2
    (tmp_path / "c.yaml").write_text(view("c"))
    assert rules(same(run)) == ["duplicate-resource-name"]


def test_rules_that_read_tables_are_named() -> None:
    reading = {
        rule.id
        for rule in registry.everything()
        if any(kind.__name__ == "DeclaredSource" for kind in rule.fact_types.values())
    }
    assert reading == READ_TABLES


def test_what_only_terraform_knows_is_said_again(run: Run, tick: Callable[[], None], tmp_path: Path) -> None:
    (tmp_path / "main.tf").write_text('resource "google_vertex_ai_feature_online_store" "a" {\n  name = var.a\n}\n')
    tick()
    first = same(run)
    assert len(json.loads(first)["not_checked"]) == 1
    assert report(run) == first == report(run)
