"""DuckDB, which reads files and DuckDB tables in place and in bounded memory, and nothing but what it is given."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from datetime import UTC
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any

from trialrun.cores import available_cores
from trialrun.extras import needs_libraries
from trialrun.runtime.feature_view.column import Column, fetch_batches, list_positions
from trialrun.runtime.feature_view.source.column_types import (
    column_conversions,
    duckdb_type,
    inferred_columns,
    sqlite_conversions,
    sqlite_values,
    text_columns_setting,
    type_setting,
)
from trialrun.runtime.feature_view.source.iceberg_table import (
    IcebergTable,
    file_groups,
    read_table,
    relation_of,
    top_level_columns,
)
from trialrun.runtime.feature_view.source.interface import (
    STANDARD,
    ColumnConversion,
    Engine,
    Statement,
    quote_identifier,
    sql_literal,
)
from trialrun.runtime.feature_view.source.location import (
    NO_DUCKDB,
    Format,
    TableLocation,
    Unreadable,
    database_name,
    database_of,
    files_of,
    format_of,
    is_iceberg,
    is_sqlite,
    no_table,
    refuse_alike,
    size_of,
)
from trialrun.runtime.feature_view.source.resource_limits import Spill, data_limit, most_data
from trialrun.runtime.feature_view.source.sqlite_reader import SqliteReader
from trialrun.runtime.feature_view.source.text_files import (
    engine_reason,
    has_json_rows,
    refuse_broken_csv,
    refuse_cut_arrays,
)
from trialrun.runtime.options import Options

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


BATCH_SIZE = 10_000
BATCH = "sqlite_batch"
ATTACH = "ATTACH {} AS {} (READ_ONLY, TYPE duckdb)"
INTERRUPTED = "Query interrupted"
NUMBERED = re.compile(r"(.+)_\d+", re.S)
AT_ONCE = 8
"""Files of JSON whose columns are looked for together."""
NUMBERS = {"BIGINT", "UBIGINT", "HUGEINT", "DOUBLE"}
TEXTS = {"VARCHAR", "DATE", "TIME", "TIMESTAMP", "TIMESTAMP WITH TIME ZONE", "UUID"}
QUOTE = """quote = '"'"""
"""Else the engine guesses: none where one is not closed, and `'` where all texts of a column are in such."""
READERS = {"PARQUET": "read_parquet", "CSV": "read_csv", "JSON": "read_json", "METADATA": "parquet_metadata"}


class DuckDbEngine(Engine):
    """A connection that has each source as a view of the name of its uri, in the types of the specification.

    It can open the files of its sources and a folder of its own for spilling, which goes when it is closed. The rows of
    SQLite are copied into it when the first statement is run; a schema alone needs no DuckDB. Raises Unreadable.
    """

    dialect = STANDARD

    def __init__(self, places: Iterable[TableLocation], options: Options) -> None:
        self._places = {place.uri: place for place in places}
        self._options = options
        self._folders = [place.folder for place in self._places.values()]
        self._spill: Spill | None = None
        self._connection: DuckDBPyConnection | None = None
        self._relations: dict[str, str] = {}
        self._tables: dict[str, IcebergTable] = {}
        self._sqlite: dict[str, SqliteReader] = {}
        self.readings: dict[str, tuple[ColumnConversion, ...]] = {}
        self._most_data = most_data(options)
        try:
            with data_limit(self._most_data):
                refuse_alike(self._places)
                for number, (uri, place) in enumerate(self._places.items()):
                    if is_sqlite(place):
                        self._sqlite[uri] = SqliteReader(place)
                        self._relations[uri] = f"sqlite_rows_{number}"
                        self.readings[uri] = sqlite_conversions(self._sqlite[uri].columns)
                if len(self._sqlite) < len(self._places):
                    self._connect()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        for reader in self._sqlite.values():
            reader.close()
        try:
            if self._connection is not None:
                self._connection.close()
        finally:
            if self._spill is not None:
                self._spill.close()

    def rows(self, text: str, lists: Sequence[int] = ()) -> Iterator[list[tuple[Any, ...]]]:
        """What a statement gives, in batches; `lists` has the positions of its lists. Raises Unreadable.

        What a batch takes is limited; what is done with it meanwhile is not.
        """
        batches = self._rows(text, lists)
        while True:
            with data_limit(self._most_data):
                batch = next(batches, None)
            if batch is None:
                return
            yield batch

    def _rows(self, text: str, lists: Sequence[int]) -> Iterator[list[tuple[Any, ...]]]:
        if self._connection is None:
            self._connect()
        while self._sqlite:
            uri, reader = next(iter(self._sqlite.items()))
            self._copy_rows(uri, reader)
            reader.close()
            del self._sqlite[uri]
        yield from self._run(text, lists)

    def _run(self, text: str, lists: Sequence[int] = ()) -> Iterator[list[tuple[Any, ...]]]:
        import duckdb

        assert self._connection is not None
        try:
            with interruptible():
                done = self._connection.execute(text)
                yield from fetch_batches(done.fetchmany, BATCH_SIZE, lists)
        except duckdb.OutOfMemoryException as error:
            raise Unreadable(f"{engine_reason(error)}; make the table smaller, or raise memory-limit") from error
        except duckdb.Error as error:
            raise Unreadable(engine_reason(error, self._folders)) from error

    def all(self, text: str) -> list[tuple[Any, ...]]:
        return [row for batch in self.rows(text) for row in batch]

    def relation(self, uri: str) -> str:
        return self._relations[uri]

    def size(self, uri: str) -> int:
        return self._tables[uri].size if uri in self._tables else size_of(self._places[uri])

    def latest(self, statement: Statement) -> Iterator[list[Sequence[Any]]]:
        """The rows of a statement with the moments in microseconds, and the features as they are served."""
        layout = statement.layout
        names = [f"c{place}" for place in range(statement.width)]
        moments, lists = statement.moments
        select_list = [f"epoch_us({name})" if place in moments else name for place, name in enumerate(names)]
        text = f"SELECT {', '.join(select_list)} FROM (\n{statement.text}\n) AS latest ({', '.join(names)})"
        for batch in self.rows(text, list_positions(layout.features, layout.feature_start)):
            yield [_in_utc(row, lists) for row in batch] if lists else list[Sequence[Any]](batch)

    def _connect(self) -> None:
        self._spill = Spill()
        try:
            import duckdb
        except ImportError as error:
            raise Unreadable(NO_DUCKDB) from error
        settings: dict[str, str | bool | int | float | list[str]] = {
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "temp_directory": self._spill.folder,
            "memory_limit": self._options.memory_limit,
            "preserve_insertion_order": False,
            "threads": self._options.threads or available_cores(),
        }
        try:
            with interruptible():
                self._connection = duckdb.connect(config=settings)
                self._connection.execute("SET TimeZone = 'UTC'")
        except duckdb.Error as error:
            raise Unreadable(f"{engine_reason(error)}; fix the settings under [runtime]") from error
        self._open({uri: place for uri, place in self._places.items() if uri not in self._sqlite})

    def _execute(self, text: str) -> list[tuple[Any, ...]]:
        return [row for batch in self._run(text) for row in batch]

    def _copy_rows(self, uri: str, reader: SqliteReader) -> None:
        """Copy the rows of SQLite into a table, which DuckDB spills where it has more than its memory."""
        try:
            import numpy
        except ImportError as error:
            raise Unreadable(needs_libraries("a table of SQLite", "runtime", "numpy")) from error
        assert self._connection is not None
        relation, served = self._relations[uri], [read.column for read in reader.columns if read.is_served]
        types = {"row": "TINYINT"}
        for place, column in enumerate(served):
            types |= {f"value_{place}": duckdb_type(column), f"raw_{place}": "VARCHAR"}
        self._execute(f"CREATE TEMP TABLE {relation} ({', '.join(f'{name} {type}' for name, type in types.items())})")
        if served:
            self._create_view(uri, [reading for reading in self.readings[uri] if reading.unsure])
        for columns in reader.columns_of_rows():
            given = {
                name: numpy.fromiter(column, dtype=object, count=len(column))
                for name, column in zip(types, columns, strict=True)
                if column.count(None) < len(column)
            }
            self._connection.register(BATCH, given)
            self._execute(f"INSERT INTO {relation} SELECT {sqlite_values(served, given)} FROM {BATCH}")
            self._connection.unregister(BATCH)

    def _create_view(self, uri: str, readings: Sequence[ColumnConversion]) -> None:
        select_list = ", ".join(
            f"{reading.expression} AS {quote_identifier(reading.column.name)}" for reading in readings
        )
        self._execute(f"CREATE TEMP VIEW {quote_identifier(uri)} AS SELECT {select_list} FROM {self._relations[uri]}")

    def _open(self, places: dict[str, TableLocation]) -> None:
        files: list[str] = []
        attached = self._attach({database_of(place): None for place in places.values() if place.database is not None})
        for uri, place in places.items():
            if is_iceberg(place):
                self._tables[uri] = read_table(place)
                files += [file.path for file in self._tables[uri].files]
            elif place.database is None:
                files += files_of(place)
            else:
                self._relations[uri] = self._table(place, attached[database_of(place)])
        paths = dict.fromkeys(path for file in files for path in (file, glob.escape(file)))
        if len(attached) == 1:  # so a view of another schema finds the tables of main, as where its file is opened
            (name,) = attached.values()  # behind the functions of DuckDB, which its macros must not replace in ours
            self._execute(f"SET search_path = {sql_literal(f'memory.main,system.main,{quote_identifier(name)}.main')}")
        self._execute(f"SET allowed_paths = [{', '.join(map(sql_literal, paths))}]")
        self._execute("SET enable_external_access = false")
        self._execute("SET lock_configuration = true")
        for uri, place in places.items():
            if uri in self._tables:
                table = self._tables[uri]
                self._relations[uri] = relation_of(table, file_groups(table, self._execute))
            inferred: tuple[Column, ...] = ()
            if place.database is None and not is_iceberg(place):
                self._relations[uri], inferred = self._files(place)
            columns = self._columns(self._relations[uri], self._never_null(place))
            if place.database is None and not is_iceberg(place):
                self._refuse_renamed(place, [name for name, _, _ in columns])
            self.readings[uri] = column_conversions(columns, place, inferred)
            self._create_view(uri, self.readings[uri])

    def _columns(self, relation: str, never_null: Set[str] = frozenset()) -> list[tuple[str, str, bool]]:
        rows = self._execute(f"DESCRIBE SELECT * FROM {relation}")
        return [(name, written, null == "NO" or name in never_null) for name, written, null, *_ in rows]

    def _refuse_renamed(self, place: TableLocation, names: Sequence[str]) -> None:
        """Refuse files with a column that the engine knows by the name of another one. Raises Unreadable.

        Of columns that differ in capitals alone, `price` and `Price`, it calls the second `Price_1`. A `price_1` beside
        them is `price_1_1` to it, and whoever asks for `price_1` gets `Price`. The second of two columns `price` of CSV
        is `price_1` as well.
        """
        taken = {name.casefold() for name in names}
        numbered = {name for name in taken if (of := NUMBERED.fullmatch(name)) and of[1] in taken}
        is_mistaken = any((of := NUMBERED.fullmatch(name)) and of[1] in numbered for name in numbered)
        files = files_of(place) if numbered else ()
        if not numbered or not (is_mistaken or format_of(place, files) == "CSV"):
            return
        for written in map(self._written_names, files, repeat(format_of(place, files))):
            earlier: dict[str, str] = {}
            for name in filter(None, written):
                other = earlier.get(name.casefold())
                if other == name:
                    raise Unreadable(f'two columns have the name "{name}"; rename one')
                if other is not None and is_mistaken:
                    raise Unreadable(f'the columns "{other}" and "{name}" differ in capitals alone; rename one')
                earlier.setdefault(name.casefold(), name)

    def _written_names(self, file: str, format: str) -> list[str]:
        listed = f"[{sql_literal(glob.escape(file))}]"
        if format == "PARQUET":
            elements = self._execute(
                "SELECT {'name': name, 'id': field_id, 'type': duckdb_type, 'children': COALESCE(num_children, 0)} "
                f"FROM parquet_schema({listed}) ORDER BY column_id"
            )
            return [name for name, _, _ in top_level_columns([element for (element,) in elements])]
        if format == "JSON":
            return [
                name
                for (name,) in self._execute(
                    f"SELECT DISTINCT unnest(json_keys(json)) AS name FROM read_json_objects({listed}) ORDER BY name"
                )
            ]
        first = f"SELECT * FROM read_csv({listed}, header = false, skip = 0, {QUOTE}, all_varchar = true) LIMIT 1"
        return [name or "" for row in self._execute(first) for name in row]

    def _never_null(self, place: TableLocation) -> frozenset[str]:
        if place.uri in self._tables:
            return self._tables[place.uri].never_null()
        if place.database is not None or format_of(place, files := files_of(place)) != "PARQUET":
            return frozenset()
        path_rows = self._execute(
            f"SELECT path_in_schema FROM {_reader('METADATA', files, ())} GROUP BY path_in_schema "
            "HAVING COUNT(stats_null_count) = COUNT(*) AND SUM(stats_null_count) = 0 "
            f"AND COUNT(DISTINCT file_name) = {len(files)}"
        )
        return frozenset(name for (name,) in path_rows)

    def _files(self, place: TableLocation) -> tuple[str, tuple[Column, ...]]:
        files = files_of(place)
        format = format_of(place, files)
        if format != "PARQUET":
            files = tuple(filter(os.path.getsize, files)) or files  # an empty one has no columns, and is no error
        settings = ["hive_partitioning = false", *(["union_by_name = true"] if len(files) > 1 else [])]
        if format == "CSV":  # else lines that are shorter or longer than most are passed over as if they were a title
            settings += [
                "header = true",
                "skip = 0",
                "quote = '\"'",
                "allow_quoted_nulls = false",
            ]  # "" is the empty text
        if format == "PARQUET":
            return _reader(format, files, settings), ()
        is_many = format == "JSON" and len(files) > AT_ONCE
        step = AT_ONCE if is_many else len(files)
        parts = [files[start : start + step] for start in range(0, len(files), step)]
        columns = self._columns_of_texts(place, format, parts, settings)
        inferred = inferred_columns(columns, place, format)
        typed = text_columns_setting(columns, (*place.declared, *inferred), format)
        if is_many:
            settings = [settings[0], typed or type_setting("columns", {name: written for name, written, _ in columns})]
        elif typed:
            settings.append(typed)
        return _reader(format, files, settings), inferred if typed else ()

    def _columns_of_texts(
        self, place: TableLocation, format: Format, parts: Sequence[Sequence[str]], settings: Sequence[str]
    ) -> list[tuple[str, str, bool]]:
        """The columns that the engine finds in some parts of the files of CSV or JSON. Raises Unreadable."""
        files = [file for part in parts for file in part]
        try:
            columns = _merged(self._columns(_reader(format, part, settings)) for part in parts)
        except Unreadable:
            if format == "CSV":
                refuse_broken_csv(files)
            raise
        if format == "CSV" and len(columns) == 1:
            refuse_broken_csv(files)
        if format == "JSON":
            refuse_cut_arrays(files)
            if [name for name, *_ in columns] == ["json"] and not has_json_rows(_listed(files), self._execute):
                if not place.declared:
                    raise Unreadable("the files have no rows to tell their columns; declare `columns`")
                return [(column.name, "VARCHAR", False) for column in place.declared]
        return columns

    def _attach(self, files: Iterable[str]) -> dict[str, str]:
        """Attach databases, each by the name that DuckDB gives its file, by which its views may name its tables.

        Where two have that name, or a schema has it, what begins with it has two meanings; such have a name of ours.
        """
        names = {file: database_name(file) for file in files}
        own = {file: f"database.{number}" for number, file in enumerate(names)}  # no name of a file has a dot
        taken = Counter(map(str.casefold, ["memory", *names.values()]))
        attached = {file: own[file] if taken[name.casefold()] > 1 else name for file, name in names.items()}
        for file, name in attached.items():
            self._execute(ATTACH.format(sql_literal(file), quote_identifier(name)))
        schemas = {schema.casefold() for (schema,) in self._execute("SELECT schema_name FROM duckdb_schemas()")}
        for file in [file for file, name in attached.items() if name.casefold() in schemas]:
            self._execute(f"DETACH {quote_identifier(attached[file])}")
            self._execute(ATTACH.format(sql_literal(file), quote_identifier(own[file])))
            attached[file] = own[file]
        return attached

    def _table(self, place: TableLocation, database: str) -> str:
        of_database = f"database_name = {sql_literal(database)}"
        tables = self._execute(
            f"SELECT schema_name, table_name FROM duckdb_tables() WHERE {of_database} UNION ALL "
            f"SELECT schema_name, view_name FROM duckdb_views() WHERE {of_database} AND NOT internal"
        )
        for schema, name in sorted(tables, key=lambda schema_table: schema_table[0] != "main"):
            if place.table in (name, f"{schema}.{name}"):
                return f"{quote_identifier(database)}.{quote_identifier(schema)}.{quote_identifier(name)}"
        raise Unreadable(no_table(place, [name if schema == "main" else f"{schema}.{name}" for schema, name in tables]))


@contextmanager
def interruptible() -> Iterator[None]:
    """Make what DuckDB raises at Ctrl-C the KeyboardInterrupt that it is."""
    import duckdb

    try:
        yield
    except duckdb.InterruptException as error:
        raise KeyboardInterrupt from error
    except RuntimeError as error:
        if str(error) == INTERRUPTED:
            raise KeyboardInterrupt from error
        raise


def _listed(files: Iterable[str]) -> str:
    return ", ".join(sql_literal(glob.escape(path)) for path in files)


def _reader(format: str, files: Sequence[str], settings: Sequence[str]) -> str:
    return f"{READERS[format]}({', '.join([f'[{_listed(files)}]', *settings])})"


def _in_utc(row: Sequence[Any], lists: Sequence[int]) -> Sequence[Any]:
    changed = list(row)
    for place in lists:
        if row[place] is not None:
            changed[place] = [moment and moment.replace(tzinfo=UTC) for moment in row[place]]
    return changed


def _merged(descriptions: Iterable[Sequence[tuple[str, str, bool]]]) -> list[tuple[str, str, bool]]:
    types: dict[str, set[str]] = {}
    for name, written, _ in chain.from_iterable(descriptions):
        types.setdefault(name, set()).add(written)
    return [(name, _common(of - {'"NULL"'}), False) for name, of in types.items()]


def _common(types: set[str]) -> str:
    """A type for values of several types, as the engine finds it for one file that has them all."""
    if len(types) < 2:
        return next(iter(types), "VARCHAR")
    if all(type_.endswith("[]") for type_ in types):
        return f"{_common({type_.removesuffix('[]') for type_ in types})}[]"
    return "DOUBLE" if types <= NUMBERS else "VARCHAR" if types <= TEXTS else "JSON"
