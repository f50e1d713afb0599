"""What `check` writes into files: fixes and suppressions, or what they would change."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of, some_of, tries_all_cases
from tests.changes.git_workspace import commit
from tests.program import Run, own_environment, view
from trialrun.parser import parse

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


def test_a_diff_in_a_folder_applies_without_the_files_above_it(run: Run, file: Path, tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "x.yaml").write_text(view("x", cron="5/15 * * * *"))
    ran = run("check", "--diff", cwd=tmp_path / "sub")
    assert f"# +++ b/../{file.name}\n" in ran.out
    assert f"../{file.name} is not below the working directory; its diff can be read but not applied" in ran.err
    subprocess.run(["git", "apply"], cwd=tmp_path / "sub", input=ran.out.encode(), check=True)
    assert (tmp_path / "sub" / "x.yaml").read_text() == view("x", cron="5-59/15 * * * *")
    assert file.read_text() == MENDABLE


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
    commit(tmp_path)
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


JSON = json.dumps({"kind": "Menu", "name": "m", "items": [{"name": "Fries", "prise": 3}, {"name": "Fries"}]})
REASON = "known before the gate"


def findings(run: Run, *arguments: str, **options: Any) -> list[tuple[str, str]]:
    report = json.loads(run("check", "--output-format", "json", *arguments, **options).out)
    return [(diagnostic["path"], diagnostic["rule"]) for diagnostic in report["diagnostics"]]


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file() and ".trialrun" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in files}


def test_an_owner_may_be_named(run: Run, file: Path) -> None:
    file.write_text(BROKEN)
    assert run("check", "--add-ignores", "owner=search see #12").code == 0
    assert "search" in run("suppressions").out


def test_a_comment_for_a_finding(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    ran = run("check", "--add-ignores", REASON, "--until", "2999-01-31")
    assert (ran.code, ran.out) == (0, "1 file checked, nothing found (1 suppressed)\n")
    assert ran.err == "suppressed 1 finding by changes in 1 file\n"
    added = f"25 * * *  # trialrun: ignore[cron-syntax] until=2999-01-31 {REASON}\n"
    assert (tmp_path / "view.yaml").read_text() == BROKEN.replace("25 * * *\n", added)


@pytest.mark.parametrize(
    ("name", "left_out"),
    [
        ("workspaces/noodle-bars", ""),
        ("invalid", "document-*"),
        pytest.param("workspaces/burger-brand", "", marks=pytest.mark.exhaustive),
        pytest.param("invalid", "", marks=pytest.mark.exhaustive),
    ],
)
def test_a_workspace_is_clean_afterwards(run: Run, tmp_path: Path, name: str, left_out: str) -> None:
    shop = shutil.copytree(FIXTURES / name, tmp_path / "shop", ignore=shutil.ignore_patterns(left_out))
    before = contents(shop)
    run("check", "--add-ignores", REASON, cwd=shop)
    assert {rule for _, rule in findings(run, cwd=shop)} <= {"syntax-error", "encoding-error"}
    after = contents(shop)
    for path, data in before.items():
        if path.endswith((".yaml", ".json")):
            values = [[document.value for document in parse(text, path).documents] for text in (data, after[path])]
            assert values[0] == values[1]
        elif path != "trialrun.toml":
            assert data == after[path]
    run("check", "--add-ignores", REASON, cwd=shop)
    assert contents(shop) == after


def test_json_gets_tables(run: Run, tmp_path: Path) -> None:
    (tmp_path / "menu.json").write_text(JSON)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "menu.json").write_text(JSON.replace('"m"', '"n"').replace(', {"name": "Fries"}', ""))
    assert run("check", "menu.json", "--add-ignores", REASON, "--until", "2999-01-31").code == 0
    tables = tomllib.loads((tmp_path / "trialrun.toml").read_text())["suppress"]
    assert [(table["path"], table["rule"]) for table in tables] == [
        ("/menu.json", "unknown-field"),
        ("/menu.json", "duplicate-item"),
    ]
    assert {(table["reason"], str(table["until"])) for table in tables} == {(REASON, "2999-01-31")}
    assert findings(run, "menu.json") == []
    assert findings(run, "sub/menu.json") == [("sub/menu.json", "unknown-field")]
    assert (tmp_path / "menu.json").read_text() == JSON


def test_tables_go_to_the_settings_that_apply(run: Run, tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.trialrun]\n")
    (tmp_path / "team").mkdir()
    (tmp_path / "team" / "trialrun.toml").write_bytes(b'edition = "2026.5"\r\n')
    for folder in ("", "team"):
        (tmp_path / folder / "menu.json").write_text(JSON)
    assert run("check", "--add-ignores", REASON).code == 0
    assert len(tomllib.loads((tmp_path / "pyproject.toml").read_text())["tool"]["trialrun"]["suppress"]) == 2
    assert (tmp_path / "team" / "trialrun.toml").read_bytes().startswith(b'edition = "2026.5"\r\n\r\n[[suppress]]\r\n')
    assert findings(run) == []


def test_only_selected_rules_are_suppressed(run: Run, tmp_path: Path) -> None:
    (tmp_path / "menu.yaml").write_text("kind: Menu\nname: m\nitems:\n  - {name: Fries, prise: 3}\n  - {name: Fries}\n")
    assert run("check", "--select", "unknown-field", "--add-ignores", REASON).code == 0
    assert findings(run) == [("menu.yaml", "duplicate-item")]
    assert run("check", "--ignore", "duplicate-item", "--add-ignores", REASON).err == "nothing to suppress\n"


def test_findings_of_a_baseline_stay_there(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    run("baseline", "write")
    (tmp_path / "other.yaml").write_text(view("w", cron="0 26 * * *"))
    assert run("check", "--baseline", "trialrun-baseline.json", "--add-ignores", REASON).code == 0
    assert (tmp_path / "view.yaml").read_text() == BROKEN
    assert "ignore[cron-syntax]" in (tmp_path / "other.yaml").read_text()


def test_findings_of_a_branch_alone(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    commit(tmp_path)
    (tmp_path / "other.yaml").write_text(view("w", cron="0 26 * * *"))
    assert run("check", "--since", "HEAD", "--add-ignores", REASON).code == 0
    assert findings(run) == [("view.yaml", "cron-syntax")]


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (view().replace("cron: ", "cron: *").encode(), "syntax-error not suppressed: parts of the file are not read"),
        (
            b"kind: Menu\nname: m\nitems: [{name: Fries, prise: 3}] # \xff\n",
            "unknown-field not suppressed: the file has invalid bytes or characters; fix these first",
        ),
    ],
)
def test_what_cannot_be_read_is_left(run: Run, tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "a.yaml").write_bytes(data)
    ran = run("check", "--add-ignores", REASON)
    assert (ran.code, why in ran.err) == (1, True)
    assert contents(tmp_path) == {"a.yaml": data}


def test_an_expired_suppression_is_left(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(
        BROKEN.replace("* * *\n", "* * *  # trialrun: ignore[cron-syntax] until=2020-01-31 old\n")
    )
    ran = run("check", "--add-ignores", REASON)
    assert ran.code == 1
    assert ran.err.endswith("note: 1 finding of expired-suppression not suppressed: it cannot be suppressed\n")
    assert findings(run) == [("view.yaml", "expired-suppression")]


def test_a_suppression_without_reason_is_explained(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN.replace("* * *\n", "* * *  # trialrun: ignore[cron-syntax]\n"))
    assert (
        run("check", "--select", "all", "--ignore", "missing-etag,implicit-time-zone", "--add-ignores", REASON).code
        == 0
    )
    assert findings(run, "--select", "unexplained-suppression,cron-syntax") == []


def test_a_place_where_a_comment_covers_nothing_gets_a_table(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(text := f"{view()}# trialrun: ignore[cron-syntax] nothing is below\n")
    assert run("check", "--add-ignores", REASON).code == 0
    assert (tmp_path / "view.yaml").read_text() == text
    assert tomllib.loads((tmp_path / "trialrun.toml").read_text())["suppress"][0]["rule"] == "unused-suppression"
    assert findings(run) == []


def test_a_diff_of_suppressions_writes_nothing(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    (tmp_path / "menu.json").write_text(JSON)
    before = contents(tmp_path)
    ran = run("check", "--diff", "--add-ignores", REASON)
    assert ran.code == 1
    assert contents(tmp_path) == before
    assert "+  cron: 0 25 * * *  # trialrun: ignore[cron-syntax]" in ran.out
    assert "+++ b/trialrun.toml\n" in ran.out
    subprocess.run(["git", "apply", "-"], input=ran.out.encode(), cwd=tmp_path, check=True)
    assert findings(run) == []


def test_an_encoding_stays(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_bytes(BROKEN.encode("utf-16"))
    assert run("check", "--add-ignores", REASON).code == 0
    assert "ignore[cron-syntax]" in (tmp_path / "view.yaml").read_bytes().decode("utf-16")


def test_a_link_that_leads_out_is_not_written(run: Run, tmp_path: Path) -> None:
    outside = tmp_path / "outside.yaml"
    outside.write_text(BROKEN)
    (tmp_path / "shop").mkdir()
    (tmp_path / "shop" / "view.yaml").symlink_to(outside)
    assert run("check", "--add-ignores", REASON, cwd=tmp_path / "shop").code == 1
    assert outside.read_text() == BROKEN


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="everybody may write here")
def test_a_file_that_may_not_be_written_is_reported(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    (tmp_path / "view.yaml").chmod(0o444)
    ran = run("check", "--add-ignores", REASON)
    assert ran.code == 2
    assert "error: view.yaml was not changed: it is read-only" in ran.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--until", "2999-01-31"], "--until is the last day of new suppressions; give their reason by --add-ignores"),
        (["--add-ignores", ""], "--add-ignores: the reason is empty; say why the findings are accepted"),
        (["--add-ignores", "<reason>"], "--add-ignores: the reason is empty; say why the findings are accepted"),
        (["--add-ignores", "a\nb"], "--add-ignores: the reason has to be one line of printable characters"),
        (["--add-ignores", "see # no"], '--add-ignores: a comment ends at " # "; write the reason without it'),
        (["--add-ignores", "a until=2999-01-31"], "--add-ignores: the reason contains a date; give it by --until"),
        (["--add-ignores", "a", "--until", "soon"], '--until: "soon" is not a date; write it as 2027-01-31'),
        (["--add-ignores", "a", "--until", "2020-01-31"], "--until: 2020-01-31 is over; name a day to come"),
        (["--add-ignores", "a", "--fix"], "--add-ignores cannot be combined with --fix; run check --fix first"),
        (["--add-ignores", "a", "--unsafe-fixes"], "--add-ignores cannot be combined with --unsafe-fixes; run"),
        (["--add-ignores", "a", "--watch"], "--add-ignores cannot be combined with --watch; files are not changed"),
        (["--add-ignores", "a", "--show-files"], "--add-ignores cannot be combined with --show-files; it checks"),
        (["--add-ignores", "a", "--isolated"], "--add-ignores cannot be combined with --isolated; suppressions in"),
        (["--add-ignores", "a", "-"], "--add-ignores writes files; name them instead of standard input"),
        (["--add-ignores", "a", "--diff", "--output-format", "json"], "--diff uses standard output; write the report"),
        (["--add-ignores", "a", "gone.yaml"], "there is no file or folder gone.yaml"),
    ],
)
def test_wrong_usage(run: Run, tmp_path: Path, words: list[str], message: str) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    ran = run("check", *words, stdin=b"")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"error: {message}")
    assert (tmp_path / "view.yaml").read_text() == BROKEN


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are text")
def test_a_file_whose_name_is_not_utf_8_gets_no_table(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('edition = "2026.5"\n', encoding="utf-8")
    document = b'{"kind": "Menu", "name": "m", "items": [{"name": "Fries", "prise": 3}]}'
    Path(os.fsdecode(os.fsencode(tmp_path) + b"/bad\xff.json")).write_bytes(document)
    ran = run("check", "--add-ignores", "known before")
    assert "1 finding of unknown-field not suppressed: neither a comment nor a table" in ran.err
    assert ran.code == 1
