"""ragSource table that lacks one of the seven columns of a corpus.

A sync of a ragSource reads the chunks of a corpus from columns with fixed names: corpusId, fileId, chunkId,
chunk_data_type, chunk_data, embeddings (a list of floats, the others are text) and file_original_uri. The first three
may also be written corpus_id, file_id and chunk_id, as many tables have them, but consistently.

The columns are those of the Source of the uri, declared or read; `unknown-column` reports where neither is available.

Specification: feature-view, RagSource: "The table or view at uri has at least these columns:", and the table below it.

Good:

    - kind: Source
      uri: bq://p.d.pages
      files: pages.parquet
      columns:
        - {name: corpus_id, type: STRING}
        - {name: file_id, type: STRING}
        - {name: chunk_id, type: STRING, mode: REQUIRED}
        - {name: chunk_data_type, type: STRING}
        - {name: chunk_data, type: STRING}
        - {name: embeddings, type: FLOAT, mode: REPEATED}
        - {name: file_original_uri, type: STRING}
        - {name: edition, type: INT64}
    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/pages
      ragSource: {uri: bq://p.d.pages}

Bad:

    - kind: FeatureView
      name: projects/p/locations/l/featureOnlineStores/s/featureViews/pages
      ragSource:
        uri: bq://p.d.pages  # <- it has no "fileId" (but "file_id"), no "chunk_data", no "embeddings" (but "embedding")
        # line 4 <- "bq://p.d.pages" is not a table of a corpus: "chunkId" is INT64 and must be STRING
    - kind: Source
      uri: bq://p.d.pages
      files: pages.parquet
      columns:
        - {name: corpusId, type: STRING}
        - {name: file_id, type: STRING}
        - {name: chunkId, type: INT64}
        - {name: chunk_data_type, type: STRING}
        - {name: embedding, type: FLOAT, mode: REPEATED}
        - {name: file_original_uri, type: STRING}
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.rule_support.source_tables import (
    DeclaredSource,
    KnownTable,
    TableIndex,
    TableUri,
    TypedColumn,
    source_facts,
    uri_facts,
)
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.companion import Source
    from trialrun.model.feature_view import RagSource


@gather("Source", facts=(DeclaredSource,), keys=("uri",))
def sources(source: Source) -> Gathered[DeclaredSource]:
    """What a Source says of its table."""
    yield from source_facts(source)


@gather("RagSource", facts=(TableUri,), keys=("uri",))
def corpora(source: RagSource) -> Gathered[TableUri]:
    """The uri of a ragSource."""
    yield from uri_facts(source)


@rule(Facts, severity=Severity.ERROR)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each uri whose table lacks columns, once, and whose columns are of wrong types, once."""
    from trialrun.runtime.feature_view.source.columns import columns_of

    tables = TableIndex(facts.of(DeclaredSource), columns_of)
    for fact in facts.of(TableUri):
        table = tables.resolve(fact.value.uri)
        if table is not None:
            for wrong, what_to_do in differences(table):
                message = f'"{fact.value.uri}" is not a table of a corpus: {wrong}; {what_to_do}'
                yield WorkspaceFinding(fact, message, related=(("the source", table.source),))


def differences(table: KnownTable) -> Iterator[tuple[str, str]]:
    """How a table differs from that of a corpus, in names and in types, and what to do about each."""
    from trialrun.runtime.feature_view.extraction import spelling_of

    names = spelling_of(table.columns.keys())
    if missing := [name for name in names if name not in table.columns]:
        yield f"it has {', '.join(lacking(missing, table, names))}", "add or rename columns"
    if types := [wrong for name in names if (wrong := wrong_type(table.columns.get(name), table))]:
        yield ", ".join(types), "correct the types"


def lacking(missing: list[str], table: KnownTable, names: tuple[str, ...]) -> Iterator[str]:
    """Each missing column, with the one that the table may have instead."""
    from trialrun.values.suggest import NameIndex

    others = NameIndex(name for name in table.columns if name not in names)
    for name in missing:
        near = others.suggest(name)
        yield f'no "{name}" (but "{near}")' if near else f'no "{name}"'


def wrong_type(column: TypedColumn | None, table: KnownTable) -> str | None:
    """What is wrong with the type of a column; nothing is with one that is missing, or declared with no type."""
    from trialrun.runtime.feature_view.extraction import EMBEDDINGS
    from trialrun.runtime.feature_view.source.columns import is_type

    if column is None or (table.is_declared and not is_type(column.source_type)):
        return None
    is_embeddings = column.name == EMBEDDINGS
    if (column.type, column.repeated) == (("DOUBLE", True) if is_embeddings else ("STRING", False)):
        return None
    return f'"{column.name}" is {column.written_type} and must be {"FLOAT REPEATED" if is_embeddings else "STRING"}'
