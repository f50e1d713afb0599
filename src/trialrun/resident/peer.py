"""Who is at the other end of a socket, as the system says."""

from __future__ import annotations

import _socket
import sys

CREDENTIALS_SIZE = 12
"""Linux: process id, user id and group id, 4 bytes each."""
MACOS_SOL_LOCAL, MACOS_LOCAL_PEERCRED, MACOS_CREDENTIALS_SIZE = 0, 1, 76


def peer_user(socket: _socket.socket) -> int | None:
    """The user id of the process at the other end; None where the system does not say."""
    try:
        if sys.platform == "linux":
            data = socket.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, CREDENTIALS_SIZE)
        elif sys.platform == "darwin":
            data = socket.getsockopt(MACOS_SOL_LOCAL, MACOS_LOCAL_PEERCRED, MACOS_CREDENTIALS_SIZE)
        else:
            return None
    except OSError:
        return None
    return int.from_bytes(data[4:8], sys.byteorder)


def peer_process(socket: _socket.socket) -> int | None:
    """The process id at the other end; None where the system does not say."""
    if sys.platform != "linux":
        return None
    try:
        data = socket.getsockopt(_socket.SOL_SOCKET, _socket.SO_PEERCRED, CREDENTIALS_SIZE)
    except OSError:
        return None
    return int.from_bytes(data[:4], sys.byteorder) or None
