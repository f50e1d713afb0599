"""Locations of rows on other machines: a URL of a file system that executors know, or of a database.

A URL is read by several programs one after the other, which agree on plain ones only. So whatever one of them could
take for a way out of a folder, a credential or a setting is refused, not interpreted: `..` however it is escaped, `//`,
`\\`, braces, users, queries and fragments.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import unquote

CONTAINER_SCHEMES = frozenset({"abfs", "abfss", "wasb", "wasbs"})
"""File systems whose URLs have a container before an @, where others have a user."""
DEFAULT_HOST_SCHEMES = frozenset({"file", "hdfs", "viewfs"})
"""File systems that need no host, since there is a default one."""
SCHEMES = CONTAINER_SCHEMES | DEFAULT_HOST_SCHEMES | {"gs", "oss", "s3", "s3a"}
"""The file systems of rows; web addresses are none."""
JDBC = "jdbc"
SCHEME = re.compile(r"[a-z][a-z0-9+.-]{0,19}", re.ASCII)
HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]*[A-Za-z0-9])?(:[0-9]{1,5})?", re.ASCII)
CONTAINER = re.compile(r"[A-Za-z0-9$][A-Za-z0-9$._-]*", re.ASCII)
WAYS_OF_READING = 4
"""How often a text is unescaped; one that is still escaped then is refused."""
REFUSED_CHARACTERS = re.compile(r"[\x00-\x1f\x7f\\?#{}\[\]]")
DATABASE_NAME = re.compile(r"\w[\w-]*", re.ASCII)
DATABASE_SETTING = re.compile(r";database(?:Name)?=\w[\w-]*", re.ASCII | re.IGNORECASE)
"""How SQL Server names a database: the one parameter that belongs to the location."""
NO_FILE = "a database is no file; name it in `database`, and its table in `table`"
PASSWORD = re.compile(r"(?:pass|pwd|secret|token)[^=;&]*=", re.IGNORECASE)
JDBC_START = re.compile(r"jdbc:[a-z][a-z0-9]*(?::[a-z0-9]+)*:(?=[^:])", re.ASCII | re.IGNORECASE)
JDBC_HOST = re.compile(r"[^/]*//[^/;]*|jdbc:[a-z0-9]+:", re.ASCII | re.IGNORECASE)


class HostileLocation(ValueError):
    """A location that is not followed, whoever names it; the message is a clause that shows no credentials."""


@dataclass(frozen=True, slots=True)
class RemoteLocation:
    """A folder, a file or a glob of a file system, in parts; or a database, whose URL is `authority` as written.

    `parameters` are those of a database's URL.
    """

    scheme: str
    authority: str
    segments: tuple[str, ...] = ()
    parameters: str = ""

    @property
    def url(self) -> str:
        """The location as programs are given it, never as a document spells it."""
        if self.scheme == JDBC:
            return self.authority + self.parameters
        return f"{self.scheme}://{self.authority}/{'/'.join(self.segments)}"


def is_remote(text: str) -> bool:
    """Whether a text names a location by a URL, not by a path of this machine."""
    scheme = text.strip().partition(":")[0].lower()
    return "://" in text or (":" in text and (scheme in SCHEMES or scheme == JDBC))


def parse_location(text: str) -> RemoteLocation:
    """The location that a URL names. Raises HostileLocation."""
    if text != text.strip():
        raise HostileLocation("the location begins or ends with a space; remove it")
    scheme, _, rest = text.partition(":")
    scheme = scheme.lower()
    if scheme == JDBC:
        return _parse_database(text)
    if scheme not in SCHEMES and not SCHEME.fullmatch(scheme):
        raise HostileLocation("the location begins with no scheme; write one such as s3a://")
    if scheme not in SCHEMES:
        known = ", ".join(sorted({*SCHEMES, JDBC}))
        raise HostileLocation(f'locations of rows have no scheme "{scheme}"; copy the rows, or use one of {known}')
    if not rest.startswith("//"):
        raise HostileLocation(f"the location has no // after {scheme}:; write {scheme}://")
    authority, _, path = rest[2:].partition("/")
    _check_authority(scheme, authority)
    return RemoteLocation(scheme, authority, _segments(path))


def remote_problem(text: str, *, is_database: bool) -> str | None:
    """Why no engine follows what a document names; None for a path, and for a URL that depends on the user's roots."""
    if not is_remote(text):
        return None
    try:
        location = parse_location(text)
    except HostileLocation as problem:
        return str(problem)
    if location.parameters:
        return "the URL of a database has parameters; remove them: only a root of the user's settings may have them"
    if (location.scheme == JDBC) is is_database:
        return None
    return "no engine reads a database file elsewhere; use `files`" if is_database else NO_FILE


def parse_root(text: str) -> RemoteLocation:
    """The location below which others may lie: a URL, or an absolute path of executors. Raises HostileLocation."""
    root = parse_location(f"file://{text}" if text.startswith("/") else text)
    if any("*" in segment for segment in root.segments):
        raise HostileLocation("a root is no pattern; name a folder without *")
    if root.authority.endswith("//") or (not root.segments and not root.authority):
        raise HostileLocation("a root cannot be everything that executors see; name a folder")
    return root


def is_below(location: RemoteLocation, root: RemoteLocation) -> bool:
    """Whether a location is a root or lies below it, part by part."""
    if location.scheme != root.scheme:
        return False
    if root.scheme == JDBC:
        return _is_database_below(location, root)
    same_host = location.authority.casefold() == root.authority.casefold()
    return same_host and location.segments[: len(root.segments)] == root.segments


def at_root(location: RemoteLocation, root: RemoteLocation) -> RemoteLocation:
    """A location below a root, in the root's spelling of hosts and with the root's parameters."""
    if root.scheme != JDBC:
        return RemoteLocation(root.scheme, root.authority, location.segments)
    name = location.authority[len(root.authority) :]
    return RemoteLocation(JDBC, root.authority + name, (), root.parameters)


def has_password(location: RemoteLocation) -> bool:
    """Whether the parameters of a database's URL have a password, under any of the names that drivers have for it."""
    return bool(PASSWORD.search(location.parameters))


def suggest_root(location: RemoteLocation) -> str:
    """A root that a location would be below: its folder, without patterns."""
    if location.scheme == JDBC:
        return location.authority
    folders = location.segments[:-1]
    plain = next((at for at, segment in enumerate(folders) if "*" in segment), len(folders))
    return RemoteLocation(location.scheme, location.authority, (*folders[:plain], "")).url


def _check_authority(scheme: str, authority: str) -> None:
    container, separator, host = authority.rpartition("@")
    if separator and (scheme not in CONTAINER_SCHEMES or not CONTAINER.fullmatch(container)):
        raise HostileLocation("the location has a user; remove it: credentials are those of the cluster")
    if scheme == "file" and host:
        raise HostileLocation("a location of files has a host; write file:/// and the path")
    if host and not HOST.fullmatch(host):
        raise HostileLocation(
            "the host or bucket of the location is not a plain name; write letters, digits, ., - or _"
        )
    if not host and scheme not in DEFAULT_HOST_SCHEMES:
        raise HostileLocation(f"the location names no bucket or host; write it after {scheme}://")


def _segments(path: str) -> tuple[str, ...]:
    if character := REFUSED_CHARACTERS.search(path):
        shown = character[0] if character[0].isprintable() else f"U+{ord(character[0]):04X}"
        advice = "the pattern of names is *"
        raise HostileLocation(f"the location contains {shown}, which programs read differently; {advice}")
    segments = path.removesuffix("/").split("/") if path.removesuffix("/") else []
    for segment in segments:
        if not segment:
            raise HostileLocation("the location contains //; write one /")
        for reading in _readings(segment):
            if reading in (".", ".."):
                raise HostileLocation(f"the location contains {reading} as a folder; write it without")
            if "/" in reading or REFUSED_CHARACTERS.search(reading):
                what = "an escaped character that divides or ends paths"
                raise HostileLocation(f"the location has {what}; write it without")
    return tuple(segments)


def _readings(text: str) -> list[str]:
    """A text as it is, and as programs read it that unescape it, some of them again and again."""
    readings = [text]
    while (reading := unquote(readings[-1], errors="replace")) != readings[-1]:
        if len(readings) == WAYS_OF_READING:
            raise HostileLocation("the location is escaped again and again; write the characters themselves")
        readings.append(reading)
    if readings[-1].count("\ufffd") > text.count("\ufffd"):
        raise HostileLocation("the location has escaped bytes that are no text; write the characters themselves")
    return readings


def _parse_database(text: str) -> RemoteLocation:
    start = JDBC_START.match(text)
    if not start or not text.isascii() or any(character.isspace() or not character.isprintable() for character in text):
        raise HostileLocation("the location is no URL of a database; write one such as jdbc:postgresql://HOST/DATABASE")
    rest = text[start.end() :]
    base, parameters = re.match(r"([^?;&#]*)(.*)", rest, re.DOTALL).groups()  # type: ignore[union-attr]
    if named := DATABASE_SETTING.match(parameters):
        base, parameters = base + named[0], parameters[named.end() :]
    if "@" in base.removeprefix("@"):
        raise HostileLocation("the location has a user; remove it: credentials are those of the cluster")
    if ".." in base or "%" in base or "\\" in base:
        raise HostileLocation("the URL of a database contains .., % or \\; write it without")
    return RemoteLocation(JDBC, text[: start.end()] + base, (), parameters)


def _is_database_below(location: RemoteLocation, root: RemoteLocation) -> bool:
    if location.parameters:
        return False
    named, parent = _database_key(location.authority), _database_key(root.authority)
    if named == parent:
        return True
    return parent.endswith("/") and named.startswith(parent) and bool(DATABASE_NAME.fullmatch(named[len(parent) :]))


def _database_key(text: str) -> str:
    """The URL of a database as it is compared: schemes and hosts in small letters."""
    host = JDBC_HOST.match(text)
    end = host.end() if host else 0
    return text[:end].lower() + text[end:]
