"""Locations in SARIF: artifact locations and regions."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from trialrun.diagnostic import Range
from trialrun.report.column_units import convert_columns, utf16_column
from trialrun.report.interface import Sources
from trialrun.report.paths import path_to_uri
from trialrun.repository import paths_from_top


class SarifLocations:
    """Converts the locations of a run; texts are read on demand."""

    def __init__(self, sources: Sources) -> None:
        self._sources = lru_cache(maxsize=16)(sources)
        self._from_top = paths_from_top()

    def location(self, path: str, place: Range) -> dict[str, Any]:
        """A place of a file."""
        return {"physicalLocation": {"artifactLocation": self.artifact(path), "region": self.region(path, place)}}

    def artifact(self, path: str) -> dict[str, Any]:
        """A file as a URI relative to the source root if it is below."""
        address = path_to_uri(self._from_top(path))
        outside = address.startswith(("file:", "../")) or address == ".."
        return {"uri": address} if outside else {"uri": address, "uriBaseId": "%SRCROOT%"}

    def region(self, path: str, place: Range) -> dict[str, Any]:
        """A range in UTF-16 code units; in code points if the text can no longer be read."""
        exact = convert_columns(place, self._sources(path), utf16_column) or place
        return {
            "startLine": exact.start.line,
            "startColumn": exact.start.column,
            "endLine": exact.end.line,
            "endColumn": exact.end.column,
        }
