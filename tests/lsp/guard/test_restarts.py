"""What happens to the server and around it: it is killed, keeps ending, its guard goes, it is stopped."""

import os
import shutil
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cases import first_of
from tests.lsp.client import LIMIT
from tests.lsp.guard import test_guard
from tests.lsp.guard.conftest import Start, until
from tests.lsp.guard.test_guard import BROKEN_VIEW, VIEW
from tests.lsp.server.raw_client import wired
from tests.lsp.server.test_start_and_end import children
from trialrun.lsp.guard import CONTENT_MODIFIED, MAX_RESTARTS

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked at as Linux shows them")
SLOW = b"\n".join(test_guard.SLOW.split(b"\n")[:30_000])
"""A text that takes seconds to lint."""


def is_there(process: int) -> bool:
    """Whether a process is there and has not ended."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_edits_go_on_however_often_the_process_is_killed(watched: Start) -> None:
    one = watched().begin()
    for version in range(1, 9):
        one.open("view.yaml", BROKEN_VIEW + b"#" * version, version)
        if version % 2:
            with suppress(ProcessLookupError):  # the one before may just be gone, and the next not be there yet
                os.kill(one.guard.process_id, signal.SIGKILL)
    one.open("view.yaml", BROKEN_VIEW, 9)
    assert "cron-syntax" in one.found("view.yaml", 9)


def test_a_text_that_ends_the_process_is_left_out_with_one_message(watched: Start) -> None:
    one = watched().begin()
    one.open("view.yaml", BROKEN_VIEW)
    one.found("view.yaml", 1)
    one.open("slow.yaml", SLOW)
    for _ in range(2):
        one.end_while_it_works_on("slow.yaml", signal.SIGSEGV)
    assert "slow.yaml crashed the analysis process; it is not checked" in one.told.get(timeout=LIMIT)
    assert "cron-syntax" in one.found("view.yaml", 1)
    assert one.found("slow.yaml", 1) == ["internal-error"]
    one.open("view.yaml", VIEW, 2)
    one.found("view.yaml", 2)
    assert one.told.empty()


@pytest.mark.exhaustive
def test_a_process_that_is_ended_once_leaves_no_text_out(watched: Start) -> None:
    one = watched().begin()
    one.open("slow.yaml", b"\n".join(SLOW.split(b"\n")[:2000]))
    one.end_while_it_works_on("slow.yaml", signal.SIGKILL)
    assert "unknown-time-zone" in one.found("slow.yaml", 1)
    assert one.told.empty()


@pytest.mark.exhaustive
def test_a_text_that_is_left_out_stays_so_until_it_is_another(watched: Start) -> None:
    one = watched(timeout=3).begin()
    one.open("slow.yaml", SLOW)
    assert one.found("slow.yaml", 1) == ["internal-error"]
    one.open("slow.yaml", SLOW, 2)
    assert one.found("slow.yaml", 2) == ["internal-error"]
    one.open("slow.yaml", BROKEN_VIEW, 3)
    assert "cron-syntax" in one.found("slow.yaml", 3)
    assert one.told.qsize() == 1


def test_a_file_that_nobody_has_open_keeps_no_answer_waiting(watched: Start, tmp_path: Path) -> None:
    (tmp_path / "slow.yaml").write_bytes(SLOW)
    one = watched(stale_timeout=LIMIT / 2).begin()
    one.open("view.yaml", BROKEN_VIEW)
    one.found("view.yaml", 1)
    assert one.symbols("view.yaml").result(LIMIT)
    assert one.guard.work is not None


@pytest.mark.exhaustive
@pytest.mark.parametrize("leave", first_of([shutil.rmtree, lambda folder: folder.rename(folder.with_name("moved"))]))
def test_a_folder_may_go_and_come_again(watched: Start, tmp_path: Path, leave: Callable[[Path], object]) -> None:
    folder = tmp_path / "workspace"
    folder.mkdir()
    one = watched(folder).begin()
    one.open("view.yaml", BROKEN_VIEW)
    assert "cron-syntax" in one.found("view.yaml", 1)
    leave(folder)
    one.open("view.yaml", BROKEN_VIEW, 2)
    assert "cron-syntax" in one.found("view.yaml", 2)
    folder.mkdir()
    (folder / "trialrun.toml").write_text('ignore = ["cron-syntax"]\n')
    one.open("view.yaml", BROKEN_VIEW, 3)
    assert "cron-syntax" not in one.found("view.yaml", 3)
    assert one.told.empty()


def test_a_process_that_ends_again_and_again_is_not_started_any_more(watched: Start) -> None:
    one = watched()
    known: list[int] = []
    for _ in range(MAX_RESTARTS + 1):
        until(lambda: one.guard.process_id not in known)
        known.append(one.guard.process_id)
        os.kill(known[-1], signal.SIGKILL)
    assert "was restarted" in one.told.get(timeout=LIMIT)
    assert "keeps crashing" in one.told.get(timeout=LIMIT)
    assert one.symbols("view.yaml").result(LIMIT)["code"] == CONTENT_MODIFIED
    assert not any(map(is_there, known))


@pytest.mark.exhaustive
def test_a_server_ends_when_its_guard_is_killed_whatever_it_does(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        wire.open("slow.yaml", SLOW.decode())
        wire.ask("workspace/executeCommand", {"command": "none"})  # by its answer the text has come
        (server,) = children(wire.process.pid)
        wire.process.kill()
        until(lambda: not is_there(server))


@pytest.mark.exhaustive
def test_a_client_that_is_gone_ends_a_server_that_is_busy(tmp_path: Path) -> None:
    with wired(tmp_path) as wire:
        wire.begin()
        wire.open("slow.yaml", SLOW.decode())
        wire.ask("workspace/executeCommand", {"command": "none"})
        (server,) = children(wire.process.pid)
        assert wire.hang_up() == 1
        assert not is_there(server)


@pytest.mark.exhaustive
def test_texts_do_not_wait_for_a_process_that_is_busy(watched: Start) -> None:
    one = watched().begin()
    one.open("slow.yaml", SLOW)
    for version in range(1, 20):
        one.open("large.yaml", b"# " + b"x" * 1_000_000, version)
    one.open("slow.yaml", VIEW, 2)
    assert one.found("slow.yaml", 2) is not None


@pytest.mark.exhaustive
def test_a_text_of_many_megabytes_is_refused_for_its_size(watched: Start) -> None:
    one = watched().begin()
    one.open("large.yaml", VIEW + b"# " + b"x" * 30_000_000)
    assert one.found("large.yaml", 1) == ["resource-limit"]


@pytest.mark.exhaustive
def test_files_that_are_opened_and_closed_by_the_hundred_keep_nobody_waiting(watched: Start) -> None:
    one = watched().begin()
    for number in range(500):
        one.open(f"{number}.yaml", VIEW)
        one.close(f"{number}.yaml")
    one.open("view.yaml", BROKEN_VIEW)
    assert "cron-syntax" in one.found("view.yaml", 1)
