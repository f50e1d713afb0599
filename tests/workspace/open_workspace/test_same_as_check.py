"""After any edits the findings of every file are those of `check` over the same texts."""

import shutil
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cases import number_of_cases
from trialrun.diagnostic import Diagnostic
from trialrun.lint.settings import Profiles, read_settings
from trialrun.workspace import CheckRequest, check
from trialrun.workspace.open_workspace import OpenWorkspace, results

NOW = datetime(2026, 11, 20, tzinfo=UTC)
BRAND = Path(__file__).parents[3] / "fixtures/workspaces/burger-brand"
FILES = sorted(path.relative_to(BRAND).as_posix() for path in BRAND.rglob("*.yaml"))
OF_OTHERS = [b"\n---\n" + (BRAND / name).read_bytes() for name in FILES[:4]]
SPOILING = [
    b"\xff\xfe\xff",
    b"\nkind: Brand\n",
    b"\n---\nkind: SessionSchema\nname: other\n",
    b"# trialrun: ignore[unused-channel-config] it is for later\n",
    b"[" * 2000,
    b"name: [",
    b"",
]

POLICIES = """\
id: one-config-of-a-kind
scope: workspace
on: ChannelConfig
at: type
once: self.type
check: documents("ChannelConfig").filter(c, c.type == self.type).size() < 2
message: several configs of a type
messageExpression: documents("ChannelConfig").filter(c, c.type == self.type).map(c, c.name).join(" and ")
---
id: configs-are-bound
scope: workspace
on: ChannelConfig
check: documents("Brand").exists(b, b.bindings.exists(x, x.channelConfig == self.name)) && document.path != "new.yaml"
message: no brand binds this config
---
id: no-text-twice
scope: workspace
on: UpsellConfig
check: documents("ChannelConfig").filter(c, texts(c).exists(t, t in texts(self))).size() < 2
message: another config has this text
"""

Edit = tuple[str, str, bytes, float, float, bool]
edits = st.tuples(
    st.sampled_from(["put", "write", "drop", "remove"]),
    st.sampled_from([*FILES, "channels/new.yaml"]),
    st.sampled_from([*SPOILING, *OF_OTHERS]),
    st.floats(0, 1),
    st.floats(0, 0.2),
    st.booleans(),
)


def spoiled(data: bytes, word: bytes, at: float, width: float) -> bytes:
    """A text with another word in place of a part of it."""
    start = int(len(data) * at)
    return data[:start] + word + data[start + int(len(data) * width) :]


def edited(live: OpenWorkspace, overlay: dict[str, bytes | None], folder: Path, edit: Edit) -> None:
    """Make an edit, in the editor or on disk."""
    deed, name, word, at, width, _ = edit
    file = folder / name
    before = overlay.get(str(file)) or (file.read_bytes() if file.is_file() else b"kind: ChannelConfig\nname: new\n")
    match deed:
        case "put":
            overlay[str(file)] = spoiled(before, word, at, width)
            live.set_overlay(str(file), spoiled(before, word, at, width))
        case "write":
            file.write_bytes(spoiled(before, word, at, width))
            live.files_changed(str(file))
        case "drop":
            overlay.pop(str(file), None)
            live.remove_overlay(str(file))
        case "remove":
            file.unlink(missing_ok=True)
            live.files_changed(str(file))


@pytest.mark.parametrize(
    "pause",
    [pytest.param(0, id="in pieces"), pytest.param(results.STEP_SECONDS, id="at once", marks=pytest.mark.exhaustive)],
)
@settings(max_examples=number_of_cases(20), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(changes=st.lists(edits, min_size=1, max_size=5))
def test_findings_are_those_of_check(
    pause: float, changes: list[Edit], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results, "STEP_SECONDS", pause)
    shutil.rmtree(tmp_path / "brand", ignore_errors=True)
    folder = Path(shutil.copytree(BRAND, tmp_path / "brand"))
    monkeypatch.chdir(folder)
    (folder / "policies.yaml").write_text(POLICIES)
    profiles = Profiles(read_settings(str(folder)), policies=[str(folder / "policies.yaml")])
    request = CheckRequest(str(folder), NOW, profiles, jobs=1, cache=False)
    live, overlay = OpenWorkspace(request), dict[str, bytes | None]()
    for edit in changes:
        edited(live, overlay, folder, edit)
        if edit[-1]:
            live.run_all_tasks()
    live.run_all_tasks()
    expected = check(CheckRequest(str(folder), NOW, request.profiles, overlay=overlay, jobs=1, cache=False))
    paths = {*FILES, "channels/new.yaml", "trialrun.toml", *(diagnostic.path for diagnostic in expected.diagnostics)}
    by_place = sorted(expected.diagnostics, key=lambda one: one.sort_key)
    without_fixes = [one._replace(fix=None, refusal=None) for one in by_place]
    assert [one._replace(fix=None) for one in _found(live, paths)] == without_fixes
    assert _found(live, paths, with_fixes=True) == by_place


def _found(live: OpenWorkspace, paths: Iterable[str], *, with_fixes: bool = False) -> list[Diagnostic]:
    found = (diagnostic for path in paths for diagnostic in live.diagnostics(path, with_fixes=with_fixes))
    return sorted(found, key=lambda one: one.sort_key)
