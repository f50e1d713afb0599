"""The files that a check looks at or passes over, and why: nothing in them is checked."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import ALWAYS_REPORTED
from trialrun.lint.policy import is_policy
from trialrun.model.kinds import kind_of
from trialrun.parser import read
from trialrun.workspace.read_file import Foreign, Unread
from trialrun.workspace.workspaces import split_by_workspace

if TYPE_CHECKING:
    from trialrun.workspace.check import Request
    from trialrun.workspace.discovery import Found

UNKNOWN = "no known kind"


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file: the kinds of its documents, each once in their order, or the reason why nothing in it is checked."""

    path: str
    kinds: tuple[str, ...] = ()
    reason: str = ""


def listed_files(request: Request) -> Iterator[ListedFile]:
    """Every file of the workspaces that the paths of a request lie in, sorted by path. Raises UnknownPath.

    Files that settings exclude are among them, and the folders of repositories that the search does not enter.
    """
    parts, excluded = split_by_workspace(request)
    found = {file.shown: (file, part) for part in parts for file in part.files.found(part.paths)}
    folders = {folder.path: folder for part in parts for folder in part.not_entered}
    for shown in sorted({*found, *excluded, *folders}):
        if shown in found:
            yield _listed(*found[shown])
        elif shown in folders:
            yield ListedFile(shown, reason=f"not checked: {folders[shown].why}")
        else:
            yield ListedFile(shown, reason="excluded by the settings")


def _listed(found: Found, request: Request) -> ListedFile:
    data = request.files.read(found)
    if isinstance(data, Unread):
        return ListedFile(found.shown, reason=data.reason if data.is_limit else f"cannot be read: {data.reason}")
    if isinstance(data, Foreign):
        return ListedFile(found.shown, reason="it is gone" if data.is_gone else UNKNOWN)
    tree = read(data, found.shown)
    by_path = request.profiles.kind_by_glob(found.shown)
    values = [value for document in tree.documents for value in _resources(document.value)]
    kinds = tuple(dict.fromkeys(kind for value in values if (kind := kind_of(value, by_path=by_path))))
    if kinds:
        return ListedFile(found.shown, kinds)
    if any(is_policy(value) for value in values):
        return ListedFile(found.shown, reason="a policy; trialrun rules test checks it")
    broken = next((trouble for trouble in tree.troubles if trouble.rule in ALWAYS_REPORTED), None)
    return ListedFile(found.shown, reason=broken.message if broken else UNKNOWN)


def _resources(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
