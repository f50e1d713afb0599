"""Writes imported documents to a folder, without changing files that the user has edited.

The manifest keeps a digest of each file as it was written. A file that has another digest, or none, is somebody's work:
it is left alone. So is one of which only the manifest says that an import wrote it: whoever edits a file may edit the
manifest as well. The state of the user says what their own imports wrote. The digests of new texts are there before the
files, so that an import that is interrupted leaves no file that the next one takes for somebody's work. Every file is
replaced atomically, and no link inside of the folder is followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Literal

from trialrun.errors import UsageError, os_error_reason
from trialrun.fix.canonical_yaml import canonical_yaml
from trialrun.guarded_path import read_file, resolve_target
from trialrun.importers.file_names import FOLDERS, document_key, file_names
from trialrun.importers.interface import ImportedDocument
from trialrun.importers.manifest import ManifestEntry, digest, read_manifest, update_manifest
from trialrun.interrupts import defer_interrupts
from trialrun.lazy_dataclass import dataclass
from trialrun.parser.limits import MAX_BYTES
from trialrun.user_state import remembered_import
from trialrun.working_folder import absolute_path, working_folder
from trialrun.workspace.write_files import CHANGED, replace_files

NOT_OWN = (
    "the manifest says that an import wrote it, but none of yours did, and it may have been edited; "
    "take it over with --trust-manifest"
)
Outcome = Literal["created", "updated", "unchanged", "left"]


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file of an import: its path below the folder, with `/`, and what became of it.

    `before` is the text of a file that is left alone and `after` the text that it would have; `reason` says why it is
    left where it has no text. `replaces` is the digest of the text that is replaced, empty without one.
    """

    path: str
    document: ImportedDocument
    outcome: Outcome
    after: str
    before: str = ""
    reason: str = ""
    replaces: str = ""

    @property
    def is_written(self) -> bool:
        """Whether the import writes the file."""
        return self.outcome in ("created", "updated")

    def entry(self) -> ManifestEntry:
        """The entry of the manifest for the text of the import."""
        return ManifestEntry(document_key(self.document), digest(self.after.encode("utf-8")))


def write_documents(
    documents: Sequence[ImportedDocument], folder: str, *, trusts_manifest: bool = False
) -> list[WrittenFile]:
    """Write documents as one file each below a folder, which is created if it is missing. Raises UsageError.

    Files of which only the manifest says that an import wrote them are replaced where the user `trusts_manifest`.
    """
    if not documents:
        return []
    root = _open_folder(folder)
    manifest = read_manifest(root)
    own = None if trusts_manifest else remembered_import(root)
    try:
        paths = file_names(documents, manifest.paths_by_resource(), _existing_files(root))
        files = [
            _plan_file(document, root, path, manifest.entries.get(path), None if own is None else own.get(path, ()))
            for document, path in zip(documents, paths, strict=True)
        ]
        with defer_interrupts():
            files = _write_files(files, root)
            update_manifest(root, {file.path: file.entry() for file in files if file.outcome != "left"})
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {os_error_reason(error)}") from error
    return sorted(files, key=lambda file: file.path)


def _open_folder(folder: str) -> str:
    """The real path of a folder that the user named, created if it is missing. Raises UsageError."""
    try:
        root = resolve_target(absolute_path(folder), named_in=working_folder())
        os.makedirs(root, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {os_error_reason(error)}") from error
    return root


def _existing_files(root: str) -> Iterator[str]:
    """The files in the folders of kinds."""
    for folder in FOLDERS.values():
        path = os.path.join(root, folder)
        if os.path.isdir(path) and not os.path.islink(path):
            yield from (f"{folder}/{name}" for name in os.listdir(path))


def _plan_file(
    document: ImportedDocument, root: str, path: str, entry: ManifestEntry | None, own: Sequence[str] | None
) -> WrittenFile:
    """What becomes of a file; nothing is written yet. `own` are digests of what the user's imports wrote to it."""
    after = canonical_yaml(document.value)
    file = os.path.join(root, *path.split("/"))
    reason = _reason_against(os.path.dirname(file), stat.S_ISDIR, "folder")
    if reason := reason or _reason_against(file, stat.S_ISREG, "file"):
        return WrittenFile(path, document, "left", after, reason=reason)
    data, before = after.encode("utf-8"), _read_bytes(file)
    if before == data:
        return WrittenFile(path, document, "unchanged", after)
    if before is None:
        return WrittenFile(path, document, "created", after)
    if entry is None or not entry.is_text(before):
        return WrittenFile(path, document, "left", after, before.decode("utf-8", "backslashreplace"))
    if own is not None and digest(before) not in own:
        return WrittenFile(path, document, "left", after, reason=NOT_OWN)
    return WrittenFile(path, document, "updated", after, replaces=digest(before))


def _write_files(files: Sequence[WrittenFile], root: str) -> list[WrittenFile]:
    """Write the files that are created or updated; one that somebody changed meanwhile is left alone."""
    by_path = {os.path.join(root, *file.path.split("/")): file for file in files if file.is_written}
    update_manifest(root, {file.path: _pending_entry(file) for file in by_path.values()})
    for folder in dict.fromkeys(map(os.path.dirname, by_path)):
        os.makedirs(folder, exist_ok=True)
    contents = [(path, file.after.encode("utf-8")) for path, file in by_path.items()]
    changed = replace_files(contents, lambda path: _digest_of(path) == by_path[path].replaces)
    left = {by_path[path].path for path in changed}
    return [replace(file, outcome="left", reason=CHANGED) if file.path in left else file for file in files]


def _pending_entry(file: WrittenFile) -> ManifestEntry:
    """The entry of a file that may have its old or its new text."""
    entry = file.entry()
    return replace(entry, digest=file.replaces or entry.digest, pending=entry.digest)


def _digest_of(file: str) -> str:
    """The digest of the text of a file; empty if it does not exist."""
    data = _read_bytes(file)
    return "" if data is None else digest(data)


def _reason_against(path: str, is_expected: Callable[[int], bool], expected: str) -> str:
    """Why a path inside of the folder is not written to: what is there is a link, or no file or folder."""
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return ""
    if stat.S_ISLNK(mode):
        return f"{os.path.basename(path)} is a link, which an import does not follow"
    return "" if is_expected(mode) else f"{os.path.basename(path)} is not a {expected}"


def _read_bytes(file: str) -> bytes | None:
    """The bytes of a file in a folder that is no link; None if it does not exist."""
    try:
        return read_file(file, MAX_BYTES, named_in=os.path.dirname(file))
    except FileNotFoundError:
        return None
