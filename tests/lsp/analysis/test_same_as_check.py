"""Whatever is edited, saved, moved or set: what was told of open files last is what `check` finds now."""

import contextlib
import os
import shutil
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from tests.cases import number_of_cases
from tests.lsp.analysis.test_folder_analysis import AnalysisHarness
from trialrun.diagnostic import Diagnostic
from trialrun.errors import UsageError
from trialrun.lint.baseline import Baseline, create_baseline, format_baseline
from trialrun.lsp.analysis.options import Options, workspace_request
from trialrun.workspace import check

CHOICES = Options(now=datetime(2026, 11, 20, tzinfo=UTC), cache=False)
BRAND = Path(__file__).parents[3] / "fixtures/workspaces/burger-brand"
FILES = sorted(path.relative_to(BRAND).as_posix() for path in BRAND.rglob("*.yaml"))
MOVED = ["broken", "channels", "brand", "feature-store", "archive"]
IGNORED = '[[suppress]]\npath = "{}"\nrule = "{}"\nreason = "for now"\n'
SETTINGS = [
    "",
    'baseline = "baseline.json"\n',
    'policies = ["rules"]\n',
    'exclude = ["broken/"]\n',
    'kinds = {"archive/**" = "FeatureView"}\n',
    'ignore = ["cron-syntax", "unused-channel-config"]\n[severity]\nmissing-etag = "warning"\n',
    '[[overrides]]\npaths = ["channels/**"]\nignore = ["unused-channel-config"]\nseverity = {missing-name = "note"}\n',
    '[[overrides]]\npaths = ["broken/**"]\nsession-schema = "brand/session-schema.yaml"\n',
    IGNORED.format("broken/**", "cron-syntax") + IGNORED.format("channels/*", "unused-channel-config"),
]
POLICIES = [
    b"id: named\non: ChannelConfig\ncheck: has(self.displayName)\nmessage: give it a name\n",
    b"id: named\non: ChannelConfig\ncheck: self.displayName.startsWith('K')\nmessage: not a K\n",
]
OTHERS = {
    "trialrun.toml": [setting.encode() for setting in SETTINGS],
    "rules/named.yaml": POLICIES,
    ".gitignore": [b"", b"broken/\n", b"*.yaml\n!brand.yaml\n"],
    "archive/new.yaml": [b"name: new\n", b"kind: Brand\nname: new\n"],
}
TEXTS = [
    lambda data: data,
    lambda data: data.replace(b"\n", b"\r\n"),
    lambda data: b"\xef\xbb\xbf" + data,
    lambda data: data + b"---\n" + data,
    lambda data: data[: len(data) // 2],
    lambda data: data.replace(b"name:", b"nam\xf0\x9f\x8d\x94:", 1),
    lambda data: b"# trialrun: ignore-file[cron-syntax] for now\n" + data,
    lambda data: b"",
]

deeds = st.one_of(
    st.tuples(st.sampled_from(["put", "write"]), st.sampled_from(FILES), st.sampled_from(TEXTS)),
    st.tuples(st.sampled_from(["drop", "remove"]), st.sampled_from([*FILES, *OTHERS]), st.none()),
    st.sampled_from([*OTHERS]).flatmap(
        lambda name: st.tuples(st.sampled_from(["put", "write"]), st.just(name), st.sampled_from(OTHERS[name]))
    ),
    st.tuples(st.just("move"), st.sampled_from(MOVED), st.sampled_from(MOVED)),
    st.tuples(st.just("note"), st.just("baseline.json"), st.none()),
    st.tuples(st.just("finish"), st.just(""), st.none()),
)


class Editor:
    """An analysis of a folder, and what the client has and was sent."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.opened: dict[str, bytes | None] = {}
        self.harness = AnalysisHarness(folder, CHOICES)
        self.server = self.harness.server

    @property
    def told(self) -> dict[str, list[Diagnostic]]:
        """What was told last of each open file."""
        return {file: found for file, _, found in self.harness.published if file in self.opened}

    def do(self, deed: str, name: str, what: object) -> None:
        """One thing that a person does."""
        file = self.folder / name
        match deed:
            case "put":
                self.opened[str(file)] = data = self.text(file, what)
                self.server.set_text(str(file), data, len(self.harness.published))
            case "write":
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(self.text(file, what))
                self.server.files_changed([str(file)])
            case "drop" if str(file) in self.opened:
                del self.opened[str(file)]
                self.server.close(str(file))
            case "remove" if file.is_file():
                file.unlink()
                self.server.files_changed([str(file)])
            case "move" if file.is_dir() and not (self.folder / str(what)).exists():
                shutil.move(file, self.folder / str(what))
                self.server.files_changed([str(file), str(self.folder / str(what))])
            case "note":
                file.write_text(format_baseline(create_baseline(self.found())))
                self.server.files_changed([str(file)])
            case "finish":
                self.finish()

    def text(self, file: Path, what: object) -> bytes:
        if isinstance(what, bytes):
            return what
        assert callable(what)
        before = self.opened.get(str(file)) or (file.read_bytes() if file.is_file() else b"kind: Brand\nname: b\n")
        made: bytes = what(before)
        return made

    def finish(self) -> None:
        self.harness.finish()

    def found(self, *, baseline: bool = False) -> list[Diagnostic]:
        """What `check` finds in the same texts."""
        request = workspace_request(str(self.folder), CHOICES)
        request = replace(request, overlay=self.opened, jobs=1, with_fixes=False)
        return check(request).without_baseline(request.baseline if baseline else None).diagnostics


@settings(
    max_examples=number_of_cases(20, 20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(changes=st.lists(deeds, min_size=1, max_size=8))
@example(changes=[("put", ".gitignore", b""), ("write", ".gitignore", b"broken/\n")])
def test_what_was_told_last_is_what_check_finds(
    changes: list[tuple[str, str, object]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.rmtree(tmp_path / "brand", ignore_errors=True)
    folder = Path(shutil.copytree(BRAND, tmp_path / "brand"))
    monkeypatch.chdir(folder)
    (folder / "rules").mkdir()
    (folder / "rules/named.yaml").write_bytes(POLICIES[0])
    (folder / "baseline.json").write_text(format_baseline(Baseline()))
    editor = Editor(folder)
    for change in changes:
        with contextlib.suppress(UsageError):
            editor.do(*change)
    editor.finish()
    try:
        found = editor.found(baseline=True)
    except UsageError:
        return
    by_path: dict[str, list[Diagnostic]] = {}
    for one in found:
        by_path.setdefault(one.path, []).append(one)
    told = {os.path.relpath(file): found for file, found in editor.told.items()}
    assert told == {path: by_path.get(path, []) for path in map(os.path.relpath, editor.opened)}
    found_by_path = editor.server.answer("workspace_diagnostics", str(folder))
    assert {path: [*one] for path, one in found_by_path.items()} == by_path
