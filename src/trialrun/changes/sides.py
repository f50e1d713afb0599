"""The two sides of a plan: one workspace at two revisions, of which only the files that differ are parsed twice.

A side is the work tree under an overlay of the texts that its revision has otherwise. Both are read under the settings
of the work tree, since what a document means must not depend on the side.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from trialrun.lint.file_result import MASKING_RULES
from trialrun.model.kinds import KINDS
from trialrun.outputs.plan import NotCompared
from trialrun.parser import parse
from trialrun.runtime.declaration import BrandCatalog, Catalog, DeclaredResource
from trialrun.text import MAX_BYTES
from trialrun.working_folder import absolute_path, display_path
from trialrun.workspace.catalog import BRAND_KINDS, VIEW_KINDS, declared_resources_in, session_types
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.discovery import SETTINGS_FILES, DiscoveredFile, WorkspaceRoots
from trialrun.workspace.file_system import UnreadableFile
from trialrun.workspace.revision import Change as FileChange
from trialrun.workspace.revision import Revision, revision
from trialrun.workspace.terraform_module import dependents, is_module_input
from trialrun.workspace.walk import has_ending

WORK_TREE = "working tree"
COMMAND = "plan"
RUN_CHECK = "run trialrun check to see what is wrong"


@dataclass(frozen=True)
class ParsedSide:
    """The resources in some files of a side with their kinds, and the files of which a part could not be read."""

    resources: Sequence[tuple[str, DeclaredResource[Any]]] = ()
    unread: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Side:
    """The workspace at a revision: `request` has its texts; `name` is that of the revision.

    `different` are the absolute paths of the files that differ from the other side, or whose values may. All others
    are parsed once, by the side `shared`, this one where it is None. Catalogs are made when they are asked for.
    """

    name: str
    request: CheckRequest
    different: Sequence[str]
    shared: Side | None = None

    @cached_property
    def files(self) -> Mapping[str, DiscoveredFile]:
        """The files of the workspace by their absolute paths."""
        return {absolute_path(file.file): file for file in self.request.files.find()}

    def parse(self, files: Iterable[str]) -> ParsedSide:
        """The resources in some files, given by absolute path."""
        resources: list[tuple[str, DeclaredResource[Any]]] = []
        unread: dict[str, str] = {}
        texts = self.request.files
        for path, file in ((path, self.files[path]) for path in sorted(files) if path in self.files):
            data = texts.read(file)
            if len(self.request.overlay.get(path) or b"") > MAX_BYTES:
                unread[file.display_path] = f"it has more than {MAX_BYTES:,} bytes"
            elif isinstance(data, UnreadableFile):
                unread[file.display_path] = data.reason
            elif isinstance(data, bytes):
                tree = parse(data, file.display_path)
                ours = list(declared_resources_in(tree, data, self.request, KINDS))
                resources += ours
                is_broken = any(error.rule in MASKING_RULES for error in tree.errors)
                if is_broken and (ours or not tree.documents):
                    unread[file.display_path] = "a part of it cannot be parsed"
        return ParsedSide(resources, unread)

    @cached_property
    def parsed(self) -> ParsedSide:
        """The resources in the files that differ."""
        return self.parse(self.different)

    @cached_property
    def unchanged(self) -> ParsedSide:
        """The resources in all other files."""
        return self.shared.unchanged if self.shared else self.parse(set(self.files).difference(self.different))

    @cached_property
    def brands(self) -> BrandCatalog:
        """The brands with their configs, menus and session types."""
        documents = {name: self.of_kind(kind) for kind, name in BRAND_KINDS.items()}
        return BrandCatalog(**documents, schema_for=session_types(self.request), unreadable_paths=self._unread)

    @cached_property
    def views(self) -> Catalog:
        """The views with their stores, groups and sources."""
        documents = {name: self.of_kind(kind) for kind, name in VIEW_KINDS.items()}
        return Catalog(**documents, unreadable_paths=self._unread)

    @property
    def _unread(self) -> Sequence[str]:
        return sorted({**self.parsed.unread, **self.unchanged.unread})

    def of_kind(self, kind: str) -> list[DeclaredResource[Any]]:
        """The documents of a kind, in the order of path and document."""
        resources = (*self.parsed.resources, *self.unchanged.resources)
        found = (resource for its_kind, resource in resources if its_kind == kind)
        return sorted(found, key=lambda resource: (resource.path, resource.document))


@dataclass
class Sides:
    """Both sides of a plan, and what of them is not compared.

    `data_files` are the absolute paths of all files that differ, also of those that are no documents, such as rows.
    """

    base: Side
    head: Side
    not_compared: Sequence[NotCompared] = ()
    data_files: Sequence[str] = ()


def open_sides(request: CheckRequest, base: str, head: str | None = None) -> Sides:
    """The sides of `BASE`, `BASE HEAD`, `BASE..HEAD` or `BASE...HEAD`. Raises UsageError."""
    is_merge_base = False
    if head is None and ".." in base:
        is_merge_base = "..." in base
        first, _, second = base.partition("..." if is_merge_base else "..")
        base, head = first or "HEAD", second or "HEAD"
    earlier = revision(request.root, base, option=COMMAND, merged_with=head or "HEAD" if is_merge_base else None)
    later = None if head is None else revision(request.root, head, option=COMMAND)
    changes = list(earlier.changes())
    changes_of_head = [] if later is None else list(later.changes())
    afters = {change.after for change in (*changes, *changes_of_head) if change.after}
    not_checked_out = {file for file in afters if not os.path.lexists(file)}
    changes = [change for change in changes if change.after not in not_checked_out]
    changes_of_head = [change for change in changes_of_head if change.after not in not_checked_out]
    texts = _texts(earlier, changes)
    texts_of_head = {} if later is None else _texts(later, changes_of_head)
    folder = os.path.join(request.root, "")
    different = [
        file
        for file in sorted({*texts, *texts_of_head})
        if file.startswith(folder)
        and not (file in texts and file in texts_of_head and texts[file] == texts_of_head[file])
    ]
    changed = {file for change in (*changes, *changes_of_head) for file in (change.before, change.after) if file}
    head_side = Side(head or WORK_TREE, replace(request, overlay=texts_of_head), different)
    different += set(dependents(different, head_side.files)).difference(different)
    base_name = earlier.commit[:12] if is_merge_base else base
    base_side = Side(base_name, replace(request, overlay=texts), different, head_side)
    not_compared = [*_not_compared(sorted(changed), different, request), *_outside(not_checked_out, folder)]
    return Sides(base_side, head_side, not_compared, sorted(changed))


def _texts(at: Revision, changes: Sequence[FileChange]) -> dict[str, bytes | None]:
    """The texts that a revision has otherwise than the work tree, by absolute path; None where it has none."""
    blobs = {one.before: one.blob for one in changes if one.before and one.blob and _is_read(one.before)}
    texts = at.texts(blobs.values())
    gone: dict[str, bytes | None] = {one.after: None for one in changes if one.after and _is_read(one.after)}
    return gone | {file: texts[blob] for file, blob in blobs.items()}


def _is_read(file: str) -> bool:
    """Whether a file may be a document, or give values to one."""
    return has_ending(file) or is_module_input(file)


def _not_compared(changed: Iterable[str], different: Iterable[str], request: CheckRequest) -> Iterator[NotCompared]:
    """Changed settings, which are the same on both sides, and workspaces inside of this one, which have own plans."""
    for file in changed:
        if os.path.basename(file) in SETTINGS_FILES and file == (request.profiles.settings.file or file):
            yield NotCompared(display_path(file), "both sides are read under the settings of the working tree")
    roots = WorkspaceRoots()
    for folder in sorted(filter(None, {roots.root_of_file(file) for file in different} - {request.root})):
        if folder.startswith(os.path.join(request.root, "")):
            yield NotCompared(display_path(folder), "it is a workspace of its own; run trialrun plan there")


def _outside(not_checked_out: Iterable[str], folder: str) -> Iterator[NotCompared]:
    """The files that differ, of which a sparse checkout leaves nothing in the working tree."""
    files = sorted(file for file in not_checked_out if file.startswith(folder) and _is_read(file))
    if files:
        more = f" and {len(files) - 1:,} more" if len(files) > 1 else ""
        yield NotCompared(f"{display_path(files[0])}{more}", "the sparse checkout leaves it out; check it out")
