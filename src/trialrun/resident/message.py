"""What is sent: a question as texts between zero bytes, with its length before it, and answers of one byte."""

from __future__ import annotations

LENGTH_SIZE = 8
MAX_BYTES = 8 << 20
"""More than the arguments and the environment of a process may have on most systems."""
SEPARATOR = b"\0"

CHECK, STATUS, STOP = b"check", b"status", b"stop"

READY = b"R"
"""The resident process listens; before that nothing is sent, least of all files, which a process that hangs would hold
open."""
REFUSED = b"N"
"""The resident process does not answer this question; who asks does it itself."""
STARTED = b"S"
"""A process is about to carry it out; from here on it may write."""
WRITES = b"W"
"""It is about to write its first output, or to read the standard input."""
CODE = b"C"
"""It has ended; the next byte is the exit code."""


class Malformed(Exception):
    """A message that no client of ours sends."""


def encode(parts: list[bytes]) -> bytes:
    """The message of parts, none of which has a zero byte."""
    body = SEPARATOR.join(parts)
    return len(body).to_bytes(LENGTH_SIZE, "little") + body


def missing_bytes(received: bytes | bytearray) -> int:
    """How many bytes of a message are not received yet. Raises Malformed for a message that is too long."""
    if len(received) < LENGTH_SIZE:
        return LENGTH_SIZE - len(received)
    length = int.from_bytes(received[:LENGTH_SIZE], "little")
    if length > MAX_BYTES:
        raise Malformed(f"a message of {length} bytes")
    return LENGTH_SIZE + length - len(received)


def decode(received: bytes | bytearray) -> list[bytes]:
    """The parts of a message that is received completely."""
    return bytes(received[LENGTH_SIZE:]).split(SEPARATOR)
