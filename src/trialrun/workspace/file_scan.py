"""What is known of files that have been read, or of unchanged files by the index, before any is linted."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from trialrun.workspace.discovery import DiscoveredFile
from trialrun.workspace.file_system import UnreadableFile


class IndexEntry(NamedTuple):
    """What is known of a file with documents of ours: what a scan says, and its result in the cache.

    `is_silent` means that the result has no findings, no suppressions and nothing that was not checked, and that its
    facts are complete.
    """

    content: str
    size: int
    has_conditions: bool
    kinds: Collection[str]
    key: str
    documents: int
    is_silent: bool
    is_complete: bool
    facts: Mapping[str, str]


class Candidate(NamedTuple):
    """A file with documents of ours; `digest` is that of its bytes, and `kept` are the bytes, if they are kept.

    `kinds` are those of companion documents that it may contain; `entry` is what the index knows of an unchanged file.
    """

    found: DiscoveredFile
    size: int
    digest: bytes
    has_conditions: bool = False
    kept: bytes | None = None
    kinds: Collection[str] = ()
    entry: IndexEntry | None = None


@dataclass
class FileScan:
    """What is known of the files that have been read.

    `candidates` have documents of ours, `unrelated` are displayed paths of files without any. `declaring` are files
    that may declare session types, `kinds` those of companion documents.
    """

    candidates: list[Candidate] = field(default_factory=list)
    unreadable: list[tuple[DiscoveredFile, UnreadableFile]] = field(default_factory=list)
    unrelated: list[str] = field(default_factory=list)
    declaring: list[tuple[str, bytes]] = field(default_factory=list)
    kinds: set[str] = field(default_factory=set)

    def add_known(self, file: DiscoveredFile, entry: IndexEntry | Literal[""]) -> None:
        """Add an unchanged file: its entry of the index, empty for one without documents of ours."""
        if not entry:
            self.unrelated.append(file.display_path)
            return
        self.kinds.update(entry.kinds)
        content = bytes.fromhex(entry.content)
        known = Candidate(file, entry.size, content, entry.has_conditions, kinds=entry.kinds, entry=entry)
        self.candidates.append(known)
