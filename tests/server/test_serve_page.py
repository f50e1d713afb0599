"""docs/serve.md: its commands answer what it shows, its tests pass, and its workflow is what GitHub takes."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from tests.server.server_process import RunningServer, start_server, write_workspace
from tests.test_readme import parsed
from trialrun.server.faults import Fault

pytest.importorskip("uvicorn")
pytest_plugins = "pytester"
ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")
WORKSPACE = ROOT / "fixtures" / "workspaces" / "burger-brand"
WORKFLOW = ROOT / "docs" / "ci" / "serve-github.yml"
END = "--- end of an answer ---"


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The example workspace, without its mistakes and the views that the page does not name."""
    folder = tmp_path_factory.mktemp("repository") / "burger-brand"
    left_out = {path.name for path in (WORKSPACE / "feature-views").iterdir()} - {"guest-profile.yaml"}
    return Path(shutil.copytree(WORKSPACE, folder, ignore=shutil.ignore_patterns("broken", ".trialrun", *left_out)))


@pytest.fixture(scope="module")
def server(workspace: Path) -> Iterator[RunningServer]:
    with start_server(workspace, "--at", "2026-11-20", "--speed", "0") as running:
        running.send("POST", "/trialrun/v1/clock", json={"advance": "0s"})
        yield running


def expected_answers(block: str) -> tuple[str, list[str]]:
    """The commands of a block as a script that marks the end of each answer, and the answers that it shows."""
    commands, answers = [], []
    for line in block.splitlines():
        if line.startswith("# {"):
            answers.append(line.removeprefix("# "))
            commands.append(f"echo; echo '{END}'")
        else:
            commands.append(line)
    return "\n".join(commands), answers


def looks_like(shown: str) -> str:
    return ".*".join(map(re.escape, shown.split("…"))) + ".*" * shown.endswith("…")


@pytest.mark.skipif(shutil.which("curl") is None, reason="needs curl; run .ci/package curl curl")
@pytest.mark.skipif(sys.platform == "win32", reason="the commands are for sh")
def test_the_commands_answer_what_it_shows(server: RunningServer) -> None:
    script, expected = expected_answers("".join(blocks("sh")))
    environment = {**os.environ, **server.ready["environment"], "no_proxy": "*"}
    done = subprocess.run(["sh", "-c", script], env=environment, capture_output=True, text=True, check=False)
    answers = [answer.strip() for answer in done.stdout.split(END)[:-1]]
    assert len(answers) == len(expected) >= 6, done.stderr
    for answer, shown in zip(answers, expected, strict=True):
        assert re.fullmatch(looks_like(shown), answer), f"{answer}\nis not\n{shown}"


@pytest.mark.exhaustive
def test_its_tests_pass(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, workspace: Path) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")  # loading those of this installation takes a second
    (settings,) = blocks("ini")
    example, other_framework = blocks("python")
    (pytester.path / "burger-brand").symlink_to(workspace)
    pytester.makefile(".ini", pytest=settings)
    pytester.makepyfile(test_guests=example)
    pytester.makepyfile(other=other_framework)
    pytester.runpytest_subprocess("-p", "trialrun.testing.plugin", timeout=110).assert_outcomes(passed=3)
    done = pytester.runpython("other.py")
    assert done.ret == 0
    assert done.outlines[0].startswith("http://127.0.0.1:")


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node; run .ci/clients")
def test_its_test_in_node_passes(tmp_path: Path, workspace: Path) -> None:
    (example,) = blocks("js")
    (tmp_path / "clock.test.mjs").write_text(example, encoding="utf-8")
    (tmp_path / "burger-brand").symlink_to(workspace)
    done = subprocess.run(
        ["node", "--test", "clock.test.mjs"],
        cwd=tmp_path,
        env={**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "pass 1" in done.stdout


@pytest.mark.parametrize("line", re.findall(r"^trialrun .*", "".join(blocks("console")), re.MULTILINE))
def test_its_commands_exist(line: str) -> None:
    assert parsed(line)


def test_the_fields_of_a_fault_are_all_there() -> None:
    table = PAGE.split("| field | meaning |")[1].split("\n\n")[0]
    named = {name for row in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE) for name in re.findall(r"`(\w+)`", row)}
    assert named == set(Fault.model_fields)


@pytest.mark.exhaustive
def test_the_steps_of_its_workflow_work(tmp_path: Path) -> None:
    workspace = write_workspace(tmp_path / "workspace")
    steps = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"]["tests"]["steps"]
    by_name = {step["name"]: step["run"] for step in steps if "name" in step}
    variables = tmp_path / "github-env"
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = {
        **os.environ,
        "PATH": path,
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_ENV": str(variables),
        "no_proxy": "*",
    }
    for name in ("Start the server", "Run the tests", "End the server"):
        step = ["bash", "-e", "-o", "pipefail", "-c", by_name[name]]
        done = subprocess.run(step, cwd=workspace, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{name}: {done.stdout}{done.stderr}"
        environment |= dict(line.split("=", 1) for line in variables.read_text().splitlines())
    assert environment["TRIALRUN_ENDPOINT"].startswith("http://")
