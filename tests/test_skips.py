"""scripts/skips.py: what was skipped by accident, and what was expected to be skipped and was run."""

import re
from pathlib import Path

import pytest

from scripts import skips
from scripts.skips import ROOT, problems, read_rows

TABLE = """\
# run | when | reason
fast | without no-such-command | needs no-such-command; run .ci/servers
fast | without sh | needs sh; run .ci/package sh dash
fast | without tests/conftest.py | the tests are not at *
fast | without no_such.package | needs a package; run pip install '.[spark]'
fast | sometimes | needs luck
rest | without no-such-command | needs no-such-command; run .ci/servers
"""
SKIPPED = """\
=========================== short test summary info ============================
SKIPPED [2] tests/a.py:1: needs no-such-command; run .ci/servers
SKIPPED [1] tests/b.py:20: needs a package; run pip install '.[spark]'
"""


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("", []),
        ("SKIPPED [1] tests/c.py:3: needs luck\n", []),
        (
            "SKIPPED [1] tests/c.py:3: needs sh; run .ci/package sh dash\n",
            ["tests/c.py:3 was skipped, which is not expected here: needs sh; run .ci/package sh dash"],
        ),
        (
            "SKIPPED [1] tests/c.py:3: the tests are not at /x\n",
            ["tests/c.py:3 was skipped, which is not expected here: the tests are not at /x"],
        ),
        ("SKIPPED [1] tests/c.py:3: why\n", ["tests/c.py:3 was skipped, which is not expected here: why"]),
    ],
)
def test_a_skip_that_need_not_be_is_found(line: str, found: list[str]) -> None:
    assert [*problems(SKIPPED + line, TABLE, "fast")] == found


def test_an_expected_skip_that_is_missing_is_found_where_all_was_run() -> None:
    reason = "needs a package; run pip install '.[spark]'"
    missing = [f"nothing was skipped (without no_such.package), and .ci/skips.txt expects: {reason}"]
    output = SKIPPED.replace(reason, "needs luck")
    assert [*problems(output, TABLE, "fast")] == missing
    assert [*problems(output, TABLE, "fast", is_whole=False)] == []


def test_a_run_that_skipped_too_much_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "output").write_text("SKIPPED [1] tests/a.py:1: no reason\n1 skipped\n")
    assert skips.main("fast", str(tmp_path / "output"), "--some") == 1
    assert capsys.readouterr().err == ("skips: tests/a.py:1 was skipped, which is not expected here: no reason\n")


def test_the_list_says_how_to_get_what_is_missing() -> None:
    rows = [*read_rows((ROOT / ".ci" / "skips.txt").read_text(encoding="utf-8"))]
    assert {run for run, _, _ in rows} == {"fast", "rest"}
    commands = {pattern.partition("; run ")[2].split()[0] for _, _, pattern in rows if pattern.startswith("needs ")}
    assert commands == {
        "pip",
        ".ci/browser",
        ".ci/clients",
        ".ci/editors",
        ".ci/instructions",
        ".ci/package",
        ".ci/servers",
    }
    assert [command for command in commands if command != "pip" and not (ROOT / command).is_file()] == []


def test_no_test_is_skipped_for_want_of_a_program_without_saying_how_to_get_it() -> None:
    reasons = [
        reason
        for file in (ROOT / "tests").rglob("*.py")
        if file != Path(__file__)
        for reason in re.findall(r"(?:reason=|skip\()f?\"(needs [^\"]*)", file.read_text(encoding="utf-8"))
    ]
    assert reasons
    assert [reason for reason in reasons if "; run " not in reason] == []
