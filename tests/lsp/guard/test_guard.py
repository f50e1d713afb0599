"""A server behind its guard: findings and answers come, whatever a text does to the server."""

import os
import signal
import subprocess
import threading
import time
from pathlib import Path

import pytest

from tests.lsp.client import LIMIT
from tests.lsp.guard.conftest import Start, until
from trialrun.lsp import guard
from trialrun.lsp.conversation import MAX_CHANGES
from trialrun.lsp.guard import CONTENT_MODIFIED

VIEW = b"kind: FeatureView\nname: prices\nsyncConfig: {cron: 0 6 * * *}\n"
BROKEN_VIEW = VIEW.replace(b"0 6", b"0 66")
SLOW = b"kind: Brand\nname: north\nstores:\n" + b"".join(
    b"  - {name: s%d, timeZone: Europe/Nowhere%d}\n" % (number, number) for number in range(200_000)
)
"""A text that takes far longer to read, and to lint, than the tests let it."""


def test_wrong_settings_are_told_and_those_in_force_stay(watched: Start, tmp_path: Path) -> None:
    one = watched().begin()
    one.open("view.yaml", BROKEN_VIEW, 1)
    one.findings.get(timeout=LIMIT)
    (tmp_path / "trialrun.toml").write_text("ignores = []\n")
    one.changed("trialrun.toml")
    assert "ignores" in one.told.get(timeout=LIMIT)
    one.open("view.yaml", BROKEN_VIEW + b"\n", 2)
    assert "cron-syntax" in one.findings.get(timeout=LIMIT)[2]


def test_it_ends_with_the_process_of_the_editor(watched: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    monkeypatch.setattr(guard.os, "_exit", ended.append)
    with subprocess.Popen(["sleep", "600"]) as editor:
        one = watched(editor_interval=0.05).begin(processId=editor.pid)
        one.open("view.yaml", BROKEN_VIEW, 1)
        one.findings.get(timeout=LIMIT)
        assert ended == []
        editor.kill()
    until(lambda: bool(ended))
    assert ended[0] == 1


def test_it_ends_with_the_editor_while_nobody_reads_what_it_writes(
    watched: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[int] = []
    monkeypatch.setattr(guard.os, "_exit", ended.append)
    written, is_read = threading.Event(), threading.Event()
    with subprocess.Popen(["sleep", "600"]) as editor:
        one = watched(editor_interval=0.05)
        monkeypatch.setattr(one, "write", lambda data: (written.set(), is_read.wait(LIMIT)))
        one.begin(processId=editor.pid)
        assert written.wait(LIMIT)
        editor.kill()
    try:
        until(lambda: bool(ended))
    finally:
        is_read.set()
    assert ended == [1]


@pytest.mark.parametrize("process_id", [None, 2**22 + 1, 2**64, -1, True, "1"])
def test_an_editor_that_is_not_seen_is_not_watched(watched: Start, process_id: object) -> None:
    one = watched(editor_interval=0.05).begin(processId=process_id)
    one.open("view.yaml", BROKEN_VIEW, 1)
    one.findings.get(timeout=LIMIT)
    time.sleep(0.2)
    assert one.symbols("view.yaml").result(LIMIT)


def test_a_feature_answers_about_the_newest_text(watched: Start) -> None:
    one = watched().begin()
    one.open("view.yaml", VIEW, 1)
    one.open("view.yaml", VIEW.replace(b"prices", b"costs"), 2)
    assert one.symbols("view.yaml").result(LIMIT)[0]["name"] == "costs"


@pytest.mark.exhaustive
def test_a_text_that_takes_too_long_is_left_out(watched: Start) -> None:
    one = watched(timeout=1.5).begin()
    one.open("slow.yaml", SLOW, 1)
    one.open("view.yaml", BROKEN_VIEW, 1)
    assert "slow.yaml takes too long" in one.told.get(timeout=LIMIT)
    assert one.found("slow.yaml", 1) == ["internal-error"]
    assert "cron-syntax" in one.found("view.yaml", 1)
    one.open("slow.yaml", BROKEN_VIEW, 2)
    assert "cron-syntax" in one.found("slow.yaml", 2)
    os.kill(one.guard.process_id, signal.SIGKILL)
    assert "cron-syntax" in one.found("slow.yaml", 2)


def test_work_on_an_old_text_ends_for_a_newer_one(watched: Start) -> None:
    one = watched(stale_timeout=0.3).begin()
    one.open("brand.yaml", VIEW, 1)
    one.findings.get(timeout=LIMIT)
    first = one.guard.process_id
    one.open("brand.yaml", SLOW, 2)
    one.until_it_works_on("brand.yaml")
    asked = one.symbols("brand.yaml")
    one.open("brand.yaml", BROKEN_VIEW, 3)
    assert asked.result(LIMIT)["code"] == CONTENT_MODIFIED
    assert one.findings.get(timeout=LIMIT)[1] == 3
    assert one.told.empty()
    assert one.guard.process_id != first


def test_work_on_a_file_that_nobody_has_open_ends_for_a_question(watched: Start, tmp_path: Path) -> None:
    (tmp_path / "slow.yaml").write_bytes(SLOW)
    one = watched(stale_timeout=0.3).begin()
    one.until_it_works_on("slow.yaml")
    assert one.symbols("view.yaml").result(LIMIT)["code"] == CONTENT_MODIFIED
    assert "slow.yaml takes too long" in one.told.get(timeout=LIMIT)
    assert one.symbols("view.yaml").result(LIMIT) == []


def test_a_server_that_is_killed_is_followed_by_another(watched: Start) -> None:
    one = watched().begin()
    one.open("view.yaml", BROKEN_VIEW, 1)
    first = one.findings.get(timeout=LIMIT)
    killed = one.guard.process_id
    os.kill(killed, signal.SIGKILL)
    assert one.findings.get(timeout=LIMIT) == first
    assert one.guard.process_id != killed


def test_a_server_that_follows_knows_the_texts_as_they_are(watched: Start) -> None:
    one = watched().begin()
    one.open("view.yaml", BROKEN_VIEW, 1)
    one.insert("view.yaml", 3, "etag: \N{HAMBURGER}\nlabels: {Team: x}\n", 2)
    for version in range(3, MAX_CHANGES + 5):
        one.insert("view.yaml", 3, "# \N{HAMBURGER}\n", version)
    found = one.found("view.yaml", MAX_CHANGES + 4)
    assert {"invalid-label", "cron-syntax"} <= {*found}
    os.kill(one.guard.process_id, signal.SIGKILL)
    assert one.found("view.yaml", MAX_CHANGES + 4) == found


def test_a_server_that_follows_knows_the_folders_and_asks_for_nothing_again(watched: Start, tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "view.yaml").write_bytes(VIEW.replace(b"prices", b"prices-of-" + name.encode()))
    capabilities = {"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": True}}}
    folders = [{"uri": (tmp_path / name).as_uri(), "name": name} for name in ("one", "two")]
    one = watched().begin(workspaceFolders=folders[:1], capabilities=capabilities)
    one.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": folders[1:], "removed": folders[:1]}})
    for _ in range(2):
        found = one.ask("workspace/symbol", {"query": "prices"}).result(LIMIT)
        assert [symbol["name"] for symbol in found] == ["prices-of-two"]
        killed = one.guard.process_id
        os.kill(killed, signal.SIGKILL)
        until(lambda killed=killed: one.guard.process_id != killed)  # type: ignore[misc]
    assert one.heard.count("client/registerCapability") == 1


def test_a_client_that_asks_for_findings_is_answered_by_the_server_that_follows(watched: Start) -> None:
    capabilities = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}
    one = watched().begin(capabilities=capabilities)
    one.open("slow.yaml", b"\n".join(SLOW.split(b"\n")[:503]))
    asked = one.ask("textDocument/diagnostic", {"textDocument": {"uri": (one.folder / "slow.yaml").as_uri()}})
    one.end_while_it_works_on("slow.yaml", signal.SIGKILL)
    assert len(asked.result(LIMIT)["items"]) == 500
    assert "textDocument/publishDiagnostics" not in one.heard


def test_wrong_messages_are_passed_on_and_do_no_harm(watched: Start) -> None:
    one = watched()
    for begin in (one.begin, lambda: one.open("view.yaml", BROKEN_VIEW)):
        one.tell("initialize", {"capabilities": [], "workspaceFolders": [1]})
        one.tell("workspace/didChangeWorkspaceFolders", {"event": {"added": [{}], "removed": 7}})
        one.tell("textDocument/didOpen", {"textDocument": {"uri": "file:///a.yaml"}})
        one.tell("textDocument/didChange", [1])
        one.tell("textDocument/didSave", None)
        begin()
    assert "cron-syntax" in one.found("view.yaml", 1)
    os.kill(one.guard.process_id, signal.SIGKILL)
    assert "cron-syntax" in one.found("view.yaml", 1)
