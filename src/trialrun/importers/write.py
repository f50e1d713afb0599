"""Writes imported documents to a folder, without changing files that the user has edited.

The manifest keeps a digest of each file as it was written. A file that has another digest, or none, is somebody's work:
it is left alone. Every file is replaced atomically, and no link inside of the folder is followed.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from trialrun.errors import UsageError, os_error_reason
from trialrun.fix.canonical_yaml import canonical_yaml
from trialrun.guarded_path import read_file, resolve_target
from trialrun.importers.file_names import FOLDERS, document_key, file_names
from trialrun.importers.interface import ImportedDocument
from trialrun.importers.manifest import ManifestEntry, digest, read_manifest, write_manifest
from trialrun.lazy_dataclass import dataclass
from trialrun.parser.limits import MAX_BYTES
from trialrun.working_folder import absolute_path, working_folder
from trialrun.workspace.atomic_write import replace_files

Outcome = Literal["created", "updated", "unchanged", "left"]


@dataclass(frozen=True, slots=True)
class WrittenFile:
    """A file of an import: its path below the folder, with `/`, and what became of it.

    `before` is the text of a file that is left alone and `after` the text that it would have; `reason` says why it is
    left where it has no text.
    """

    path: str
    document: ImportedDocument
    outcome: Outcome
    after: str
    before: str = ""
    reason: str = ""


def write_documents(documents: Sequence[ImportedDocument], folder: str) -> list[WrittenFile]:
    """Write documents as one file each below a folder, which is created if it is missing. Raises UsageError."""
    if not documents:
        return []
    root = _open_folder(folder)
    manifest = read_manifest(root)
    try:
        paths = file_names(documents, manifest.paths_by_resource(), _existing_files(root))
        files = [
            _plan_file(document, root, path, manifest.entries.get(path))
            for document, path in zip(documents, paths, strict=True)
        ]
        _write_files(files, root)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {os_error_reason(error)}") from error
    written = {
        file.path: ManifestEntry(document_key(file.document), digest(file.after.encode("utf-8")))
        for file in files
        if file.outcome != "left"
    }
    write_manifest(root, manifest, written)
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


def _plan_file(document: ImportedDocument, root: str, path: str, entry: ManifestEntry | None) -> WrittenFile:
    """What becomes of a file; nothing is written yet."""
    after = canonical_yaml(document.value)
    file = os.path.join(root, *path.split("/"))
    reason = _reason_against(os.path.dirname(file), stat.S_ISDIR, "folder")
    if reason := reason or _reason_against(file, stat.S_ISREG, "file"):
        return WrittenFile(path, document, "left", after, reason=reason)
    data, before = after.encode("utf-8"), _read_bytes(file)
    if before == data:
        return WrittenFile(path, document, "unchanged", after)
    if before is not None and (entry is None or entry.digest != digest(before)):
        return WrittenFile(path, document, "left", after, before.decode("utf-8", "backslashreplace"))
    return WrittenFile(path, document, "created" if before is None else "updated", after)


def _write_files(files: Sequence[WrittenFile], root: str) -> None:
    contents = [
        (os.path.join(root, *file.path.split("/")), file.after.encode("utf-8"))
        for file in files
        if file.outcome in ("created", "updated")
    ]
    for folder in dict.fromkeys(os.path.dirname(path) for path, _ in contents):
        os.makedirs(folder, exist_ok=True)
    replace_files(contents)


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
