"""The submodules of git in folders that are searched: a search does not enter them by itself."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from trialrun.guarded_path import Door
from trialrun.workspace.discovery import upward
from trialrun.workspace.reading import read_bytes

_PATH = re.compile(rb"^[ \t]*path[ \t]*=[ \t]*(.+?)[ \t\r]*$", re.MULTILINE)
MOST = 1000


def submodules_in(folders: Iterable[str]) -> list[str]:
    """The submodules that lie in some folders and are there, those inside of others among them, sorted."""
    found: set[str] = set()
    for folder in folders:
        inside = os.path.abspath(folder)
        top = next((above for above in upward(inside) if os.path.lexists(os.path.join(above, ".git"))), None)
        pending = [] if top is None else list(_listed(top))
        while pending and len(found) < MOST:
            submodule = pending.pop()
            if submodule.startswith(os.path.join(inside, "")) and submodule not in found:
                found.add(submodule)
            pending += [inner for inner in _listed(submodule) if inner not in found]
    return sorted(found)


def _listed(top: str) -> Iterator[str]:
    """The submodules that a work tree names and that are checked out below it."""
    data = read_bytes(os.path.join(top, ".gitmodules"), Door(top), named=True)
    for name in _PATH.findall(data) if isinstance(data, bytes) else ():
        folder = os.path.normpath(os.path.join(top, os.fsdecode(name)))
        if folder.startswith(os.path.join(top, "")) and os.path.lexists(os.path.join(folder, ".git")):
            yield folder
