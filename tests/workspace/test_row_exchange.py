"""What one process appends, the others find; what is damaged is nobody's."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from trialrun.workspace import row_exchange
from trialrun.workspace.row_exchange import HEADER, RowExchange

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="workers are forked")


def in_child(exchange: RowExchange, rows: list[tuple[bytes, str]]) -> None:
    """Append rows in a process of its own, and wait until it has ended."""
    if (pid := os.fork()) == 0:
        for row in rows:
            exchange.append(*row)
        os._exit(0)
    assert os.waitpid(pid, 0)[1] == 0


def test_rows_of_other_processes_are_found_once() -> None:
    exchange = RowExchange()
    assert list(exchange.new_rows()) == []
    in_child(exchange, [(b"a", "1"), (b"b", "ü\ud800")])
    in_child(exchange, [(b"c", "")])
    assert list(exchange.new_rows()) == [(b"a", "1"), (b"b", "ü\ud800"), (b"c", "")]
    assert list(exchange.new_rows()) == []
    exchange.append(b"d", "own")
    assert list(exchange.new_rows()) == [(b"d", "own")]


def test_many_processes_lose_no_row() -> None:
    exchange, rows = RowExchange(), {(b"%d" % number, "x" * number) for number in range(400)}
    pids = []
    for part in range(4):
        if (pid := os.fork()) == 0:
            for row in sorted(rows)[part::4]:
                exchange.append(*row)
            os._exit(0)
        pids.append(pid)
    for pid in pids:
        os.waitpid(pid, 0)
    assert set(exchange.new_rows()) == rows


def test_more_rows_are_read_than_fit_into_one_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_exchange, "READ_BYTES", 100)
    exchange = RowExchange()
    for number in range(20):
        exchange.append(b"%d" % number, "x" * 20)
    assert [key for key, _ in exchange.new_rows()] == [b"%d" % number for number in range(20)]


def test_a_row_that_is_still_being_written_is_found_later() -> None:
    exchange = RowExchange()
    exchange.append(b"a", "1")
    row = os.pread(exchange._file or 0, 100, 0)
    os.ftruncate(exchange._file or 0, len(row) - 1)
    assert list(exchange.new_rows()) == []
    os.write(exchange._file or 0, row[-1:])
    assert list(exchange.new_rows()) == [(b"a", "1")]


def test_nothing_is_read_after_a_damaged_row() -> None:
    exchange = RowExchange()
    exchange.append(b"a", "1")
    os.write(exchange._file or 0, HEADER.pack(1, 1, bytes(16)) + b"b2")
    exchange.append(b"c", "3")
    assert list(exchange.new_rows()) == [(b"a", "1")]
    exchange.append(b"d", "4")
    assert list(exchange.new_rows()) == []


def test_without_a_place_for_rows_every_process_is_alone(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    def fail() -> int:
        raise OSError(24, "Too many open files")

    monkeypatch.setattr(row_exchange, "_open_nameless_file", fail)
    exchange = RowExchange()
    exchange.append(b"a", "1")
    assert list(exchange.new_rows()) == []
    exchange.close()


def test_where_the_system_has_no_files_in_memory_a_temporary_one_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "memfd_create", raising=False)
    exchange = RowExchange()
    in_child(exchange, [(b"a", "1")])
    exchange.append(b"b", "2")
    assert list(exchange.new_rows()) == [(b"a", "1"), (b"b", "2")]


def test_what_is_appended_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_exchange, "MAX_BYTES", 100)
    exchange = RowExchange()
    for number in range(50):
        exchange.append(b"%d" % number, "x" * 20)
        list(exchange.new_rows())
    assert os.fstat(exchange._file or 0).st_size < 200
