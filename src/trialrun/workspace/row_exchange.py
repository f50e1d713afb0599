"""Rows that the workers of one run exchange: each appends what it has worked out, and finds what others have appended.

The rows are in a file without a name that all workers share, so that none of them waits for another, and one that
crashes takes nothing with it. A row counts only if it is complete and its digest fits; after a wrong one nothing more
is read, and each worker goes on by itself.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import suppress

from trialrun.blake2 import blake2b

HEADER = struct.Struct("<HI16s")
"""The lengths of key and text in bytes, and the digest of both."""
MAX_BYTES = 8_000_000
"""Bytes after which nothing more is appended."""
READ_BYTES = 1 << 20


class RowExchange:
    """The rows of one run, as one of its processes sees them. Errors never raise: rows are then missing."""

    def __init__(self) -> None:
        self._file: int | None = None
        self._position = 0
        with suppress(OSError, ImportError):
            self._file = _open_nameless_file()

    def append(self, key: bytes, text: str) -> None:
        """Show a row to the other processes."""
        if self._file is None or self._position > MAX_BYTES:
            return
        data = text.encode("utf-8", "surrogatepass")
        with suppress(OSError):
            os.write(self._file, HEADER.pack(len(key), len(data), _digest(key + data)) + key + data)

    def new_rows(self) -> Iterator[tuple[bytes, str]]:
        """The rows that were appended since the last call, also by this process."""
        while self._file is not None and (data := self._read()):
            before = self._position
            yield from self._complete_rows(data)
            if self._position == before:
                return

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def _read(self) -> bytes:
        try:
            return os.pread(self._file, READ_BYTES, self._position) if self._file is not None else b""
        except OSError:
            return b""

    def _complete_rows(self, data: bytes) -> Iterator[tuple[bytes, str]]:
        start = 0
        while len(data) - start >= HEADER.size:
            key_length, text_length, digest = HEADER.unpack_from(data, start)
            end = start + HEADER.size + key_length + text_length
            if end > len(data):
                return
            row = data[start + HEADER.size : end]
            if _digest(row) != digest:
                self.close()
                return
            self._position += end - start
            start = end
            yield row[:key_length], row[key_length:].decode("utf-8", "surrogatepass")


def _digest(row: bytes) -> bytes:
    return blake2b(row, digest_size=16).digest()


def _open_nameless_file() -> int:
    """A file in memory, or a temporary one, to which every write appends."""
    import fcntl

    if hasattr(os, "memfd_create"):
        file = os.memfd_create("trialrun-rows")
    else:
        from tempfile import TemporaryFile

        with TemporaryFile() as temporary:
            file = os.dup(temporary.fileno())
    fcntl.fcntl(file, fcntl.F_SETFL, fcntl.fcntl(file, fcntl.F_GETFL) | os.O_APPEND)
    return file
