"""What a name is told with."""

from __future__ import annotations

from collections.abc import Iterator

NamesWithDetail = Iterator[tuple[str | None, str]]
"""Names, or None if a document lacks one, each with what else is told of it."""
