"""Spark as an engine: executors read the sources and run the statements; few rows come here, or a stream of them."""

from __future__ import annotations

import os
import pickle
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from trialrun.runtime.feature_view.source.interface import (
    SPARK_DIALECT,
    ColumnConversion,
    Engine,
    PartitionFunction,
    Statement,
    quote_identifier,
)
from trialrun.runtime.feature_view.source.location import (
    TableLocation,
    Unreadable,
    is_elsewhere,
    refuse_alike,
    remote_location,
)
from trialrun.runtime.feature_view.source.spark_reading import SourceRows, quote_name, require_types, source_rows
from trialrun.runtime.feature_view.source.spark_session import spark_errors, spark_session
from trialrun.runtime.options import Options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


BYTES_OF_A_PARTITION = 16 * 2**20
"""One partition at a time passes through this process."""
MOST_PARTITIONS = 10_000
UNKNOWN_BYTES = 200 * BYTES_OF_A_PARTITION
"""The bytes of a table whose size nothing tells: of as many partitions as Spark makes by default."""
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class SparkEngine(Engine):
    """A session of a Spark cluster that has each source as a view of the name of its uri. Raises Unreadable."""

    dialect = SPARK_DIALECT

    def __init__(self, places: Sequence[TableLocation], options: Options) -> None:
        assert options.engine is not None
        self._folders = [os.path.normpath(place.folder) for place in places]
        for place in places:  # before anything is connected to
            if is_elsewhere(place):
                remote_location(place, options.engine.roots)
            require_types(place)
        self._session = spark_session(options.engine)
        self._is_trusted = options.engine.secret is not None
        self._sizes: dict[str, int | None] = {}
        self._latest: dict[str, tuple[str, DataFrame]] = {}
        self.readings: dict[str, tuple[ColumnConversion, ...]] = {}
        refuse_alike(place.uri for place in places)
        with spark_errors(self._folders):
            for place in {place.uri: place for place in places}.values():
                self._create_views(place.uri, source_rows(self._session, place, options))
            size = sum(UNKNOWN_BYTES if size is None else size for size in self._sizes.values())
            least: int = 2 * self._session.sparkContext.defaultParallelism
            partitions = min(max(size // BYTES_OF_A_PARTITION, least), MOST_PARTITIONS)
            self._session.conf.set("spark.sql.shuffle.partitions", str(partitions))

    def close(self) -> None:
        """Forget what it kept on the executors; the connection stays for the next engine."""
        with suppress(Unreadable), spark_errors():  # a driver that has ended keeps nothing; its error is known by now
            for _, frame in self._latest.values():
                frame.unpersist()
        self._latest.clear()

    def relation(self, uri: str) -> str:
        """The rows of a source as its files have them, not yet in the types of the specification."""
        return quote_identifier(f"raw {uri}")

    def size(self, uri: str) -> int:
        return self._sizes[uri] or 0

    def all(self, text: str) -> list[tuple[Any, ...]]:
        with spark_errors(self._folders):
            return [tuple(row) for row in self._session.sql(spark_statement(text)).collect()]

    def latest_relation(self, statement: Statement) -> str:
        """The relation that has the rows of a statement on the executors, which keep them until it is closed."""
        if statement.text not in self._latest:
            name = f"latest rows {len(self._latest)}"
            with spark_errors(self._folders):
                frame = self._latest_frame(statement).persist()
                frame.createOrReplaceTempView(quote_name(name))
            self._latest[statement.text] = (name, frame)
        return quote_identifier(self._latest[statement.text][0])

    def latest(self, statement: Statement) -> Iterator[list[Sequence[Any]]]:
        """The rows of a statement, streamed partition by partition, so that this process never holds many of them."""
        with spark_errors(self._folders):
            frame, lists = self._served_frame(statement)
            for batch in _batches(frame):
                yield [_in_utc(row, lists) for row in batch] if lists else batch

    def each_partition(self, statement: Statement, function: PartitionFunction) -> Iterator[Any] | None:
        """What a function makes of each part of the rows, on the executors.

        None in a cluster without a secret: what the function knows, such as a password of a store, stays here.
        """
        return self._each_partition(statement, function) if self._is_trusted else None

    def _each_partition(self, statement: Statement, function: PartitionFunction) -> Iterator[Any]:
        with spark_errors(self._folders):
            frame, lists = self._served_frame(statement)

            def apply(batches: Iterator[Any]) -> Iterator[Any]:
                import pickle

                import pyarrow

                from trialrun.runtime.feature_view.source.spark_engine import rows_of_batches

                result = function(rows_of_batches(batches, lists))
                yield pyarrow.RecordBatch.from_pydict({"result": [pickle.dumps(result)]})

            results = frame.mapInArrow(apply, "result binary").collect()
            yield from (pickle.loads(result) for (result,) in results)

    def _served_frame(self, statement: Statement) -> tuple[DataFrame, list[int]]:
        _, frame = self._latest.get(statement.text) or (None, self._latest_frame(statement))
        moments, lists = statement.moments
        return frame.selectExpr(
            *(
                f"TRANSFORM(c{place}, item -> UNIX_MICROS(CAST(item AS TIMESTAMP_LTZ))) AS c{place}"
                if place in lists
                else f"UNIX_MICROS(CAST(c{place} AS TIMESTAMP_LTZ)) AS c{place}"
                if place in moments
                else f"c{place}"
                for place in range(statement.width)
            )
        ), lists

    def _latest_frame(self, statement: Statement) -> DataFrame:
        names = [f"c{place}" for place in range(statement.width)]
        return self._session.sql(spark_statement(statement.text)).toDF(*names)

    def _create_views(self, uri: str, source: SourceRows) -> None:
        self._sizes[uri] = source.size
        source.frame.createOrReplaceTempView(quote_name(f"stored {uri}"))
        values, raw, places = list[str](), list[str](), dict[str, int]()
        for at, column in enumerate(source.columns):
            name = quote_name(column.column.name)
            values.append(f"{column.expression} AS {name}")
            raw += [f"{name} AS raw_{at}", f"{column.expression} AS value_{at}"]
            places[column.column.name] = at
        for view, select_list in ((uri, values), (f"raw {uri}", raw)):
            text = f"SELECT {', '.join(select_list) or '1'} FROM {quote_name(f'stored {uri}')}"
            self._session.sql(text).createOrReplaceTempView(quote_name(view))
        self.readings[uri] = tuple(
            ColumnConversion(reading.column, f"raw_{place}", f"value_{place}", reading.unsure)
            if (place := places.get(reading.column.name)) is not None
            else reading
            for reading in source.conversions
        )


def spark_statement(text: str) -> str:
    """A statement of standard SQL as Spark runs it."""
    import sqlglot

    statement: str = sqlglot.transpile(text, read="duckdb", write="spark")[0]
    return statement


def _batches(frame: DataFrame) -> Iterator[list[Sequence[Any]]]:
    """The rows of a frame, each batch as executors packed it: rows one by one take ten times as long."""
    import pyarrow

    def pack(batches: Iterator[Any]) -> Iterator[Any]:
        import pyarrow as arrow

        for batch in batches:
            sink = arrow.BufferOutputStream()
            with arrow.ipc.new_stream(sink, batch.schema) as stream:
                stream.write_batch(batch)
            yield arrow.RecordBatch.from_pydict({"rows": [sink.getvalue().to_pybytes()]})

    for (packed,) in frame.mapInArrow(pack, "rows binary").toLocalIterator(prefetchPartitions=True):
        table = pyarrow.ipc.open_stream(packed).read_all()
        yield list(zip(*(column.to_pylist() for column in table.columns), strict=True))


def rows_of_batches(batches: Iterable[Any], lists: Sequence[int]) -> Iterator[Sequence[Any]]:
    """The rows of Arrow batches one by one, as a store takes them."""
    for batch in batches:
        rows = zip(*(column.to_pylist() for column in batch.columns), strict=True)
        yield from (_in_utc(row, lists) for row in rows) if lists else rows


def _in_utc(row: Sequence[Any], lists: Sequence[int]) -> Sequence[Any]:
    changed = list(row)
    for place in lists:
        if row[place] is not None:
            changed[place] = [None if item is None else EPOCH + timedelta(microseconds=item) for item in row[place]]
    return changed
