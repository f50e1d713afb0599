"""The library: what is public, the typed examples of its page, and answers equal to those of the commands."""

import json
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

import trialrun
from tests.cli.example_workspace import NOON, copied
from tests.program import Run, view

ROOT = Path(__file__).parent.parent.parent
PAGE = (ROOT / "docs" / "library.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
AT = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def example(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copied(tmp_path_factory.mktemp("library"))


@pytest.fixture
def here(example: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(example)
    return example


def test_the_examples_run(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    exec(compile("\n".join(EXAMPLES), "docs/library.md", "exec"), {"__name__": "docs"})
    printed = capfd.readouterr()
    assert printed.err == ""
    assert "draft.yaml" in printed.out


@pytest.mark.exhaustive
def test_the_examples_are_typed(tmp_path: Path) -> None:
    files = [tmp_path / f"example_{number}.py" for number in range(len(EXAMPLES))]
    for file, text in zip(files, EXAMPLES, strict=True):
        file.write_text(text)
    words = (sys.executable, "-m", "mypy", "--strict", "--cache-dir", ROOT / ".mypy_cache", *files)
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_what_is_public_is_there_and_on_the_page() -> None:
    assert [name for name in trialrun.__all__ if not hasattr(trialrun, name)] == []
    public = {name for name in trialrun.__all__ if name not in ("__version__", "HOME_PAGE")}
    assert {name for name in public if f"`{name}`" not in PAGE} == set()


def test_the_command_line_does_not_import_the_library() -> None:
    program = "import sys, trialrun, trialrun.cli.main; print([m for m in sys.modules if 'trialrun.api' in m])"
    assert subprocess.run([sys.executable, "-c", program], capture_output=True, check=True).stdout == b"[]\n"


def test_a_check_is_that_of_the_command(run: Run, here: Path) -> None:
    report = trialrun.check(".", at=AT, cache=False)
    ran = run("check", *NOON, "--no-cache", "--output-format", "json", cwd=here)
    assert report.render("json") == ran.out
    assert report.to_dict() == json.loads(ran.out)
    assert report.passed() == (ran.code == 0)


@pytest.mark.parametrize("format", ["text", "concise", "sarif", "gitlab", "junit"])
def test_a_report_is_rendered_as_the_command_prints_it(run: Run, here: Path, format: str) -> None:
    (here / "broken.yaml").write_text(view("w", cron="0 25 * * *"))
    ran = run("check", "broken.yaml", *NOON, "--no-cache", "--output-format", format, cwd=here)
    report = trialrun.check("broken.yaml", at=AT, cache=False)
    rendered = report.render(format)  # type: ignore[arg-type]
    (here / "broken.yaml").unlink()
    assert rendered == ran.out
    assert not report.passed()


def test_a_text_is_checked_as_the_file_that_it_is_named_after(here: Path) -> None:
    report = trialrun.check(text=view(cron="0 25 * * *"), filename="feature-views/draft.yaml")
    assert [(diagnostic.path, diagnostic.rule) for diagnostic in report.diagnostics] == [
        ("feature-views/draft.yaml", "unknown-store"),
        ("feature-views/draft.yaml", "cron-syntax"),
        ("feature-views/draft.yaml", "unknown-column"),
    ]  # the workspace declares other online stores, and not the table


@pytest.mark.parametrize(
    ("words", "object"),
    [
        (("resolve", "austin-lamar"), lambda workspace: workspace.resolve("austin-lamar")),
        (("schedule", "--count", "5"), lambda workspace: workspace.schedule()),
    ],
    ids=["resolve", "schedule"],
)
def test_an_answer_is_that_of_the_command(run: Run, here: Path, words: tuple[str, ...], object: object) -> None:
    expected = json.loads(run(*words, *NOON, "--output-format", "json", cwd=here).out)
    expected.pop("herds", None)
    assert callable(object)
    answer = object(trialrun.open_workspace(here, at=AT))
    answer.pop("herds", None)
    assert answer == expected


def test_a_session_is_that_of_the_command(run: Run, here: Path) -> None:
    (here / "order.txt").write_text("set session.partySize 4\nadd Classic Smash\naccept\n")
    ran = run("session", "austin-lamar", "--script", "order.txt", *NOON, "--output-format", "json", cwd=here)
    workspace = trialrun.open_workspace(here, at=AT)
    script = (here / "order.txt").read_text()
    assert workspace.session("austin-lamar", script) == json.loads(ran.out)
    again = workspace.session("austin-lamar", script.splitlines()[1:], state={"session": {"partySize": 4}})
    assert again["turns"] == json.loads(ran.out)["turns"]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: trialrun.check("nowhere.yaml"), "there is no file or folder nowhere.yaml"),
        (lambda: trialrun.check("channels", text="a: 1"), "check takes either paths or a text"),
        (lambda: trialrun.check("channels", select=["cron-sintax"]), 'did you mean "cron-syntax"'),
        (lambda: trialrun.check(at=datetime(2026, 1, 1)), "has no offset"),
        (lambda: trialrun.check(".").render("yaml"), 'there is no format "yaml"'),  # type: ignore[arg-type]
        (lambda: trialrun.open_workspace("nowhere"), "there is no folder nowhere"),
        (lambda: trialrun.open_workspace().resolve("austin-lammar"), "austin-lamar"),
        (lambda: trialrun.open_workspace().sync("menu_serch"), "menu_search"),
        (lambda: trialrun.open_workspace().session("austin-lamar", "ad x"), "line 1, column 1"),
        (lambda: trialrun.open_workspace().fetch("store_load", "x"), "was never synced"),
    ],
)
def test_what_cannot_be_done_is_a_usage_error(here: Path, call: object, message: str) -> None:
    assert callable(call)
    with pytest.raises(trialrun.UsageError, match=re.escape(message)):
        call()


def test_a_trial_run_of_documents_with_errors_is_refused_with_their_places(tmp_path: Path) -> None:
    (tmp_path / "broken.yaml").write_text(view("w", cron="0 25 * * *"))
    with pytest.raises(trialrun.DocumentErrors, match=r"broken\.yaml:4:11") as raised:
        trialrun.open_workspace(tmp_path).sync("w")
    assert raised.value.diagnostics[0].rule == "cron-syntax"
