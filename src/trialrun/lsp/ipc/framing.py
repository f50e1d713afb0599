"""Messages over a pipe, each pickled behind its length."""

from __future__ import annotations

import pickle
import struct
from typing import BinaryIO

LENGTH = struct.Struct("<Q")


def send(stream: BinaryIO, message: object) -> None:
    """Write a message whole. Raises OSError when nobody reads any more."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    stream.write(LENGTH.pack(len(data)) + data)
    stream.flush()


def received(stream: BinaryIO) -> object | None:
    """The next message, waiting for it; None when there will be no more."""
    length = stream.read(LENGTH.size)
    if len(length) < LENGTH.size:
        return None
    size = LENGTH.unpack(length)[0]
    data = stream.read(size)
    return pickle.loads(data) if len(data) == size else None
