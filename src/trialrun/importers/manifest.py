"""The manifest of imports: which files of a folder were written, for which resources, and with which content."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import read_file
from trialrun.importers.file_names import is_import_path
from trialrun.lazy_dataclass import dataclass
from trialrun.user_state import remember_import
from trialrun.workspace.write_files import create_temporary, replace_file

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


@dataclass(frozen=True, slots=True)
class Manifest:
    """The files of all imports into a folder, by path below it."""

    entries: Mapping[str, ManifestEntry]

    def paths_by_resource(self) -> dict[str, str]:
        """The path of each resource that was imported before."""
        return {entry.resource: path for path, entry in self.entries.items()}


def digest(data: bytes) -> str:
    """The digest of the bytes of a file."""
    return f"sha256:{sha256(data).hexdigest()}"


def read_manifest(folder: str) -> Manifest:
    """The manifest of a folder; an empty one if there is none. Raises UsageError for one that cannot be read.

    Entries with a path that no import writes are ignored, so that a manifest never leads out of the folder.
    """
    file = os.path.join(folder, MANIFEST_NAME)
    try:
        if os.path.islink(file):
            raise UsageError(f"{file} is a link; remove it")
        data = json.loads(read_file(file, MAX_MANIFEST_BYTES, named_in=folder))
    except FileNotFoundError:
        return Manifest({})
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {os_error_reason(error)}") from error
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{file} {NOT_A_MANIFEST}") from error
    files = data.get("files") if isinstance(data, dict) else None
    if not isinstance(files, dict) or data.get("version") != VERSION:
        raise UsageError(f"{file} {NOT_A_MANIFEST}")
    return Manifest({path: entry for path, value in files.items() if (entry := _entry(path, value)) is not None})


def _entry(path: str, value: Any) -> ManifestEntry | None:
    if not is_import_path(path) or not isinstance(value, dict):
        return None
    texts = [value.get("resource"), value.get("digest"), value.get("pending", "")]
    return ManifestEntry(*map(str, texts)) if all(isinstance(text, str) for text in texts) else None


def update_manifest(folder: str, changed: Mapping[str, ManifestEntry]) -> None:
    """Set the entries of some files, if that changes the manifest. Raises UsageError.

    It is read again, so that what another import wrote meanwhile stays.
    """
    remember_import(folder, {path: (entry.digest, entry.pending) for path, entry in changed.items()})
    before = read_manifest(folder).entries
    entries = {**before, **changed}
    if entries == before:
        return
    files = {path: _entry_json(entries[path]) for path in sorted(entries)}
    text = json.dumps({"version": VERSION, "files": files}, indent=2, ensure_ascii=False)
    file = os.path.join(folder, MANIFEST_NAME)
    try:
        with create_temporary(file) as new:
            new.write(f"{text}\n".encode("utf-8", "backslashreplace"))
            replace_file(new, file)
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {os_error_reason(error)}") from error


def _entry_json(entry: ManifestEntry) -> dict[str, str]:
    pending = {"pending": entry.pending} if entry.pending else {}
    return {"resource": entry.resource, "digest": entry.digest, **pending}
