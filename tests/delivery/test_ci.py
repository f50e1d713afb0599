"""The action and the pipeline job: valid by their owners' schemas, their scripts run as their services run them."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from tests.delivery.other_tools import ROOT, command, committed
from tests.program import view
from trialrun import __version__

ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = ACTION["runs"]["steps"]
WORKFLOW = ROOT / "docs" / "ci" / "github.yml"
JOB = yaml.safe_load((ROOT / "docs" / "ci" / "gitlab.yml").read_text(encoding="utf-8"))["trialrun"]
BROKEN = view(cron="0 25 * * *")
Act = Callable[..., subprocess.CompletedProcess[str]]


@pytest.mark.parametrize(
    ("schema", "file"),
    [
        ("github-actions", "action.yml"),
        ("github-workflows", "docs/ci/github.yml"),
        ("github-workflows", "docs/ci/serve-github.yml"),
        ("gitlab-ci", "docs/ci/gitlab.yml"),
    ],
)
def test_it_is_valid_by_its_owners_schema(schema: str, file: str) -> None:
    import check_jsonschema

    done = CliRunner().invoke(check_jsonschema.main, ["--builtin-schema", f"vendor.{schema}", str(ROOT / file)])
    assert done.exit_code == 0, done.output


def test_no_expression_stands_in_a_script() -> None:
    """GitHub puts the value of an expression into the script's text, where a shell would run it."""
    assert [step["run"] for step in STEPS if "${{" in step.get("run", "")] == []


def test_the_workflow_uses_what_the_action_has() -> None:
    used = re.findall(r"steps\.trialrun\.outputs\.(\w+)", WORKFLOW.read_text(encoding="utf-8"))
    assert set(used) == {"sarif"}
    assert set(re.findall(r"steps\.plan\.outputs\.(\w+)", WORKFLOW.read_text(encoding="utf-8"))) == {"plan"}
    assert set(ACTION["outputs"]) == {"sarif", "plan", "breaking", "risky"}


@pytest.mark.parametrize("file", ["docs/ci/github.yml", "docs/ci/serve-github.yml", "docs/ci/gitlab.yml", "README.md"])
def test_the_version_that_it_names_is_this_one(file: str) -> None:
    named = re.findall(r"(?:trialrun(?:\.git)?@|rev: )v(\d+\.\d+\.\d+)\b", (ROOT / file).read_text(encoding="utf-8"))
    assert set(named) == {__version__}


def expanded(text: str, known: dict[str, str]) -> str:
    """A text with the values of its expressions, as GitHub fills them in."""
    return re.sub(r"\$\{\{ ([\w.-]+) \}\}", lambda found: known[found[1]], text)


@pytest.fixture(scope="session")
def runner(clone: Path, offline: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The environment of a runner's steps, after the step that installs."""
    temporary = tmp_path_factory.mktemp("runner")
    environment = offline | {"GITHUB_ACTION_PATH": str(clone), "RUNNER_TEMP": str(temporary), "PYTHON": sys.executable}
    done = bash(STEPS[1]["run"], cwd=temporary, env=environment)
    assert done.returncode == 0, done.stderr
    return environment


def bash(script: str, *, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    """Run a script as both services do: it ends with its first command that fails."""
    return command("bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", script, cwd=cwd, env=env)


@pytest.fixture
def act(runner: dict[str, str], tmp_path: Path) -> Act:
    """Run the step that checks, with inputs, in a repository of its own."""
    defaults = {f"inputs.{name}": about["default"] for name, about in ACTION["inputs"].items()}
    own = {"GITHUB_OUTPUT": str(tmp_path.parent / f"{tmp_path.name}-output")}

    def ran(**inputs: str) -> subprocess.CompletedProcess[str]:
        known = defaults | {f"inputs.{name.replace('_', '-')}": value for name, value in inputs.items()}
        known["steps.python.outputs.python-path"] = sys.executable
        given = {name: expanded(value, known) for name, value in STEPS[2]["env"].items()}
        return bash(STEPS[2]["run"], cwd=tmp_path, env=runner | own | given)

    return ran


def outputs(folder: Path) -> dict[str, str]:
    """What the step gave to later ones."""
    lines = Path(f"{folder}-output").read_text(encoding="utf-8").splitlines()
    return dict(line.split("=", 1) for line in lines)


def rules_in(sarif: str) -> list[str]:
    """The rules of the results of a SARIF file."""
    return [load["ruleId"] for load in json.loads(Path(sarif).read_text(encoding="utf-8"))["runs"][0]["results"]]


def test_the_action_marks_what_is_wrong_and_writes_sarif(act: Act, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    ran = act()
    assert ran.returncode == 1, ran.stderr
    assert re.search(r"^::error .*file=view\.yaml,.*line=4", ran.stdout, re.MULTILINE)
    assert rules_in(outputs(tmp_path)["sarif"]) == ["cron-syntax"]


def test_the_action_passes_over_a_sound_workspace(act: Act, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    assert act().returncode == 0
    assert rules_in(outputs(tmp_path)["sarif"]) == []


def test_inputs_are_arguments_and_nothing_else(act: Act, tmp_path: Path) -> None:
    names = ["a view.yaml", "$(touch stolen).yaml", "--jobs"]
    for name in names:
        (tmp_path / name).write_text(BROKEN)
    (tmp_path / "other.yaml").write_text(BROKEN)
    ran = act(paths="\n".join(names) + "\n", args="--select\tcron-syntax  --color\nnever", output_format="concise")
    assert ran.returncode == 1, ran.stderr
    assert sorted(line.split(":4:")[0] for line in ran.stdout.splitlines() if ":4:" in line) == sorted(names)
    assert not (tmp_path / "stolen").exists()


def test_wrong_usage_gives_no_file_of_findings(act: Act, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    assert act().returncode == 1
    Path(f"{tmp_path}-output").unlink()
    assert act(args="--fail-on never").returncode == 2
    assert not Path(f"{tmp_path}-output").exists()


def test_nothing_is_imported_from_the_checked_repository(act: Act, tmp_path: Path) -> None:
    (tmp_path / "click.py").write_text("raise SystemExit('imported')\n")
    (tmp_path / "view.yaml").write_text(view())
    assert act().returncode == 0


def test_only_what_a_change_introduced(act: Act, tmp_path: Path) -> None:
    (tmp_path / "old.yaml").write_text(BROKEN)
    rev = committed(tmp_path)
    (tmp_path / "new.yaml").write_text(view("new", cron="0 26 * * *"))
    ran = act(since=rev)
    assert ran.returncode == 1, ran.stderr
    assert "file=new.yaml" in ran.stdout
    assert "file=old.yaml" not in ran.stdout


def test_what_a_change_does(act: Act, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view())
    rev = committed(tmp_path)
    (tmp_path / "view.yaml").write_text(view("other", cron="0 4 * * *"))
    ran = act(mode="plan", since=rev)
    assert ran.returncode == 1, ran.stderr
    assert "::error file=view.yaml," in ran.stdout
    told = outputs(tmp_path)
    assert Path(told["plan"]).read_text(encoding="utf-8").startswith("<!-- trialrun plan -->\n")
    assert (told["breaking"], told["risky"]) == ("1", "0")
    assert act(mode="plan", since=rev, args="--fail-on never").returncode == 0
    assert act(mode="plan").returncode == 2


def test_the_job_of_gitlab_reports_code_quality(
    clone: Path, installed: Path, offline: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    path = os.pathsep.join((str(installed), offline["PATH"]))
    environment = offline | JOB["variables"] | {"PATH": path, "TRIALRUN": str(clone)}
    ran = bash("\n".join(JOB["script"]), cwd=tmp_path, env=environment)
    assert ran.returncode == 1, ran.stderr
    assert "error[cron-syntax]" in ran.stdout
    report: Any = json.loads((tmp_path / JOB["artifacts"]["reports"]["codequality"]).read_text(encoding="utf-8"))
    assert [(diagnostic["check_name"], diagnostic["location"]["path"]) for diagnostic in report] == [
        ("cron-syntax", "view.yaml")
    ]


COPIED = [WORKFLOW, ROOT / "docs" / "ci" / "serve-github.yml", ROOT / "action.yml"]


@pytest.mark.parametrize("file", COPIED, ids=lambda file: file.name)
def test_actions_of_others_have_exact_versions(file: Path) -> None:
    used = re.findall(r"(?m)^ *(?:- )?uses: (?!your-organization)(\S+)", file.read_text(encoding="utf-8"))
    assert [action for action in used if not re.search(r"@v\d+\.\d+\.\d+$", action)] == []


def test_each_job_has_the_least_permissions() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    assert {name: job["permissions"] for name, job in workflow["jobs"].items()} == {
        "trialrun": {"contents": "read", "security-events": "write"},
        "plan": {"contents": "read", "pull-requests": "write"},
    }
    checkouts = [step for job in workflow["jobs"].values() for step in job["steps"] if "checkout" in step["uses"]]
    assert [step["with"]["persist-credentials"] for step in checkouts] == [False, False]


@pytest.mark.parametrize("file", [*COPIED, ROOT / "docs" / "ci" / "gitlab.yml"], ids=lambda file: file.name)
def test_python_imports_nothing_of_the_checked_repository(file: Path) -> None:
    assert set(re.findall(r"(?:python|\$PYTHON\"?) (-\S+)", file.read_text(encoding="utf-8"))) <= {"-P"}


COMMENTS = """
const { readFileSync } = require('fs')
const [script, comments] = [readFileSync(process.argv[2], 'utf8'), JSON.parse(process.argv[3])]
const deeds = []
const issues = {
  listComments: {},
  updateComment: async ({ comment_id }) => deeds.push(`edit ${comment_id}`),
  createComment: async () => deeds.push('create'),
}
const github = { paginate: async () => comments, rest: { issues } }
const context = { repo: { owner: 'o', repo: 'r' }, issue: { number: 1 } }
const AsyncFunction = (async () => {}).constructor
const run = new AsyncFunction("require", "github", "context", script)
run(require, github, context).then(() => console.log(deeds.join()))
"""
MARK = "<!-- trialrun plan -->"
BOT, PERSON = {"login": "github-actions[bot]", "type": "Bot"}, {"login": "mallory", "type": "User"}


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node; run .ci/clients")
@pytest.mark.parametrize(
    ("comments", "deed"),
    [
        ([], "create"),
        ([{"id": 1, "user": BOT, "body": f"{MARK}\nold"}], "edit 1"),
        ([{"id": 1, "user": BOT, "body": f"{MARK}\r\nold"}], "edit 1"),
        ([{"id": 1, "user": PERSON, "body": f"{MARK}\nmine"}], "create"),
        ([{"id": 1, "user": BOT, "body": f"of another workflow\n{MARK}"}], "create"),
        ([{"id": 1, "user": None, "body": None}, {"id": 2, "user": BOT, "body": f"{MARK}\n"}], "edit 2"),
    ],
)
def test_comments_of_others_are_left_alone(tmp_path: Path, comments: list[dict[str, Any]], deed: str) -> None:
    job = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["plan"]
    (tmp_path / "script.js").write_text(job["steps"][-1]["with"]["script"])
    (tmp_path / "comments.js").write_text(COMMENTS)
    (tmp_path / "plan.md").write_text(f"{MARK}\nnew\n")
    words = ["node", "comments.js", "script.js", json.dumps(comments)]
    done = command(*words, cwd=tmp_path, env={**os.environ, "PLAN": str(tmp_path / "plan.md")})
    assert (done.stdout, done.stderr) == (f"{deed}\n", "")
