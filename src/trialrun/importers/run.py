"""One import from input files to merged documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from trialrun.importers.detect import FORMATS, detect_format
from trialrun.importers.input_file import InputFile
from trialrun.importers.interface import Imported, ImportedDocument, ImportOptions, Note


def import_files(files: Sequence[InputFile], format_name: str | None, options: ImportOptions) -> Imported:
    """The documents of input files; without a name, the format of each follows from its content. Raises InputError."""
    by_format: dict[str, list[InputFile]] = {}
    for file in files:
        by_format.setdefault(format_name or detect_format(file), []).append(file)
    return merge_imports(FORMATS[name].read()(group, options) for name, group in by_format.items())


def merge_imports(imports: Iterable[Imported]) -> Imported:
    """All documents, each resource once, in the order of kinds and names; a resource without a name gets a number."""
    notes: list[Note] = []
    documents: dict[tuple[str, str], ImportedDocument] = {}
    unnamed = 0
    for imported in imports:
        notes += imported.notes
        for document in imported.documents:
            if not document.resource:
                unnamed += 1
                document = replace(document, resource=f"unnamed-{unnamed}", id=f"unnamed-{unnamed}")
            first = documents.setdefault((document.kind, document.resource), document)
            if first is not document and first.value != document.value:
                message = "a resource that is there twice, with other content; the first counts"
                notes.append(Note("dropped", message, document.place))
    return Imported([documents[key] for key in sorted(documents)], notes)
