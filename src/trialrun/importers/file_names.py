"""Names of the files that an import writes: made from ids by an allow-list, unlike each other on every system."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from trialrun.importers.interface import ImportedDocument

FOLDERS: Mapping[str, str] = {
    "FeatureView": "feature-views",
    "ChannelConfig": "channel-configs",
    "Brand": "brands",
    "FeatureOnlineStore": "feature-online-stores",
    "FeatureGroupTable": "feature-groups",
    "Source": "sources",
    "Menu": "menus",
}
MAX_LENGTH = 80
_not_allowed = re.compile(r"[^A-Za-z0-9_.-]+")
_reserved = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\.|\Z)", re.I).match
"""Names of devices, which Windows opens instead of a file."""
_import_name = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,150}\.yaml\Z").match


def file_names(
    documents: Sequence[ImportedDocument], known: Mapping[str, str], existing: Iterable[str] = ()
) -> list[str]:
    """The path of the file of each document, with `/`; `known` has the paths of earlier imports, by resource.

    Without earlier imports the paths follow from the documents alone, in whatever order they are. No path differs from
    that of an `existing` file by case alone.
    """
    names = {document_key(document): known.get(document_key(document)) for document in documents}
    taken = _TakenNames(known.values(), existing)
    for document in sorted(documents, key=document_key):
        key = document_key(document)
        if names[key] is None:
            names[key] = taken.free_name(f"{FOLDERS[document.kind]}/{_stem(document)}")
    return [str(names[document_key(document)]) for document in documents]


def document_key(document: ImportedDocument) -> str:
    """What identifies the resource of a document across imports."""
    return f"{document.kind} {document.resource}"


def is_import_path(path: str) -> bool:
    """Whether a path is one that an import may have written: a folder of a kind, and a name of allowed characters."""
    folder, _, name = path.partition("/")
    return folder in FOLDERS.values() and _import_name(name) is not None


def _stem(document: ImportedDocument) -> str:
    return _allowed(document.id) or "unnamed"


def _allowed(text: str) -> str:
    """The text with nothing but allowed characters, and no name of a device, hidden file or parent folder."""
    stem = _not_allowed.sub("-", text)[:MAX_LENGTH].strip(".-")
    return f"_{stem}" if _reserved(stem) else stem


class _TakenNames:
    """Names of files that are in use, without regard to case, and the last number of each stem."""

    def __init__(self, names: Iterable[str], existing: Iterable[str]) -> None:
        self._names = {name.casefold() for name in names}
        self._existing = {name.casefold(): name for name in existing}
        self._numbers: dict[str, int] = {}

    def free_name(self, stem: str) -> str:
        """A name for a stem that is not in use, which is in use from now on."""
        number = self._numbers.get(stem.casefold(), 0) + 1
        while self._is_taken(name := f"{stem}{f'-{number}' if number > 1 else ''}.yaml"):
            number += 1
        self._numbers[stem.casefold()] = number
        self._names.add(name.casefold())
        return name

    def _is_taken(self, name: str) -> bool:
        """Whether a document has the name, or a file has it in other cases."""
        return name.casefold() in self._names or self._existing.get(name.casefold(), name) != name
