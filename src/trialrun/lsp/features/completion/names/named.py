"""Names with their details."""

from __future__ import annotations

from collections.abc import Iterator

NamesWithDetail = Iterator[tuple[str | None, str]]
"""Names, None if a document lacks one, each with a detail."""
