"""What is known of files before any is linted."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cases import first_of
from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import CheckRequest, check, lint_files
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.lint_files import FileLinter, FileScan

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
    kept = [len(file.kept) for file in scan.candidates if file.kept is not None]
    assert 0 < sum(kept) <= 100
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
