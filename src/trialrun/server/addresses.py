"""Where a server listens, and where it can be reached: as lines for people, and as the ready file for programs."""

from __future__ import annotations

import errno
import ipaddress
import json
import os
import socket
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO
from urllib.parse import quote

from trialrun.errors import UsageError, os_error_reason
from trialrun.workspace.write_files import create_temporary, replace_file

LOOPBACK = "127.0.0.1"
FREE = "0 for a free one"
ATTEMPTS = 20
"""Attempts to find a port that is free at every address."""
BACKLOG = 2048
"""Connections that may wait to be accepted."""
READY_FILE_KEYS = {"version", "pid", "http", "grpc", "environment"}
MAX_READY_FILE = 64 * 1024
WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}
"""Addresses to listen at that are none to connect to, with those that are."""


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
                    raise UsageError(_listen_error(error, host, port, port_option)) from error
        for listener in listeners:
            opened.enter_context(listener)
        yield listeners


def _listen_at(addresses: list[tuple[socket.AddressFamily, Any]], port: int) -> list[socket.socket]:
    """A socket for each address that there is, all at one port. Raises OSError."""
    # a port can be taken right after its last server has ended, and never while one has it
    reuse = socket.SO_REUSEADDR
    if sys.platform == "win32":
        reuse = socket.SO_EXCLUSIVEADDRUSE
    with ExitStack() as opened:
        listeners: list[socket.socket] = []
        missing: OSError | None = None
        for family, (address, _, *scope) in addresses:
            try:
                listener = opened.enter_context(socket.socket(family, socket.SOCK_STREAM))
                listener.setsockopt(socket.SOL_SOCKET, reuse, 1)
                if family == socket.AF_INET6:
                    listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 1)
                listener.bind((address, port, *scope))
            except OSError as error:
                if error.errno not in (errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT):
                    raise
                missing = error
                continue
            listener.listen(BACKLOG)
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


def _listen_error(error: OSError, host: str, port: int, port_option: str) -> str:
    match error.errno:
        case errno.EADDRINUSE:
            return f"{port_option}: port {port} of {host} is in use by another program; choose another, or {FREE}"
        case errno.EACCES | errno.EPERM:
            return f"{port_option}: port {port} is for the administrator; choose one above 1023, or {FREE}"
        case errno.EADDRNOTAVAIL:
            return f"--host: {host!r} is not an address of this machine; use one that is, such as {LOOPBACK}"
    return f"{port_option}: the server cannot listen at port {port} of {host}: {os_error_reason(error)}"


@dataclass(frozen=True)
class Addresses:
    """The addresses of a server: a URL for HTTP, `HOST:PORT` for gRPC, None where it does not listen."""

    http: str
    grpc: str | None = None

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that tests read in our examples."""
        grpc = {"TRIALRUN_GRPC_ENDPOINT": self.grpc} if self.grpc else {}
        return {"TRIALRUN_ENDPOINT": self.http, **grpc}


def host_and_port(host: str, port: int) -> str:
    """Where to connect to: `127.0.0.1:8080`, `[::1]:8080`."""
    host = WILDCARDS.get(host, host)
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def welcome(addresses: Addresses, *, token: str | None = None, shows_token: bool = False) -> str:
    """What a server prints when it is ready: its addresses, and how clients are pointed at them.

    With `shows_token`, for a terminal and never for a log, the address of the page has the token in its fragment.
    """
    http, grpc = addresses.http, addresses.grpc
    page = f"{http}/#token={quote(token, safe='')}" if token and shows_token else f"{http}/"
    rest = f'transport="rest", client_options={{"api_endpoint": "{http}"}}'
    lines = [f"serving HTTP at {http}", f"the page of the workspace: {page}"]
    clients = [
        f"Python, REST   Client({rest}, credentials=AnonymousCredentials())",
        f'discovery      build_from_document({{**document, "rootUrl": "{http}/"}}, http=httplib2.Http())',
        f"curl           curl {http}/v1/projects/P/locations/L/featureOnlineStores",
    ]
    if grpc:
        lines.append(f"serving gRPC at {grpc}")
        channel = f'grpc.insecure_channel("{grpc}")'
        host, _, port = grpc.rpartition(":")
        node = f'{{apiEndpoint: "{host}", port: {port}, sslCreds: grpc.credentials.createInsecure()}}'
        clients.insert(1, f'Python, gRPC   Client(transport=Client.get_transport_class("grpc")(channel={channel}))')
        clients.append(f"Node, gRPC     new Client({node})")
    lines += ["", "environment variables:"]
    lines += [f"  export {name}={value}" for name, value in addresses.environment.items()]
    lines += ["", "options of clients:", *(f"  {line}" for line in clients)]
    if token:
        lines += ["", "each request needs the header `Authorization: Bearer TOKEN` or `X-Trialrun-Token: TOKEN`"]
    return "\n".join([*lines, "", "press Ctrl-C to stop"])


class ReadyFile:
    """The file that has the addresses of a server while it answers, as JSON."""

    def __init__(self, path: Path) -> None:
        self._path = os.path.abspath(path)

    def prepare(self) -> None:
        """Take away the file of an earlier server, and see that a new one can be written. Raises UsageError."""
        if os.path.isdir(self._path):
            raise UsageError(f"--ready-file: {self._path} is a folder; name a file")
        with self._new_file():
            return

    def write(self, addresses: Addresses) -> None:
        """Write the addresses, so that readers see all of them or no file. Raises UsageError."""
        with self._new_file() as new:
            new.write(ready_json(addresses).encode())
            replace_file(new, self._path)

    def remove(self) -> None:
        """Take the file away, if it is still that of this process: whoever reads it finds a server that answers."""
        with suppress(OSError):
            if self._written_by() == os.getpid():
                os.remove(self._path)

    @contextmanager
    def _new_file(self) -> Iterator[BinaryIO]:
        """A temporary file beside the path, where no file of an earlier server is any more. Raises UsageError."""
        try:
            if os.path.lexists(self._path):
                if self._written_by() is None:
                    message = f"{self._path} is another file, which is kept; name one that is not there"
                    raise UsageError(f"--ready-file: {message}")
                os.remove(self._path)
            with create_temporary(self._path) as new:
                yield new
        except OSError as error:
            is_folder_missing = isinstance(error, FileNotFoundError)
            reason = "there is no such folder; create it first" if is_folder_missing else os_error_reason(error)
            raise UsageError(f"--ready-file: {self._path} cannot be written: {reason}") from error

    def _written_by(self) -> int | None:
        """The process that wrote the file, None where it is no ready file. Raises OSError."""
        if os.path.islink(self._path) or not os.path.isfile(self._path):
            return None
        with open(self._path, "rb") as file, suppress(ValueError):
            content = json.loads(file.read(MAX_READY_FILE))
            is_ready_file = isinstance(content, dict) and content.keys() == READY_FILE_KEYS
            return int(content["pid"]) if is_ready_file and type(content["pid"]) is int else None
        return None


def ready_json(addresses: Addresses) -> str:
    """The content of a ready file."""
    content: dict[str, Any] = {"version": 1, "pid": os.getpid(), "http": addresses.http, "grpc": addresses.grpc}
    return json.dumps({**content, "environment": addresses.environment}, indent=2) + "\n"
