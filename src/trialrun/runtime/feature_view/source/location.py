"""Where the rows of a source are: files of one format, or a table of a database.

A document names files of this machine inside the boundary alone. What it names by a URL is elsewhere: an engine of the
user's choice reads it, if it lies below one of the roots that the user gave to that engine.
"""

from __future__ import annotations

import importlib.util
import os
import sys
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Literal

from trialrun.extras import needs_libraries
from trialrun.guarded_path import MAX_ENTRIES, Boundary, RefusedPath, TooManyEntries, matching_files, read_file
from trialrun.runtime.feature_view.column import Column, declared_columns
from trialrun.values.remote_location import (
    JDBC,
    HostileLocation,
    RemoteLocation,
    at_root,
    is_below,
    is_remote,
    parse_location,
    parse_root,
    suggest_root,
)

if TYPE_CHECKING:
    from trialrun.model.companion import Source
    from trialrun.runtime.declaration import DeclaredResource


Format = Literal["PARQUET", "CSV", "JSON", "ICEBERG"]
ENDINGS: dict[str, Format] = {
    ".metadata.json": "ICEBERG",
    ".metadata.json.gz": "ICEBERG",
    ".parquet": "PARQUET",
    ".pq": "PARQUET",
    ".csv": "CSV",
    ".tsv": "CSV",
    ".csv.gz": "CSV",
    ".tsv.gz": "CSV",
    ".json": "JSON",
    ".jsonl": "JSON",
    ".ndjson": "JSON",
    ".json.gz": "JSON",
    ".jsonl.gz": "JSON",
}
NO_DUCKDB = needs_libraries("that", "runtime", "duckdb")
ICEBERG_ELSEWHERE = "a table of Iceberg is read by its metadata on this machine; name its path in a shared mount"
SQLITE = b"SQLite format 3\0"


class Unreadable(Exception):
    """A source cannot be read; the message says why, then what to do."""


@dataclass(frozen=True)
class TableLocation:
    """Where the rows of a uri are: `files` is a glob, or `database` a file and `table` a table of it.

    Both are as the document has them, relative to `folder`, or URLs. `declared` are the columns that the document
    declares, `moment` is the timestamp column that it names. Of a table with snapshots, that of `as_of` is read, or the
    last one.
    """

    uri: str
    folder: str
    files: str | None = None
    format: Format | None = None
    database: str | None = None
    table: str | None = None
    declared: tuple[Column, ...] = ()
    moment: str | None = None
    as_of: datetime | None = field(default=None, repr=False)  # the digests of plans are older


def place_of(source: DeclaredResource[Source]) -> TableLocation:
    """The place that a Source names; nothing is looked at yet."""
    node = source.node
    named = (node.files, node.format, node.database, node.table)
    return TableLocation(node.uri or "", source.folder, *named, declared_columns(node), node.timestampColumn)


def files_of(place: TableLocation) -> tuple[str, ...]:
    """The files of a place in the order of their paths, absolute. Raises Unreadable where there is none."""
    written = relative_path(place.files or "")
    literal = os.path.join(place.folder, written)
    try:
        found = {os.path.realpath(path): path for path in reversed(matching_files(written, place.folder))}
        files = [*found.values()][::-1]  # a link to a folder above leads to its files again and again
        if not files and os.path.isfile(literal) and Boundary.around(place.folder).resolve(literal):
            files = [literal]
    except TooManyEntries as error:
        many = f"searches more than {MAX_ENTRIES:,} directory entries"
        raise Unreadable(f'"{written}" {many}; name a folder nearer to the files') from error
    except RefusedPath as error:
        raise Unreadable(
            f'"{error.filename.removeprefix(os.path.join(place.folder, ""))}": {error.strerror}'
        ) from error
    if not files and os.path.isdir(literal):
        raise Unreadable(
            f'"{written}" is a folder; name its files, or set `format` to ICEBERG where it is a table of Iceberg'
        )
    if not files:
        raise Unreadable(
            f'no file matches "{written}" relative to the file of the Source; create the data, or fix `files`'
        )
    return tuple(os.path.normpath(path) for path in files)


def format_of(place: TableLocation, files: tuple[str, ...]) -> Format:
    """The format of the files: as declared, else told by their ending. Raises Unreadable."""
    if place.format:
        return place.format
    formats = {_by_ending(path) for path in files}
    if len(formats) == 1 and (file_format := formats.pop()):
        return file_format
    raise Unreadable(
        f'cannot tell the format from the extension of "{place.files}"; set `format` to PARQUET, CSV or JSON'
    )


def is_iceberg(place: TableLocation) -> bool:
    """Whether a place is a table of Iceberg, by what the Source says alone."""
    if place.database is not None or place.format:
        return place.database is None and place.format == "ICEBERG"
    return _by_ending(place.files or "") == "ICEBERG"


def has_types(place: TableLocation) -> bool:
    """Whether the columns of a place have types of their own, as JSON and CSV files do not. Raises Unreadable."""
    if place.database is not None or is_iceberg(place):
        return True
    return format_of(place, (place.files or "",) if is_elsewhere(place) else files_of(place)) == "PARQUET"


def is_elsewhere(place: TableLocation) -> bool:
    """Whether a place is named by a URL: this machine does not read it."""
    return is_remote(place.files or place.database or "")


def remote_location(place: TableLocation, roots: Sequence[str]) -> RemoteLocation:
    """Where the rows of a place are that is elsewhere, as an engine with these roots may read it. Raises Unreadable."""
    location = location_below(place.files or place.database or "", roots)
    if is_iceberg(place) and location.scheme != "file":
        raise Unreadable(ICEBERG_ELSEWHERE)
    if place.files is None and (location.scheme != JDBC or not place.table):
        raise Unreadable("a database elsewhere is named by its jdbc: URL and a table; set `database` and `table`")
    if place.files is not None and location.scheme == JDBC:
        raise Unreadable("a database is no file; name it in `database`, and its table in `table`")
    return location


def location_below(text: str, roots: Sequence[str]) -> RemoteLocation:
    """The location that a URL names, in the spelling of the root that it lies below. Raises Unreadable without one."""
    location = _parsed(text)
    for root in map(parse_root, roots):
        if is_below(location, root):
            return at_root(location, root)
    if location.parameters:
        raise Unreadable("the URL of a database has parameters; only a root of the engine may have them")
    raise Unreadable(
        f'"{text}" is below no root of the engine; add "{suggest_root(location)}" to `roots` of the engine in your own '
        "settings, or to TRIALRUN_ENGINE_ROOTS"
    )


def _parsed(text: str) -> RemoteLocation:
    try:
        return parse_location(text)
    except HostileLocation as problem:
        raise Unreadable(f"{problem}") from None


def assumption_of(place: TableLocation) -> str | None:
    """The row of docs/assumptions.md about how a place is found and read; None for a database of DuckDB."""
    if is_elsewhere(place):
        return "sync-roots"
    if is_iceberg(place):
        return "sync-iceberg"
    if place.database is None:
        return "sync-files"
    return "sync-sqlite" if is_sqlite(place) else None


def database_of(place: TableLocation) -> str:
    """The absolute path of the database file of a place. Raises Unreadable."""
    path = os.path.normpath(os.path.join(place.folder, relative_path(place.database or "")))
    try:
        Boundary.around(place.folder).resolve(os.path.join(place.folder, place.database or ""))
    except RefusedPath as error:
        raise Unreadable(f'"{place.database}": {error.strerror}') from error
    if not os.path.isfile(path):
        raise Unreadable(
            f'there is no file "{place.database}" relative to the file of the Source; create it, or fix `database`'
        )
    if not place.table:
        raise Unreadable(f'the Source names the database "{place.database}" and no table; set `table`')
    return path


def database_name(file: str) -> str:
    """How DuckDB calls a database by its file: the part of its name that ends at a dot."""
    name = next(filter(None, os.path.basename(file).split(".")), "memory")
    return f"{name}_db" if name.casefold() in ("main", "system", "temp") else name


def is_sqlite(place: TableLocation) -> bool:
    """Whether a place is a table of a SQLite database. Raises Unreadable."""
    if place.database is None:
        return False
    try:
        return read_file(database_of(place), len(SQLITE), named_in=place.folder).startswith(SQLITE)
    except OSError as error:
        raise Unreadable(f'"{place.database}" cannot be read: {error.strerror}') from error


def need_duckdb() -> None:
    """See that DuckDB can be imported, without doing so. Raises Unreadable."""
    if sys.modules.get("duckdb", importlib.util) is None or importlib.util.find_spec("duckdb") is None:
        raise Unreadable(NO_DUCKDB)


def size_of(place: TableLocation) -> int:
    """How many bytes the files of a place have. Raises Unreadable."""
    paths = files_of(place) if place.database is None else (database_of(place),)
    return sum(os.path.getsize(path) for path in paths)


def refuse_alike(uris: Iterable[str]) -> None:
    """Refuse names of tables that are one name to an engine. Raises Unreadable."""
    names: dict[str, str] = {}
    for uri in uris:
        if (earlier := names.setdefault(uri.casefold(), uri)) != uri:
            raise Unreadable(f'"{uri}" and "{earlier}" differ only in case; change one of them')


def no_table(place: TableLocation, names: Sequence[str]) -> str:
    """What to say of a table that a database does not have."""
    from trialrun.values.suggest import did_you_mean

    hint = did_you_mean(place.table or "", names, otherwise=f"it has {', '.join(sorted(names)) or 'none'}")
    return f'"{place.database}" has no table "{place.table}"{hint}'


def _by_ending(path: str) -> Format | None:
    name = os.path.basename(path).lower()
    return next((file_format for ending, file_format in ENDINGS.items() if name.endswith(ending)), None)


def relative_path(path: str) -> str:
    """A path as a Source writes it, below or beside its folder. Raises Unreadable for any other."""
    if not path:
        raise Unreadable("the Source names neither files nor a database; set `files`, or `database` and `table`")
    if is_remote(path):
        _parsed(path)
        raise Unreadable(
            f'"{path}" is not on this machine; choose an engine with --engine, or copy the rows into a file'
        )
    if os.path.isabs(path):
        raise Unreadable(f'"{path}" is an absolute path; write it relative to the file of the Source')
    return path


FileState = tuple[str, int, int, int, int]
"""Path, number, size and both times of a file."""
COARSE = 1_000_000
"""Times of files that are multiples of so many nanoseconds may be rounded to seconds."""
FINE_GRAIN, COARSE_GRAIN = 50_000_000, 3_000_000_000
"""Within so many nanoseconds two changes of a file may have the same time."""


def file_states(place: TableLocation) -> tuple[FileState, ...]:
    """The files of a place. Raises Unreadable without any, and OSError for one that was just written."""
    states = []
    for path in files_of(place):
        status = os.stat(path)
        newest = max(status.st_mtime_ns, status.st_ctime_ns)
        grain = FINE_GRAIN if newest % COARSE else COARSE_GRAIN
        if time.time_ns() - newest < grain:  # another change of it would have the same time
            raise OSError(f"{path} was written just now")
        states.append((path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns))
    return tuple(states)
