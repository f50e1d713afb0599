"""Writes imported documents to a folder, without changing files that the user has edited.

The manifest keeps a digest of each file as it was written. A file that has another digest, or none, is somebody's work:
it is left alone. So is one of which only the manifest says that an import wrote it: whoever edits a file may edit the
manifest as well. The state of the user says what their own imports wrote. The digests of new texts are there before the
files, so that an import that is interrupted leaves no file that the next one takes for somebody's work. Every file is
replaced atomically, and no link inside of the folder is followed.
"""

from __future__ import annotations

import json
import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import sha256
from typing import Literal

from trialrun.diagnostic import Diagnostic
from trialrun.errors import UsageError, os_error_reason
from trialrun.fix.canonical_yaml import canonical_yaml
from trialrun.guarded_path import read_file, resolve_target
from trialrun.importers.interface import ImportedDocument, InputPlace
from trialrun.interrupts import defer_interrupts
from trialrun.text import MAX_BYTES
from trialrun.user_state import remember_import, remembered_import
from trialrun.working_folder import absolute_path, display_path, working_folder
from trialrun.workspace.write_files import CHANGED, create_temporary, replace_file, replace_files

FOLDERS: Mapping[str, str] = {
    "FeatureView": "feature-views", "ChannelConfig": "channel-configs", "Brand": "brands",
    "FeatureOnlineStore": "feature-online-stores", "FeatureGroupTable": "feature-groups", "Source": "sources",
    "Menu": "menus",
}  # fmt: skip
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
    names = {key: known[key] for document in documents if (key := document_key(document)) in known}
    taken = {name.casefold() for name in known.values()}
    files = {name.casefold(): name for name in existing}
    numbers: dict[str, int] = {}
    for document in sorted(documents, key=document_key):
        if document_key(document) in names:
            continue
        stem = _not_allowed.sub("-", document.id)[:MAX_LENGTH].strip(".-") or "unnamed"
        stem = f"{FOLDERS[document.kind]}/{'_' if _reserved(stem) else ''}{stem}"
        number = numbers.get(stem.casefold(), 0) + 1
        while (name := f"{stem}{f'-{number}' if number > 1 else ''}.yaml") and (
            name.casefold() in taken or files.get(name.casefold(), name) != name
        ):
            number += 1
        numbers[stem.casefold()] = number
        taken.add(name.casefold())
        names[document_key(document)] = name
    return [names[document_key(document)] for document in documents]


def document_key(document: ImportedDocument) -> str:
    """What identifies the resource of a document across imports."""
    return f"{document.kind} {document.resource}"


def is_import_path(path: str) -> bool:
    """Whether a path is one that an import may have written: a folder of a kind, and a name of allowed characters."""
    folder, _, name = path.partition("/")
    return folder in FOLDERS.values() and _import_name(name) is not None


MANIFEST_NAME = ".trialrun-import.json"
MAX_MANIFEST_BYTES = 64 * 2**20
VERSION = 1
NOT_A_MANIFEST = "is not a manifest of imports; remove it to import as if for the first time"


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """A file that an import wrote: the resource in it, and the digest of its text.

    While an import writes, `pending` is the digest of the new text: an import that is interrupted leaves either text.
    """

    resource: str
    digest: str
    pending: str = ""

    def is_text(self, data: bytes) -> bool:
        """Whether a file has the bytes that an import wrote."""
        return digest(data) in (self.digest, self.pending)


def digest(data: bytes) -> str:
    """The digest of the bytes of a file."""
    return f"sha256:{sha256(data).hexdigest()}"


def read_manifest(folder: str) -> dict[str, ManifestEntry]:
    """The files of all imports into a folder, by path below it. Raises UsageError if they cannot be read.

    Entries with a path that no import writes are ignored, so that a manifest never leads out of the folder.
    """
    file = os.path.join(folder, MANIFEST_NAME)
    try:
        if os.path.islink(file):
            raise UsageError(f"{file} is a link; remove it")
        data = json.loads(read_file(file, MAX_MANIFEST_BYTES, named_in=folder))
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {os_error_reason(error)}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} {NOT_A_MANIFEST}") from error
    files = data.get("files") if isinstance(data, dict) else None
    if not isinstance(files, dict) or data.get("version") != VERSION:
        raise UsageError(f"{file} {NOT_A_MANIFEST}")
    entries = {}
    for path, value in files.items():
        entry = value if isinstance(value, dict) and is_import_path(path) else {}
        texts = [entry.get("resource"), entry.get("digest"), entry.get("pending", "")]
        if all(isinstance(text, str) for text in texts):
            entries[path] = ManifestEntry(*map(str, texts))
    return entries


def update_manifest(folder: str, changed: Mapping[str, ManifestEntry]) -> None:
    """Set the entries of some files, if that changes the manifest. Raises UsageError.

    It is read again, so that what another import wrote meanwhile stays.
    """
    remember_import(folder, {path: (entry.digest, entry.pending) for path, entry in changed.items()})
    before = read_manifest(folder)
    entries = {**before, **changed}
    if entries == before:
        return
    files = {}
    for path, entry in sorted(entries.items()):
        pending = {"pending": entry.pending} if entry.pending else {}
        files[path] = {"resource": entry.resource, "digest": entry.digest, **pending}
    text = json.dumps({"version": VERSION, "files": files}, indent=2, ensure_ascii=False)
    file = os.path.join(folder, MANIFEST_NAME)
    try:
        with create_temporary(file) as new:
            new.write(f"{text}\n".encode("utf-8", "backslashreplace"))
            replace_file(new, file)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {os_error_reason(error)}") from error


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
    try:
        root = resolve_target(absolute_path(folder), named_in=working_folder())
        os.makedirs(root, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {os_error_reason(error)}") from error
    manifest = read_manifest(root)
    own = None if trusts_manifest else remembered_import(root)
    try:
        known = {entry.resource: path for path, entry in manifest.items()}
        paths = file_names(documents, known, _existing_files(root))
        files = [
            _plan_file(document, root, path, manifest.get(path), None if own is None else own.get(path, ()))
            for document, path in zip(documents, paths, strict=True)
        ]
        with defer_interrupts():
            files = _write_files(files, root)
            update_manifest(root, {file.path: file.entry() for file in files if file.outcome != "left"})
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {os_error_reason(error)}") from error
    return sorted(files, key=lambda file: file.path)


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
    pending = {}
    for file in by_path.values():  # which may have its old or its new text
        entry = file.entry()
        pending[file.path] = replace(entry, digest=file.replaces or entry.digest, pending=entry.digest)
    update_manifest(root, pending)
    for folder in dict.fromkeys(map(os.path.dirname, by_path)):
        os.makedirs(folder, exist_ok=True)
    contents = [(path, file.after.encode("utf-8")) for path, file in by_path.items()]

    def is_unchanged(path: str) -> bool:
        data = _read_bytes(path)
        return ("" if data is None else digest(data)) == by_path[path].replaces

    changed = replace_files(contents, is_unchanged)
    left = {by_path[path].path for path in changed}
    return [replace(file, outcome="left", reason=CHANGED) if file.path in left else file for file in files]


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


def import_findings(
    files: Sequence[WrittenFile], folder: str, now: datetime, *, inputs: Sequence[str], is_isolated: bool
) -> list[tuple[Diagnostic, InputPlace]]:
    """Findings in the files that were not left alone, by the settings of their workspace, with their input places.

    The inputs, given by path, are no part of the workspace then: what they declare is what the files declare.
    """
    from trialrun.workspace import check
    from trialrun.workspace.check_request import CheckOptions, open_request

    by_path = {
        display_path(os.path.join(folder, *file.path.split("/"))): file.document
        for file in files
        if file.outcome != "left"
    }
    if not by_path:
        return []
    options = CheckOptions(now, is_isolated=is_isolated, with_fixes=False)
    request = open_request(list(by_path), options)
    gone: dict[str, bytes | None] = {absolute_path(path): None for path in inputs if display_path(path) not in by_path}
    diagnostics = check(replace(request, overlay=gone)).diagnostics
    return [
        (diagnostic, _place(diagnostic.pointer, by_path[diagnostic.path]))
        for diagnostic in diagnostics
        if diagnostic.path in by_path
    ]


def _place(pointer: str, document: ImportedDocument) -> InputPlace:
    """The place in the input of what a JSON pointer leads to in a document."""
    path: list[str | int] = []
    value: object = document.value
    for token in pointer.split("/")[1:]:
        key = token.replace("~1", "/").replace("~0", "~")
        step = int(key) if isinstance(value, list) and key.isdecimal() else key
        path.append(step)
        if isinstance(value, list) and isinstance(step, int):
            value = value[step] if step < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return document.place_of(tuple(path))
