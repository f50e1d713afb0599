"""What is known of files before any is linted is the same whichever process has read them."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.cases import first_of
from trialrun.lint.settings import Profiles, Settings
from trialrun.workspace import CheckRequest, check, lint_files, scan_files
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.result_cache import digest
from trialrun.workspace.scan_files import FileScan

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


def scan_all(request: CheckRequest, *, beside: bool) -> tuple[FileScan, list[DiscoveredFile]]:
    files = request.files
    gone = DiscoveredFile("gone.yaml", str(Path(request.root) / "gone.yaml"))
    folder = DiscoveredFile("folder", request.root)
    found = [*files.find(), gone, folder]
    scan = FileScan(files, request.profiles, digest)
    if beside:
        scan.scan_beside(found, lambda: None)
    else:
        scan.scan(found)
    return scan, found


def known(scan: FileScan) -> list[object]:
    candidates = [(file.found, file.size, file.digest, file.has_conditions) for file in scan.candidates]
    return [candidates, scan.unreadable, scan.unrelated, scan.declaring, scan.kinds]


def test_another_process_finds_out_what_this_one_would(request_: CheckRequest) -> None:
    here, beside = (scan_all(request_, beside=beside)[0] for beside in (False, True))
    assert known(beside) == known(here)
    assert [len(part) for part in known(here)] == [11, 1, 1, 1, 2]  # type: ignore[arg-type]
    assert [os.path.basename(file.found.file) for file in here.candidates if file.has_conditions] == ["config.yaml"]
    for own, other in zip(here.candidates, beside.candidates, strict=True):
        assert beside.data(other) == here.data(own) == Path(own.found.file).read_bytes()


def test_what_would_fill_the_memory_is_read_again(request_: CheckRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan_files, "MAX_KEPT_BYTES", 100)
    for beside in (False, True):
        scan, _ = scan_all(request_, beside=beside)
        kept = [len(data) for data in map(scan.data, scan.candidates) if data is not None]
        assert 0 < sum(kept) <= 100
        assert len(scan.candidates) == 11


def test_where_the_other_process_crashes_this_one_reads_the_files(
    request_: CheckRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    parent, scan_file = os.getpid(), FileScan._scan_file
    here, _ = scan_all(request_, beside=False)

    def crash(scan: FileScan, file: DiscoveredFile) -> object:
        if file.display_path.endswith("v5.yaml") and os.getpid() != parent:
            os._exit(11)
        return scan_file(scan, file)

    monkeypatch.setattr(FileScan, "_scan_file", crash)
    beside, _ = scan_all(request_, beside=True)
    assert known(beside) == known(here)
    assert [beside.data(file) for file in beside.candidates] == [here.data(file) for file in here.candidates]


LONG_CONFIG = """\
kind: ChannelConfig
name: c%d
operationsConfig:
  upsellStrategy: {upsells: [{celUpsell: {conditionExpression: session.turnn > extra}}]}
# %s
"""


@pytest.mark.parametrize("schema", first_of([SCHEMA.replace("variables: {}", "variables: {extra: string}"), ""]))
def test_the_findings_are_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, schema: str) -> None:
    for number in range(12):
        (tmp_path / f"c{number:02}.yaml").write_text(LONG_CONFIG % (number, "x" * 50_000))
    (tmp_path / "z.yaml").write_text(schema)
    request = CheckRequest(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False, jobs=2)
    expected = check(request).diagnostics
    assert any(diagnostic.rule == "cel-type" for diagnostic in expected)
    monkeypatch.setattr(lint_files, "FIRST_FILES", 3)
    monkeypatch.setattr(lint_files, "MIN_FILES_BESIDE", 2)
    assert check(request).diagnostics == expected


def test_few_files_and_foreign_ones_are_scanned_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("another process reads them")

    monkeypatch.setattr(FileScan, "scan_beside", fail)
    for number in range(400):
        (tmp_path / f"p{number}.yaml").write_text("kind: Pod\n")
    (tmp_path / "a.yaml").write_text(VIEW.format("a"))
    request = CheckRequest(str(tmp_path), datetime(2026, 11, 20, tzinfo=UTC), Profiles(Settings()), cache=False, jobs=2)
    assert check(request).files == 1
