"""The sockets that a server listens on, opened before anything else so that a port in use is said at once."""

from __future__ import annotations

import errno
import ipaddress
import socket
import sys

from trialrun.errors import UsageError, os_error_reason
from trialrun.server.options import LOOPBACK

FREE = "0 for a free one"
BACKLOG = 2048
"""Connections that may wait to be accepted."""


def open_listener(host: str, port: int, *, port_option: str = "--port") -> socket.socket:
    """A socket that listens at a host and a port, 0 for a free one. Raises UsageError."""
    family, address = resolve_host(host, port)
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        _set_reuse(listener)
        if family == socket.AF_INET6:
            listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
        listener.bind(address)
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise UsageError(listen_error(error, host, port, port_option)) from error
    listener.setblocking(False)
    return listener


def resolve_host(host: str, port: int = 0) -> tuple[socket.AddressFamily, tuple[str, int] | tuple[str, int, int, int]]:
    """The address of this machine that a host names, version 4 of IP first. Raises UsageError."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except (OSError, UnicodeError) as error:
        raise UsageError(f"--host: {host!r} is not a known address; use one such as {LOOPBACK}") from error
    ordered = sorted(found, key=lambda entry: entry[0] != socket.AF_INET)
    family, _, _, _, address = ordered[0]
    return family, address  # type: ignore[return-value]  # of a family of IP, the address begins with a text


def is_loopback(host: str) -> bool:
    """Whether a host is reached from this machine alone. Raises UsageError."""
    _, address = resolve_host(host)
    return ipaddress.ip_address(address[0].partition("%")[0]).is_loopback


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
