"""The columns of the table of a RAG source: their two spellings, and the type of each."""

from __future__ import annotations

from collections.abc import Collection

SPELLINGS = (
    ("corpusId", "fileId", "chunkId", "chunk_data_type", "chunk_data", "embeddings", "file_original_uri"),
    ("corpus_id", "file_id", "chunk_id", "chunk_data_type", "chunk_data", "embeddings", "file_original_uri"),
)
"""The columns as the specification spells them, then as tables in the wild do: one of the two throughout a table."""
EMBEDDINGS = "embeddings"
"""The column that is a list of floats; the others are text."""


def spelling_of(columns: Collection[str]) -> tuple[str, ...]:
    """The names of the seven columns in the spelling that most of the columns of a table have."""
    names = {name.casefold() for name in columns}
    specified, snake_case = ([name.casefold() in names for name in spelling] for spelling in SPELLINGS)
    return SPELLINGS[sum(snake_case) > sum(specified)]
