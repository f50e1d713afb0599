"""The two sides of a plan: one workspace at two revisions, of which only the files that differ are parsed twice.

A side is the work tree under an overlay of the texts that its revision has otherwise. Both are read under the settings
of the work tree, since what a document means must not depend on the side.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trialrun.changes.change import NotCompared
from trialrun.display_path import display_path
from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import MASKING_RULES
from trialrun.model.kinds import KINDS
from trialrun.parser import parse
from trialrun.parser.limits import MAX_BYTES
from trialrun.runtime.channel_config.catalog import BrandCatalog
from trialrun.runtime.declaration import Catalog, DeclaredResource
from trialrun.working_folder import absolute_path
from trialrun.workspace.catalog import BRAND_KINDS, VIEW_KINDS, declared_resources_in, session_types
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.discovery import SETTINGS_FILES, DiscoveredFile, WorkspaceRoots
from trialrun.workspace.paths import has_ending
from trialrun.workspace.read_file import UnreadableFile
from trialrun.workspace.revision import TOO_LARGE, Revision, revision
from trialrun.workspace.revision import Change as FileChange

if TYPE_CHECKING:
    from trialrun.values.cel import Schema

WORK_TREE = "working tree"
COMMAND = "plan"
RUN_CHECK = "run trialrun check to see what is wrong"
KindAndResource = tuple[str, DeclaredResource[Any]]


@dataclass(frozen=True)
class ParsedSide:
    """The resources in some files of a side, and the files of which a part could not be read."""

    resources: Sequence[KindAndResource] = ()
    unread: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Side:
    """The workspace at a revision: `request` has its texts; `name` is that of the revision."""

    name: str
    request: CheckRequest

    @cached_property
    def files(self) -> Mapping[str, DiscoveredFile]:
        """The files of the workspace by their absolute paths."""
        return {absolute_path(file.file): file for file in self.request.files.find()}

    def parse(self, files: Iterable[str]) -> ParsedSide:
        """The resources in some files, given by absolute path."""
        resources: list[KindAndResource] = []
        unread: dict[str, str] = {}
        file_system = self.request.files
        for path, file in ((path, self.files[path]) for path in sorted(files) if path in self.files):
            data = file_system.read(file)
            if self.request.overlay.get(path) is TOO_LARGE:
                unread[file.display_path] = f"it has more than {MAX_BYTES:,} bytes"
            elif isinstance(data, UnreadableFile):
                unread[file.display_path] = data.reason
            elif isinstance(data, bytes):
                tree = parse(data, file.display_path)
                ours = list(declared_resources_in(tree, self.request, KINDS))
                resources += ours
                is_broken = any(error.rule in MASKING_RULES for error in tree.errors)
                if is_broken and (ours or not tree.documents):
                    unread[file.display_path] = "a part of it cannot be parsed"
        return ParsedSide(resources, unread)


@dataclass
class Sides:
    """Both sides of a plan, and the absolute paths of the files whose texts differ."""

    base: Side
    head: Side
    different: Sequence[str]
    not_compared: Sequence[NotCompared] = ()
    data_files: Sequence[str] = ()
    """Absolute paths of other files that differ, such as the rows of sources."""

    @cached_property
    def parsed(self) -> tuple[ParsedSide, ParsedSide]:
        """The resources of both sides in the files that differ."""
        return self.base.parse(self.different), self.head.parse(self.different)

    @cached_property
    def unchanged(self) -> ParsedSide:
        """The resources in all other files, which both sides share."""
        return self.head.parse(set(self.head.files).difference(self.different))


def open_sides(request: CheckRequest, base: str, head: str | None = None) -> Sides:
    """The sides of `BASE`, `BASE HEAD`, `BASE..HEAD` or `BASE...HEAD`. Raises UsageError."""
    base, head, is_merge_base = _split_range(base, head)
    earlier = revision(request.root, base, option=COMMAND, merged_with=head or "HEAD" if is_merge_base else None)
    later = None if head is None else revision(request.root, head, option=COMMAND)
    changes = list(earlier.changes())
    changes_of_head = [] if later is None else list(later.changes())
    texts = _texts(earlier, changes)
    texts_of_head = {} if later is None else _texts(later, changes_of_head)
    sides = (
        Side(earlier.commit[:12] if is_merge_base else base, replace(request, overlay=texts)),
        Side(head or WORK_TREE, replace(request, overlay=texts_of_head)),
    )
    folder = os.path.join(request.root, "")
    different = [
        file
        for file in sorted({*texts, *texts_of_head})
        if file.startswith(folder)
        and not (file in texts and file in texts_of_head and texts[file] == texts_of_head[file])
    ]
    changed = sorted(
        {file for change in (*changes, *changes_of_head) for file in (change.before, change.after) if file}
    )
    return Sides(
        *sides,
        different,
        [*_changed_settings(changed, request), *_nested_workspaces(different, request.root)],
        changed,
    )


def _split_range(base: str, head: str | None) -> tuple[str, str | None, bool]:
    """The two revisions of the arguments, None for the work tree, and whether the first is to be a merge base."""
    if head is not None or ".." not in base:
        return base, head, False
    mark = "..." if "..." in base else ".."
    first, _, second = base.partition(mark)
    return first or "HEAD", second or "HEAD", mark == "..."


def _texts(at: Revision, changes: Sequence[FileChange]) -> dict[str, bytes | None]:
    """The texts that a revision has otherwise than the work tree, by absolute path; None where it has none."""
    blobs = {
        change.before: change.blob for change in changes if change.before and change.blob and has_ending(change.before)
    }
    texts = at.texts(blobs.values())
    gone: dict[str, bytes | None] = {
        change.after: None for change in changes if change.after and has_ending(change.after)
    }
    return gone | {file: texts[blob] for file, blob in blobs.items()}


def _nested_workspaces(files: Iterable[str], root: str) -> Iterator[NotCompared]:
    """The workspaces inside of this one with files that differ: each has a plan of its own."""
    roots = WorkspaceRoots()
    nested = {roots.root_of_file(file) for file in files} - {root, None}
    for folder in sorted(filter(None, nested)):
        if folder.startswith(os.path.join(root, "")):
            yield NotCompared(display_path(folder), "it is a workspace of its own; run trialrun plan there")


def _changed_settings(files: Iterable[str], request: CheckRequest) -> Iterator[NotCompared]:
    """Changed settings, which are the same on both sides."""
    for file in files:
        if os.path.basename(file) in SETTINGS_FILES and file == (request.profiles.settings.file or file):
            yield NotCompared(display_path(file), "both sides are read under the settings of the working tree")


@dataclass
class SideCatalogs:
    """Both catalogs of a side, made when they are asked for. What is in files that do not differ is shared."""

    sides: Sides
    side: Side
    parsed: ParsedSide

    @cached_property
    def brands(self) -> BrandCatalog:
        """The brands with their configs, menus and session types."""
        documents = {name: self._of_kind(kind) for kind, name in BRAND_KINDS.items()}
        return BrandCatalog(**documents, schema_for=self._session_types, unreadable_paths=self._unread)

    @cached_property
    def views(self) -> Catalog:
        """The views with their stores, groups and sources."""
        return Catalog(
            **{name: self._of_kind(kind) for kind, name in VIEW_KINDS.items()}, unreadable_paths=self._unread
        )

    @cached_property
    def scenarios(self) -> Sequence[DeclaredResource[Any]]:
        """The scenarios, in the order of path and document."""
        return self._of_kind("Scenario")

    def _session_types(self, path: str) -> Schema:
        return self._types_of_paths(path)

    @cached_property
    def _types_of_paths(self) -> Callable[[str], Schema]:
        return session_types(self.side.request)

    @property
    def _unread(self) -> Sequence[str]:
        return sorted({**self.parsed.unread, **self.sides.unchanged.unread})

    def _of_kind(self, kind: str) -> list[DeclaredResource[Any]]:
        """The documents of a kind, in the order of path and document."""
        resources = (*self.parsed.resources, *self.sides.unchanged.resources)
        return sorted(
            (resource for its_kind, resource in resources if its_kind == kind),
            key=lambda resource: (resource.path, resource.document),
        )


@dataclass
class Catalogs:
    """The catalogs of both sides."""

    base: SideCatalogs
    head: SideCatalogs


def catalogs(sides: Sides) -> Catalogs:
    """The catalogs of both sides; all files are parsed as soon as one is asked for."""
    base, head = sides.parsed
    return Catalogs(SideCatalogs(sides, sides.base, base), SideCatalogs(sides, sides.head, head))
