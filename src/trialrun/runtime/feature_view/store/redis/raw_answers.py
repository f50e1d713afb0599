"""Answers of a node as the bytes that it sends, for those that read many rows: a list of texts at a time."""

from __future__ import annotations

import socket

CHUNK_BYTES = 1 << 18


class RawAnswers:
    """The answers that a connection is to give; `data` has what was received of them, and is read up to `at`."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self.data, self.at = b"", 0

    def error(self) -> str | None:
        """The message of the error that comes next; None where something else does. Raises OSError."""
        if self.at == len(self.data):
            self._require(1)
        return self._line()[1:].decode("utf-8", "replace") if self.data.startswith(b"-", self.at) else None

    def next_number(self) -> int:
        """The number that comes next, or how many texts the list has that does. Raises OSError."""
        return int(self._line()[1:])

    def next_text(self) -> bytes | None:
        """The text that comes next; None for none. Raises OSError."""
        size = int(self._line()[1:])
        if size < 0:
            return None
        self._require(size + 2)
        start = self.at
        self.at += size + 2
        return self.data[start : start + size]

    def _line(self) -> bytes:
        while (end := self.data.find(b"\r\n", self.at)) < 0:
            self._require(len(self.data) - self.at + 1)
        start, self.at = self.at, end + 2
        return self.data[start:end]

    def _require(self, size: int) -> None:
        """Receive until so many bytes are there that are not read yet."""
        missing = size - (len(self.data) - self.at)
        if missing <= 0:
            return
        parts = [self.data[self.at :]]
        while missing > 0:
            part = self._socket.recv(max(CHUNK_BYTES, min(missing, 1 << 24)))
            if not part:
                raise ConnectionResetError("the node has closed the connection")
            parts.append(part)
            missing -= len(part)
        self.data, self.at = b"".join(parts), 0
