"""Where a store in Redis is, and how to connect. What is secret comes from the environment, and is shown nowhere."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import field
from urllib.parse import parse_qsl, unquote, urlsplit

from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.store.interface import StoreError

PASSWORD, USER = "TRIALRUN_STORE_PASSWORD", "TRIALRUN_STORE_USER"
CA, CERTIFICATE, KEY = "TRIALRUN_STORE_CA", "TRIALRUN_STORE_CERT", "TRIALRUN_STORE_KEY"
SCHEMES = ("redis", "rediss")
DEFAULT_PORT, DEFAULT_PREFIX = 6379, "trialrun"
_PREFIX = re.compile(r"[A-Za-z0-9_.:-]{1,64}", re.ASCII)
_NODE = re.compile(r"(?:\[([0-9A-Fa-f:.]+)\]|([^\s\[\]:]+))(?::([0-9]{1,5}))?", re.ASCII)
_FORM = "write redis://HOST:PORT, rediss://HOST:PORT for TLS, several HOST:PORT of a cluster with commas"


@dataclass(frozen=True)
class RedisAddress:
    """The nodes to ask first, and how to connect. Pickled, it has its password; its text has not."""

    nodes: tuple[tuple[str, int], ...]
    database: int = 0
    prefix: str = DEFAULT_PREFIX
    is_encrypted: bool = False
    user: str | None = None
    password: str | None = field(default=None, repr=False)
    ca: str | None = None
    certificate: str | None = None
    key: str | None = None

    def __str__(self) -> str:
        scheme = "rediss" if self.is_encrypted else "redis"
        nodes = ",".join(node_text(*node) for node in self.nodes)
        database = f"/{self.database}" if self.database else ""
        prefix = f"?prefix={self.prefix}" if self.prefix != DEFAULT_PREFIX else ""
        return f"{scheme}://{nodes}{database}{prefix}"


def parse_address(text: str, environment: Mapping[str, str] = os.environ) -> RedisAddress:
    """The address of a text, with the secrets of the environment.

    Raises StoreError, whose message says what is wrong, then what to do, and has no password in it.
    """
    shown = hide_credentials(text)
    try:
        parts = urlsplit(text)
    except ValueError:  # brackets of an IPv6 address that do not match
        raise StoreError(f"{shown} is not the address of a store; {_FORM}") from None
    if parts.scheme not in SCHEMES:
        raise StoreError(f"{shown} is not the address of a store; {_FORM}")
    user, _, hosts = parts.netloc.rpartition("@")
    if ":" in user:
        raise StoreError(f"the address {shown} has a password; set {PASSWORD} instead")
    if parts.fragment:
        raise StoreError(f"the address {shown} has a part after #; {_FORM}")
    nodes = []
    for host in hosts.split(","):
        matched = _NODE.fullmatch(host)
        port = int(matched[3] or DEFAULT_PORT) if matched else 0
        if not matched or not 0 < port < 2**16:
            raise StoreError(f"the address {shown} has no host and port that can be connected to; {_FORM}")
        nodes.append((matched[1] or matched[2], port))
    number = parts.path.strip("/")
    if number and not (number.isascii() and number.isdecimal() and len(number) < 5):
        raise StoreError(f'the address {shown} has the path "{number}"; only a number of a database can stand there')
    options = dict(parse_qsl(parts.query, keep_blank_values=True))
    prefix = options.pop("prefix", DEFAULT_PREFIX)
    if options:
        raise StoreError(f'the address {shown} has the option "{min(options)}"; the only one is prefix')
    if not _PREFIX.fullmatch(prefix):
        raise StoreError(f"the address {shown} has a prefix that keys cannot have; use letters, digits, . _ - and :")
    secrets = [environment.get(name) or None for name in (USER, PASSWORD, CA, CERTIFICATE, KEY)]
    is_encrypted = parts.scheme == "rediss"
    return RedisAddress(tuple(nodes), int(number or 0), prefix, is_encrypted, unquote(user) or secrets[0], *secrets[1:])


def hide_credentials(text: str) -> str:
    """An address without what may be a user name and a password in it."""
    scheme, separator, rest = text.partition("://")
    if not separator:
        return text.rpartition("@")[2]
    authority, slash, path = rest.partition("/")
    if "@" in path:  # a password with a slash in it
        authority, slash, path = rest, "", ""
    return f"{scheme}://{authority.rpartition('@')[2]}{slash}{path}"


def node_text(host: str, port: int) -> str:
    """A node as people write it."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
