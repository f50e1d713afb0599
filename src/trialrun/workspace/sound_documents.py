"""The documents of a workspace that a server takes over: those without errors, and the last sound ones of the others.

A document with errors is refused, and the one before goes on. So do all that stood in a file which cannot be read as a
whole, since nobody can tell which of them its author has removed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.lint.file_result import MASKING_RULES
from trialrun.parser import parse
from trialrun.runtime.declaration import BrandCatalog, Catalog, DeclaredResource
from trialrun.workspace.catalog import (
    BRAND_KINDS,
    VIEW_KINDS,
    KindAndResource,
    brand_catalog,
    declared_resources_in,
    parsed_files,
    session_types,
    view_catalog,
)
from trialrun.workspace.check import check
from trialrun.workspace.relevant_diagnostics import is_about

if TYPE_CHECKING:
    from trialrun.parser import ParsedFile, ParseError
    from trialrun.workspace.check_request import CheckRequest

KINDS = {**VIEW_KINDS, **BRAND_KINDS}


@dataclass(frozen=True)
class SoundDocuments:
    """The documents that are taken over, by the paths of their files, and all findings of the check.

    `unsettled` are the broken files of which no sound state is known: there may be more documents than these.
    """

    request: CheckRequest
    files: Mapping[str, Sequence[KindAndResource]]
    diagnostics: Sequence[Diagnostic]
    unsettled: frozenset[str]

    @property
    def is_complete(self) -> bool:
        """Whether these are all documents."""
        return not self.unsettled

    @property
    def errors(self) -> list[Diagnostic]:
        """What keeps documents from being taken over."""
        return [diagnostic for diagnostic in self.diagnostics if diagnostic.severity is Severity.ERROR]

    @property
    def views(self) -> Catalog:
        """The catalog of views."""
        return view_catalog(self._documents())

    @property
    def brands(self) -> BrandCatalog:
        """The brands with their configs and menus."""
        return brand_catalog(self._documents(), (), session_types(self.request))

    def _documents(self) -> list[KindAndResource]:
        return [document for path in sorted(self.files) for document in self.files[path]]


def read_sound_documents(request: CheckRequest, before: SoundDocuments | None = None) -> SoundDocuments:
    """Check a workspace, and read its documents without errors; those of before go on where files are broken."""
    diagnostics = check(request).diagnostics
    errors: dict[str, list[Diagnostic]] = defaultdict(list)
    for diagnostic in diagnostics:
        if diagnostic.severity is Severity.ERROR:
            errors[diagnostic.path].append(diagnostic)
    files: dict[str, Sequence[KindAndResource]] = {}
    broken: list[str] = []
    known, unsettled = (before.files, before.unsettled) if before else ({}, frozenset[str]())
    for path, data, parsed in parsed_files(request, ()):
        files[path], is_whole = _sound_documents(parsed, data, request, errors.get(path, ()))
        if not is_whole or (known.get(path) and _is_masked(parsed.errors if parsed else ())):
            broken.append(path)
    broken += [path for path in known if path not in files and _is_unreadable(path, request)]
    _carry_over(files, broken, known)
    unknown = frozenset(path for path in broken if path not in known or path in unsettled)
    return SoundDocuments(request, files, diagnostics, unknown)


def _sound_documents(
    parsed: ParsedFile | None, data: bytes, request: CheckRequest, errors: Sequence[Diagnostic]
) -> tuple[list[KindAndResource], bool]:
    """The documents of a file without errors, and whether these are all that it has."""
    if parsed is None:
        return [], False
    all_ = list(declared_resources_in(parsed, data, request, KINDS))
    sound = [(kind, one) for kind, one in all_ if not any(is_about(error, one) for error in errors)]
    return sound, len(sound) == len(all_) and not _is_masked(errors)


def _is_unreadable(path: str, request: CheckRequest) -> bool:
    """Whether a file that had documents has no trace of them any more, but cannot be read as a whole either."""
    data = request.files.bytes_of(path)
    return data is not None and _is_masked(parse(data, path).errors)


def _is_masked(errors: Iterable[Diagnostic | ParseError]) -> bool:
    """Whether errors of a file may hide documents of it."""
    return any(error.rule in MASKING_RULES for error in errors)


def _carry_over(
    files: dict[str, Sequence[KindAndResource]], broken: Sequence[str], known: Mapping[str, Sequence[KindAndResource]]
) -> None:
    """Have the documents of broken files go on that no file declares any more."""
    declared = {_key(kind, resource) for documents in files.values() for kind, resource in documents}
    for path in broken:
        files[path] = [*files.get(path, ()), *(one for one in known.get(path, ()) if _key(*one) not in declared)]


def _key(kind: str, resource: DeclaredResource[Any]) -> Hashable:
    """What tells a document from others: its name, or the like, else where it stands."""
    node = resource.node
    name = getattr(node, "name", None) or getattr(node, "uri", None) or getattr(node, "featureGroupId", None)
    return (kind, name) if name else (kind, resource.path, resource.document, resource.pointer)


def with_one_process(request: CheckRequest) -> CheckRequest:
    """A request whose check starts no processes, for a process of many threads, and computes no fixes."""
    return replace(request, jobs=1, with_fixes=False)
