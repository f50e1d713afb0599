"""What reports are told of rules."""

from __future__ import annotations

import json
from pathlib import Path

from tests.program import Run, view
from trialrun.diagnostic import Severity
from trialrun.outputs.report_run import rule_text


def test_the_text_of_a_rule() -> None:
    text = rule_text("cron-syntax")
    assert text is not None
    assert (text.group, text.severity, text.enabled) == ("feature_view", Severity.ERROR, True)
    assert text.summary.startswith("Schedule that is not a valid cron expression")
    assert text.why.startswith("A cron expression has five fields")
    assert "**Bad, as SyncConfig**" in text.markdown
    assert "\x1b" not in text.plain


def test_no_text_without_a_rule() -> None:
    assert rule_text("no-such-rule") is None


def test_sarif_helps_with_the_page(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    told = json.loads(run("check", "--output-format", "sarif", "--fail-on", "error").out)["runs"][0]
    (rule,) = told["tool"]["driver"]["rules"]
    text = rule_text("cron-syntax")
    assert text is not None
    assert rule["help"] == {"text": text.plain, "markdown": text.markdown}
    assert told["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]


def test_a_program_gets_every_finding_also_with_statistics(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    told = json.loads(run("check", "--statistics", "--output-format", "sarif").out)["runs"][0]
    assert [diagnostic["ruleId"] for diagnostic in told["results"]] == ["cron-syntax"]


def test_junit_has_a_case_for_every_file_that_was_looked_into(run: Run, tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text(view("w", cron="0 25 * * *"))
    (tmp_path / "sound.yaml").write_text(view())
    (tmp_path / "foreign.yaml").write_text("a: 1\n")
    told = run("check", "--output-format", "junit").out
    assert '<testsuites name="trialrun" tests="2" failures="1" errors="0">' in told
    assert '<testcase name="sound.yaml" classname="trialrun"/>' in told


def test_equal_findings_have_fingerprints_of_their_own(run: Run, tmp_path: Path) -> None:
    (tmp_path / "views.yaml").write_text("---\n".join([view(cron="0 25 * * *")] * 3))
    told = json.loads(run("check", "--output-format", "gitlab", "--select", "cron-syntax").out)
    assert len({diagnostic["fingerprint"] for diagnostic in told}) == len(told) == 3


def test_standard_input_has_its_columns_and_suggestions(run: Run) -> None:
    text = "\ufeff" + view(cron='"日 25 * * *"')
    told = json.loads(run("check", "-", "--output-format", "rdjson", stdin=text.encode()).out)["diagnostics"]
    assert {diagnostic["location"]["path"] for diagnostic in told} == {"stdin.yaml"}
    assert all("column" in diagnostic["location"]["range"]["start"] for diagnostic in told)
