"""The files of metadata of a table of Iceberg: which is current, and where those lie that it names.

Paths and addresses may be a stranger's: each is followed through the one guarded door, and nothing is connected to.
"""

from __future__ import annotations

import os
import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager

from trialrun.guarded_path import Boundary, GuardedFolder, RefusedPath, matching_files
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable, files_of, relative_path

METADATA_FOLDER = "metadata"
METADATA_ENDINGS = (".metadata.json", ".metadata.json.gz")
VERSION = re.compile(r"v?(?P<number>[0-9]{1,18})[-.]")
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")
LOCAL = re.compile(r"file:(?://(?:localhost)?)?(?=/(?!/))")
GZIP = b"\x1f\x8b"
MAX_FILE_BYTES = 64 * 2**20
"""Bytes of one file of metadata, also when it is unpacked."""
MAX_TOTAL_BYTES = 2**30
"""Bytes of all files of metadata that one reading of a table may take in."""
MAX_REASON_LENGTH = 200


def metadata_file(place: TableLocation) -> str:
    """The newest file of metadata of a place, which names a folder, or such files themselves. Raises Unreadable.

    Its number counts: `version-hint.text` of a folder may lag behind.
    """
    folder = os.path.normpath(os.path.join(place.folder, relative_path(place.files or "")))
    if not os.path.isdir(folder):
        named = files_of(place)
        if other := next((file for file in named if not file.lower().endswith(METADATA_ENDINGS)), None):
            kind = "no metadata of a table of Iceberg; name its folder, or a *.metadata.json"
            raise Unreadable(f'"{os.path.basename(other)}" is {kind}')
        return _newest(named)
    try:
        files = [file for ending in METADATA_ENDINGS for file in matching_files(f"{METADATA_FOLDER}/*{ending}", folder)]
        Boundary.around(place.folder).resolve(folder)
    except RefusedPath as error:
        raise Unreadable(f'"{place.files}": {error.strerror}') from error
    if not files:
        raise Unreadable(
            f'"{place.files}" has no metadata/*.metadata.json, so it is no table of Iceberg; fix `files` or `format`'
        )
    return _newest(tuple(files))


def _newest(files: tuple[str, ...]) -> str:
    if len(files) == 1:
        return files[0]
    versions = {file: int(match["number"]) for file in files if (match := VERSION.match(os.path.basename(file)))}
    newest = [file for file, version in versions.items() if version == max(versions.values())]
    if len(newest) == 1:
        return newest[0]
    names = " and ".join(f'"{os.path.basename(file)}"' for file in sorted(newest or files)[:2])
    raise Unreadable(f"{names} may both be the current metadata of the table; name the one of the catalog in `files`")


class TableFiles:
    """The files of a table whose metadata is in `file`: what it names is looked for around that, where `location` was.

    A table that was copied is so read where it is now, if its metadata is in a folder of that name.
    """

    def __init__(self, place: TableLocation, file: str) -> None:
        parent = os.path.dirname(file)
        self._root = os.path.dirname(parent) if os.path.basename(parent) == METADATA_FOLDER else None
        self._guard, self._boundary = GuardedFolder(place.folder), Boundary.around(place.folder)
        self.location = ""

    def resolve(self, written: str) -> str:
        """The path of a file that the metadata names. Raises Unreadable where it is elsewhere or not there."""
        path, location = _without_scheme(written), _without_scheme(self.location)
        if self._root is not None and location and path.startswith(f"{location}/"):
            path = os.path.join(self._root, path[len(location) :].lstrip("/"))
        elif SCHEME.match(path) or not os.path.isabs(path):
            raise Unreadable(f'the table names the file "{written}", which is not on this machine; copy the table here')
        path = os.path.normpath(path)
        try:
            self._boundary.resolve(path)
            exists = os.path.isfile(path)
        except RefusedPath as error:
            raise Unreadable(f'the table names the file "{written}": {error.strerror}') from error
        except ValueError:
            exists = False
        if not exists:
            raise Unreadable(f'the table names the file "{written}", which is not there; copy the whole table')
        return path

    def read(self, written: str, path: str | None = None) -> bytes:
        """The bytes of a file of metadata, unpacked. Raises Unreadable."""
        try:
            data = self._guard.read(path or self.resolve(written), MAX_FILE_BYTES)
            if data.startswith(GZIP):
                data = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(data, MAX_FILE_BYTES + 1)
        except OSError as error:
            raise Unreadable(f'"{written}" cannot be read: {error.strerror}') from error
        except zlib.error as error:
            raise Unreadable(f'"{written}" is a damaged gzip file: {error}') from error
        if len(data) > MAX_FILE_BYTES:
            raise Unreadable(f'"{written}" has more than {MAX_FILE_BYTES // 2**20} MiB; expire snapshots of the table')
        return data


def _without_scheme(written: str) -> str:
    return LOCAL.sub("", written, count=1).rstrip("/")


class DamagedMetadata(Exception):
    """Bytes that are no whole file of metadata."""


@contextmanager
def refuse_damage(name: str) -> Iterator[None]:
    """Make Unreadable of what pyiceberg raises for a file that is not as it should be, which is any error."""
    try:
        yield
    except (Unreadable, MemoryError):
        raise
    except DamagedMetadata as error:
        raise Unreadable(f'"{name}" is damaged: {error}; copy the table again') from error
    except Exception as error:
        lines = (line.strip() for line in str(error).splitlines())
        reason = next(filter(None, lines), type(error).__name__)[:MAX_REASON_LENGTH]
        raise Unreadable(f'"{name}" of the table is damaged: {reason}') from error
