"""The rules as commands and reports speak of them, the parameters of policies, and what editions would report."""

import json
from pathlib import Path

import pytest

from tests.program import Run, view
from trialrun.diagnostic import Severity
from trialrun.lint import selection
from trialrun.outputs.report_run import rule_text

BRAND = """\
kind: Brand
name: acme
defaults: [projects/p/locations/l/brands/acme/channelConfigs/none]
"""


def test_what_would_be_new(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('edition = "2026.1"\n')
    (tmp_path / "brand.yaml").write_text(BRAND)
    assert run("check").code == 0
    ran = run("rules", "diff", "2026.2")
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "from edition 2026.1 to 2026.2"
    assert "  + unknown-channel-config  1 finding" in lines
    assert lines[-2].startswith("brand.yaml:3:12: error unknown-channel-config ")
    assert lines[-1] == "1 finding would be new"
    told = json.loads(run("rules", "diff", "2026.2", "--output-format", "json").out)
    assert (told["from"], told["to"], told["removed"]) == ("2026.1", "2026.2", [])
    assert sorted(selection.ADDED["2026.2"]) == told["added"]
    assert [(found["rule"], found["line"]) for found in told["diagnostics"]] == [("unknown-channel-config", 3)]
    (tmp_path / "trialrun.toml").write_text('edition = "2026.1"\nignore = ["unknown-channel-config"]\n')
    assert "unknown-channel-config" not in run("rules", "diff", "2026.2").out


def test_back_again_and_the_same_edition(run: Run) -> None:
    ran = run("rules", "diff", "2026.1")
    assert "  - sync-herd\n" in ran.out
    assert ran.out.endswith("0 findings would be new\n")
    assert run("rules", "diff", selection.NEWEST).out.splitlines()[1] == "  the same rules"


@pytest.mark.parametrize("edition", ["1999", ""])
def test_an_edition_that_there_is_not(run: Run, edition: str) -> None:
    ran = run("rules", "diff", edition)
    assert (ran.code, ran.err) == (
        2,
        f'error: there is no edition "{edition}"; use one of 2026.1, 2026.2, 2026.3, 2026.4, 2026.5\n',
    )


def test_every_rule_of_an_edition_exists() -> None:
    from trialrun.lint import registry

    assert set().union(*selection.ADDED.values()) <= set(registry.ids())


@pytest.mark.parametrize(
    ("arguments", "added"), [(("--ignore", "sync-herd"), 7), (("--select", "sync-herd"), 0), ((), 8)]
)
def test_the_command_line_decides_on_both_sides(
    run: Run, tmp_path: Path, arguments: tuple[str, ...], added: int
) -> None:
    (tmp_path / "trialrun.toml").write_text('edition = "2026.1"\n')
    assert run("rules", "diff", "2026.2", *arguments).out.count("\n  + ") == added


def test_editions_of_nested_workspaces_are_in_the_json(run: Run, tmp_path: Path) -> None:
    for folder, edition in {".": "2026.1", "b": "2026.3", "a": "2026.2", "c": "2026.1"}.items():
        (tmp_path / folder).mkdir(exist_ok=True)
        (tmp_path / folder / "trialrun.toml").write_text(f'edition = "{edition}"\n')
        (tmp_path / folder / "v.yaml").write_text(view(f"v-{edition[-1]}"))
    difference = json.loads(run("rules", "diff", "2026.4", "--output-format=json").out)
    assert difference["from"] == "2026.1"
    assert difference["nested"] == [{"path": "a", "edition": "2026.2"}, {"path": "b", "edition": "2026.3"}]


def test_the_text_of_a_rule() -> None:
    text = rule_text("cron-syntax")
    assert text is not None
    assert (text.group, text.severity, text.enabled) == ("feature_view", Severity.ERROR, True)
    assert text.summary.startswith("Schedule that is not a valid cron expression")
    assert text.why.startswith("A cron expression has five fields")
    assert "**Bad, as SyncConfig**" in text.markdown
    assert "\x1b" not in text.plain


def test_sarif_helps_with_the_page(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 25 * * *"))
    told = json.loads(run("check", "--statistics", "--output-format", "sarif", "--fail-on", "error").out)["runs"][0]
    (rule,) = told["tool"]["driver"]["rules"]
    text = rule_text("cron-syntax")
    assert text is not None and rule_text("no-such-rule") is None
    assert rule["help"] == {"text": text.plain, "markdown": text.markdown}
    assert told["invocations"] == [{"executionSuccessful": True, "exitCode": 1}]
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


FEW_LABELS = """\
id: few-labels
on: FeatureView
parameters:
  max: {type: int, default: 1, description: how many labels}
  keys: {type: list(string), default: []}
check: self.labels.size() <= parameters.max
message: too many labels
messageExpression: "'at most ' + string(parameters.max)"
"""
LABELS = "labels: {a: b, c: d}\n"
CONCISE = ("check", "--output-format", "concise")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "few.yaml").write_text(FEW_LABELS)
    (tmp_path / "trialrun.toml").write_text('policies = ["policies/"]\n')
    (tmp_path / "legacy").mkdir()
    for name in ("view.yaml", "legacy/view.yaml"):
        (tmp_path / name).write_text(view() + LABELS)
    return tmp_path


def set_parameters(workspace: Path, text: str) -> None:
    (workspace / "trialrun.toml").write_text(f'policies = ["policies/"]\n{text}')


def lines(ran: str) -> list[str]:
    return [line for line in ran.splitlines() if "few-labels" in line]


def test_a_folder_has_another_limit(run: Run, workspace: Path) -> None:
    assert [line.partition(" ")[2] for line in lines(run(*CONCISE).out)] == ["warning few-labels at most 1"] * 2
    set_parameters(workspace, "[policy-parameters.few-labels]\nmax = 0\n")
    assert [line.partition(" ")[2] for line in lines(run(*CONCISE).out)] == ["warning few-labels at most 0"] * 2
    override = '[[overrides]]\npaths = ["legacy/**"]\n[overrides.policy-parameters.few-labels]\nmax = 2\n'
    set_parameters(workspace, f"[policy-parameters.few-labels]\nmax = 0\n{override}")
    assert lines(run(*CONCISE).out) == ["view.yaml:1:1: warning few-labels at most 0"]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("[policy-parameters.few-label]\nmax = 2\n",
         '2: policy-parameters: there is no policy "few-label"; did you mean "few-labels"?'),
        ("[policy-parameters.few-labels]\nmx = 2\n",
         '3: policy-parameters.few-labels: the policy few-labels has no parameter "mx"; did you mean "max"?'),
        ("[policy-parameters.few-labels]\nmax = 2.5\n",
         "3: policy-parameters.few-labels: max must be a whole number"),
        (f"[policy-parameters.few-labels]\nmax = 0x{'f' * 6000}\n",
         "3: policy-parameters.few-labels: max must be a whole number"),
        ("[policy-parameters.few-labels]\nkeys = [1]\n",
         "3: policy-parameters.few-labels: keys must be a list of strings"),
        ("[policy-parameters]\nfew-labels = 2\n",
         "3: policy-parameters: few-labels must be a table; write [policy-parameters.few-labels]"),
        ('[[overrides]]\npaths = ["a"]\n[overrides.policy-parameters.few-labels]\nmax = "a"\n',
         "5: overrides[0].policy-parameters.few-labels: max must be a whole number"),
    ],
)  # fmt: skip
def test_wrong_parameters_are_reported_with_their_lines(run: Run, workspace: Path, text: str, problem: str) -> None:
    set_parameters(workspace, text)
    ran = run(*CONCISE)
    assert (ran.code, ran.out) == (2, "")
    assert f"trialrun.toml:{problem}" in ran.err


def test_the_settings_command_shows_parameters(run: Run, workspace: Path) -> None:
    set_parameters(workspace, "[policy-parameters.few-labels]\nmax = 3\n")
    shown = json.loads(run("settings", "--output-format", "json").out)["settings"]
    assert shown["policy-parameters.few-labels.max"] == {"value": 3, "from": "trialrun.toml", "default": 1}
    assert shown["policy-parameters.few-labels.keys"] == {"value": [], "from": "default", "default": []}
