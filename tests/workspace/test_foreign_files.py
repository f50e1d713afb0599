"""Files of other programs, in `fixtures/foreign`: nothing is found in them and nothing is changed, whatever they hold.

Drop a file there and it is a test. Each has words that our files have, and most have what we would report in ours.
"""

import shutil
from datetime import UTC, datetime
from pathlib import Path

from tests.cases import each_of
from tests.program import Run
from trialrun.lint.engine import Linter
from trialrun.lint.rule import session_types
from trialrun.lint.selection import default_selection
from trialrun.lint.settings import Profiles, Settings
from trialrun.lsp.features.code_action import code_action
from trialrun.workspace import CheckRequest, check
from trialrun.workspace.open_workspace import OpenWorkspace

FOREIGN = Path(__file__).parent.parent.parent / "fixtures" / "foreign"
FILES = sorted(path for path in FOREIGN.rglob("*") if path.is_file())
NOW = datetime(2026, 11, 20, tzinfo=UTC)
OURS = """\
kind: FeatureView
name: projects/p/locations/l/featureOnlineStores/s/featureViews/v{}{}
{}: {{cron: 0 3 * * *}}
"""


def request(root: Path, *paths: Path) -> CheckRequest:
    return CheckRequest(str(root), NOW, Profiles(Settings()), [str(path) for path in paths], jobs=1, cache=False)


def test_there_are_many() -> None:
    assert len(FILES) >= 80


def test_a_run_finds_nothing_and_changes_nothing(run: Run, tmp_path: Path) -> None:
    shutil.copytree(FOREIGN, tmp_path, dirs_exist_ok=True)
    ran = run("check", "--fix", "--unsafe-fixes", "--fail-on", "note")
    skipped = f"nothing fixed; no files checked ({len(FILES)} files skipped: unknown kind)\n"
    assert (ran.code, ran.out) == (0, skipped)
    discovered = [str(path.relative_to(FOREIGN)) for path in FILES]
    assert run("check", "--discovered", "--fix", "--", *discovered).code == 0
    assert run("check", "--add-ignores", "theirs").code == 0
    assert [path.read_bytes() for path in FILES] == [
        (tmp_path / path.relative_to(FOREIGN)).read_bytes() for path in FILES
    ]


@each_of(FILES)
def test_a_file_that_is_named_gives_one_finding_at_most(path: Path) -> None:
    assert [diagnostic.rule for diagnostic in check(request(FOREIGN, path)).diagnostics] in (["unknown-kind"], [])


def test_an_editor_shows_nothing_and_fixes_nothing(tmp_path: Path) -> None:
    live = OpenWorkspace(request(tmp_path))
    for path in FILES:
        live.set_overlay(str(tmp_path / path.name), path.read_bytes())
    live.run_all_tasks()
    assert live.all_diagnostics() == {}
    assert [path for path in live.paths if code_action(live, path, 0, 0, only=["source.fixAll"])] == []


def test_a_finding_about_a_named_file_is_suppressed_in_the_settings(run: Run, tmp_path: Path) -> None:
    shutil.copy(FOREIGN / "compose.yaml", tmp_path)
    assert run("check", "compose.yaml", "--add-ignores", "theirs").code == 0
    assert (tmp_path / "compose.yaml").read_bytes() == (FOREIGN / "compose.yaml").read_bytes()


def test_in_a_stream_ours_are_fixed_and_theirs_stay(run: Run, tmp_path: Path) -> None:
    streams = {}
    for number, path in enumerate(path for path in FILES if path.suffix in (".yaml", ".yml")):
        theirs = path.read_text(encoding="utf-8")
        before, after = (OURS.format(number, "a", field) for field in ("sync_config", "syncConfig"))
        last, fixed_last = (OURS.format(number, "b", field) for field in ("sync_config", "syncConfig"))
        (tmp_path / f"{number}.yaml").write_text(f"{before}---\n{theirs}---\n{last}", encoding="utf-8")
        streams[number] = f"{after}---\n{theirs}---\n{fixed_last}"
    ran = run("check", "--fix", "--unsafe-fixes", "--ignore", "workspace,no-source,sync-without-source")
    assert (ran.code, f"{2 * len(streams)} findings fixed in {len(streams)} files" in ran.out) == (0, True)
    assert {number: (tmp_path / f"{number}.yaml").read_text(encoding="utf-8") for number in streams} == streams


VIEW_OF_JSON = (
    '{"kind": "FeatureView", "name": "projects/p/locations/l/featureOnlineStores/s/featureViews/v", '
    '"warehouseSource": {"uri": "bq://p.d.t", "entityIdColumns": ["id"]}}'
)


@each_of(
    [
        ("v.json", "}", "} closes nothing; remove it"),
        ("v.json", ",", "text after the end of the JSON document; remove it"),
        ("v.json", '\n{"theirs": 1}', "text after the end of the JSON document; put it in its own file"),
        ("v.yaml", "}", "} closes nothing; remove it"),
        ("v.yaml", "\n}\n", "} closes nothing; remove it"),
        ("v.yaml", "\n---\n}\n", None),
    ]
)
def test_what_follows_our_document_is_part_of_it(name: str, rest: str, message: str | None) -> None:
    linter = Linter(default_selection(), now=NOW, session_types=lambda: session_types([]))
    result = linter.lint((VIEW_OF_JSON + rest).encode(), name)
    found = [diagnostic.message for diagnostic in result.diagnostics if diagnostic.rule == "syntax-error"]
    assert found == ([message] if message else [])


@each_of([("v.json", VIEW_OF_JSON.replace(": ", ": /*", 1)), ("v.yaml", "{" + OURS.format("", "", "syncConfig"))])
def test_a_document_of_which_a_slip_leaves_nothing_is_ours(name: str, text: str) -> None:
    linter = Linter(default_selection(), now=NOW, session_types=lambda: session_types([]))
    assert "syntax-error" in {diagnostic.rule for diagnostic in linter.lint(text.encode(), name).diagnostics}


def test_in_a_list_theirs_stay(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(
        "- kind: Deployment\n  mode: 0755\n  tag: !x y\n- kind: FeatureView\n  labels: {a: no}\n"
    )
    assert run("check", "--fix", "--unsafe-fixes").code == 0
    assert 'mode: 0755\n  tag: !x y\n- kind: FeatureView\n  labels: {a: "no"}' in (tmp_path / "a.yaml").read_text()


def test_a_template_that_is_named_is_said_to_be_one(tmp_path: Path, run: Run) -> None:
    (tmp_path / "view.yaml").write_text(
        "kind: FeatureView\n{{- with .Values.sync }}\nsyncConfig: {cron: {{ .cron }}}\n{{- end }}\n"
    )
    told = "a template engine fills in lines of this file; check the file that it writes, or exclude this one"
    assert told in " ".join(run("check", "view.yaml").out.split())
    assert run("check", "--discovered", "view.yaml").code == 0
