"""What a run has to know of all files before it lints any: which have documents of ours, and what others depend on.

Many files are read by a process of their own, while this one imports what linting them needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.settings import Profiles
from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.file_system import FileSystem
from trialrun.workspace.kind_scan import COMPANION_KINDS, declared_kinds
from trialrun.workspace.read_file import UnreadableFile, UnrelatedFile
from trialrun.workspace.session_schemas import may_declare

if TYPE_CHECKING:
    from mmap import mmap

    _Part = tuple[int, bytes, bool, bytes | int | None] | UnreadableFile | UnrelatedFile
    """What is known of one file: the fields of its candidate but the first, or why there is none."""

CONDITION_FIELD = b"ondition"
"""A file without this does not contain conditionExpression in either spelling, and needs no CEL checker."""
MAX_KEPT_BYTES = 16_000_000
"""Bytes of files kept in memory between the scan and linting; files beyond this are read again."""
NO_DIGEST = b""
"""The digest of bytes that were not read, or are not needed."""
FIRST_FILES = 64
"""Files that are scanned before another process may scan the rest."""
MIN_FILES_BESIDE = 300
"""Fewer files are scanned faster than a process starts."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A file with documents of ours; `digest` is that of its bytes.

    `kept` are the bytes, or their position in the memory that scanning processes share, if they are kept.
    """

    found: DiscoveredFile
    size: int
    digest: bytes
    has_conditions: bool = False
    kept: bytes | int | None = None


class FileScan:
    """What is known of the files that have been scanned.

    `candidates` have documents of ours, `unrelated` are displayed paths of files without any. `declaring` are files
    that may declare session types, `kinds` those of companion documents.
    """

    def __init__(self, files: FileSystem, profiles: Profiles, digest: Callable[[bytes], bytes]) -> None:
        self.candidates: list[Candidate] = []
        self.unreadable: list[tuple[DiscoveredFile, UnreadableFile]] = []
        self.unrelated: list[str] = []
        self.declaring: list[tuple[str, bytes]] = []
        self.kinds: set[str] = set()
        self._files, self._profiles, self._digest = files, profiles, digest
        self._kept_bytes = 0
        self._memory: mmap | None = None

    def scan(self, discovered_files: Iterable[DiscoveredFile]) -> None:
        """Read and scan files."""
        for file in discovered_files:
            self._add(file, self._scan_file(file))

    def scan_beside(self, discovered_files: Sequence[DiscoveredFile], meanwhile: Callable[[], None]) -> None:
        """Read and scan files in another process, while this one does something else."""
        from mmap import mmap

        from trialrun.workspace.worker_pool import run_beside

        self._memory = mmap(-1, MAX_KEPT_BYTES)
        with run_beside(lambda: self._scan_parts(discovered_files), jobs=2) as scanned_parts:
            meanwhile()
            parts, self.declaring, self.kinds = scanned_parts()
        for file, part in zip(discovered_files, parts, strict=True):
            self._add(file, part)

    def data(self, candidate: Candidate) -> bytes | None:
        """The bytes of a file, if they are kept."""
        if isinstance(candidate.kept, int) and self._memory is not None:
            return self._memory[candidate.kept : candidate.kept + candidate.size]
        return candidate.kept if isinstance(candidate.kept, bytes) else None

    def _scan_parts(
        self, discovered_files: Iterable[DiscoveredFile]
    ) -> tuple[list[_Part], list[tuple[str, bytes]], set[str]]:
        return [self._scan_file(file) for file in discovered_files], self.declaring, self.kinds

    def _scan_file(self, file: DiscoveredFile) -> _Part:
        data = self._files.read(file)
        if not isinstance(data, bytes):
            return data
        by_path = self._profiles.kind_by_glob(file.display_path)
        if may_declare(data, by_path):
            self.declaring.append((file.display_path, data))
        if len(self.kinds) < len(COMPANION_KINDS):
            self.kinds |= declared_kinds(data, by_path=by_path)
        return len(data), self._digest(data), CONDITION_FIELD in data, self._keep(data)

    def _add(self, file: DiscoveredFile, part: _Part) -> None:
        if isinstance(part, tuple):
            self.candidates.append(Candidate(file, *part))
        elif isinstance(part, UnreadableFile):
            self.unreadable.append((file, part))
        elif not part.is_gone:
            self.unrelated.append(file.display_path)

    def _keep(self, data: bytes) -> bytes | int | None:
        start, self._kept_bytes = self._kept_bytes, self._kept_bytes + len(data)
        if self._kept_bytes > MAX_KEPT_BYTES:
            return None
        if self._memory is None:
            return data
        self._memory[start : self._kept_bytes] = data
        return start
