"""Messages of the protocol on a stream: how their bodies begin and end."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

CHUNK = 1 << 16
CONTENT_LENGTH = re.compile(rb"content-length:[ \t]*(\d{1,12})[ \t]*\r?\n", re.IGNORECASE)
"""Names of headers are written in any case, as in HTTP."""


def frame(body: bytes) -> bytes:
    """A message with its header."""
    return b"Content-Length: %d\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n%b" % (
        len(body),
        body,
    )


def messages(read: Callable[[int], bytes]) -> Iterator[bytes]:
    """The bodies of the messages in a stream; a header that is not understood is passed over.

    `read` blocks, and returns no bytes at the end.
    """
    buffer, length = bytearray(), 0
    while True:
        end = buffer.find(b"\n") + 1
        if not end:
            chunk = read(CHUNK)
            if not chunk:
                return
            buffer += chunk
            continue
        line = bytes(buffer[:end])
        del buffer[:end]
        header = CONTENT_LENGTH.fullmatch(line)
        if header and not length:
            length = int(header[1])
        elif length and not line.strip():
            while len(buffer) < length:
                chunk = read(CHUNK)
                if not chunk:
                    return
                buffer += chunk
            yield bytes(buffer[:length])
            del buffer[:length]
            length = 0
