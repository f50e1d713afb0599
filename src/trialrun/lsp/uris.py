"""Mapping between URIs of the client and file paths."""

from __future__ import annotations

import os
import re
import tempfile
from urllib.parse import quote, unquote, unquote_to_bytes, urlsplit

UNTITLED_FOLDER = os.path.join(tempfile.gettempdir(), "trialrun-drafts")
"""Where texts that were never saved are taken to be: outside of every workspace. No file is ever written there."""
EXTENSIONS_BY_LANGUAGE = {
    "yaml": ".yaml",
    "json": ".json",
    "jsonc": ".json",
    "terraform": ".tf",
    "opentofu": ".tofu",
}
DRIVE = re.compile(r"/[A-Za-z]:(?=/|$)")


def file_of_uri(uri: str) -> str | None:
    """The absolute path of the address of a file on this machine, or on a share where paths have such; else None."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return None
    path, host = os.fsdecode(unquote_to_bytes(parts.path)), unquote(parts.netloc)
    if parts.scheme.lower() != "file" or "\0" in path:
        return None
    if os.name == "nt" and (host or DRIVE.match(path)):
        path = f"//{host}{path}" if host else path[1].lower() + path[2:]
    elif host not in ("", "localhost"):
        return None
    return os.path.normpath(path) if os.path.isabs(path) else None


def draft(uri: str, language: str) -> str | None:
    """A path for a text that was never saved, by its name; None in a language that is not ours."""
    name = quote(unquote(uri.removeprefix("untitled:")), safe="") or "draft"
    ending = EXTENSIONS_BY_LANGUAGE.get(language)
    return None if ending is None else os.path.join(UNTITLED_FOLDER, name + ending)


def moved(file: str, folders: dict[str, str]) -> str:
    """A path with the longest of the folders that it lies in written as another."""
    for folder in sorted(folders, key=len, reverse=True):
        if file == folder or file.startswith(os.path.join(folder, "")):
            return folders[folder] + file[len(folder) :]
    return file
