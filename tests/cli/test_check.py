"""`trialrun check` as a person or a pipeline runs it: what it takes, what it prints, how it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases import pairs_of
from tests.changes.git_workspace import commit
from tests.program import CONDITION, Run, own_environment, view, write_files
from trialrun.lint.settings import Profiles, read_settings
from trialrun.text import MAX_BYTES
from trialrun.workspace import CheckRequest, check
from trialrun.workspace.open_workspace import OpenWorkspace

BROKEN = view(cron="0 25 * * *")


GLOB = 'kinds = { "views/**" = "FeatureView" }\n'
WITHOUT_NAME = """\
warning[missing-name]: the FeatureView has no name; add one such as
    projects/{project}/locations/{location}/featureOnlineStores/{featureOnlineStore}/featureViews/{featureView}
 --> views/a.yaml:1:1
  |
1 | labels: {team: x}
  | ^^^^^^

note[no-source]: the view has no source, so it only serves what is written to it
    directly; set one if it should
 --> views/a.yaml:1:1
  |
1 | labels: {team: x}
  | ^^^^^^

1 warning, 1 note in 1 file
"""
OF_NO_KIND = """\
warning[unknown-kind]: cannot tell what this document is, so it was not checked;
    add `kind: FeatureView` or `kind: ChannelConfig`
 --> a.yaml:9:1
  |
9 | replicas: 1
  | ^^^^^^^^

1 warning in 1 file
"""
HOUR_25 = "4:11: error cron-syntax hour 25 is outside 0-23; write 0 to 23\n1 error in 1 file\n"
RUNS = {
    "a clean workspace": ({"view.yaml": view()}, "", 0, "1 file checked, nothing found\n"),
    "a finding": ({"view.yaml": BROKEN}, "--output-format concise", 1, f"view.yaml:{HOUR_25}"),
    "standard input": ({}, "- --stdin-filename views/a.yaml --output-format concise", 1, f"views/a.yaml:{HOUR_25}"),
    "a kind by a glob": (
        {"views/a.yaml": "labels: {team: x}\n", "trialrun.toml": GLOB}, "views/a.yaml", 0, WITHOUT_NAME
    ),
    "another document in a file": ({"a.yaml": f"{view()}---\nreplicas: 1\n"}, "a.yaml", 0, OF_NO_KIND),
}  # fmt: skip


@pytest.mark.parametrize(("files", "words", "code", "out"), RUNS.values(), ids=RUNS)
def test_what_is_printed(run: Run, tmp_path: Path, files: dict[str, str], words: str, code: int, out: str) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    ran = run("check", *words.split(), stdin=BROKEN.encode(), COLUMNS="80")
    assert (ran.code, ran.out, ran.err) == (code, out, "")


def test_standard_input_shows_its_code_frame(run: Run) -> None:
    assert "4 |   cron: 0 25 * * *" in run("check", "-", stdin=BROKEN.encode()).out


def test_an_empty_workspace(run: Run) -> None:
    ran = run("check")
    assert (ran.code, ran.err.count("\n")) == (0, 1)
    assert ran.err.startswith("note: there are no documents here; ")


@pytest.mark.parametrize(("fail_on", "code"), [("error", 0), ("warning", 1), ("note", 1)])
def test_fail_on(run: Run, tmp_path: Path, fail_on: str, code: int) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="0 0 13 * FRI"))
    assert run("check", "--fail-on", fail_on).code == code


def test_json_of_standard_input_by_its_name(run: Run) -> None:
    ran = run("check", "-", "--stdin-filename", "a.json", "--output-format", "json", stdin=b'{"kind": "FeatureView",}')
    assert [load["rule"] for load in json.loads(ran.out)["diagnostics"]] == ["syntax-error"]


def test_several_formats_in_one_run(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    ran = run("check", "--output-format", "json=out.json", "--output-format", "concise")
    assert ran.out.startswith("view.yaml:4:11:")
    assert json.loads((tmp_path / "out.json").read_text())["summary"]["errors"] == 1


def test_a_dash_is_standard_output(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    assert json.loads(run("check", "--output-format", "json=-").out)["summary"]["errors"] == 1
    assert [file.name for file in tmp_path.iterdir()] == ["view.yaml"]


def test_the_json_object_is_the_contract(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    told = json.loads(run("check", "--output-format", "json").out)
    assert told["version"] == 1
    assert told["summary"] == {
        "files": 1, "documents": 1, "passed_over": 0, "errors": 1, "warnings": 0, "notes": 0, "suppressed": 0,
    }  # fmt: skip
    found = told["diagnostics"][0]
    assert found["pointer"] == "/syncConfig/cron"
    assert found["range"] == {"start": {"line": 4, "column": 11}, "end": {"line": 4, "column": 13}}
    assert {"rule", "severity", "message", "path", "document", "related", "fix", "fingerprint"} < found.keys()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["check", "nowhere.yaml"], "there is no file or folder nowhere.yaml"),
        (["check", "--select", "cron-sintax"], 'did you mean "cron-syntax"?'),
        (["check", "--output-format", "jsn"], 'did you mean "json"?'),
        (["check", "--output-format", "json", "--output-format", "text"], "only one format can go to standard output"),
        (["check", "--output-format", "json="], "json= has no file name"),
        (["check", "--at", "yesterday"], "--at"),
        (["check", "--stdin-filename", "a.yaml"], "needs the path -"),
        (["check", "--frobnicate"], "no such option"),
        (["chekc"], 'did you mean "check"?'),
        (["explain", "cron-sintax"], 'did you mean "cron-syntax"?'),
        (["schema", "FeatureVeiw"], 'did you mean "FeatureView"?'),
    ],
)
def test_wrong_usage_ends_with_two_and_says_what_to_do(run: Run, arguments: list[str], says: str) -> None:
    ran = run(*arguments)
    assert ran.code == 2
    assert says in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ("igonre = []", 'there is no setting "igonre"; did you mean "ignore"?'),
        ('ignore = ["cron-sintax"]', 'did you mean "cron-syntax"?'),
        ('[severity]\ncron-syntax = "fatal"', 'must be one of note, warning, error, off, not "fatal"'),
        ("[options]\nmin-sync-intervall = 1", 'did you mean "min-sync-interval"?'),
        ('[options]\nmin-sync-interval = "soon"', "min-sync-interval"),
        ('kinds = { "a/**" = "FeatureVeiw" }', 'did you mean "FeatureView"?'),
        ("ignore = [", "trialrun.toml"),
        ("ignore = " + "[" * 3000, "it nests too deeply"),
        ('exclude = ["out/", "!"]', ': exclude: "!" is not a valid .gitignore pattern'),
        ('ignore = "cron-syntax"', "ignore must be a list of strings"),
        ("\ufeffignore = []", "save it as UTF-8 without a byte order mark"),
        ("ignore = [] # \udcff", "it is not text in UTF-8; save it as UTF-8"),
    ],
)
def test_wrong_settings_end_with_two_and_say_what_to_do(run: Run, tmp_path: Path, settings: str, says: str) -> None:
    (tmp_path / "trialrun.toml").write_text(settings, encoding="utf-8", errors="surrogateescape")
    ran = run("check")
    assert ran.code == 2
    assert says in ran.err
    assert run("check", "--isolated").code == 0


def test_settings_that_a_link_does_not_lead_to_end_with_two(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").symlink_to("shared/trialrun.toml")
    (tmp_path / "pyproject.toml").symlink_to("shared/pyproject.toml")
    ran = run("check")
    assert (ran.code, ran.err) == (2, "error: trialrun.toml: it is a link to a file that is not there\n")
    assert run("check", "--isolated").code == 0


def test_a_link_to_missing_settings_in_a_folder_below_ends_with_two(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"trialrun.toml": "", "one/v.yaml": view()})
    (tmp_path / "one" / "trialrun.toml").symlink_to("gone")
    for folder in (".", "one"):
        ran = run("check", cwd=tmp_path / folder)
        assert (ran.code, ran.err.endswith("trialrun.toml: it is a link to a file that is not there\n")) == (2, True)


def test_settings_in_pyproject(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"view.yaml": BROKEN, "pyproject.toml": '[tool.trialrun]\nignore = ["cron-syntax"]\n'})
    assert run("check").code == 0
    assert run("check", "--isolated").code == 1


def test_what_is_no_regular_file_is_a_finding(run: Run, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    for name, why in (("pipe", "it is not a regular file; pipe it to trialrun check -"), ("loop", "")):
        ran = run("check", f"{name}.yaml", "--output-format", "concise")
        assert (ran.code, f"unreadable-file the file cannot be read: {why}" in ran.out) == (1, True)


def test_a_file_that_may_not_be_read_is_a_finding(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    (tmp_path / "view.yaml").chmod(0)
    if os.access(tmp_path / "view.yaml", os.R_OK):
        pytest.skip("everything is readable to this user")
    for paths in ([], ["."], ["view.yaml"]):
        told = json.loads(run("check", "--output-format", "json", *paths).out)["diagnostics"]
        assert [(diagnostic["rule"], diagnostic["path"]) for diagnostic in told] == [("unreadable-file", "view.yaml")]


def test_a_closed_pipe_ends_quietly(tmp_path: Path) -> None:
    for number in range(300):
        (tmp_path / f"{number}.yaml").write_text(view(f"v{number}", "0 25 * * *"))
    command = f"{sys.executable} -m trialrun check --output-format text | head -1"
    done = subprocess.run(
        command, shell=True, cwd=tmp_path, env=own_environment(tmp_path), capture_output=True, check=False, timeout=120
    )
    assert done.stdout.startswith(b"error[cron-syntax]")
    assert done.stderr == b""


def test_ctrl_c_ends_with_130(tmp_path: Path) -> None:
    for number in range(400):
        (tmp_path / f"{number}.yaml").write_text(view(f"v{number}") + "# x\n" * 5000)
    with subprocess.Popen(
        [sys.executable, "-m", "trialrun", "check", "--no-cache"],
        cwd=tmp_path,
        env=own_environment(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        time.sleep(0.7)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=60)
    assert process.returncode in (130, 0)
    assert b"Traceback" not in told


def test_statistics_count_by_rule(run: Run, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.yaml").write_text(view(f"v{number}", "0 25 * * *"))
    ran = run("check", "--statistics")
    assert ran.code == 1
    assert ran.out.splitlines()[1].split()[:3] == ["3", "error", "cron-syntax"]


def test_a_crashing_rule_is_one_finding_and_exit_three(tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(BROKEN)
    code = """
import sys
from trialrun.lint import registry
rule = registry.load("cron-rare")
def broken(sync):
    raise ZeroDivisionError("planted")
    yield
broken.__rule__ = rule.checks[0].__rule__
object.__setattr__(rule, "checks", (broken,))
sys.argv = ["trialrun", "check", "--no-cache", "--output-format", "concise"]
from trialrun.cli import run
run()
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, env=own_environment(tmp_path), capture_output=True, check=False
    )
    told = done.stdout.decode()
    assert done.returncode == 3, done.stderr
    assert "internal-error the rule cron-rare failed on this file (ZeroDivisionError: planted)" in told
    assert "cron-syntax" in told


def test_names_that_are_no_utf8(run: Run, tmp_path: Path) -> None:
    with open(os.fsencode(tmp_path) + b"/\xff.yaml", "w") as stream:
        stream.write(BROKEN)
    for output in ("text", "concise", "json"):
        assert run("check", "--output-format", output).code == 1


@pytest.mark.parametrize("at", ["0001-01-01T00:00:00Z", "9998-06-01T00:00:00Z", "9999-12-31T23:59:59Z"])
def test_the_clock_may_stand_at_an_end_of_the_calendar(run: Run, tmp_path: Path, at: str) -> None:
    (tmp_path / "view.yaml").write_text(view(cron="CRON_TZ=America/New_York 30 2 * * *"))
    ran = run("check", "--at", at, "--output-format", "concise")
    assert (ran.code, "internal-error" in ran.out) == (0, False)


SETTINGS = 'kinds."m.yaml" = "Menu"\n'
SOUND = "brand: b\nitems: []\n"
WRONG = "brand: b\nitems: {}\n"


@pytest.fixture
def menu(tmp_path: Path) -> Path:
    write_files(tmp_path, {"trialrun.toml": SETTINGS, "m.yaml": WRONG, "other.yaml": WRONG})
    return tmp_path / "m.yaml"


def findings(run: Run, *arguments: str) -> list[tuple[str, str]]:
    return [(diagnostic["path"], diagnostic["rule"]) for diagnostic in as_json(run, *arguments)["diagnostics"]]


@pytest.mark.parametrize("arguments", [(), (".",), ("m.yaml",), ("--discovered", "m.yaml", "other.yaml")])
def test_a_search_meets_it(run: Run, menu: Path, arguments: tuple[str, ...]) -> None:
    assert findings(run, *arguments) == [("m.yaml", "wrong-type")]


def test_it_counts_as_checked(run: Run, menu: Path) -> None:
    menu.write_text(SOUND)
    assert run("check").out == "1 file checked, nothing found (1 file skipped: unknown kind)\n"


def test_show_files_names_its_kind(run: Run, menu: Path) -> None:
    assert run("check", "--show-files").out.splitlines()[:2] == ["m.yaml      Menu", "other.yaml  no known kind"]


@pytest.mark.parametrize("name", ["m.yaml", "trialrun.toml"])
def test_since_a_change_of_it_or_of_the_settings(run: Run, menu: Path, name: str) -> None:
    menu.write_text(SOUND if name == "m.yaml" else WRONG)
    (menu.parent / "trialrun.toml").write_text(SETTINGS if name == "m.yaml" else "")
    commit(menu.parent)
    assert findings(run, "--since", "HEAD") == []
    menu.write_text(WRONG)
    (menu.parent / "trialrun.toml").write_text(SETTINGS)
    assert findings(run, "--since", "HEAD") == [("m.yaml", "wrong-type")]


@pytest.mark.parametrize("is_open", [True, False])
def test_the_editor_says_the_same(menu: Path, is_open: bool) -> None:
    folder = menu.parent
    profiles = Profiles(read_settings(folder / "trialrun.toml"))
    request = CheckRequest(str(folder), datetime(2026, 11, 20, tzinfo=UTC), profiles, cache=False)
    live = OpenWorkspace(request)
    if is_open:
        live.set_overlay(str(menu), WRONG.encode())
    live.run_all_tasks()
    shown = os.path.relpath(menu)
    assert live.all_diagnostics() == {shown: tuple(check(request).diagnostics)}
    assert [file.path for file in live.workspace_files()] == [shown]
    assert [diagnostic.rule for diagnostic in live.diagnostics(shown)] == ["wrong-type"]


SCHEMA = "name: s\ntypes: {Order: {sum: double}}\nvariables: {order: Order}\n"


@pytest.fixture
def schema(tmp_path: Path) -> Path:
    (tmp_path / "trialrun.toml").write_text('kinds."types.yaml" = "SessionSchema"\n')
    (tmp_path / "c.yaml").write_text(CONDITION)
    (tmp_path / "types.yaml").write_text(SCHEMA)
    return tmp_path / "types.yaml"


@pytest.mark.parametrize("arguments", [(), ("c.yaml",)])
def test_session_types_by_a_glob_hold_also_since_a_change_of_them(
    run: Run, schema: Path, arguments: tuple[str, ...]
) -> None:
    assert ("c.yaml", "cel-type") in findings(run, *arguments)
    schema.write_text(SCHEMA.replace("sum", "total"))
    assert findings(run, *arguments) == []
    commit(schema.parent)
    schema.write_text(SCHEMA)
    assert ("c.yaml", "cel-type") in findings(run, "--since", "HEAD")


def test_session_types_by_a_glob_hold_in_the_editor(schema: Path) -> None:
    folder = schema.parent
    profiles = Profiles(read_settings(folder / "trialrun.toml"))
    live = OpenWorkspace(CheckRequest(str(folder), datetime(2026, 11, 20, tzinfo=UTC), profiles, cache=False))
    config = os.path.relpath(folder / "c.yaml")
    assert [diagnostic.rule for diagnostic in live.diagnostics(config)] == ["cel-type"]
    live.set_overlay(str(schema), SCHEMA.replace("sum", "total").encode())
    assert live.diagnostics(config) == []


LEFT_OUT = (
    ("--select", "cron-syntax"),
    ("--ignore", "document"),
    ("--ignore", "all"),
    ('ignore = ["all"]',),
    ('select = ["channel_config"]',),
    ('[severity]\nunreadable-file = "off"\nsyntax-error = "off"\nencoding-error = "off"\nresource-limit = "off"',),
    ('[[overrides]]\npaths = ["**"]\nignore = ["document"]',),
)

ROOT = Path(__file__).parent.parent.parent


def as_json(run: Run, *arguments: str) -> Any:
    return json.loads(run("check", "--output-format", "json", *arguments).out)


def large(file: Path) -> None:
    file.write_bytes(view().encode() + b"#" * (MAX_BYTES + 1_000_000))


def random_bytes(file: Path) -> None:
    file.write_bytes(bytes(number * number * 7 % 251 for number in range(300)))


def broken(file: Path) -> None:
    file.write_text("name: [a")


def broken_view(file: Path) -> None:
    file.write_text(view() + "labels: [a")


def lost(file: Path) -> None:
    file.symlink_to("nowhere")


@pytest.mark.parametrize(("left_out", "make"), pairs_of(LEFT_OUT, [large, random_bytes, broken, broken_view, lost]))
def test_what_cannot_be_read_is_reported_whatever_is_left_out(
    run: Run, tmp_path: Path, make: Callable[[Path], None], left_out: tuple[str, ...]
) -> None:
    make(tmp_path / "a.yaml")
    options = left_out if len(left_out) > 1 else ()
    (tmp_path / "trialrun.toml").write_text("" if options else left_out[0])
    ran = run("check", "a.yaml", *options)
    assert (ran.code, ran.err) == (1, "")
    assert "a.yaml" in ran.out


def test_documents_are_counted_and_files_of_other_kinds_apart(run: Run, tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(view("a") + "---\n" + view("b"))
    (tmp_path / "other.yaml").write_text("replicas: 1\n")
    (tmp_path / "near.yaml").write_text("text: FeatureView\n")
    summary = as_json(run)["summary"]
    assert (summary["files"], summary["documents"], summary["passed_over"]) == (1, 2, 2)
    expected = "2 documents in 1 file checked, nothing found (2 files skipped: unknown kind)\n"
    assert run("check", COLUMNS="100").out == expected
    assert as_json(run)["summary"] == summary  # from the cache
    assert as_json(run)["not_checked"] == []


def test_a_file_that_is_gone_is_not_passed_over(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view())
    assert as_json(run, "--stdin-filename", "b.yaml", "-")["summary"]["passed_over"] == 0


@pytest.mark.parametrize("text", ["", "# nothing\n", "replicas: 1\n", "apiVersion: v1\nkind: Deployment\n", "[]\n"])
def test_a_named_file_without_anything_of_ours_is_an_error(run: Run, tmp_path: Path, text: str) -> None:
    (tmp_path / "a.yaml").write_text(text)
    for _ in range(2):
        found = as_json(run, "a.yaml")["diagnostics"]
        assert [(file["rule"], file["severity"]) for file in found] == [("unknown-kind", "error")]
    assert run("check", "a.yaml", "--select", "cron-syntax").code == 1
    assert run("check", "a.yaml", "--discovered").code == 0
    assert run("check").code == 0


def test_a_policy_may_be_named(run: Run, tmp_path: Path) -> None:
    run("rules", "new", "views-have-labels")
    files = [*tmp_path.rglob("*.yaml")]
    assert files
    assert run("check", str(files[0])).code == 0


def test_files_are_shown_with_their_kinds_or_the_reason(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(view(cron="0 25 * * *") + "---\nkind: Brand\nname: b\n---\n" + view("w"))
    (tmp_path / "excluded.yaml").write_text(view())
    (tmp_path / "lost.yaml").symlink_to("nowhere")
    write_files(tmp_path, {"other.yaml": "replicas: 1\n", "trialrun.toml": 'exclude = ["excluded.yaml"]\n'})
    ran = run("check", "--show-files", ".", "lost.yaml")
    assert (ran.code, ran.err) == (0, "")
    assert [line.split(maxsplit=1) for line in ran.out.splitlines()] == [
        ["a.yaml", "FeatureView, Brand"],
        ["excluded.yaml", "excluded by the settings"],
        ["lost.yaml", "cannot be read: no such file or directory"],
        ["other.yaml", "no known kind"],
    ]
    shown = json.loads(run("check", "--show-files", "--output-format", "json").out)
    assert shown["files"][0] == {"path": "a.yaml", "kinds": ["FeatureView", "Brand"], "reason": None}
    assert run("check", "--show-files", "nowhere").code == 2


SOURCE = "kind: Source\nname: s\nuri: bq://p.d.t\nfiles: nowhere/*.parquet\n"


def test_what_could_not_be_checked_is_listed(run: Run, tmp_path: Path) -> None:
    write_files(tmp_path, {"a.yaml": view(), "source.yaml": SOURCE, "broken.yaml": view("w") + "labels: [a"})
    found = as_json(run)["not_checked"]
    assert [(file["path"], file["what"]) for file in found][1:] == [("source.yaml", "columns of bq://p.d.t")]
    assert found[0]["path"] == "broken.yaml"
    assert found[0]["why"] == "some of its lines could not be read"
    text = run("check", COLUMNS="200").out
    assert "not checked:\n  broken.yaml: what depends" in text
    assert "  source.yaml: columns of bq://p.d.t: " in text
    assert "2 not checked" in run("check", "--output-format", "concise").out
    sarif = json.loads(run("check", "--output-format", "sarif").out)["runs"][0]["invocations"][0]
    notes = sarif["toolExecutionNotifications"]
    assert [note["descriptor"]["id"] for note in notes] == ["not-checked"] * 2
    assert run("check", "--output-format", "junit").out.count("not checked: ") == 2


PASSED_OVER = {
    "zero.yaml": "it leads to /dev/zero, outside of ",
    "lost.yaml": "no such file or directory",
    "loop.yaml": "too many levels of symbolic links",
    "pipe.yaml": "it is not a regular file",
    "away": "outside of ",
}


@pytest.fixture
def special_files(tmp_path: Path) -> Path:
    """A folder with files that a hook may pass and that no search reads."""
    folder = tmp_path / "repository"
    (tmp_path / "elsewhere").mkdir()
    folder.mkdir()
    (folder / "trialrun.toml").write_text("")
    targets = {"zero.yaml": "/dev/zero", "lost.yaml": "nowhere", "loop.yaml": "loop.yaml", "away": "../elsewhere"}
    for name, target in targets.items():
        (folder / name).symlink_to(target)
    os.mkfifo(folder / "pipe.yaml")
    return folder


@pytest.mark.parametrize("name", PASSED_OVER)
def test_what_a_hook_passes_and_no_search_reads_is_listed(run: Run, special_files: Path, name: str) -> None:
    def ran(*options: str) -> str:
        checked = run("check", "--discovered", *options, "--", name, cwd=special_files, COLUMNS="300")
        assert (checked.code, checked.err) == (0, "")
        return " ".join(checked.out.split())

    (gap,) = json.loads(ran("--output-format", "json"))["not_checked"]
    assert gap["path"] == name
    assert PASSED_OVER[name] in gap["why"]
    assert f"not checked: {name}: {gap['what']}: {gap['why']}" in ran()
    assert "no files checked (1 not checked)" in ran()
    assert "1 not checked" in ran("--output-format", "concise")
    assert f"not checked: {gap['what']}: {gap['why']}" in ran("--output-format", "sarif")
    assert f"{name}: not checked: {gap['what']}: {gap['why']}" in ran("--output-format", "junit")
    assert f"{name} not checked: {gap['why']}" in ran("--show-files")


@pytest.mark.parametrize("name", ["README.md", "gone.yaml", "excluded.yaml", "other.yaml"])
def test_what_a_hook_passes_and_is_not_ours_is_not_listed(run: Run, tmp_path: Path, name: str) -> None:
    (tmp_path / "trialrun.toml").write_text('exclude = ["excluded.yaml"]\n')
    (tmp_path / "README.md").symlink_to("nowhere")
    (tmp_path / "excluded.yaml").symlink_to("nowhere")
    (tmp_path / "other.yaml").write_text("replicas: 1\n")
    ran = run("check", "--discovered", "--", name)
    assert (ran.code, "not checked" in ran.out) == (2 if name == "gone.yaml" else 0, False)


@pytest.mark.parametrize("hook", ["trialrun", "trialrun-workspace"])
def test_each_hook_reports_what_it_could_not_read(run: Run, tmp_path: Path, hook: str) -> None:
    """Each makes sense alone, so none says that nothing was found of what it did not read."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (entry,) = [one["entry"] for one in hooks if one["id"] == hook]
    (tmp_path / "a.yaml").write_text("kind: FeatureView\nname: [a\n")
    ran = run(*entry.split()[1:], *(["a.yaml"] if hook == "trialrun" else []), cwd=tmp_path)
    assert (ran.code, ran.out.count("error[syntax-error]")) == (1, 1)
