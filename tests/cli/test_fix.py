"""`trialrun check --fix`, `--unsafe-fixes` and `--diff` as a person or a hook runs them."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cases import first_of, some_of, tries_all_cases
from tests.program import Run, own_environment, view

MENDABLE = view(cron="5/15 * * * *")
MENDED = view(cron="5-59/15 * * * *")
MISSPELT = view("w").replace("entityIdColumns", "entityIdColums")
BROKEN = view(cron="0 25 * * *")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "view.yaml"
    path.write_text(MENDABLE)
    return path


def test_what_is_safe_is_fixed_and_the_rest_reported(run: Run, file: Path) -> None:
    file.with_name("other.yaml").write_text(MISSPELT)
    ran = run("check", "--fix")
    assert file.read_text() == MENDED
    assert file.with_name("other.yaml").read_text() == MISSPELT
    assert ran.code == 1
    assert "1 finding fixed in 1 file; 1 error in 1 of 2 files" in ran.out
    assert ran.err == ""


def test_all_is_well_after_fixing(run: Run, file: Path) -> None:
    ran = run("check", "--fix", "--fail-on", "note")
    assert (ran.code, ran.out) == (0, "1 finding fixed in 1 file; 1 file checked, nothing found\n")
    assert run("check", "--fix").out == "nothing fixed; 1 file checked, nothing found\n"


def test_unsafe_fixes_come_with_the_safe_ones(run: Run, file: Path) -> None:
    file.write_text(MENDABLE.replace("entityIdColumns", "entityIdColums"))
    assert run("check", "--unsafe-fixes").code == 0
    assert file.read_text() == MENDED


def test_only_what_is_selected_is_fixed(run: Run, file: Path) -> None:
    assert run("check", "--fix", "--select", "ambiguous-scalar").code == 0
    assert file.read_text() == MENDABLE


def test_the_json_object_counts_what_was_fixed(run: Run, file: Path) -> None:
    assert "fixed" not in json.loads(run("check", "--output-format", "json").out)["summary"]
    assert json.loads(run("check", "--fix", "--output-format", "json").out)["summary"]["fixed"] == 1


def test_what_is_refused_is_told_with_the_reason(run: Run, file: Path) -> None:
    text = view().replace("[id]", "&columns [id, id]") + "indexConfig: {embeddingColumn: v, filterColumns: *columns}\n"
    file.write_text(text)
    assert "note: no fix here: other places would change with it, through an alias" in run("check", "--fix").out
    told = json.loads(run("check", "--output-format", "json").out)["diagnostics"]
    assert {diagnostic["refusal"] for diagnostic in told if diagnostic["rule"] == "duplicate-item"} == {
        "it is defined elsewhere, at an anchor",
        "other places would change with it, through an alias",
    }
    assert file.read_text() == text


@pytest.mark.parametrize("option", ["--diff", "--unsafe-fixes --diff", "--fix --diff"])
def test_a_diff_writes_nothing(run: Run, file: Path, option: str) -> None:
    ran = run("check", *option.split())
    assert "-  cron: 5/15 * * * *\n+  cron: 5-59/15 * * * *\n" in ran.out
    assert ran.err == "1 finding would be fixed in 1 file\n"
    assert file.read_text() == MENDABLE


def test_a_diff_ends_as_the_check_does(run: Run, file: Path) -> None:
    assert run("check", "--diff").code == 0
    assert run("check", "--diff", "--fail-on", "warning").code == 1


def test_a_diff_shows_unsafe_fixes_when_they_are_asked_for(run: Run, file: Path) -> None:
    file.write_text(MISSPELT)
    assert run("check", "--diff").out == ""
    assert "+  entityIdColumns: [id]\n" in run("check", "--diff", "--unsafe-fixes").out


def test_a_diff_is_what_fixing_does(run: Run, file: Path, tmp_path: Path) -> None:
    file.write_bytes(b"\xef\xbb\xbf" + MENDABLE.replace("\n", "\r\n").encode().rstrip())
    made = run("check", "--diff").out
    subprocess.run(["git", "apply", "--whitespace=nowarn"], cwd=tmp_path, input=made.encode(), check=True)
    applied = file.read_bytes()
    file.write_bytes(b"\xef\xbb\xbf" + MENDABLE.replace("\n", "\r\n").encode().rstrip())
    run("check", "--fix")
    assert file.read_bytes() == applied == b"\xef\xbb\xbf" + MENDED.replace("\n", "\r\n").encode().rstrip()


def test_a_diff_has_colours_when_they_are_asked_for(run: Run, file: Path) -> None:
    assert "\x1b[32m+  cron: 5-59/15 * * * *\x1b[0m\n" in run("check", "--diff", "--color", "always").out


def test_a_report_beside_a_diff_goes_to_a_file(run: Run, file: Path, tmp_path: Path) -> None:
    assert run("check", "--diff", "--output-format", "json=out.json").out.startswith("--- a/view.yaml")
    assert json.loads((tmp_path / "out.json").read_text())["summary"]["warnings"] == 1


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_the_encoding_stays(run: Run, file: Path, encoding: str) -> None:
    file.write_bytes(("\ufeff" + MENDABLE).encode(encoding))
    assert "its diff can be read" in run("check", "--diff").err
    run("check", "--fix")
    assert file.read_bytes() == ("\ufeff" + MENDED).encode(encoding)


@pytest.mark.parametrize(
    "apply",
    [
        pytest.param(["git", "apply"], id="git"),
        pytest.param(
            ["patch", "-p1", "--silent"],
            id="patch",
            marks=pytest.mark.skipif(not shutil.which("patch"), reason="needs patch; run .ci/package patch patch"),
        ),
    ],
)
@pytest.mark.parametrize("name", ["a.yaml", "other.yaml", "zzz.yaml"])
def test_a_diff_with_utf_16_in_it_applies_to_the_others(
    run: Run, file: Path, tmp_path: Path, name: str, apply: list[str]
) -> None:
    file.write_text(MENDABLE.rstrip("\n"))
    wide = ("\ufeff" + view("w", cron="5/15 * * * *")).encode("utf-16-le")
    file.with_name(name).write_bytes(wide)
    file.with_name("x.yaml").write_text(view("x", cron="5/15 * * * *"))
    made = run("check", "--diff").out
    assert "5-59/15" in made.split(f"# +++ b/{name}")[1]
    subprocess.run(apply, cwd=tmp_path, input=made.encode(), check=True)
    assert file.read_text() == MENDED.rstrip("\n")
    assert file.with_name("x.yaml").read_text() == view("x", cron="5-59/15 * * * *")
    assert file.with_name(name).read_bytes() == wide


@pytest.mark.parametrize("text", [MENDABLE, MISSPELT, MENDED, "nothing: [\n", ""])
def test_standard_input_comes_out_fixed(run: Run, text: str) -> None:
    ran = run("check", "-", "--fix", stdin=text.replace("\n", "\r\n").encode())
    assert ran.out == text.replace(MENDABLE, MENDED).replace("\n", "\r\n")
    assert "fixed" in ran.err


def test_what_is_left_of_standard_input_is_reported_beside_it(run: Run) -> None:
    ran = run("check", "-", "--fix", "--stdin-filename", "a.yaml", "--output-format", "concise", stdin=BROKEN.encode())
    assert (ran.code, ran.out) == (1, BROKEN)
    assert ran.err.startswith("a.yaml:4:11: error cron-syntax")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("--fix --watch", "--fix cannot be combined with --watch; files are not fixed while they are edited"),
        ("--unsafe-fixes --watch", "--unsafe-fixes cannot be combined with --watch"),
        ("--diff --output-format json", "--diff uses standard output; write the report to FORMAT=FILE"),
    ],
)
def test_what_does_not_go_together_is_told(run: Run, file: Path, arguments: str, says: str) -> None:
    ran = run("check", *arguments.split())
    assert (ran.code, file.read_text()) == (2, MENDABLE)
    assert says in ran.err


def test_of_two_names_of_a_file_both_are_fixed_once(run: Run, file: Path) -> None:
    file.with_name("link.yaml").symlink_to("view.yaml")
    assert run("check", "--fix", "view.yaml", "link.yaml", "--ignore", "workspace").code == 0
    assert (file.read_text(), file.with_name("link.yaml").is_symlink()) == (MENDED, True)


def test_another_name_that_keeps_the_old_text_is_told(run: Run, file: Path) -> None:
    os.link(file, file.with_name("other.txt"))
    assert run("check", "--fix").err == "note: view.yaml has 1 other hard link with the old text\n"


def test_a_change_since_a_revision_is_fixed_alone(run: Run, file: Path, tmp_path: Path) -> None:
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@b.example"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"]):
        subprocess.run([*git, *command], check=True)
    other = file.with_name("other.yaml")
    other.write_text(MENDABLE.replace("featureViews/v", "featureViews/w"))
    assert run("check", "--fix", "--since", "HEAD").code == 0
    assert (file.read_text(), "5-59/15" in other.read_text()) == (MENDABLE, True)


UNWRITABLE = """\
import os, sys
from trialrun.cli.main import main
real = os.replace
def replace(source, target):
    if target.endswith("b.yaml"):
        raise OSError(28, "No space left on device")
    real(source, target)
os.replace = replace
sys.exit(main(["check", "--fix", "--no-cache", "--output-format", "concise", "--fail-on", "warning"]))
"""


def test_a_file_that_cannot_be_written_stops_no_other(tmp_path: Path) -> None:
    for name in "abc":
        (tmp_path / f"{name}.yaml").write_text(MENDABLE.replace("featureViews/v", f"featureViews/{name}"))
    done = subprocess.run(
        [sys.executable, "-c", UNWRITABLE], cwd=tmp_path, env=own_environment(tmp_path), capture_output=True, text=True
    )
    assert done.returncode == 2
    assert done.stderr == "error: b.yaml was not fixed: no space left on device\n"
    assert [line.split(":")[0] for line in done.stdout.splitlines()[:-1]] == ["b.yaml"]
    assert done.stdout.splitlines()[-1].startswith("2 findings fixed in 2 files; 1 warning in 1 of 3 files")
    assert ["5-59/15" in (tmp_path / f"{name}.yaml").read_text() for name in "abc"] == [True, False, True]
    assert sorted(os.listdir(tmp_path)) == ["a.yaml", "b.yaml", "c.yaml"]


@pytest.mark.generated
@pytest.mark.parametrize("ending", first_of([signal.SIGINT, signal.SIGKILL]))
def test_a_run_that_is_ended_leaves_whole_files(tmp_path: Path, ending: signal.Signals) -> None:
    names = [f"{number:02}.yaml" for number in range(40)]
    old = {name: MENDABLE.replace("featureViews/v", f"featureViews/{name[:2]}") for name in names}
    new = {name: text.replace("5/15", "5-59/15") for name, text in old.items()}
    waits = (0.1, 0.3, 0.35, 0.4, 0.45, 0.5)
    for wait in waits if tries_all_cases() else waits[1::3]:
        for name in names:
            (tmp_path / name).write_text(old[name])
        process = subprocess.Popen(
            [sys.executable, "-m", "trialrun", "check", "--fix", "--no-cache", "--jobs", "1"],
            cwd=tmp_path,
            env=own_environment(tmp_path),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        time.sleep(wait)
        process.send_signal(ending)
        process.wait()
        assert all((tmp_path / name).read_text() in (old[name], new[name]) for name in names)
    assert ending == signal.SIGKILL or sorted(os.listdir(tmp_path)) == names


def test_what_a_killed_run_left_is_no_file_of_ours(run: Run, tmp_path: Path) -> None:
    (tmp_path / ".view.yaml.ab12cd.tmp").write_text(BROKEN)
    assert run("check").out == "no files checked\n"


FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
BROKEN_FILES = sorted(path for folder in ("invalid", "fixes") for path in (FIXTURES / folder).glob("*.yaml"))


def announced(out: str) -> tuple[int, int]:
    """The safe and the unsafe fixes that the summary of a check counts."""
    summary = out.replace("\n", " ")
    safe = re.search(r"(\d+) fixable with --fix", summary)
    unsafe = re.search(r"(\d+) (?:more|fixable) with --unsafe-fixes", summary)
    return int(safe[1]) if safe else 0, int(unsafe[1]) if unsafe else 0


def number_of_fixed(out: str) -> int:
    fixed = re.search(r"(\d+) findings? fixed", out)
    return int(fixed[1]) if fixed else 0


@pytest.mark.parametrize("path", some_of(BROKEN_FILES), ids=lambda path: path.stem)
def test_as_many_are_fixed_as_the_summary_counts(run: Run, tmp_path: Path, path: Path) -> None:
    file = tmp_path / path.name
    file.write_bytes(path.read_bytes())
    safe, unsafe = announced(run("check", path.name).out)
    assert number_of_fixed(run("check", "--fix", path.name).out) == safe
    file.write_bytes(path.read_bytes())
    assert number_of_fixed(run("check", "--unsafe-fixes", path.name).out) == safe + unsafe
