"""`trialrun test`: a line for each scenario, failures at the line of the expectation, and what a program reads."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.example_workspace import copied, without_extra
from tests.program import Run, view, watched
from trialrun.runtime.scenario import runner

VIEW = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/guests
warehouseSource: {uri: "bq://p.d.guests", entityIdColumns: [guest_id]}
syncConfig: {cron: CRON_TZ=America/Chicago 15 4 * * *}
"""
PASSES = """\
---
kind: Scenario
name: Guests are synced every morning
clock: 2026-03-02T10:00:00Z
steps:
  - schedule: {view: guests, expect: {runs: [2026-03-02T10:15:00Z, 2026-03-03T04:15:00-06:00]}}
"""
FAILS = """\
---
kind: Scenario
name: Guests are synced at night
steps:
  - clock: 2026-03-02T10:00:00Z
    schedule:
      view: guests
      expect:
        runs:
          - 2026-03-02T22:15:00Z
          - 2026-03-03T04:15:00-06:00
  - schedule: {view: guests, expect: {runs: []}}
"""
FAILURE = """\
failed  Guests are synced at night
  --> guests.yaml:14:13
   |
14 |           - 2026-03-02T22:15:00Z
   |             ^^^^^^^^^^^^^^^^^^^^ got 2026-03-02T04:15:00-06:00
   |
   = expected: a run at 2026-03-02T22:15:00Z
   = trace: 2026-03-02T10:00:00Z schedule guests: 2026-03-02T04:15:00-06:00,
            2026-03-03T04:15:00-06:00

  --> guests.yaml:16:39
   |
16 |   - schedule: {view: guests, expect: {runs: []}}
   |                                       ^^^^ got 2026-03-02T04:15:00-06:00
   |
   = expected: no scheduled run
   = trace: 2026-03-02T10:00:00Z schedule guests: 2026-03-02T04:15:00-06:00

1 scenario: 1 failed
"""


def written(folder: Path, *parts: str, name: str = "guests.yaml") -> None:
    (folder / name).write_text("".join(parts))


def test_a_scenario_that_passes(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, PASSES)
    ran = run("test")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "passed  Guests are synced every morning\n\n1 scenario: 1 passed\n"


def test_every_failure_is_shown_at_its_expectation(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, FAILS)
    ran = run("test", COLUMNS="80")
    assert (ran.code, ran.err) == (1, "")
    assert ran.out == FAILURE


@pytest.mark.parametrize("columns", ["60", "40"])
def test_lines_are_as_wide_as_the_terminal(run: Run, tmp_path: Path, columns: str) -> None:
    written(tmp_path, VIEW, FAILS, PASSES)
    lines = run("test", "--coverage", COLUMNS=columns).out.splitlines()
    assert max(map(len, lines)) <= int(columns) + len("  --> ")  # places are never broken


def test_one_object_for_programs(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, PASSES, FAILS)
    ran = run("test", "--output-format", "json")
    assert ran.code == 1
    told = json.loads(ran.out)
    assert list(told) == ["version", "scenarios"]
    passed, failed = told["scenarios"]
    place = {"name": "Guests are synced every morning", "path": "guests.yaml", "line": 7}
    assert passed == {**place, "outcome": "passed", "failures": []}
    assert [failed["outcome"], [failure["line"] for failure in failed["failures"]]] == ["failed", [20, 22]]
    assert failed["failures"][0] == {
        "line": 20,
        "expected": "a run at 2026-03-02T22:15:00Z",
        "got": "2026-03-02T04:15:00-06:00",
        "trace": ["2026-03-02T10:00:00Z schedule guests: 2026-03-02T04:15:00-06:00, 2026-03-03T04:15:00-06:00"],
    }


def test_an_unknown_view_is_told_with_the_one_that_was_meant(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, PASSES.replace("view: guests", "view: gests"))
    ran = run("test", COLUMNS="120")
    assert ran.code == 1
    assert "10 |   - schedule: {view: gests" in ran.out
    assert ran.out.count('no view of the workspace is named "gests"; did you mean "guests"?') == 1
    written(tmp_path, 'ignore = ["unknown-view"]\n', name="trialrun.toml")
    ran = run("test")  # the scenario that is played tells it
    assert (ran.code, 'there is no view "gests"; did you mean "guests"?' in ran.out) == (1, True)


def test_no_scenario_is_told(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW)
    ran = run("test")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("error: there is no scenario in the workspace; write a document of kind: Scenario")
    assert run("test", "nowhere").err == "error: there is no file or folder nowhere\n"


def test_output_is_the_same_from_run_to_run_and_nothing_is_written(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, FAILS, PASSES)
    one, other = (run("test", "--coverage", "--output-format", "json", "--at", "2026-01-01") for _ in range(2))
    assert one == other
    assert [path.name for path in tmp_path.iterdir()] == ["guests.yaml"]


def test_what_the_linter_finds_is_an_error(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, PASSES.replace("expect: {", "expext: {"))
    ran = run("test")
    assert ran.code == 1
    assert ran.out.startswith("error   Guests are synced every morning\nerror[unknown-field]: ")
    assert 'did you mean "expect"?' in ran.out
    (one,) = json.loads(run("test", "--output-format", "json").out)["scenarios"]
    assert [failure["line"] for failure in one["failures"]] == [10]
    assert one["failures"][0]["got"].startswith("unknown-field: ")


def test_an_error_in_a_view_is_one_of_the_scenarios_that_name_it(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW.replace("15 4", "15 25"), name="view.yaml")
    written(tmp_path, PASSES, name="scenario.yaml")
    ran = run("test", "scenario.yaml", "--output-format", "json")
    assert ran.code == 1
    (one,) = json.loads(ran.out)["scenarios"]
    assert (one["path"], one["outcome"], one["failures"][0]["path"]) == ("scenario.yaml", "error", "view.yaml")


def test_the_clock_of_a_scenario_that_sets_none(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, PASSES.replace("clock: 2026-03-02T10:00:00Z\n", ""))
    assert run("test", "--at", "2026-03-02T10:00:00Z").code == 0
    assert run("test", "--at", "2026-03-02T10:15:00Z").code == 1


def test_scenarios_by_their_names(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, PASSES, FAILS)
    assert run("test", "-k", "EVERY").out.startswith("passed  Guests are synced every morning\n")
    ran = run("test", "-k", "noon")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == 'error: -k: none of the 2 scenarios in the workspace contains "noon" in its name or path\n'


def test_paths_choose_scenarios_and_the_whole_workspace_declares(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, FAILS)
    written(tmp_path, name="trialrun.toml")
    (tmp_path / "scenarios").mkdir()
    written(tmp_path / "scenarios", PASSES, name="morning.yaml")
    assert run("test", "scenarios").out == "passed  Guests are synced every morning\n\n1 scenario: 1 passed\n"


def test_coverage_names_what_no_scenario_exercises(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, PASSES)
    ran = run("test", "--coverage")
    assert ran.code == 0
    assert "0 of 1 views are synced, fetched, searched or written\n  s/guests  guests.yaml:2\n" in ran.out
    assert "1 of 1 cron schedules are checked\n" in ran.out


def test_a_junit_report(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, PASSES, FAILS)
    assert run("test", "--junit", "report.xml").code == 1
    text = (tmp_path / "report.xml").read_text()
    assert '<testsuite name="guests.yaml" file="guests.yaml" tests="2" failures="1" errors="0" skipped="0">' in text
    assert '<testcase name="Guests are synced every morning" classname="guests.yaml"/>' in text
    assert '<failure type="failed" message="guests.yaml:20:13: expected a run at 2026-03-02T22:15:00Z, got ' in text


ROWS = """\
---
kind: Scenario
name: {name}
clock: 2026-03-02T10:00:00Z
given: {{sources: [{{uri: "bq://p.d.guests", rows: [{{guest_id: g1, tier: gold, visits: 3}}]}}]}}
steps:
  - sync: {{view: guests, expect: {{new: {new}, served: [{{id: g1, values: {{tier: gold}}}}]}}}}
"""


def test_every_scenario_has_a_store_of_its_own(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, ROWS.format(name="one", new=1), ROWS.format(name="other", new=1))
    assert run("test").out == "passed  one\npassed  other\n\n2 scenarios: 2 passed\n"
    assert [path.name for path in tmp_path.iterdir()] == ["guests.yaml"]


def test_features_that_no_scenario_expects_are_named(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, ROWS.format(name="one", new=1))
    told = json.loads(run("test", "--coverage", "--output-format", "json").out)["coverage"]
    assert told["views"] == {"total": 1, "covered": 1, "missing": []}
    visits = {"name": "s/guests.visits", "path": "guests.yaml", "line": 2}
    assert told["features"] == {"total": 2, "covered": 1, "missing": [visits]}


def test_the_steps_after_a_failure_are_played(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later = "  - fetch: {view: guests, expect: {served: [{id: g1, values: {visits: 4}}]}}\n"
    written(tmp_path, VIEW, ROWS.format(name="one", new=2), later)
    (one,) = json.loads(run("test", "--output-format", "json").out)["scenarios"]
    assert [(failure["line"], failure["expected"], failure["got"]) for failure in one["failures"]] == [
        (11, "2 new", "1 new"),
        (12, "4", "3"),
    ]
    assert [len(failure["trace"]) for failure in one["failures"]] == [1, 2]
    monkeypatch.setattr(runner, "MAX_TRACE_LINES", 2)
    (one,) = json.loads(run("test", "--output-format", "json").out)["scenarios"]
    assert [len(failure["trace"]) for failure in one["failures"]] == [1, 0]


def test_the_settings_choose_for_scenarios_too(run: Run, tmp_path: Path) -> None:
    written(tmp_path, "[runtime]\ncron-semantics = 'vixie'\n", name="trialrun.toml")
    gap = """\
---
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/nightly
warehouseSource: {uri: "bq://p.d.guests", entityIdColumns: [guest_id]}
syncConfig: {cron: CRON_TZ=America/Chicago 30 2 * * *}
---
kind: Scenario
name: a run in a gap is made up for
clock: 2026-03-08T00:00:00Z
steps:
  - schedule: {view: nightly, expect: {runs: [2026-03-08T03:00:00-05:00]}}
"""
    written(tmp_path, gap, name="gap.yaml")
    assert run("test", "-k", "gap").code == 0
    assert run("test", "-k", "gap", "--isolated").code == 1


def test_a_time_that_is_none_is_an_error_also_where_its_rule_is_off(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, PASSES.replace("clock: 2026-03-02T10:00:00Z", "clock: noon"))
    written(tmp_path, "ignore = ['invalid-timestamp']", name="trialrun.toml")
    (one,) = json.loads(run("test", "--output-format", "json").out)["scenarios"]
    assert (one["outcome"], one["failures"][0]["line"]) == ("error", 8)
    assert one["failures"][0]["got"].startswith("'noon' is not an RFC 3339 time")


def test_scenarios_in_json(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW)
    expect = {"runs": ["2026-03-02T04:16:00-06:00"]}
    step = {"clock": "2026-03-02T10:00:00Z", "schedule": {"view": "guests", "expect": expect}}
    scenario = {"kind": "Scenario", "name": "in JSON", "steps": [step]}
    written(tmp_path, json.dumps(scenario, indent=1), name="scenario.json")
    ran = run("test")
    assert ran.code == 1
    assert "  --> scenario.json:11:7\n" in ran.out


def test_what_could_command_a_terminal_is_shown_as_an_escape(run: Run, tmp_path: Path) -> None:
    written(tmp_path, VIEW, FAILS.replace("Guests are synced at night", '"red \\e[31m"').replace("22:15", "22:16"))
    out = run("test").out + run("test", "--junit", "report.xml").out + (tmp_path / "report.xml").read_text()
    assert "\x1b" not in out
    assert "\\x1b[31m" in out


def test_without_the_extra_it_says_what_to_install_unless_only_schedules_are_asked_for(tmp_path: Path) -> None:
    copied(tmp_path)
    ran = without_extra(tmp_path, "test")
    why = "running scenarios with rows needs duckdb and numpy, which are not installed"
    said = f"error: {why}; run pip install 'trialrun[runtime]'\n"
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", said)
    (tmp_path / "scenarios" / "night.yaml").write_text(VIEW + PASSES)
    assert without_extra(tmp_path, "test", "scenarios/night.yaml").returncode == 0


def teams(folder: Path) -> None:
    """Two workspaces beside the one around them, each with a scenario of the same view under its own settings."""
    (folder / "trialrun.toml").write_text("")
    policy = "id: etag\non: FeatureView\ncheck: has(self.etag)\nseverity: error\nmessage: an etag is missing\n"
    for team, settings in {"team-a": "", "team-b": 'policies = ["rules"]\n'}.items():
        (folder / team / "rules").mkdir(parents=True)
        (folder / team / "rules" / "etag.yaml").write_text(policy)
        (folder / team / "trialrun.toml").write_text(settings)
        (folder / team / "guests.yaml").write_text(VIEW + PASSES)
    (folder / "team-aa.yaml").write_text(VIEW + PASSES.replace("Guests", "All guests"))


@pytest.mark.parametrize("paths", [[], ["."], ["team-b", "team-aa.yaml", "team-a"]])
def test_the_scenarios_of_several_workspaces_are_told_in_one_order(run: Run, tmp_path: Path, paths: list[str]) -> None:
    teams(tmp_path)
    told = json.loads(run("test", *paths, "--output-format=json").out)
    assert [(diagnostic["path"], diagnostic["outcome"]) for diagnostic in told["scenarios"]] == [
        ("team-a/guests.yaml", "passed"),
        ("team-aa.yaml", "passed"),
        ("team-b/guests.yaml", "error"),  # only its own settings want an etag
    ]
    assert run("test", *paths, "-k", "all guests").out.startswith("passed  All guests")


def test_scenarios_of_a_workspace_see_nothing_of_another(run: Run, tmp_path: Path) -> None:
    teams(tmp_path)
    (tmp_path / "team-b" / "guests.yaml").write_text(PASSES)
    told = json.loads(run("test", "--output-format=json").out)
    assert [diagnostic["outcome"] for diagnostic in told["scenarios"]] == ["passed", "passed", "error"]
    assert "2 of 2 cron schedules" in run("test", "--coverage").out


AT_THREE = """\
kind: Scenario
name: Synced at three
clock: 2026-03-02T10:00:00Z
steps:
  - schedule: {view: v, expect: {runs: [2026-03-03T03:00:00Z]}}
"""
Step = Callable[[], str]


@pytest.fixture
def step(tmp_path: Path) -> Iterator[Step]:
    """The output of a watched test up to where it waits for the next change."""
    (tmp_path / "trialrun.toml").touch()
    (tmp_path / "view.yaml").write_text(view())
    (tmp_path / "scenario.yaml").write_text(AT_THREE)
    with watched(tmp_path, "test", "--watch", "scenario.yaml") as output:
        yield output


def test_a_changed_view_is_tried_again(step: Step, tmp_path: Path) -> None:
    assert step() == "passed  Synced at three\n\n1 scenario: 1 passed\n"
    (tmp_path / "view.yaml").write_text(view(cron="0 4 * * *"))
    assert "got 2026-03-03T04:00:00Z" in step()
    (tmp_path / "scenario.yaml").write_text(AT_THREE.replace("T03", "T04"))
    assert step() == "passed  Synced at three\n\n1 scenario: 1 passed\n"
