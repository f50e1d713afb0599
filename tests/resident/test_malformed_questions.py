"""What no client of ours sends to the resident process: it forgets it, keeps nothing open, and answers the next one."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.cases import number_of_cases
from tests.program import view
from tests.resident.resident_process import Resident, program, resident
from trialrun.resident.address import HAS_FORK
from trialrun.resident.message import CHECK, MAX_BYTES, READY, REFUSED, STATUS, STOP, encode

pytestmark = [
    pytest.mark.skipif(not HAS_FORK, reason="this system has no fork"),
    pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="this system does not list open files"),
]
STREAMS = [b"utf-8 strict 0 0"] * 3
IDENTITY = b"another"
SEED = 20261123
SAME_LOOKS = 5


@pytest.fixture(scope="module")
def running() -> Iterator[Resident]:
    with resident() as process:
        yield process


def send(running: Resident, message: bytes, descriptors: Sequence[int] = ()) -> bytes:
    """What the process answers to a message, after which nothing more is sent."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.settimeout(20)
        connection.connect(str(running.socket))
        assert connection.recv(1) == READY
        try:
            if descriptors:
                socket.send_fds(connection, [message], list(descriptors))
            else:
                connection.sendall(message)
            connection.shutdown(socket.SHUT_WR)
            return connection.recv(64)
        except (ConnectionError, BrokenPipeError):
            return b""


def open_files(running: Resident) -> int:
    """How many files the process has open, once it has noticed that everybody has gone: a few looks say the same."""
    counts = [-1]
    while len({*counts[-SAME_LOOKS:]}) > 1 or len(counts) <= SAME_LOOKS:
        assert running.questions() >= 0
        time.sleep(0.01)
        counts.append(len(os.listdir(f"/proc/{running.process}/fd")))
    return counts[-1]


MALFORMED = {
    "nothing": b"",
    "no command": encode([b""]),
    "unknown command": encode([b"format", IDENTITY]),
    "command alone": encode([STATUS]),
    "stop of somebody else": encode([STOP, IDENTITY]),
    "longest length": b"\xff" * 8,
    "longer than allowed": (MAX_BYTES + 1).to_bytes(8, "little") + b"x" * 100,
    "shorter than said": (1000).to_bytes(8, "little") + b"check",
    "longer than said": encode([CHECK]) + b"x" * 1000,
    "check alone": encode([CHECK]),
    "no number of words": encode([CHECK, IDENTITY, b"18", *STREAMS, b"many", b"check"]),
    "negative number of words": encode([CHECK, IDENTITY, b"18", *STREAMS, b"-4", b"check"]),
    "huge number of words": encode([CHECK, IDENTITY, b"18", *STREAMS, b"9" * 4000, b"check"]),
    "no umask": encode([CHECK, IDENTITY, b"\xff", *STREAMS, b"1", b"check"]),
    "no encodings": encode([CHECK, IDENTITY, b"18", b"", b"utf-8", b"\xff\xff", b"1", b"check"]),
    "no files": encode([CHECK, IDENTITY, b"18", *STREAMS, b"1", b"check"]),
}


def test_malformed_questions_are_not_carried_out(running: Resident) -> None:
    before = running.questions()
    answers = {name: send(running, message) for name, message in MALFORMED.items()}
    assert {name for name, answer in answers.items() if answer not in (b"", REFUSED)} == set()
    assert running.questions() == before


def test_another_number_of_files_is_not_taken(running: Resident) -> None:
    before = open_files(running)
    message = encode([CHECK, IDENTITY, b"18", *STREAMS, b"1", b"check"])
    assert [send(running, message, [0] * count) for count in (1, 3, 5, 200)] == [b""] * 4
    assert open_files(running) == before


def test_files_with_half_a_question_are_closed(running: Resident) -> None:
    before = open_files(running)
    for _ in range(20):
        assert send(running, (1000).to_bytes(8, "little") + CHECK, [0, 0, 0, 0]) == b""
    assert open_files(running) == before


@pytest.mark.generated
def test_random_messages(running: Resident, tmp_path: Path) -> None:
    """Messages that were changed at random bytes leave no file open and the process alive."""
    (tmp_path / "a.yaml").write_text(view("a"))
    generator = random.Random(SEED)
    sound = encode([CHECK, IDENTITY, b"18", *STREAMS, b"1", b"check", b"PATH=/bin"])
    before = open_files(running)
    for _ in range(number_of_cases(200)):
        message = bytearray(sound[: generator.randrange(len(sound) + 1)])
        for _ in range(generator.randrange(4)):
            if message:
                message[generator.randrange(len(message))] = generator.randrange(256)
        assert send(running, bytes(message), [0] * generator.choice((0, 0, 4, 7))) in (b"", REFUSED)
    assert open_files(running) == before
    questions = running.questions()
    check(running, tmp_path)
    assert running.questions() == questions + 1


def check(running: Resident, folder: Path) -> None:
    """Run a check of a sound file, which the process answers."""
    done = subprocess.run(program("check", "a.yaml"), cwd=folder, env=running.environment(), check=False, timeout=60)
    assert done.returncode == 0
