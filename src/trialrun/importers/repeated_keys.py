"""Notes on keys that a mapping of an input file has twice."""

from __future__ import annotations

from collections.abc import Iterator

from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import InputPlace, Note


def repeated_key_notes(file: InputFile) -> Iterator[Note]:
    """A note for each key that a mapping of a file has twice."""
    for key in file.parsed.repeated_keys:
        place = InputPlace(file.name, document=key.document, line=key.line)
        where = "" if key.line else ", somewhere in a large file"
        yield Note("guessed", f"the later value of a key that is there twice{where}", place)
