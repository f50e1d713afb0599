"""`trialrun daemon`, and the checks that its process answers: the same bytes, codes and signals as without."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.cases import first_of
from tests.program import Run, changed_program, run_here, view
from tests.resident.resident_process import (
    Resident,
    daemon,
    environment,
    place,
    program,
    resident,
    state_folder,
)
from trialrun.resident.address import HAS_FORK
from trialrun.resident.client import LOST, SECONDS_TO_START
from trialrun.resident.connection import SECONDS_TO_ASK
from trialrun.resident.message import CHECK, CODE, READY, REFUSED, STARTED, WRITES, encode

pytestmark = pytest.mark.skipif(not HAS_FORK, reason="this system has no fork")
OFF = {"TRIALRUN_NO_DAEMON": "1"}
MANY = 500
"""Views whose findings are more than a pipe holds."""


@pytest.fixture(scope="module")
def running() -> Iterator[Resident]:
    with resident() as process:
        yield process


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a sound and a wrong view."""
    (tmp_path / "a.yaml").write_text(view("a"))
    (tmp_path / "b.yaml").write_text(view("b", cron="0 25 * * *"))
    return tmp_path


def result(
    arguments: tuple[str, ...], folder: Path, variables: dict[str, str], stdin: bytes = b""
) -> tuple[int, bytes, bytes]:
    done = subprocess.run(
        program(*arguments), cwd=folder, env=variables, input=stdin, capture_output=True, check=False, timeout=60
    )
    return done.returncode, done.stdout, done.stderr


COMMANDS = (
    "check --output-format json=report.json",
    "check --stdin-filename c.yaml -",
    "check --no-such-option",
    "check",
    "check a.yaml",
    "check b.yaml --output-format json",
    "check missing.yaml",
    "check --help",
    "check --color always --statistics",
)


@pytest.mark.parametrize("line", first_of(COMMANDS, 3))
def test_the_daemon_gives_the_same(running: Resident, folder: Path, line: str) -> None:
    arguments = tuple(line.split())
    given, before = view("c", cron="* *").encode(), running.questions()
    ran = run_here(arguments, folder, running.environment(**OFF), given)
    expected = (ran.code, ran.out.encode(), ran.err.encode())
    (folder / "report.json").unlink(missing_ok=True)
    assert result(arguments, folder, running.environment(), given) == expected
    assert running.questions() == before + 1


@pytest.mark.parametrize(
    "variables",
    first_of(
        [
            {"PYTHONIOENCODING": "ascii:replace"},
            {"FORCE_COLOR": "1", **{f"VARIABLE_{number}": "x" * 100_000 for number in range(10)}},
            {"COLUMNS": "40"},
            {"PYTHONUNBUFFERED": "1"},
            {"NO_COLOR": "1", "TZ": "Asia/Tokyo", "LC_ALL": "C.UTF-8"},
        ],
        2,
    ),
    ids=lambda variables: next(iter(variables)),
)
def test_the_environment_travels_along(running: Resident, folder: Path, variables: dict[str, str]) -> None:
    (folder / "c.yaml").write_text(view("caf\N{LATIN SMALL LETTER E WITH ACUTE}", cron="0 25 * * *"), "utf-8")
    before = running.questions()
    expected = result(("check",), folder, running.environment(**OFF, **variables))
    assert result(("check",), folder, running.environment(**variables)) == expected
    assert running.questions() == before + 1


def test_time_zones_are_those_of_the_pinned_package_whatever_the_caller_has(running: Resident, folder: Path) -> None:
    """The environment of the caller replaces that in which the engine of the daemon was told where they are."""
    (folder / "trialrun.toml").write_text('policies = ["p.yaml"]\n')
    hour = "timestamp('2027-01-31T12:00:00Z').getHours('Asia/Tokyo') == 21 && self.etag == ''"
    (folder / "p.yaml").write_text(f'id: p\non: FeatureView\nmessage: m\ncheck: "{hour}"\n')
    nowhere = {"TZDIR": "/nowhere"}
    expected = result(("check", "a.yaml"), folder, running.environment(**OFF, **nowhere))
    assert (expected[0], result(("check", "a.yaml"), folder, running.environment(**nowhere))) == (0, expected)


def test_files_are_written_with_the_umask_of_the_caller(running: Resident, folder: Path) -> None:
    before = running.questions()
    subprocess.run(
        ["sh", "-c", f"umask 027; {' '.join(program('check', '--output-format', 'json=r.json'))}"],
        cwd=folder,
        env=running.environment(),
        check=False,
        timeout=60,
    )
    assert (folder / "r.json").stat().st_mode & 0o777 == 0o640
    assert running.questions() == before + 1


def test_limits_of_the_caller_hold(running: Resident, folder: Path) -> None:
    line = f"ulimit -f 0; {' '.join(program('check', '--no-cache', '--output-format', 'json=r.json', 'a.yaml'))}"
    done, without = (
        subprocess.run(
            ["bash", "-c", line], cwd=folder, env=running.environment(**off), capture_output=True, check=False
        )
        for off in ({}, OFF)
    )
    assert (done.returncode, done.stdout, done.stderr) == (without.returncode, without.stdout, without.stderr)
    assert done.returncode != 0


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="this system does not say the limits of another process")
def test_a_limit_of_the_daemon_is_none_of_the_caller(folder: Path) -> None:
    (folder / "b.yaml").write_text("---\n".join(view("v", "0 25 * * *") for _ in range(10)))
    arguments = ("check", "b.yaml", "--output-format", "json=r.json")
    line = f"ulimit -f 1; {' '.join(program('daemon', 'start'))}"
    with state_folder() as state:
        variables = environment(state, PYTHONDONTWRITEBYTECODE="1")  # the limit would cut what is compiled
        subprocess.run(["bash", "-c", line], env=variables, capture_output=True, check=True, timeout=60)
        try:
            done = result(arguments, folder, variables)
        finally:
            daemon(state, "stop", PYTHONDONTWRITEBYTECODE="1")
        assert done == result(arguments, folder, variables | OFF)
        assert (folder / "r.json").stat().st_size > 1024


@pytest.mark.parametrize("words", first_of(["<(cat b.yaml)", "b.yaml --output-format json=/dev/fd/3 3>&1"]))
def test_files_that_the_shell_opened(running: Resident, folder: Path, words: str) -> None:
    line = f"{' '.join(program('check', '--no-cache'))} {words}"
    done, without = (
        subprocess.run(
            ["bash", "-c", line], cwd=folder, env=running.environment(**off), capture_output=True, check=False
        )
        for off in ({}, OFF)
    )
    assert (done.returncode, done.stdout, done.stderr) == (without.returncode, without.stdout, without.stderr)
    assert done.returncode == 1


@pytest.mark.parametrize(
    "streams", first_of(["| head -c 1", "<&- >&- 2>&-", "> /dev/full", "| true", ">&-", "2>&-", "<&-"], 3)
)
def test_nobody_at_the_other_end(running: Resident, folder: Path, streams: str) -> None:
    line = f"set -o pipefail; {' '.join(program('check'))} {streams}"
    done, without = (
        subprocess.run(
            ["bash", "-c", line], cwd=folder, env=running.environment(**off), capture_output=True, check=False
        )
        for off in ({}, OFF)
    )
    assert (done.returncode, done.stdout, done.stderr) == (without.returncode, without.stdout, without.stderr)


def test_a_folder_that_is_gone(running: Resident, folder: Path) -> None:
    (folder / "gone").mkdir()
    line = f'cd gone; rmdir "$PWD"; {" ".join(program("check"))}'
    done = subprocess.run(
        ["bash", "-c", line], cwd=folder, env=running.environment(), capture_output=True, check=False, timeout=60
    )
    assert done.returncode == 2
    assert done.stderr == b"error: the working directory is gone; change to one that exists\n"


def wait_until(condition: Callable[[], object], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def children(process: int) -> list[int]:
    """The processes that a process has forked."""
    text = Path(f"/proc/{process}/task/{process}/children").read_text()
    return [int(number) for number in text.split()]


has_proc = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="there is no /proc")


def waiting(running: Resident, folder: Path) -> subprocess.Popen[bytes]:
    """A check that the process has begun, and that waits for its standard input."""
    asking = subprocess.Popen(
        program("check", "-"),
        cwd=folder,
        env=running.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # ignored where the tests run under nohup
    )
    wait_until(lambda: children(running.process))
    wait_until(lambda: all(sleeps(process) for _ in range(5) for process in children(running.process)))
    return asking


def sleeps(process: int) -> bool:
    """Whether a process waits for something, as the system says it after a moment."""
    time.sleep(0.02)
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] == "S"


@has_proc
def test_ctrl_c_ends_the_check(running: Resident, folder: Path) -> None:
    with waiting(running, folder) as asking:
        asking.send_signal(signal.SIGINT)
        assert asking.wait(30) == 130
        assert asking.stderr is not None
        assert b"interrupted" in asking.stderr.read()
    wait_until(lambda: not children(running.process))


@has_proc
@pytest.mark.parametrize("number", first_of([signal.SIGKILL, signal.SIGTERM, signal.SIGHUP]))
def test_nothing_goes_on_for_a_caller_that_was_ended(running: Resident, folder: Path, number: signal.Signals) -> None:
    with waiting(running, folder) as asking:
        asking.send_signal(number)
        assert asking.wait(30) == -number
        wait_until(lambda: not children(running.process))


@has_proc
def test_a_check_that_was_killed_while_it_reads_the_input_is_an_error(running: Resident, folder: Path) -> None:
    with waiting(running, folder) as asking:
        os.kill(children(running.process)[0], signal.SIGKILL)
        assert asking.wait(30) == 3
        assert asking.stderr is not None
        assert asking.stderr.read().startswith(b"error: the daemon ended during the check; run the command again")


@has_proc
def test_a_check_that_was_killed_while_it_writes_is_an_error(running: Resident, folder: Path) -> None:
    (folder / "many.yaml").write_text("---\n".join(view("v", "0 25 * * *") for _ in range(MANY)))
    with subprocess.Popen(
        program("check", "many.yaml"),
        cwd=folder,
        env=running.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as asking:
        assert asking.stdout is not None and asking.stderr is not None
        first = asking.stdout.read(1)
        os.kill(children(running.process)[0], signal.SIGKILL)
        rest, err = asking.stdout.read(), asking.stderr.read()
        assert (asking.wait(30), err) == (3, LOST.encode())
    assert (first + rest).count(b"error[cron-syntax]") < MANY


@pytest.mark.parametrize(
    ("answer", "is_done_again"),
    first_of(
        [(STARTED + WRITES, False), (STARTED, True), (b"", True), (REFUSED, True), (STARTED + CODE, True)], number=2
    ),
)
def test_a_check_that_was_lost_is_done_again_unless_it_has_written(
    folder: Path, answer: bytes, is_done_again: bool
) -> None:
    with state_folder() as state, socket.socket(socket.AF_UNIX) as listening:
        listening.bind(place(state).path)
        listening.listen()
        with subprocess.Popen(
            program("check", "b.yaml"),
            cwd=folder,
            env=environment(state),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        ) as asking:
            answer_with(listening, answer)
            out, err = asking.communicate(timeout=60)
        expected = result(("check", "b.yaml"), folder, environment(state, **OFF))
        lost = (3, b"", LOST.encode())
        assert (asking.returncode, out, err) == (expected if is_done_again else lost)


def answer_with(listening: socket.socket, answer: bytes) -> None:
    """Take a question and its files as the daemon does, answer, and be gone."""
    listening.settimeout(30)
    connection, _ = listening.accept()
    with connection:
        connection.sendall(READY)
        part, files, _, _ = socket.recv_fds(connection, 1 << 20, 4)
        left = int.from_bytes(part[:8], "little") + 8 - len(part)
        while left > 0:
            left -= len(connection.recv(left))
        for number in files:
            os.close(number)
        connection.sendall(answer)


@pytest.mark.parametrize("number", first_of([10, 50]))
def test_many_at_once(running: Resident, folder: Path, number: int) -> None:
    expected = result(("check",), folder, running.environment(**OFF))
    asking = [
        subprocess.Popen(
            program("check"), cwd=folder, env=running.environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        for _ in range(number)
    ]
    ended = [process.communicate(timeout=100) for process in asking]
    assert {(process.returncode, *streams) for process, streams in zip(asking, ended, strict=True)} == {expected}


@contextmanager
def connected(running: Resident) -> Iterator[socket.socket]:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(str(running.socket))
        assert connection.recv(1) == READY
        yield connection


def test_half_a_question_is_forgotten(folder: Path) -> None:
    half = [(1000).to_bytes(8, "little") + b"check\0", b"\xff" * 8, b"", (3).to_bytes(8, "little") + b"a\0b"]
    with resident(change="import trialrun.resident.connection as c; c.SECONDS_TO_ASK = 0.3") as hasty:
        for start in half:
            with connected(hasty) as connection:
                connection.sendall(start)
        with connected(hasty) as connection:
            connection.sendall(half[0])
            assert result(("check", "a.yaml"), folder, hasty.environment())[0] == 0
            assert connection.recv(1) == b""
    assert SECONDS_TO_ASK < 20


def test_another_version_is_refused(running: Resident) -> None:
    streams = [b"utf-8 strict 0 0"] * 3
    with connected(running) as connection:
        message = encode([CHECK, b"another", b"18", *streams, b"1", b"check"])
        socket.send_fds(connection, [message], [0, 1, 2, 0])
        assert connection.recv(1) == REFUSED


def test_it_ends_when_it_is_told_to() -> None:
    with state_folder() as state:
        assert daemon(state, "status").code == 1
        assert daemon(state, "stop").out == "not running\n"
        assert daemon(state, "start").code == 0
        assert daemon(state, "start").out.startswith("already running")
        assert daemon(state, "status").out.startswith("running since ")
        assert daemon(state, "stop").out.startswith("stopped")
        assert daemon(state, "status").code == 1
        assert [path.suffix for path in (state / "daemon").iterdir() if not path.suffix] == []


@has_proc
def test_it_ends_when_it_is_idle() -> None:
    with resident("--idle-minutes", "0.002") as process:
        wait_until(lambda: daemon(process.state, "status").code == 1)


def test_it_ends_when_a_file_of_its_own_changes(tmp_path: Path) -> None:
    root = Path(__file__).parent.parent.parent
    shutil.copytree(root / "src" / "trialrun", tmp_path / "src" / "trialrun")
    shutil.copytree(root / "rules", tmp_path / "rules")
    (tmp_path / "a.yaml").write_text(view("a"))
    copy = {"PYTHONPATH": str(tmp_path / "src")}
    with resident(**copy) as process:
        assert daemon(process.state, "status", **copy).code == 0
        (tmp_path / "rules" / "new.py").write_text("")
        assert result(("check", "a.yaml"), tmp_path, process.environment(**copy))[0] == 0
        wait_until(lambda: daemon(process.state, "status", **copy).code == 1)


def test_a_folder_that_others_may_enter_is_not_used(folder: Path) -> None:
    with state_folder() as state:
        (state / "daemon").mkdir()
        (state / "daemon").chmod(0o755)
        started = daemon(state, "start")
        assert (started.code, "not a folder of this user alone" in started.err) == (2, True)
        assert result(("check", "a.yaml"), folder, environment(state))[0] == 0


def test_a_socket_of_a_process_that_has_gone_is_passed_over(folder: Path) -> None:
    with state_folder() as state:
        path = Path(place(state).path)
        with socket.socket(socket.AF_UNIX) as left:
            left.bind(str(path))
        assert result(("check", "a.yaml"), folder, environment(state))[0] == 0
        assert daemon(state, "start").code == 0
        assert daemon(state, "stop").out.startswith("stopped")
        path.write_text("not a socket")
        assert result(("check", "a.yaml"), folder, environment(state))[0] == 0


def test_a_socket_that_never_answers_is_waited_for_a_short_time(folder: Path) -> None:
    with state_folder() as state, socket.socket(socket.AF_UNIX) as mute:
        mute.bind(place(state).path)
        mute.listen()
        begin = time.monotonic()
        hasty = changed_program("import trialrun.resident.client as c; c.SECONDS_TO_START = 0.3", "check", "a.yaml")
        assert subprocess.run(hasty, cwd=folder, env=environment(state), check=False, timeout=60).returncode == 0
        assert 0.3 < time.monotonic() - begin < 30
        assert 1.9 < SECONDS_TO_START < 30


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can start another user's")
def test_the_socket_of_another_user_is_not_asked(folder: Path) -> None:
    with state_folder() as state:
        path = place(state).path
        code = (
            "import os, socket, sys, time\ns = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); os.seteuid(65534)\n"
            "s.listen(); print('ready', flush=True); c, _ = s.accept(); c.settimeout(20); s = 0\n"
            "try: c.send(b'R'); s = len(c.recv(9))\n"
            "except OSError: pass\n"
            "print(s)"
        )
        with subprocess.Popen([*program()[:1], "-c", code, path], stdout=subprocess.PIPE, text=True) as other:
            assert other.stdout is not None
            assert other.stdout.readline() == "ready\n"
            assert result(("check", "a.yaml"), folder, environment(state))[0] == 0
            assert other.stdout.readline() == "0\n"


@pytest.mark.exhaustive
@has_proc
def test_a_process_that_was_killed_leaves_no_trace(folder: Path) -> None:
    with resident() as process:
        os.kill(process.process, signal.SIGKILL)
        wait_until(lambda: daemon(process.state, "status").code == 1)
        assert result(("check", "a.yaml"), folder, process.environment())[0] == 0
        assert daemon(process.state, "start").code == 0
        assert daemon(process.state, "status").code == 0


@has_proc
def test_it_starts_no_threads_and_leaves_no_processes(running: Resident, folder: Path) -> None:
    assert result(("check",), folder, running.environment())[0] == 1
    assert len(list(Path(f"/proc/{running.process}/task").iterdir())) == 1
    wait_until(lambda: not children(running.process))


def test_nothing_is_started_unasked(folder: Path) -> None:
    with state_folder() as state:
        assert result(("check", "a.yaml"), folder, environment(state))[0] == 0
        assert not (state / "daemon").exists()


NEVER = {
    "click",
    "contextlib",
    "enum",
    "json",
    "re",
    "socket",
    "typing",
    "pydantic",
    "trialrun.cli.main",
    "trialrun.parser",
}


def imported_by_check(folder: Path, variables: dict[str, str]) -> set[str]:
    code = (
        "import os, sys; sys.argv = ['trialrun', 'check', 'a.yaml']\n"
        "leave = os._exit\n"
        "os._exit = lambda code: (os.write(2, ' '.join(sys.modules).encode()), leave(code))\n"
        "from trialrun.cli import run\n"
        "run()"
    )
    done = subprocess.run(
        [*program()[:1], "-c", code], cwd=folder, env=variables, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    return {*done.stderr.split()} - imported_by_python(folder, variables)


def imported_by_python(folder: Path, variables: dict[str, str]) -> set[str]:
    """What is imported before a program begins: packages have Python import something at each start."""
    code = "import sys; print(*sys.modules)"
    done = subprocess.run([*program()[:1], "-c", code], cwd=folder, env=variables, capture_output=True, text=True)
    return {*done.stdout.split()}


def test_who_asks_imports_next_to_nothing(running: Resident, folder: Path) -> None:
    imported = imported_by_check(folder, running.environment())
    assert "trialrun.resident.client" in imported
    assert NEVER & imported == set()


def test_without_a_daemon_what_asks_is_not_imported(folder: Path) -> None:
    with state_folder() as state:
        imported = imported_by_check(folder, environment(state))
    assert "trialrun.resident.address" in imported
    assert "trialrun.resident.client" not in imported


def test_a_system_without_fork_says_so(run: Run, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trialrun.cli.daemon.HAS_FORK", False)
    ran = run("daemon", "start")
    message = "error: this system cannot copy a process (fork); check works without the daemon\n"
    assert (ran.code, ran.err) == (2, message)
