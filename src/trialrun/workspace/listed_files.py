"""Lists the files that a check reads or skips, with the reasons; nothing is linted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import ALWAYS_REPORTED
from trialrun.lint.policy import is_policy
from trialrun.model.wrapper import resources
from trialrun.parser import parse
from trialrun.workspace.read_file import UnreadableFile, UnrelatedFile
from trialrun.workspace.workspaces import split_by_workspace

if TYPE_CHECKING:
    from trialrun.workspace.check_request import CheckRequest
    from trialrun.workspace.discovery import DiscoveredFile

NO_KNOWN_KIND = "no known kind"


@dataclass(frozen=True, slots=True)
class ListedFile:
    """A file: the kinds of its documents, or the reason why it is not checked."""

    path: str
    kinds: tuple[str, ...] = ()
    reason: str = ""


def listed_files(request: CheckRequest) -> Iterator[ListedFile]:
    """Every file of the workspaces of a request, sorted by path. Raises UnknownPath.

    Includes excluded files, and the folders of repositories that the search does not enter.
    """
    parts, excluded = split_by_workspace(request)
    found = {file.display_path: (file, part) for part in parts for file in part.files.find(part.paths)}
    folders = {folder.path: folder for part in parts for folder in part.not_entered}
    links = {link: file.display_path for file, _ in found.values() for link in file.links}
    for shown in sorted({*found, *links, *excluded, *folders}):
        if shown in links:
            yield ListedFile(shown, reason=f"another name of {links[shown]}")
        elif shown in found:
            yield _list_file(*found[shown])
        elif shown in folders:
            yield ListedFile(shown, reason=f"not checked: {folders[shown].why}")
        else:
            yield ListedFile(shown, reason="excluded by the settings")


def _list_file(discovered_file: DiscoveredFile, request: CheckRequest) -> ListedFile:
    data = request.files.read(discovered_file)
    if isinstance(data, UnreadableFile):
        return ListedFile(
            discovered_file.display_path, reason=data.reason if data.is_limit else f"cannot be read: {data.reason}"
        )
    if isinstance(data, UnrelatedFile):
        return ListedFile(discovered_file.display_path, reason="it no longer exists" if data.is_gone else NO_KNOWN_KIND)
    tree = parse(data, discovered_file.display_path)
    by_path = request.profiles.kind_by_glob(discovered_file.display_path)
    values = [document.value for document in tree.documents]
    kinds = tuple(dict.fromkeys(kind for value in values for kind, _, _ in resources(value, by_path=by_path)))
    if kinds:
        return ListedFile(discovered_file.display_path, kinds)
    if any(is_policy(value) for value in values):
        return ListedFile(discovered_file.display_path, reason="a policy; trialrun rules test checks it")
    broken = next((error for error in tree.errors if error.rule in ALWAYS_REPORTED), None)
    return ListedFile(discovered_file.display_path, reason=broken.message if broken else NO_KNOWN_KIND)
