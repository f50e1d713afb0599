"""Policies as a person or a pipeline uses them: settings, selections, suppressions by id, tries, first ones."""

import json
from pathlib import Path

import pytest

from tests.changes.git_workspace import commit
from tests.program import Run, view, write_files

OWNER = """\
id: views-have-owners
on: FeatureView
at: labels
check: "'owner' in self.labels"
message: nobody owns this view
doc: |
  Every view has an owner.

  Good, as FeatureView:

      labels: {owner: ads}

  Bad, as FeatureView:

      labels: {env: prod}  # <- nobody owns this view
"""
FAILS = "id: fails\non: SyncConfig\ncheck: self.cron.split(' ')[7] == ''\nmessage: m\n"
CONCISE = ("check", "--output-format", "concise")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "policies").mkdir()
    (tmp_path / "policies" / "owner.yaml").write_text(OWNER)
    (tmp_path / "trialrun.toml").write_text('policies = ["policies/"]\n')
    (tmp_path / "view.yaml").write_text(view())
    return tmp_path


def test_the_policies_of_the_settings_run(run: Run, workspace: Path) -> None:
    ran = run(*CONCISE)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[0] == "view.yaml:1:1: warning views-have-owners nobody owns this view"


def test_every_command_knows_policies(run: Run, workspace: Path) -> None:
    (workspace / "sub").mkdir()
    assert "views-have-owners" in run(*CONCISE, "../view.yaml", cwd=workspace / "sub").out
    told = json.loads(run("settings", "view.yaml", "--output-format", "json").out)
    assert told["rules"]["views-have-owners"]["value"] == "on"
    ran = run("check", "--ignore", "views-have-owner")
    assert (ran.code, ran.out) == (2, "")
    assert 'did you mean "views-have-owners"?' in ran.err


@pytest.mark.parametrize("arguments", [("--policies", "more.yaml"), ("--policies", "ownership", "--isolated")])
def test_policies_of_the_command_line(run: Run, workspace: Path, arguments: tuple[str, ...]) -> None:
    (workspace / "more.yaml").write_text("id: more\non: FeatureView\ncheck: has(self.etag)\nmessage: owner\n")
    assert "owner" in run(*CONCISE, *arguments, "view.yaml").out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--ignore", "views-have-owners"), False),
        (("--ignore", "policies"), False),
        (("--select", "policies"), True),
        (("--select", "views-have-owners"), True),
        (("--select", "feature_view"), False),
        (("--isolated",), False),
    ],
)
def test_policies_are_selected_like_rules(run: Run, workspace: Path, arguments: tuple[str, ...], says: bool) -> None:
    ran = run(*CONCISE, *arguments)
    assert ran.code == 0
    assert ("views-have-owners" in ran.out) == says


def test_a_severity_and_an_override_of_the_settings(run: Run, workspace: Path) -> None:
    settings = 'policies = ["policies/"]\nseverity.views-have-owners = "error"\n'
    (workspace / "trialrun.toml").write_text(settings)
    assert run("check").code == 1
    override = '[[overrides]]\npaths = ["view.yaml"]\nignore = ["views-have-owners"]\n'
    (workspace / "trialrun.toml").write_text(settings + override)
    assert run("check").code == 0


def test_a_policy_is_suppressed_like_a_rule(run: Run, workspace: Path) -> None:
    suppressed = view().replace("\n", " # trialrun: ignore[views-have-owners] moving to the new owner\n", 1)
    (workspace / "view.yaml").write_text(suppressed)
    assert run("check", "--fail-on", "warning").code == 0
    override = '[[overrides]]\npaths = ["view.yaml"]\nignore = ["views-have-owners"]\n'
    (workspace / "trialrun.toml").write_text('policies = ["policies/"]\n' + override)
    assert "unknown-rule" not in run(*CONCISE).out


def test_a_changed_policy_is_another_verdict(run: Run, workspace: Path) -> None:
    assert "nobody owns this view" in run(*CONCISE).out
    (workspace / "policies" / "owner.yaml").write_text(OWNER.replace("message: nobody", "message: no one"))
    assert "no one owns this view" in run(*CONCISE).out
    (workspace / "policies" / "owner.yaml").write_text(OWNER.replace("'owner' in", "!('owner' in").replace('s"', 's)"'))
    assert "views-have-owners" not in run(*CONCISE).out


def test_a_verdict_that_depends_on_the_path_is_not_taken_for_another_file(run: Run, workspace: Path) -> None:
    text = "id: in-views\non: FeatureView\ncheck: document.path.startsWith('views/')\nmessage: m\n"
    write_files(workspace, {"policies/owner.yaml": text, "views/b.yaml": view()})
    first, again = run(*CONCISE, "--ignore", "workspace"), run(*CONCISE, "--ignore", "workspace")
    assert first.out.splitlines()[0] == "view.yaml:1:1: warning in-views m"
    assert "b.yaml" not in first.out
    assert first.out == again.out


def test_policy_files_are_no_resources(run: Run, workspace: Path) -> None:
    (workspace / "drafts.yaml").write_text(OWNER)
    ran = run("check", "--fail-on", "warning", "drafts.yaml", "policies/owner.yaml")
    assert (ran.code, ran.err) == (0, "")


def test_everything_wrong_in_policies_is_shown_with_its_lines(run: Run, workspace: Path) -> None:
    (workspace / "policies" / "owner.yaml").write_text(
        OWNER.replace("self.labels", "self.lables").replace("at: l", "at: x")
    )
    ran = run("check")
    assert (ran.code, ran.out) == (2, "")
    assert "--> policies/owner.yaml:3:5" in ran.err
    assert 'error[policy]: FeatureView has no field "lables"; did you mean "labels"?' in ran.err
    assert "4 | check: \"'owner' in self.lables\"\n  |                         ^^^^^^" in ran.err


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("ownrship", ': policies: there are no policies at "ownrship"; did you mean "ownership"?'),
        ("none.yaml", ': policies: there are no policies at "none.yaml"; name a file, a folder or one of conversation'),
        ("empty", ': policies: the folder "empty" has no policy files; they end in .yaml or .yml'),
        ("", ":1: policies contains an empty string; remove it"),
    ],
)
def test_policies_that_are_not_there(run: Run, workspace: Path, text: str, told: str) -> None:
    (workspace / "empty").mkdir()
    (workspace / "trialrun.toml").write_text(f'policies = ["{text}"]\n')
    ran = run("check")
    assert (ran.code, f"trialrun.toml{told}" in ran.err) == (2, True)


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_a_policy_that_fails_is_one_fault_of_the_run(run: Run, workspace: Path, jobs: str) -> None:
    (workspace / "policies" / "fails.yaml").write_text(FAILS)
    padding = "# " + "x" * 100_000 + "\n"
    for number in range(5):
        (workspace / f"view{number}.yaml").write_text(view(f"v{number}") + padding)
    ran = run(*CONCISE, "--jobs", jobs)
    assert ran.code == 3
    (line,) = [line for line in ran.out.splitlines() if "internal-error" in line]
    assert line.startswith("view.yaml:3:1: error internal-error the policy fails (policies/fails.yaml:1) failed here:")
    assert ran.out.count("views-have-owners") == 6


def test_the_rules_list_policies_in_use_and_explain_shows_them(run: Run, workspace: Path) -> None:
    assert "\npolicies\n  views-have-owners" in run("rules").out
    assert json.loads(run("rules", "--output-format", "json").out)["rules"][-1] | {"options": {}} == {
        "id": "views-have-owners",
        "group": "policies",
        "severity": "warning",
        "default": True,
        "law": "Every view has an owner.",
        "specification": "",
        "options": {},
    }
    assert run("explain", "views-have-owners").out == run("rules", "show", "views-have-owners").out
    assert "# <- nobody owns this view" in run("explain", "views-have-owners").out
    assert "Every view names who owns it" in run("explain", "views-name-their-owner").out
    assert 'did you mean "views-have-owners"?' in run("explain", "views-hve-owners").err


def test_a_report_for_programs_knows_the_page_of_a_policy(run: Run, workspace: Path) -> None:
    sarif = json.loads(run("check", "--output-format", "sarif").out)
    (rule,) = [rule for rule in sarif["runs"][0]["tool"]["driver"]["rules"] if rule["id"] == "views-have-owners"]
    assert "Every view has an owner." in json.dumps(rule)


TRIED = OWNER.replace("ads}", "ads}  # \\x")
NOT_TRIED = {
    "a message that is not there": (
        TRIED.replace("Good, as FeatureView:", "Good, as FeatureVeiw:"),
        1,
        'tried.yaml:9: there is no message "FeatureVeiw"; did you mean "FeatureView"?\n',
    ),
    "escapes": (
        TRIED.replace("Good, as FeatureView:", "Good, escaped:"),
        1,
        "tried.yaml:9: it has invalid escapes for",
    ),
    "no good example": (FAILS, 1, "tried.yaml:1: its page has no good example"),
    "no bad example": (FAILS, 1, "tried.yaml:1: its page has no bad example with an arrow"),
    "no check": ("id: p\n", 2, '"check" is missing'),
}


def test_examples_are_tried(run: Run, workspace: Path) -> None:
    ran = run("rules", "test")
    assert (ran.code, ran.out) == (0, "ok      views-have-owners\n\n1 policy, all as documented\n")
    (workspace / "trialrun.toml").write_text("")
    assert run("rules", "test").code == 2


@pytest.mark.parametrize(("text", "code", "told"), NOT_TRIED.values(), ids=NOT_TRIED)
def test_an_example_that_cannot_be_run_is_told(run: Run, tmp_path: Path, text: str, code: int, told: str) -> None:
    (tmp_path / "tried.yaml").write_text(text)
    ran = run("rules", "test", "tried.yaml")
    assert (ran.code, told in ran.out + ran.err) == (code, True), ran.out


def test_what_a_page_does_not_keep_is_told_at_its_lines(run: Run, workspace: Path) -> None:
    text = OWNER.replace("{owner: ads}", "{env: prod}").replace("# <- nobody", "# <- somebody")
    (workspace / "policies" / "owner.yaml").write_text(text)
    ran = run("rules", "test", "policies")
    assert ran.code == 1
    assert ran.out == (
        "broken  views-have-owners\n"
        '        policies/owner.yaml:9: unexpected finding on line 1: "nobody owns this view"\n'
        '        policies/owner.yaml:13: unexpected finding on line 1: "nobody owns this view"\n'
        '        policies/owner.yaml:13: no finding on line 1 that says "somebody owns this view"\n'
        "\n1 policy, 1 not as documented\n"
    )


def test_a_new_policy_is_true_at_once_and_never_written_over(run: Run, tmp_path: Path) -> None:
    ran = run("rules", "new", "upsells-have-names", "--on", "UpsellConfig")
    assert (ran.code, ran.out.splitlines()[0]) == (0, "wrote policies/upsells-have-names.yaml")
    assert run("rules", "test", "policies/upsells-have-names.yaml").code == 0
    assert run("rules", "new", "few-menus", "--on", "Menu", "--scope", "workspace").code == 0
    assert run("rules", "test", "policies/few-menus.yaml").code == 0
    again = run("rules", "new", "upsells-have-names")
    assert (again.code, again.out) == (2, "")
    assert "already exists; choose another name" in again.err


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("Big",), '"Big" is not a valid id'),
        (("cron-dst",), '"cron-dst" is a rule already'),
        (("a", "--on", "UpselConfig"), 'there is no message "UpselConfig"; did you mean "UpsellConfig"?'),
        (("a", "--on", "OrderPickup"), "OrderPickup has no fields to check"),
        (("a", "--on", "SyncConfig", "--scope", "workspace"), "SyncConfig is a part of a FeatureView"),
        (("a", "--field", "labels", "--scope", "workspace"), "--field is for a policy on one document"),
        (("a", "--field", "lables"), 'FeatureView has no field "lables"; did you mean "labels"?'),
    ],
)
def test_a_new_policy_that_cannot_be(run: Run, tmp_path: Path, arguments: tuple[str, ...], told: str) -> None:
    ran = run("rules", "new", *arguments)
    assert ran.code == 2
    assert told in ran.err
    assert not (tmp_path / "policies").exists()


@pytest.fixture
def two_teams(tmp_path: Path) -> Path:
    """Two workspaces inside of one; each has a policy of one id, with a text of its own, and a shared one."""
    for team in ("ads", "retail"):
        (tmp_path / team).mkdir()
        (tmp_path / team / "trialrun.toml").write_text('policies = ["own.yaml", "shared.yaml"]\n')
        (tmp_path / team / "own.yaml").write_text(OWNER.replace("nobody", f"nobody of {team}"))
        (tmp_path / team / "shared.yaml").write_text(OWNER.replace("views-have-owners", "shared"))
        (tmp_path / team / "view.yaml").write_text(view())
    return tmp_path


def test_policies_of_one_id_have_a_description_each(run: Run, two_teams: Path) -> None:
    (told,) = json.loads(run("check", "--output-format", "sarif").out)["runs"]
    rules = told["tool"]["driver"]["rules"]
    of_teams = {"ads": "views-have-owners", "retail": "views-have-owners/retail"}
    assert [rule["id"] for rule in rules] == ["shared", "views-have-owners", "views-have-owners/retail"]
    assert [rule["name"] for rule in rules] == ["Shared", "ViewsHaveOwners", "ViewsHaveOwners"]
    for result in told["results"]:
        place = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        rule = rules[result["ruleIndex"]]
        assert rule["id"] == result["ruleId"]
        assert result["ruleId"] in ("shared", of_teams[place.split("/")[0]])
        if result["ruleId"] != "shared":
            assert f"nobody of {place.split('/')[0]} owns" in rule["help"]["text"]


def test_descriptions_of_policies_do_not_change_other_reports(run: Run, two_teams: Path) -> None:
    alone = json.loads(run("check", "--output-format", "sarif", "retail").out)["runs"][0]
    whole = json.loads(run("check", "--output-format", "sarif").out)["runs"][0]
    assert {result["ruleId"] for result in alone["results"]} == {"shared", "views-have-owners"}
    assert len({result["partialFingerprints"]["primaryLocationLineHash"] for result in whole["results"]}) == 4
    told = json.loads(run("check", "--output-format", "gitlab").out)
    assert {diagnostic["check_name"] for diagnostic in told} == {"shared", "views-have-owners"}
    assert {diagnostic["description"] for diagnostic in told} >= {
        "nobody of ads owns this view",
        "nobody of retail owns this view",
    }


FEW_VIEWS = """\
id: few-views
scope: workspace
on: FeatureView
at: name
once: self.name.split("/featureViews/")[0]
parameters:
  max: {type: int, default: 2}
check: >-
  documents("FeatureView").filter(v, v.name.split("/featureViews/")[0] == self.name.split("/featureViews/")[0]).size()
  <= parameters.max
message: too many views
"""
CONCISELY = ("check", "--output-format", "concise", "--select", "few-views,unused-suppression,syntax-error")
FOUND = "warning few-views too many views"


@pytest.fixture
def two_workspaces(tmp_path: Path) -> Path:
    write_files(tmp_path, {"policies/few.yaml": FEW_VIEWS, "trialrun.toml": 'policies = ["policies/"]\n'})
    for name in "bac":
        (tmp_path / f"{name}.yaml").write_text(view(name))
    return tmp_path


def told(run: Run, *arguments: str) -> list[str]:
    ran = run(*CONCISELY, *arguments)
    assert ran.err == ""
    return ran.out.splitlines()[:-1]


@pytest.mark.parametrize("arguments", [(), ("--jobs", "2"), ("--no-cache",), (".",)])
def test_the_first_of_a_group_gets_the_finding(run: Run, two_workspaces: Path, arguments: tuple[str, ...]) -> None:
    assert told(run, *arguments) == [f"a.yaml:2:7: {FOUND}"]
    assert told(run, *arguments) == [f"a.yaml:2:7: {FOUND}"]
    (two_workspaces / "c.yaml").unlink()
    assert told(run, *arguments) == []


def test_a_named_file_is_counted_with_all_others(run: Run, two_workspaces: Path) -> None:
    assert told(run, "a.yaml") == [f"a.yaml:2:7: {FOUND}"]
    assert told(run, "b.yaml") == []
    (two_workspaces / "c.yaml").unlink()
    assert told(run, "a.yaml") == []


def test_another_limit_for_a_folder(run: Run, two_workspaces: Path) -> None:
    (two_workspaces / "trialrun.toml").write_text(
        'policies = ["policies/"]\n[[overrides]]\npaths = ["a.yaml"]\npolicy-parameters.few-views.max = 3\n'
    )
    assert told(run) == [f"b.yaml:2:7: {FOUND}"]


def test_a_suppression_is_used_or_not(run: Run, two_workspaces: Path) -> None:
    (two_workspaces / "a.yaml").write_text(view("a").replace("/a\n", "/a  # trialrun: ignore[few-views] legacy\n"))
    assert told(run) == []
    (two_workspaces / "c.yaml").unlink()
    assert [line.split()[2] for line in told(run)] == ["unused-suppression"]


def test_a_baseline_accepts_the_finding(run: Run, two_workspaces: Path) -> None:
    assert run("baseline", "write", "--select", "few-views", "baseline.json").code == 0
    settings = two_workspaces / "trialrun.toml"
    settings.write_text(settings.read_text() + 'baseline = "baseline.json"\n')
    assert told(run) == []


def test_nothing_is_said_while_a_view_cannot_be_read(run: Run, two_workspaces: Path) -> None:
    (two_workspaces / "d.yaml").write_text("kind: FeatureView\nname: [\n")
    assert [line.split()[2] for line in told(run)] == ["syntax-error"]


def test_since_a_revision(run: Run, two_workspaces: Path) -> None:
    (two_workspaces / "c.yaml").unlink()
    commit(two_workspaces)
    assert told(run, "--since", "HEAD") == []
    (two_workspaces / "c.yaml").write_text(view("c"))
    assert told(run, "--since", "HEAD") == [f"a.yaml:2:7: {FOUND}"]
    commit(two_workspaces)
    (two_workspaces / "c.yaml").write_text(view("c", "0 4 * * *"))
    assert told(run, "--since", "HEAD") == []
