"""The metadata of an Iceberg table: which file is current, where the other files are, and the types of columns."""

from __future__ import annotations

import os
import re
import zlib
from typing import TYPE_CHECKING, Any

from trialrun.guarded_path import Boundary, GuardedFolder, RefusedPath, matching_files
from trialrun.lazy_dataclass import dataclass
from trialrun.runtime.feature_view.source.interface import quote_identifier
from trialrun.runtime.feature_view.source.location import TableLocation, Unreadable, files_of, relative_path

if TYPE_CHECKING:
    from pyiceberg.types import IcebergType, NestedField


SERVED = {
    "boolean": "BOOLEAN",
    "int": "INTEGER",
    "long": "BIGINT",
    "float": "FLOAT",
    "double": "DOUBLE",
    "string": "VARCHAR",
    "uuid": "UUID",
    "binary": "BLOB",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMP WITH TIME ZONE",
    "timestamp_ns": "TIMESTAMP_NS",
    "timestamptz_ns": "TIMESTAMPTZ_NS",
}
"""Types of values that a feature can have; `fixed[N]` is one more."""
OTHERS = {"date": "DATE", "time": "TIME"}
DECIMAL = re.compile(r"decimal\((\d+), ?(\d+)\)")
MAX_DEPTH = 50
FITTING = {
    "INTEGER": {"INTEGER", "TINYINT", "SMALLINT"},
    "BIGINT": {"BIGINT", "INTEGER", "TINYINT", "SMALLINT"},
    "FLOAT": {"FLOAT"},
    "DOUBLE": {"DOUBLE", "FLOAT"},
    "UUID": {"UUID", "BLOB"},
}
"""The types of data files whose values are read as those of a column: its own, and those that it was widened from."""


@dataclass(frozen=True)
class IcebergField:
    """A column of a table: its id, its name, its type as DuckDB writes it, and the value where a file has none.

    `is_served` says whether a feature can have values of this type; those of others are never read.
    """

    id: int
    name: str
    type: str
    is_served: bool
    required: bool
    default: Any = None

    def fits(self, stored: str) -> bool:
        """Whether a column of a data file has the values of this one, by its type there."""
        inside, repeated = self.type.removesuffix("[]"), self.type.endswith("[]")
        if repeated != stored.endswith("[]"):
            return False
        return stored.removesuffix("[]") in FITTING.get(inside, {inside})


def iceberg_field(field: NestedField) -> IcebergField:
    """A column of a schema."""
    default = getattr(field, "initial_default", None)
    return IcebergField(
        field.field_id,
        field.name,
        _type_text(field.field_type),
        _is_served(field.field_type),
        field.required,
        default if default is None or isinstance(default, (str, int)) else (str(default),),
    )


def _is_served(type: IcebergType) -> bool:
    from pyiceberg.types import ListType

    inside = str(type.element_type if isinstance(type, ListType) else type)
    return inside in SERVED or inside.startswith("fixed[")


def _type_text(type: IcebergType, depth: int = 0) -> str:
    """A type as DuckDB writes it."""
    from pyiceberg.types import ListType, MapType, StructType

    if depth > MAX_DEPTH:
        raise ValueError(f"a type is nested more than {MAX_DEPTH} levels deep")
    match type:
        case ListType():
            return f"{_type_text(type.element_type, depth + 1)}[]"
        case MapType():
            return f"MAP({_type_text(type.key_type, depth + 1)}, {_type_text(type.value_type, depth + 1)})"
        case StructType():
            parts = (f"{quote_identifier(part.name)} {_type_text(part.field_type, depth + 1)}" for part in type.fields)
            return f"STRUCT({', '.join(parts)})"
    return _primitive_text(str(type))


def _primitive_text(written: str) -> str:
    if written.startswith("fixed["):
        return "BLOB"
    if decimal := DECIMAL.fullmatch(written):
        return f"DECIMAL({decimal[1]},{decimal[2]})"
    return SERVED.get(written) or OTHERS.get(written) or f"STRUCT({quote_identifier(written)} VARCHAR)"


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


def metadata_file(place: TableLocation) -> str:
    """The newest file of metadata of a place, which names a folder, or such files themselves. Raises Unreadable.

    Its number counts: `version-hint.text` of a folder may lag behind.
    """
    folder = os.path.normpath(os.path.join(place.folder, relative_path(place.files or "")))
    if not os.path.isdir(folder):
        return _newest(_named_files(place))
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


def _named_files(place: TableLocation) -> tuple[str, ...]:
    files = files_of(place)
    if other := next((file for file in files if not file.lower().endswith(METADATA_ENDINGS)), None):
        raise Unreadable(
            f'"{os.path.basename(other)}" is no metadata of a table of Iceberg; name its folder, or a *.metadata.json'
        )
    return files


def _newest(files: tuple[str, ...]) -> str:
    if len(files) == 1:
        return files[0]
    versions = {file: int(match["number"]) for file in files if (match := VERSION.match(os.path.basename(file)))}
    newest = [file for file, version in versions.items() if version == max(versions.values())]
    if len(newest) == 1:
        return newest[0]
    names = " and ".join(f'"{os.path.basename(file)}"' for file in sorted(newest or files)[:2])
    raise Unreadable(f"{names} may both be the current metadata of the table; name the one of the catalog in `files`")


@dataclass(frozen=True)
class TableFiles:
    """The files of a table whose metadata is in `file`: what it names is looked for in `root` where `location` was.

    A table that was copied is so read where it is now.
    """

    place: TableLocation
    file: str
    location: str
    guard: GuardedFolder
    boundary: Boundary

    @property
    def root(self) -> str | None:
        """The folder of the table; None where its metadata is in no folder of that name."""
        parent = os.path.dirname(self.file)
        return os.path.dirname(parent) if os.path.basename(parent) == METADATA_FOLDER else None

    def resolve(self, written: str) -> str:
        """The path of a file that the metadata names. Raises Unreadable where it is elsewhere or not there."""
        path = os.path.normpath(self._local_path(written))
        try:
            self.boundary.resolve(path)
            exists = os.path.isfile(path)
        except RefusedPath as error:
            raise Unreadable(f'the table names the file "{written}": {error.strerror}') from error
        except ValueError:
            exists = False
        if not exists:
            raise Unreadable(f'the table names the file "{written}", which is not there; copy the whole table')
        return path

    def read(self, written: str) -> bytes:
        """The bytes of a file of metadata. Raises Unreadable."""
        return read_metadata(self.guard, self.resolve(written), written)

    def _local_path(self, written: str) -> str:
        path, location = _plain(written), _plain(self.location)
        if self.root is not None and location and path.startswith(f"{location}/"):
            return os.path.join(self.root, path[len(location) :].lstrip("/"))
        if SCHEME.match(path) or not os.path.isabs(path):
            raise Unreadable(f'the table names the file "{written}", which is not on this machine; copy the table here')
        return path


def table_files(place: TableLocation, file: str, location: str = "") -> TableFiles:
    """The files of a table, of which that of the metadata is known."""
    return TableFiles(place, file, location, GuardedFolder(place.folder), Boundary.around(place.folder))


def read_metadata(guard: GuardedFolder, path: str, written: str) -> bytes:
    """The bytes of a file of metadata, unpacked. Raises Unreadable."""
    try:
        data = guard.read(path, MAX_FILE_BYTES)
        if data.startswith(GZIP):
            data = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16).decompress(data, MAX_FILE_BYTES + 1)
    except OSError as error:
        raise Unreadable(f'"{written}" cannot be read: {error.strerror}') from error
    except zlib.error as error:
        raise Unreadable(f'"{written}" is a damaged gzip file: {error}') from error
    if len(data) > MAX_FILE_BYTES:
        raise Unreadable(f'"{written}" has more than {MAX_FILE_BYTES // 2**20} MiB; expire snapshots of the table')
    return data


def _plain(written: str) -> str:
    """A path without the scheme of local files, and without slashes at its end."""
    return LOCAL.sub("", written, count=1).rstrip("/")
