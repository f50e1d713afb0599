"""The sockets that a server listens on, opened before anything else so that a port in use is said at once."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

from trialrun.errors import UsageError, os_error_reason
from trialrun.server.options import LOOPBACK

FREE = "0 for a free one"
ATTEMPTS = 20
"""Attempts to find a port that is free at every address."""
BACKLOG = 2048
"""Connections that may wait to be accepted."""


@contextmanager
def open_listeners(host: str, port: int, *, port_option: str = "--port") -> Iterator[list[socket.socket]]:
    """Sockets that listen at every address of a host, at one port, 0 for a free one, until the block is left.

    An address that this machine does not have, such as one of IPv6 where that is off, is left out unless it is the only
    one. Raises UsageError.
    """
    addresses = resolve_host(host)
    with ExitStack() as opened:
        for attempt in range(ATTEMPTS):
            try:
                listeners = _listen_at(addresses, port)
                break
            except OSError as error:
                if port or error.errno != errno.EADDRINUSE or attempt == ATTEMPTS - 1:
                    raise UsageError(listen_error(error, host, port, port_option)) from error
        for listener in listeners:
            opened.enter_context(listener)
        yield listeners


def _listen_at(addresses: list[tuple[socket.AddressFamily, Any]], port: int) -> list[socket.socket]:
    """A socket for each address that there is, all at one port. Raises OSError."""
    with ExitStack() as opened:
        listeners: list[socket.socket] = []
        missing: OSError | None = None
        for family, (address, _, *scope) in addresses:
            try:
                listener = opened.enter_context(socket.socket(family, socket.SOCK_STREAM))
                _set_reuse(listener)
                if family == socket.AF_INET6:
                    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                listener.bind((address, port, *scope))
            except OSError as error:
                if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                    raise
                missing = error
                continue
            listener.listen(BACKLOG)
            listener.setblocking(False)
            listeners.append(listener)
            port = listener.getsockname()[1]
        if missing and not listeners:
            raise missing
        opened.pop_all()
        return listeners


def resolve_host(host: str) -> list[tuple[socket.AddressFamily, Any]]:
    """The addresses of this machine that a host names, version 4 of IP first. Raises UsageError."""
    try:
        found = socket.getaddrinfo(host, 0, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"--host: {host!r} is not a known address; use one such as {LOOPBACK}") from error
    addresses = dict.fromkeys((family, address) for family, _, _, _, address in found)
    return sorted(addresses, key=lambda entry: entry[0] != socket.AF_INET)


def is_loopback(host: str) -> bool:
    """Whether a host is reached from this machine alone. Raises UsageError."""
    addresses = [address[0].partition("%")[0] for _, address in resolve_host(host)]
    return all(ipaddress.ip_address(address).is_loopback for address in addresses)


def listen_error(error: OSError, host: str, port: int, port_option: str) -> str:
    """Why a server cannot listen at a port, and what to do."""
    match error.errno:
        case errno.EADDRINUSE:
            return f"{port_option}: port {port} of {host} is in use by another program; choose another, or {FREE}"
        case errno.EACCES | errno.EPERM:
            return f"{port_option}: port {port} is for the administrator; choose one above 1023, or {FREE}"
        case errno.EADDRNOTAVAIL:
            return f"--host: {host!r} is not an address of this machine; use one that is, such as {LOOPBACK}"
    return f"{port_option}: the server cannot listen at port {port} of {host}: {os_error_reason(error)}"


def _set_reuse(listener: socket.socket) -> None:
    """Let a port be taken right after its last server has ended, and never while one has it."""
    if sys.platform == "win32":
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_EXCLUSIVEADDRUSE, 1)
    else:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
