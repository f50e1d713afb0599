"""What happens to the process that lints, and around it: it is killed, keeps ending, its parent goes, it is stopped."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from pickle import UnpicklingError
from queue import Queue

import pytest

from tests.cases import first_of
from tests.lsp.client import LIMIT
from tests.lsp.ipc.conftest import Start, Watched, until
from tests.lsp.ipc.test_supervisor import BROKEN_VIEW, SLOW, VIEW
from tests.program import own_environment
from trialrun.lsp.ipc.messages import Initialize, Options, ServerCancelled
from trialrun.lsp.ipc.supervisor import MAX_RESTARTS, AnalysisProcess

pytestmark = pytest.mark.skipif(not Path("/proc/self").exists(), reason="processes are looked at as Linux shows them")
PARENT = """
import sys, time
from trialrun.lsp.ipc.supervisor import AnalysisSupervisor
supervisor = AnalysisSupervisor(lambda supervisor, message: None)
supervisor.initialize(sys.argv[1])
supervisor.set_text(sys.argv[1] + "/slow.yaml", sys.stdin.buffer.read(), 1)
print(supervisor.process_id, flush=True)
time.sleep(600)
"""


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
                os.kill(one.supervisor.process_id, signal.SIGKILL)
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
    assert one.found("slow.yaml", 1) == ["internal-error"]
    assert "cron-syntax" in one.found("view.yaml", 1)
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
    (tmp_path / "slow.yaml").write_bytes(b"\n".join(SLOW.split(b"\n")[:20_000]))
    one = watched(stale_timeout=LIMIT / 2).begin()
    one.open("view.yaml", BROKEN_VIEW)
    one.found("view.yaml", 1)
    assert one.request("document_symbols", "view.yaml").result(LIMIT)
    assert 0 not in one.left.queue


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
        until(lambda: one.supervisor.process_id not in known)
        known.append(one.supervisor.process_id)
        os.kill(known[-1], signal.SIGKILL)
    told = [one.told.get(timeout=LIMIT) for _ in known]
    assert "keeps crashing" in told[-1]
    with pytest.raises(ServerCancelled):
        one.request("document_symbols", "view.yaml").result(LIMIT)
    assert not any(map(is_there, known))


def test_a_process_that_is_not_understood_is_ended(tmp_path: Path) -> None:
    ended: Queue[AnalysisProcess] = Queue()

    def heard(child: AnalysisProcess, message: object) -> None:
        raise UnpicklingError(f"{message} of another version")

    child = AnalysisProcess(heard, ended.put)
    child.send(Initialize(str(tmp_path), Options(cache=False)))
    assert ended.get(timeout=LIMIT) is child
    assert not is_there(child.process_id)


def test_the_process_ends_when_that_of_the_server_is_killed_whatever_it_does(tmp_path: Path) -> None:
    command = [sys.executable, "-c", PARENT, str(tmp_path)]
    environment = own_environment(tmp_path)
    with subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as parent:
        assert parent.stdin is not None
        assert parent.stdout is not None
        parent.stdin.write(SLOW)
        parent.stdin.close()
        analysis = int(parent.stdout.readline())
        assert is_there(analysis)
        parent.kill()
    until(lambda: not is_there(analysis))


def test_a_worker_that_is_stopped_leaves_nothing_behind(tmp_path: Path) -> None:
    threads, files = set(threading.enumerate()), len(os.listdir("/proc/self/fd"))
    one = Watched(tmp_path).begin()
    one.open("slow.yaml", SLOW)
    asked = one.request("document_symbols", "slow.yaml")
    process = one.supervisor.process_id
    one.supervisor.stop()
    with pytest.raises(ServerCancelled):
        asked.result(LIMIT)
    until(lambda: set(threading.enumerate()) <= threads)
    assert not is_there(process)
    assert len(os.listdir("/proc/self/fd")) <= files


def test_texts_do_not_wait_for_a_process_that_is_busy(watched: Start) -> None:
    one = watched().begin()
    one.open("slow.yaml", SLOW)
    for version in range(1, 50):
        one.open("large.yaml", b"# " + b"x" * 1_000_000, version)
    one.open("slow.yaml", VIEW, 2)
    assert one.found("slow.yaml", 2) is not None


def test_a_text_of_a_hundred_megabytes_is_refused_for_its_size(watched: Start) -> None:
    one = watched().begin()
    one.open("large.yaml", VIEW + b"# " + b"x" * 100_000_000)
    assert one.found("large.yaml", 1) == ["resource-limit"]


def test_files_that_are_opened_and_closed_by_the_hundred_keep_nobody_waiting(watched: Start) -> None:
    one = watched().begin()
    for number in range(500):
        one.open(f"{number}.yaml", VIEW)
        one.supervisor.set_text(str(one.folder / f"{number}.yaml"), None)
    one.open("view.yaml", BROKEN_VIEW)
    assert "cron-syntax" in one.found("view.yaml", 1)
