"""Some files of a workspace are linted as in the whole: what others declare is known before any is linted."""

import json
import os
import shutil
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.cases import each_of, first_of, share_of, some_of
from tests.program import Run, view, write_files
from trialrun.diagnostic import Diagnostic
from trialrun.lint import registry
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule import session_types
from trialrun.lint.rule_docs import parse_docs
from trialrun.lint.selection import REQUIRED_KIND, default_selection
from trialrun.lint.settings import Profiles, Settings
from trialrun.lint.settings.resolver import OF_TRIAL_RUNS
from trialrun.lint.workspace_rules import FactLocations, run_workspace_rules
from trialrun.model.kinds import COMPANION_KINDS, declared_kinds
from trialrun.parser import parse
from trialrun.text import MAX_BYTES
from trialrun.workspace import CheckRequest, check, lint_files, related_files
from trialrun.workspace.check_request import CheckOptions, open_request
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.file_system import FileScan
from trialrun.workspace.lint_files import FileLinter
from trialrun.workspace.open_workspace import OpenWorkspace

WORKSPACES = Path(__file__).parents[2] / "fixtures" / "workspaces"
ENDINGS = {".yaml", ".yml", ".json"}
OPTIONS = CheckOptions(EXAMPLE_TIME, jobs=1, cache=False)
RULES = [rule for rule, (group, _) in registry.files().items() if group == "workspace"]
Findings = dict[str, list[Diagnostic]]


def by_file(request: CheckRequest) -> Findings:
    found: Findings = {}
    for diagnostic in check(request).diagnostics:
        found.setdefault(diagnostic.path, []).append(diagnostic)
    return found


def one_document_per_file(text: str, name: str) -> Iterator[Any]:
    for document in parse(text.encode(), name).documents:
        yield from document.value if isinstance(document.value, list) else [document.value]


def files_of(folder: Path) -> list[str]:
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.suffix in ENDINGS)
    return sorted(path for path in found if "data/" not in path)


def settings(name: str, value: str) -> str:
    return f"[runtime]\n{name} = {json.dumps(value)}\n" if name in OF_TRIAL_RUNS else f"[options]\n{name} = {value}\n"


def assert_each_file_has_its_findings(options: CheckOptions = OPTIONS, share: int = 1) -> None:
    """Compare the check of the workspace in the working directory with those of each file, folder and text.

    By default one of `share` files is tried.
    """
    whole = by_file(open_request([], options))
    editor = OpenWorkspace(open_request([], options))
    editor.run_all_tasks()
    for path in share_of(files_of(Path()), share):
        expected = {path: whole[path]} if path in whole else {}
        text = Path(path).read_bytes()
        assert by_file(open_request([path], options)) == expected
        assert by_file(open_request([path], options, text=(path, text))) == expected
        shown = [one._replace(fix=None, refusal=None) for one in expected.get(path, [])]
        assert [one._replace(fix=None, refusal=None) for one in editor.diagnostics(path)] == shown
    for folder in {os.path.dirname(path) for path in files_of(Path())} - {""}:
        below = {path: found for path, found in whole.items() if path.startswith(f"{folder}/")}
        assert by_file(open_request([folder], options)) == below


@pytest.mark.generated
@pytest.mark.parametrize("name", [path.name for path in WORKSPACES.iterdir()])
def test_in_the_fixtures(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copytree(WORKSPACES / name, tmp_path / name)
    monkeypatch.chdir(tmp_path / name)
    assert_each_file_has_its_findings(share=8)


@pytest.mark.parametrize("rule_id", some_of(RULES, 4))
def test_in_the_examples_of_rules_across_files(rule_id: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each document of an example is a file of its own, in a folder of its own."""
    for number, example in enumerate(parse_docs(registry.load(rule_id).doc).examples):
        workspace = tmp_path / str(number)
        for place, value in enumerate(one_document_per_file(example.text, example.file)):
            file = workspace / f"folder-{place}" / "document.yaml"
            file.parent.mkdir(parents=True)
            file.write_text(yaml.safe_dump(value, sort_keys=False))
        (workspace / "trialrun.toml").write_text("".join(settings(*option) for option in example.options))
        monkeypatch.chdir(workspace)
        assert_each_file_has_its_findings()


STORE = "kind: FeatureOnlineStore\nname: s\ntype: KEY_VALUE\n"
SEARCH = view("search") + "indexConfig: {embeddingColumn: e, treeAhConfig: {}}\n"
BRAND = "kind: Brand\nname: acme\ndefaults: [voice]\n"
VOICE = (
    "kind: ChannelConfig\nname: projects/p/locations/l/brands/acme/channelConfigs/voice\ntype: AGENT_CUSTOMIZATION\n"
)


def rules(run: Run, *arguments: str, **options: Any) -> list[str]:
    ran = run("check", "--output-format", "json", "--select", "workspace", "--jobs", "1", *arguments, **options)
    return [f"{one['path']}: {one['rule']}" for one in json.loads(ran.out)["diagnostics"]]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    """A view in a folder, and the store that it is under, which is declared beside."""
    write_files(tmp_path, {"store.yaml": STORE, "views/search.yaml": SEARCH})
    return tmp_path


FOUND = ["views/search.yaml: store-type-mismatch"]
WAYS = [
    ("views/search.yaml",),
    ("views",),
    ("--discovered", "views/search.yaml"),
    ("--no-cache", "views/search.yaml"),
    ("--jobs", "2", "views/search.yaml"),
    ("--stdin-filename", "views/search.yaml", "-"),
]


@pytest.mark.parametrize("way", WAYS, ids=" ".join)
def test_in_every_way_of_naming_it(run: Run, workspace: Path, way: tuple[str, ...]) -> None:
    for _ in range(2):  # the second time from the cache
        assert rules(run, *way, stdin=SEARCH.encode()) == FOUND
    assert rules(run) == FOUND
    assert rules(run, *way, stdin=SEARCH.encode()) == FOUND


def test_a_text_that_is_in_no_file_yet(run: Run, workspace: Path) -> None:
    (workspace / "views" / "search.yaml").unlink()
    assert rules(run, "--stdin-filename", "views/search.yaml", "-", stdin=SEARCH.encode()) == FOUND


def test_findings_of_the_files_around_are_not_reported(run: Run, workspace: Path) -> None:
    (workspace / "other.yaml").write_text(SEARCH)
    assert rules(run, "store.yaml") == []
    assert rules(run, "other.yaml") == ["other.yaml: store-type-mismatch"]
    assert run("check", "store.yaml", "other.yaml").out.count("-->") == 1


def test_rules_that_are_off_for_the_path_stay_off(run: Run, workspace: Path) -> None:
    (workspace / "trialrun.toml").write_text('[[overrides]]\npaths = ["views/**"]\nignore = ["store-type-mismatch"]\n')
    assert "store-type-mismatch" not in run("check", "views/search.yaml").out


def test_with_a_baseline_of_the_whole_workspace_nothing_is_new(run: Run, workspace: Path) -> None:
    (workspace / "views" / "again.yaml").write_text(SEARCH)
    run("baseline", "write", "accepted.json")
    for path in ("views/again.yaml", "views/search.yaml", "views"):
        assert rules(run, path, "--baseline", "accepted.json") == []


def test_a_part_of_the_context_that_cannot_be_read_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "brand.yaml").write_text(BRAND)
    assert rules(run, "brand.yaml") == ["brand.yaml: unknown-channel-config"]
    (tmp_path / "large.yaml").write_bytes(VOICE.encode() + b"#" * (MAX_BYTES + 1_000_000))
    checked = json.loads(run("check", "brand.yaml", "--output-format", "json").out)
    assert [one["path"] for one in checked["not_checked"]] == ["large.yaml"]
    assert checked["diagnostics"] == []  # the config may be there
    assert rules(run, "brand.yaml") == []


@pytest.mark.parametrize(
    ("text", "missed"),
    [
        ("operationsConfig: [", []),
        ("kind: ChannelConfig\nname: [", []),
        ("syncConfig: [", ["brand.yaml: unknown-channel-config"]),
        ("featureView: [", ["brand.yaml: unknown-channel-config"]),  # as other programs have it, so no document of ours
    ],
)
def test_a_file_that_is_no_document_at_all_may_be_what_others_miss(
    run: Run, tmp_path: Path, text: str, missed: list[str]
) -> None:
    write_files(tmp_path, {"brand.yaml": BRAND, "broken.yaml": text})
    assert rules(run, "brand.yaml") == [one for one in rules(run) if one.startswith("brand")] == missed


def test_a_folder_that_nobody_declared_a_workspace_is_not_read_whole(run: Run, tmp_path: Path) -> None:
    (tmp_path / "brand.yaml").write_text(BRAND)
    (tmp_path / "home").mkdir()
    for number in range(related_files.MAX_UNDECLARED_FILES):
        (tmp_path / "home" / f"{number}.yaml").write_text("notes: [of another program]\n")
    assert rules(run, "brand.yaml") == ["brand.yaml: unknown-channel-config"]
    (tmp_path / "home" / "one-more.yaml").write_text("notes: [of another program]\n")
    report = json.loads(run("check", "--output-format", "json", "brand.yaml").out)
    assert report["diagnostics"] == []
    assert [left["path"] for left in report["not_checked"]] == ["."]
    assert "write a trialrun.toml" in report["not_checked"][0]["why"]
    (tmp_path / "trialrun.toml").touch()
    assert rules(run, "brand.yaml") == ["brand.yaml: unknown-channel-config"]


VIEW = "kind: FeatureView\nname: {}\n"
SCHEMA = "kind: SessionSchema\nname: session\ntypes: {}\nvariables: {}\n"
CONFIG = "kind: ChannelConfig\nname: c\nconditionExpression: a\n"


@pytest.fixture
def request_(tmp_path: Path) -> CheckRequest:
    for number in range(8):
        (tmp_path / f"v{number}.yaml").write_text(VIEW.format(number))
    (tmp_path / "session.yaml").write_text(SCHEMA)
    (tmp_path / "config.yaml").write_text(CONFIG)
    (tmp_path / "brand.yaml").write_text("kind: Brand\nname: b\n")
    (tmp_path / "other.yaml").write_text("kind: Pod\n")
    return CheckRequest(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False, jobs=2)


def scan_all(request: CheckRequest) -> FileScan:
    gone = DiscoveredFile("gone.yaml", str(Path(request.root) / "gone.yaml"))
    folder = DiscoveredFile("folder", request.root)
    return FileLinter(request).scan([*request.files.find(), gone, folder])


def test_what_files_declare_is_known_before_any_is_linted(request_: CheckRequest) -> None:
    scan = scan_all(request_)
    parts = (scan.candidates, scan.unreadable, scan.unrelated, scan.declaring, scan.kinds)
    assert [len(part) for part in parts] == [11, 1, 1, 1, 2]  # type: ignore[arg-type]
    assert [os.path.basename(file.found.file) for file in scan.candidates if file.has_conditions] == ["config.yaml"]
    assert all(file.kept == Path(file.found.file).read_bytes() for file in scan.candidates)


def test_what_would_fill_the_memory_is_read_again(request_: CheckRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = check(request_).diagnostics
    monkeypatch.setattr(lint_files, "MAX_KEPT_BYTES", 100)
    scan = scan_all(request_)
    assert 0 < sum([len(file.kept) for file in scan.candidates if file.kept is not None]) <= 100
    assert len(scan.candidates) == 11
    assert check(request_).diagnostics == expected


LONG_CONFIG = """\
kind: ChannelConfig
name: c%d
operationsConfig:
  upsellStrategy: {upsells: [{celUpsell: {conditionExpression: session.turnn > extra}}]}
# %s
"""


@pytest.mark.parametrize("schema", first_of([SCHEMA.replace("variables: {}", "variables: {extra: string}"), ""]))
def test_the_findings_are_the_same_after_samples(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, schema: str) -> None:
    for number in range(12):
        (tmp_path / f"c{number:02}.yaml").write_text(LONG_CONFIG % (number, "x" * 50_000))
    (tmp_path / "z.yaml").write_text(schema)
    request = CheckRequest(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False, jobs=2)
    expected = check(request).diagnostics
    assert any(diagnostic.rule == "cel-type" for diagnostic in expected)
    monkeypatch.setattr(lint_files, "MIN_FILES_FOR_SAMPLES", 2)
    assert check(request).diagnostics == expected


SPELLINGS = [
    "kind: Brand",
    '"kind":"Brand"',
    "{name: a, kind: Brand}",
    "kind:\n  Brand",
    "kind: # of what\n  'Brand'",
    "kind: &kind Brand",
    "? kind\n: Brand",
    "kind: FeatureView\n---\nkind: Brand",
    "kind: FeatureView,\nkind: Brand",
    "kind:\n  # kind: FeatureView\n  Brand",
    'kind: "B\\x72and"',
    '{"kin\\u0064": "Brand"}',
    "other: &brand Brand\nkind: *brand",
]
MISSPELT = "kind: FeatureGroupTabel"


@each_of(SPELLINGS)
def test_a_kind_is_seen_in_every_way_of_writing_it(text: str) -> None:
    assert "Brand" in declared_kinds(text.encode())
    assert "Brand" in declared_kinds(text.encode("utf-16"))


def test_a_kind_is_seen_where_it_is_nearly_written_or_told_by_the_path() -> None:
    assert declared_kinds(MISSPELT.encode()) == {"FeatureGroupTable"}
    assert declared_kinds(b"name: acme", by_path="Brand") == {"Brand"}
    assert declared_kinds(b"name: acme", by_path="ChannelConfig") == set()


@each_of(["kind: ChannelConfig\nsuggestedMenuItems: [a]", "Menu: 1", "kind: Brands", ""])
def test_what_declares_nothing(text: str) -> None:
    assert declared_kinds(text.encode()) == set()


@each_of([*REQUIRED_KIND])
def test_a_rule_keeps_silent_without_the_kind_that_it_speaks_with(rule_id: str) -> None:
    bad = [example for example in parse_docs(registry.load(rule_id).doc).examples if example.kind == "bad"]
    for example in bad:
        documents = [each.value for each in parse(example.data, example.file).documents]
        rest = [one for value in documents for one in (value if isinstance(value, list) else [value])]
        left = [candidate for candidate in rest if candidate.get("kind") != REQUIRED_KIND[rule_id]]
        linter = Linter(default_selection(), now=EXAMPLE_TIME, session_types=lambda: session_types([]))
        data = json.dumps(left).encode()
        facts = linter.lint(data, "left.json").facts
        found = run_workspace_rules(facts, default_selection(), FactLocations(lambda path, data=data: data))  # type: ignore[misc]
        assert [file.message for file in found if file.rule == rule_id] == []
    assert bad


def test_every_rule_that_speaks_with_a_kind_speaks_of_one_that_is_looked_for() -> None:
    assert set(REQUIRED_KIND.values()) <= set(COMPANION_KINDS)
    assert set(REQUIRED_KIND) <= set(registry.ids())
