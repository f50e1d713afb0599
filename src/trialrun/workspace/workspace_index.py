"""What the last check of a whole workspace found, by file: unchanged files are known by their stamps, without a read.

It is to a check what the index is to git: the files with their stamps, and what is known of each. Where no file has
changed, none was added and none is gone, the result of the check is the last one. Otherwise only what has changed is
read, and of the others it is known where the cache has their results and facts. The stamp of a file of Terraform is
also that of the files that its values may come from. A file without a stamp is read each time: one that has just
changed, and one of Terraform that names a schema. So is a file that may declare session types, unless nothing has
changed. With rules that read tables, whose files are not in the index, there is always something to do.

Like all of the cache it may be gone or damaged, and then says nothing: the two rows of an index belong together only
where the first has the digest of the second.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Literal

from trialrun.diagnostic import Diagnostic
from trialrun.lint.file_result import CheckedFile, FileResult, KeptFacts
from trialrun.workspace.cache_store import digest
from trialrun.workspace.file_system import Candidate, FileScan, IndexEntry
from trialrun.workspace.result_cache import ResultCache, finding_from_json
from trialrun.workspace.terraform_module import stamps_with_inputs

if TYPE_CHECKING:
    from trialrun.workspace.discovery import DiscoveredFile
    from trialrun.workspace.walk import Stamp

MAX_FILES = 50_000
"""A larger workspace has no index."""
INTERNAL_ERROR = "internal-error"
NO_STAMP = (0, 0, 0, 0, 0)
DAMAGE = (ValueError, KeyError, TypeError, IndexError, RecursionError)
"""What a row raises that is not what was written."""


KeptCheck = tuple[Collection[str], int, Sequence[str], Sequence[FileResult], list[Diagnostic]]
"""What a check found: the files of which there is only to say how many documents they have, that number, the files
without documents of ours, the results of the rest, and the findings across files."""


class WorkspaceIndex:
    """The index of a workspace in the cache, for its files as they are listed now.

    `name` says which index, `terms` what everything in it depends on apart from the files. `is_inside` tells of a
    folder whether files in it may be read.
    """

    def __init__(
        self,
        cache: ResultCache,
        files: Sequence[DiscoveredFile],
        *,
        name: str,
        terms: str,
        is_inside: Callable[[str], bool],
    ) -> None:
        self._cache, self._files, self._terms, self._is_inside = cache, files, terms, is_inside
        self._stamps = stamps_with_inputs(files, is_inside)
        self._keys = [digest(f"{part} {name}".encode("utf-8", "surrogatepass")) for part in ("files", "entries")]
        self._head: dict[str, Any] = self._read(self._keys[0]) if len(files) <= MAX_FILES else {}
        if self._head.get("terms") != terms:
            self._head = {}
        self._scanned: tuple[FileScan, Any] | None = None
        self._has_same_inputs = False

    def _read(self, key: bytes) -> dict[str, Any]:
        try:
            row = json.loads(self._cache.find_text(key) or "{}")
        except DAMAGE:
            return {}
        return row if isinstance(row, dict) else {}

    # ---- where nothing has changed

    def unchanged_results(self) -> KeptCheck | None:
        """What the last check found; None if anything has changed."""
        try:
            if not self._head or self._head["findings"] is None or not self._is_unchanged():
                return None
            silent = dict.fromkeys(self._head["paths"])
            apart = [self._result(path, IndexEntry(*entry)) for path, entry in self._head["apart"]]
            found = [finding_from_json(row) for row in self._head["findings"]]
            documents, others = int(self._head["documents"]), self._head["unrelated"]
            results = [result for result in apart if result is not None]
            for path in chain(others, self._head["left_out"], (result.path for result in results)):
                del silent[path]
        except DAMAGE:
            return None
        return (silent, documents, others, results, found) if len(results) == len(apart) else None

    def _is_unchanged(self) -> bool:
        paths = [file.display_path for file in self._files]
        stamps = [self._stamps[path] for path in paths]
        if paths != self._head["paths"] or None in stamps or _flat(stamps) != self._head["stamps"]:
            return False
        return all(map(self._is_inside, {file.file.rpartition("/")[0] for file in self._files}))

    def _result(self, path: str, entry: IndexEntry) -> FileResult | None:
        kept = KeptFacts(entry.key, entry.content, entry.facts, entry.is_complete)
        if entry.is_silent:
            return FileResult(path, entry.documents, kept=kept)
        result = self._cache.find_without_facts(bytes.fromhex(entry.key), path)
        if result is not None:
            result.kept = kept
        return result

    # ---- where something has changed

    def entry(self, file: DiscoveredFile) -> IndexEntry | Literal[""] | None:
        """What is known of an unchanged file, "" of one without documents of ours; None if it has to be read."""
        stamp, row = self._entries.get(file.display_path, (None, None))
        is_known = row is not None and stamp is not None and stamp == self._stamps.get(file.display_path)
        if not is_known or not self._is_inside(file.file.rpartition("/")[0]):
            return None
        return IndexEntry(*row) if row else ""

    @cached_property
    def _entries(self) -> dict[str, tuple[Stamp | None, list[Any] | None]]:
        """Stamp and entry of each file: an empty one of a file without documents of ours, None where it is read."""
        try:
            text = self._cache.find_text(self._keys[1]) if self._head else None
            if text is None or digest(text.encode()).hex() != self._head["entries"]:
                return {}
            numbers, rows = iter(self._head["stamps"]), json.loads(text)["files"]
            entries = zip(zip(*[numbers] * len(NO_STAMP), strict=True), rows, strict=True)
            return dict(zip(self._head["paths"], entries, strict=True))
        except DAMAGE:
            return {}

    def begin(self, scan: FileScan, declared: Collection[str]) -> None:
        """Take note of what the files say as a whole, on which the results of all of them depend."""
        inputs = [sorted(declared), sorted([path, digest(data).hex()] for path, data in scan.declaring)]
        self._scanned = scan, inputs
        self._has_same_inputs = self._head.get("inputs") == inputs

    def result(self, candidate: Candidate) -> FileResult | None:
        """The result of an unchanged file, without its facts, if nothing that it depends on has changed."""
        if candidate.entry is None or not self._has_same_inputs:
            return None
        return self._result(candidate.found.display_path, candidate.entry)

    # ---- for the next check

    def write(self, checked: Mapping[str, CheckedFile], found: Sequence[Diagnostic]) -> None:
        """Have the cache write what this check found; `found` are the findings across files."""
        if self._scanned is None or len(self._files) > MAX_FILES or any(one.rule == INTERNAL_ERROR for one in found):
            return
        from trialrun.lint.workspace_rules import READ_TABLES

        scan, inputs = self._scanned
        entries = dict(_entries(scan, checked))
        unrelated, candidates = {*scan.unrelated}, {candidate.found.display_path for candidate in scan.candidates}
        declaring, documents = {path for path, _ in scan.declaring}, 0
        unstamped = {candidate.found.display_path for candidate in scan.candidates if candidate.found.stamp is None}
        paths: list[str] = []
        stamps: list[Stamp | None] = []
        rows: list[Any] = []
        apart: list[tuple[str, IndexEntry]] = []
        for file in self._files:
            path, entry = file.display_path, entries.get(file.display_path)
            paths.append(path)
            is_known = entry is not None or path in unrelated or path not in candidates
            stamps.append(self._stamps[path] if is_known and path not in unstamped else None)
            rows.append([] if path in unrelated else None if path in declaring else entry)
            if entry is not None and entry.is_silent and entry.documents:
                documents += entry.documents
            elif entry is not None:
                apart.append((path, entry))
        reads_tables = any(not READ_TABLES.isdisjoint(entry.facts) for entry in entries.values())
        text = json.dumps({"files": rows})
        head = {
            "terms": self._terms,
            "inputs": inputs,
            "entries": digest(text.encode()).hex(),
            "paths": paths,
            "stamps": _flat(stamps),
            "documents": documents,
            "apart": apart,
            "unrelated": sorted(unrelated),
            "left_out": [path for path in paths if path not in unrelated and path not in candidates],
            "findings": None if reads_tables else found,
        }
        self._cache.add_rows(zip(self._keys, (json.dumps(head), text), strict=True))


def _entries(scan: FileScan, checked: Mapping[str, CheckedFile]) -> Iterator[tuple[str, IndexEntry]]:
    """The entries of the checked files whose results are in the cache."""
    for candidate in scan.candidates:
        path = candidate.found.display_path
        documents, is_silent, kept = checked[path]
        if kept is not None:
            yield (
                path,
                IndexEntry(
                    kept.content,
                    candidate.size,
                    candidate.has_conditions,
                    candidate.kinds,
                    kept.key,
                    documents,
                    is_silent,
                    kept.are_complete,
                    kept.digests,
                ),
            )


def _flat(stamps: Iterable[Stamp | None]) -> list[int]:
    return [*chain.from_iterable(stamp or NO_STAMP for stamp in stamps)]
