"""`trialrun check` as a person or a pipeline runs it: what it takes, what it prints, how it ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.program import Run, own_environment, view

BROKEN = view(cron="0 25 * * *")


def test_a_clean_workspace(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    ran = run("check")
    assert (ran.code, ran.out, ran.err) == (0, "1 file checked, nothing found\n", "")


def test_an_empty_workspace(run: Run) -> None:
    ran = run("check")
    assert (ran.code, ran.err.count("\n")) == (0, 1)
    assert ran.err.startswith("note: there are no documents here; ")


def test_findings_end_with_one(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    ran = run("check", "--output-format", "concise")
    assert ran.code == 1
    assert ran.out.startswith("view.yaml:4:11: error cron-syntax hour 25 is outside 0-23")


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("note", 1)])
def test_fail_on(run: Run, tmp_path: Path, fail_on: str, code: int) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 0 13 * FRI"))
    assert run("check", "--fail-on", fail_on).code == code


def test_standard_input(run: Run) -> None:
    ran = run("check", "-", "--stdin-filename", "views/a.yaml", "--output-format", "concise", stdin=BROKEN.encode())
    assert ran.code == 1
    assert ran.out.startswith("views/a.yaml:4:11:")


def test_standard_input_shows_its_code_frame(run: Run) -> None:
    assert "4 |   cron: 0 25 * * *" in run("check", "-", stdin=BROKEN.encode()).out


def test_json_of_standard_input_by_its_name(run: Run) -> None:
    ran = run("check", "-", "--stdin-filename", "a.json", "--output-format", "json", stdin=b'{"kind": "FeatureView",}')
    assert [load["rule"] for load in json.loads(ran.out)["diagnostics"]] == ["syntax-error"]


def test_several_formats_in_one_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    ran = run("check", "--output-format", "json=out.json", "--output-format", "concise")
    assert ran.out.startswith("view.yaml:4:11:")
    assert json.loads((tmp_path / "out.json").read_text())["summary"]["errors"] == 1


def test_the_json_object_is_the_contract(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    told = json.loads(run("check", "--output-format", "json").out)
    assert told["version"] == 1
    assert told["summary"] == {
        "files": 1, "documents": 1, "passed_over": 0, "errors": 1, "warnings": 0, "notes": 0, "suppressed": 0,
    }  # fmt: skip
    found = told["diagnostics"][0]
    assert found["pointer"] == "/syncConfig/cron"
    assert found["range"] == {"start": {"line": 4, "column": 11}, "end": {"line": 4, "column": 13}}
    assert {"rule", "severity", "message", "path", "document", "related", "fix", "fingerprint"} < found.keys()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "nowhere.yaml"], "there is no file or folder nowhere.yaml"),
        (["check", "--select", "cron-sintax"], 'did you mean "cron-syntax"?'),
        (["check", "--output-format", "jsn"], 'did you mean "json"?'),
        (["check", "--output-format", "json", "--output-format", "text"], "only one format can go to standard output"),
        (["check", "--output-format", "json="], "json= has no file name"),
        (["check", "--at", "yesterday"], "--at"),
        (["check", "--stdin-filename", "a.yaml"], "needs the path -"),
        (["check", "--frobnicate"], "no such option"),
        (["chekc"], 'did you mean "check"?'),
        (["explain", "cron-sintax"], 'did you mean "cron-syntax"?'),
        (["schema", "FeatureVeiw"], 'did you mean "FeatureView"?'),
    ],
)
def test_wrong_usage_ends_with_two_and_says_what_to_do(run: Run, arguments: list[str], says: str) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert says in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("igonre = []", 'there is no setting "igonre"; did you mean "ignore"?'),
        ('ignore = ["cron-sintax"]', 'did you mean "cron-syntax"?'),
        ('[severity]\ncron-syntax = "fatal"', 'must be one of note, warning, error, off, not "fatal"'),
        ("[options]\nmin-sync-intervall = 1", 'did you mean "min-sync-interval"?'),
        ('[options]\nmin-sync-interval = "soon"', "min-sync-interval"),
        ('kinds = { "a/**" = "FeatureVeiw" }', 'did you mean "FeatureView"?'),
        ("ignore = [", "trialrun.toml"),
        ("ignore = " + "[" * 3000, "it nests too deeply"),
        ('exclude = ["out/", "!"]', ': exclude: "!" is not a valid .gitignore pattern'),
        ('ignore = "cron-syntax"', "ignore must be a list of strings"),
    ],
)
def test_wrong_settings_end_with_two_and_say_what_to_do(run: Run, tmp_path: Path, settings: str, says: str) -> None:
    (tmp_path / "trialrun.toml").write_text(settings)
    ran = run("check")
    assert ran.code == 2
    assert says in ran.err
    assert run("check", "--isolated").code == 0


def test_settings_in_pyproject(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    (tmp_path / "pyproject.toml").write_text('[tool.trialrun]\nignore = ["cron-syntax"]\n')
    assert run("check").code == 0
    assert run("check", "--isolated").code == 1


def test_a_kind_by_glob(run: Run, tmp_path: Path) -> None:
    (tmp_path / "views").mkdir()
    (tmp_path / "views" / "a.yaml").write_text("labels: {team: x}\n")
    (tmp_path / "trialrun.toml").write_text('kinds = { "views/**" = "FeatureView" }\n')
    ran = run("check", "views/a.yaml", "--output-format", "concise")
    assert "missing-name" in ran.out


def test_an_unreadable_file_is_a_finding(run: Run, tmp_path: Path) -> None:
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    ran = run("check", "loop.yaml", "--output-format", "concise")
    assert ran.code == 1
    assert "unreadable-file" in ran.out


def test_a_pipe_is_refused_as_its_bytes_come_once(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    ran = run("check", "pipe.yaml", "--output-format", "concise")
    assert ran.code == 1
    assert "unreadable-file the file cannot be read: it is not a regular file; pipe it to trialrun check -" in ran.out


def test_a_file_that_may_not_be_read_is_a_finding(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    (tmp_path / "view.yaml").chmod(0)
    if os.access(tmp_path / "view.yaml", os.R_OK):
        pytest.skip("everything is readable to this user")
    for paths in ([], ["."], ["view.yaml"]):
        told = json.loads(run("check", "--output-format", "json", *paths).out)["diagnostics"]
        assert [(diagnostic["rule"], diagnostic["path"]) for diagnostic in told] == [("unreadable-file", "view.yaml")]


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.yaml").write_text(view(f"v{number}", "0 25 * * *"))
    command = f"{sys.executable} -m trialrun check --output-format text | head -1"
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, env=own_environment(tmp_path), capture_output=True, check=False, timeout=120
    )
    assert done.stdout.startswith(b"error[cron-syntax]")
    assert done.stderr == b""


def test_ctrl_c_ends_with_130(tmp_path: Path) -> None:
    for number in range(400):
        (tmp_path / f"{number}.yaml").write_text(view(f"v{number}") + "# x\n" * 5000)
    with subprocess.Popen(
        [sys.executable, "-m", "trialrun", "check", "--no-cache"],
        cwd=tmp_path,
        env=own_environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode in (130, 0)
    assert b"Traceback" not in told


def test_statistics_count_by_rule(run: Run, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.yaml").write_text(view(f"v{number}", "0 25 * * *"))
    ran = run("check", "--statistics")
    assert ran.code == 1
    assert ran.out.splitlines()[1].split()[:3] == ["3", "error", "cron-syntax"]


def test_a_crashing_rule_is_one_finding_and_exit_three(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    code = """
import sys
from trialrun.lint import registry
rule = registry.load("cron-rare")
def broken(sync):
    raise ZeroDivisionError("planted")
    yield
broken.__rule__ = rule.checks[0].__rule__
object.__setattr__(rule, "checks", (broken,))
sys.argv = ["trialrun", "check", "--no-cache", "--output-format", "concise"]
from trialrun.cli import run
run()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=own_environment(tmp_path), capture_output=True, check=False
    )
    told = done.stdout.decode()
    assert done.returncode == 3, done.stderr
    assert "internal-error the rule cron-rare failed on this file (ZeroDivisionError: planted)" in told
    assert "cron-syntax" in told


def test_names_that_are_no_utf8(run: Run, tmp_path: Path) -> None:
    path = os.fsencode(tmp_path) + b"/\xff.yaml"
    with open(path, "w") as stream:
        stream.write(BROKEN)
    for output in ("text", "concise", "json"):
        assert run("check", "--output-format", output).code == 1


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00Z", "9998-06-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_the_clock_may_stand_at_an_end_of_the_calendar(run: Run, tmp_path: Path, at: str) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="CRON_TZ=America/New_York 30 2 * * *"))
    ran = run("check", "--at", at, "--output-format", "concise")
    assert (ran.code, "internal-error" in ran.out) == (0, False)
