"""A baseline: what it has is not told, whatever moves; it grows only on demand and never loses what may be there."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import Run, own_environment, view

BAD = "0 25 * * *"
LABELS = "labels: {Bad: x, Worse: y}\n"


def told(run: Run, *arguments: str) -> list[str]:
    ran = run("check", "--output-format", "concise", *arguments)
    assert ran.err == ""
    return [line.split()[2] for line in ran.out.splitlines() if re.match(r"\S+:\d+:\d+: ", line)]


@pytest.fixture
def old(run: Run, tmp_path: Path) -> Path:
    """A workspace with findings, all of them in its baseline."""
    file = tmp_path / "view.yaml"
    file.write_text(view(cron=BAD) + LABELS)
    assert run("baseline", "write", "base.json").out == "3 findings written to base.json\n"
    assert told(run, "--baseline", "base.json") == []
    return file


def test_the_summary_counts_what_it_has(run: Run, old: Path) -> None:
    assert "3 in the baseline" in run("check", "--baseline", "base.json").out
    counted = json.loads(run("check", "--baseline", "base.json", "--output-format", "json").out)["summary"]
    assert (counted["errors"], counted["baselined"]) == (0, 3)


LINES = (view(cron=BAD) + LABELS).splitlines()
MOVED = {
    "lines above": "# more\n\n" + view(cron=BAD) + LABELS,
    "a block moved": LABELS + view(cron=BAD),
    "a document before": view("other") + "---\n" + view(cron=BAD) + LABELS,
    "an item more": view(cron=BAD) + LABELS.replace("{Bad: x, ", "{fine: z, Bad: x, "),
    "another mistake of the rule": view(cron="0 26 * * *") + LABELS,
    "into a list": "\n".join(["- kind: Menu", f"- {LINES[0]}", *(f"  {line}" for line in LINES[1:])]),
}


@pytest.mark.parametrize("text", MOVED.values(), ids=MOVED)
def test_what_moves_is_known(run: Run, old: Path, text: str) -> None:
    old.write_text(text)
    assert told(run, "--baseline", "base.json") == []
    old.rename(old.with_name("other.yaml"))
    assert told(run, "--baseline", "base.json") == []


def test_it_is_the_same_wherever_it_is_made(run: Run, old: Path, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('baseline = "base.json"\n')
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "other.yaml").write_text(view("other", cron=BAD))
    run("baseline", "write", "--grow")
    before = (tmp_path / "base.json").read_text()
    (tmp_path / "base.json").unlink()
    run("baseline", "write", cwd=tmp_path / "sub")
    assert (tmp_path / "base.json").read_text() == before
    old.write_text("kind: FeatureView\nlabels: [\n")
    assert run("baseline", "prune", cwd=tmp_path / "sub").out == "0 findings removed from ../base.json, 4 left\n"


def test_an_editor_may_save_it_with_a_byte_order_mark(run: Run, old: Path, tmp_path: Path) -> None:
    text = (tmp_path / "base.json").read_text()
    (tmp_path / "base.json").write_text(f"\ufeff{text}", newline="\r\n")
    assert told(run, "--baseline", "base.json") == []


def test_what_is_new_is_told(run: Run, old: Path) -> None:
    old.write_text(view(cron=BAD) + LABELS.replace("}", ", Worst: z}"))
    assert told(run, "--baseline", "base.json") == ["invalid-label"]


def test_the_working_directory_does_not_matter(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('baseline = "base.json"\n')
    (tmp_path / "below").mkdir()
    (tmp_path / "below" / "view.yaml").write_text(view(cron=BAD).replace("name:", "# name:"))
    assert run("baseline", "write").out == "2 findings written to base.json\n"
    assert "2 in the baseline" in run("check", cwd=tmp_path / "below").out


def test_the_settings_may_name_it(run: Run, old: Path, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('baseline = "base.json"\n')
    assert told(run) == []
    assert len(told(run, "--isolated")) == 3
    assert run("baseline", "prune").out == "0 findings removed from base.json, 3 left\n"


def test_it_loses_what_is_gone(run: Run, old: Path, tmp_path: Path) -> None:
    old.write_text(view() + LABELS)
    assert run("baseline", "prune", "--baseline", "base.json").out == "1 finding removed from base.json, 2 left\n"
    old.write_text(view(cron=BAD) + LABELS)
    assert told(run, "--baseline", "base.json") == ["cron-syntax"]


@pytest.mark.parametrize("option", ["--select=invalid-label", "--ignore=cron-syntax"])
def test_it_loses_nothing_of_rules_that_did_not_run(run: Run, old: Path, option: str) -> None:
    old.write_text(view() + "labels: {Bad: x}\n")
    assert run("baseline", "prune", option, "base.json").out == "1 finding removed from base.json, 2 left\n"


def test_it_loses_nothing_of_a_file_that_is_broken_for_the_moment(run: Run, old: Path) -> None:
    old.write_text("kind: FeatureView\nname: [\n")
    assert run("baseline", "prune", "base.json").out == "0 findings removed from base.json, 3 left\n"


def test_it_grows_only_on_demand(run: Run, old: Path, tmp_path: Path) -> None:
    before = (tmp_path / "base.json").read_bytes()
    (tmp_path / "new.yaml").write_text(view("new", cron=BAD))
    ran = run("baseline", "write", "base.json")
    assert ran.code == 2
    assert ran.err == "error: 1 finding is not in base.json; fix it, or use --grow to accept more\n"
    assert (tmp_path / "base.json").read_bytes() == before
    assert run("baseline", "write", "base.json", "--grow").out == "4 findings written to base.json\n"


def test_it_is_written_the_same_every_time_a_line_for_each(run: Run, old: Path, tmp_path: Path) -> None:
    before = (tmp_path / "base.json").read_text()
    run("baseline", "write", "base.json")
    assert (tmp_path / "base.json").read_text() == before
    assert before.count("\n") == 3 + 2
    old.unlink()
    run("baseline", "write", "base.json")
    assert (tmp_path / "base.json").read_text() == '{"version": 1, "findings": [\n]}\n'


WRONG = [
    ("[]", 'base.json is not a baseline: it has no list of "findings"'),
    ("{", "base.json is not a baseline: it is not JSON: "),
    ('{"version": 9, "findings": []}', "its version is 9; this trialrun reads version 1"),
    ('{"version": 1, "findings": [{"rule": "a"}]}', "finding 1 has no fingerprint"),
    ("[" * 100_000, "it is not JSON"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=["list", "half", "version", "entry", "deep"])
def test_what_is_no_baseline(run: Run, tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "base.json").write_text(text)
    ran = run("check", "--baseline", "base.json")
    assert ran.code == 2
    assert message in ran.err


def test_none_is_there(run: Run) -> None:
    ran = run("check", "--baseline", "none.json")
    assert (ran.code, ran.err) == (
        2,
        "error: there is no baseline none.json; write it with trialrun baseline write none.json\n",
    )


def test_a_rule_that_fails_is_told_of_the_file_as_seen_from_the_folder(tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text("")
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "view.yaml").write_text(view(cron=BAD))
    code = """
import sys
from trialrun.lint import registry
rule = registry.load("cron-rare")
def broken(sync):
    raise ZeroDivisionError("planted")
    yield
broken.__rule__ = rule.checks[0].__rule__
object.__setattr__(rule, "checks", (broken,))
sys.argv = ["trialrun", "baseline", "write"]
from trialrun.cli import run
run()
"""
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path / "sub",
        env=own_environment(tmp_path),
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr.decode().partition(":")[0]) == (3, "view.yaml")
