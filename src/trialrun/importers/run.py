"""One import from input files to merged documents."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.importers.detect import FORMATS, detect_format
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import Imported, ImportOptions
from trialrun.importers.merge import merge_imports


def import_files(files: Sequence[InputFile], format_name: str | None, options: ImportOptions) -> Imported:
    """The documents of input files; without a name, the format of each follows from its content. Raises InputError."""
    by_format: dict[str, list[InputFile]] = {}
    for file in files:
        by_format.setdefault(format_name or detect_format(file), []).append(file)
    return merge_imports(FORMATS[name].read()(group, options) for name, group in by_format.items())
