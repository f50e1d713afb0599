"""What several files say of the same resources: each resource once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from trialrun.importers.interface import Imported, ImportedDocument, Note


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
