"""The files that the values of a file of Terraform may come from: its folder is one module, and it may name schemas.

A folder above may call the module by its path, and then gives values to its variables. All are read through the same
door as what is checked. Where there are more than the limits, none are: then their values are unknown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Final

from trialrun.guarded_path import GuardedFolder
from trialrun.model.kinds import may_be_ours
from trialrun.terraform import FOLDER, PLAN, ModuleFile, Siblings, is_terraform_path, is_variables_path
from trialrun.working_folder import absolute_path
from trialrun.workspace.cache_store import digest
from trialrun.workspace.walk import regular_file

if TYPE_CHECKING:
    from trialrun.workspace.discovery import DiscoveredFile
    from trialrun.workspace.walk import Stamp

MAX_FILES: Final = 100
"""Siblings of a file."""
MAX_ENTRIES: Final = 10_000
"""Entries of the folder that are looked at."""
MAX_BYTES: Final = 1 << 20
"""Bytes of all of them."""
MAX_LEVELS: Final = 3
"""Folders above a module in which it may be called."""
NAMED_FILE: Final = rb'file\(\s*"\$\{path\.module\}/([^"$%\\\r\n]{1,400}\.json)"\s*\)'
"""A JSON file that an expression names by its path from the folder."""
_source = re.compile(rb'source"?\s*[=:]\s*"(\./[^"$%\\\r\n]{1,400})"').finditer
"""The path of a module that a file calls, in either syntax."""


def is_module_input(file: str) -> bool:
    """Whether values of other files of its folder may come from a file."""
    return is_terraform_path(file) or is_variables_path(file)


def module_inputs(files: Iterable[str], root: str) -> Iterator[str]:
    """The files in the folders of those of Terraform, and above in a root, that their values may come from, sorted."""
    files = map(absolute_path, filter(is_terraform_path, files))
    for folder in sorted({folder for file in files for folder in _folders(file)}):
        if os.path.join(folder, "").startswith(os.path.join(root, "")):
            yield from (os.path.join(folder, name) for name in inputs_in(folder))


def stamps_with_inputs(files: Iterable[DiscoveredFile], is_inside: Callable[[str], bool]) -> dict[str, Stamp | None]:
    """The stamps of files by their displayed paths; of one of Terraform, it says of all that its values may come from
    whether it has changed.
    """
    states: dict[str, list[tuple[str, Stamp | None]]] = {}
    stamps = {file.display_path: file.stamp for file in files}
    for file in files:
        stamp = file.stamp if is_terraform_path(file.display_path) else None
        if stamp is None:
            continue
        folders = [folder for folder in _folders(absolute_path(file.file)) if is_inside(folder)]
        for folder in folders:
            if folder not in states:
                states[folder] = [(name, regular_file(os.path.join(folder, name))[1]) for name in inputs_in(folder)]
        is_known = all(state is not None for folder in folders for _, state in states[folder])
        whole = digest(repr([states[folder] for folder in folders]).encode("utf-8", "surrogateescape"))
        stamps[file.display_path] = (int.from_bytes(whole[:6], "big"), *stamp[1:]) if is_known else None
    return stamps


def _folders(file: str) -> list[str]:
    """The folder of a file, and those above it that may call it as a module, the nearest first."""
    folders = [os.path.dirname(file)]
    while len(folders) <= MAX_LEVELS and (above := os.path.dirname(folders[-1])) != folders[-1]:
        folders.append(above)
    return folders


def inputs_in(folder: str) -> list[str]:
    """The names of the files in a folder that the values of others there may come from."""
    return sorted(filter(is_module_input, islice(_names_in(folder or os.curdir, {}), MAX_ENTRIES)))


def dependents(files: Collection[str], among: Iterable[str]) -> Iterator[str]:
    """Those of `among` whose values may come from other files, all by absolute path.

    A schema may be named from any folder.
    """
    schemas = [file for file in files if file.lower().endswith(".json") and not is_module_input(file)]
    folders = {os.path.dirname(file) for file in files if is_module_input(file)}
    for file in among if folders or schemas else ():
        if is_terraform_path(file) and (schemas or not folders.isdisjoint(_folders(file))):
            yield file


def names_file(file: str, data: bytes) -> bool:
    """Whether the values of a file may come from one that an expression names, of any folder."""
    return is_terraform_path(file) and re.search(NAMED_FILE, data) is not None


def with_module(
    file: str, data: bytes, door: GuardedFolder, overlay: Mapping[str, bytes | None], planned: Mapping[str, bytes]
) -> bytes:
    """The bytes of a file, of one of Terraform with those that its values may come from.

    `overlay` has bytes that replace those of other files, by absolute path, or None for a file that is gone; `planned`
    what a plan has for a folder.
    """
    if not is_terraform_path(file) or not may_be_ours(data):
        return data
    file = absolute_path(file)
    plan = planned.get(os.path.dirname(file))
    return ModuleFile.of(data, (*_siblings(file, data, door, overlay), *(((PLAN, plan),) if plan else ())))


def _siblings(file: str, data: bytes, door: GuardedFolder, overlay: Mapping[str, bytes | None]) -> Siblings:
    folder = os.path.dirname(file)
    entries = [*islice(_names_in(folder, overlay), MAX_ENTRIES)]
    names = {name for name in entries if is_module_input(name) and name[0] != "."} - {os.path.basename(file)}
    names.update(os.fsdecode(match[1]) for match in islice(re.finditer(NAMED_FILE, data), MAX_ENTRIES))
    calling = {*_calling_files(file, door, overlay)}
    names |= calling
    if len(names) > MAX_FILES or len(entries) == MAX_ENTRIES:
        return ()
    last = "/".join(folder.split(os.sep)[-MAX_LEVELS:])
    found = [(FOLDER, last.encode("utf-8", "surrogateescape"))] if calling else []
    left = MAX_BYTES
    for name in sorted(names):
        text = _read(os.path.normpath(os.path.join(folder, name)), left, door, overlay)
        if text is not None and len(text) > left:
            return ()
        if text is not None:
            left -= len(text)
            found.append((name, text))
    return tuple(found)


def _calling_files(file: str, door: GuardedFolder, overlay: Mapping[str, bytes | None]) -> Iterator[str]:
    """The files of the folders above that call the module of a file, by their paths from its folder."""
    module, *above = _folders(file)
    for level, folder in enumerate(above, 1):
        if not door.is_inside(folder):
            return
        names = sorted({*filter(is_module_input, islice(_names_in(folder, overlay), MAX_ENTRIES))})
        texts = [_read(os.path.join(folder, name), MAX_BYTES, door, overlay) or b"" for name in names[:MAX_FILES]]
        paths = (os.fsdecode(match[1]) for text in texts for match in islice(_source(text), MAX_ENTRIES))
        if any(os.path.normpath(os.path.join(folder, path)) == module for path in paths):
            yield from (f"{'../' * level}{name}" for name in names)


def _names_in(folder: str, overlay: Mapping[str, bytes | None]) -> Iterator[str]:
    """The names of the files of a folder, on disk or in the overlay; some are gone."""
    yield from (os.path.basename(other) for other in overlay if os.path.dirname(other) == folder)
    try:
        with os.scandir(folder) as entries:
            yield from (entry.name for entry in entries)
    except OSError:
        return


def _read(file: str, most: int, door: GuardedFolder, overlay: Mapping[str, bytes | None]) -> bytes | None:
    if file in overlay:
        return overlay[file]
    try:
        return door.read(file, most)
    except (OSError, ValueError):
        return None
