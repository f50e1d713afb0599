"""The first workspace that `trialrun init` writes into a folder, given what is there.

Its files are real files of this package, which tests check.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from trialrun.errors import UsageError
from trialrun.guarded_path import read_file
from trialrun.lint.selection import NEWEST
from trialrun.working_folder import display_path

if TYPE_CHECKING:
    from trialrun.workspace.check_request import CheckRequest


FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "workspace")
SETTINGS = "trialrun.toml"
HOOKS = ".pre-commit-config.yaml"
CONTENTS: Mapping[str, str] = {
    SETTINGS: "the settings; their folder is the root of the workspace",
    HOOKS: "a hook that checks the workspace before each commit",
    "views/menu-taste.yaml": "a FeatureView: what is served, when it is read, how it is searched",
    "views/sources.yaml": "its Source: the file that stands for the table of production",
    "views/data/menu_taste.csv": "50 rows",
    "channels/everyday.yaml": "a ChannelConfig: what the agent offers",
    "brand/brand.yaml": "a Brand with two stores: which config applies where",
    "brand/menu.yaml": "its Menu: the names that configs may use",
    "scenarios/offers.yaml": "a Scenario: a test of the config",
}
"""The files in the order in which they are shown, and what each is."""
STORE = "main-street"
"""The store of the first workspace that examples name."""
_edition = re.compile(r'^edition = ".*"$', re.MULTILINE)


@cache
def starter_file(path: str) -> bytes:
    """The content of one of the files."""
    if path == HOOKS:
        return _read("pre-commit-config.yaml") + hook_lines().encode()
    if path == SETTINGS:
        return _edition.sub(f'edition = "{NEWEST}"', _read(SETTINGS).decode()).encode()
    return _read(path)


@cache
def hook_lines() -> str:
    """The hook as an item of `repos` in a `.pre-commit-config.yaml`."""
    return _read("pre-commit-hook.yaml").decode()


def _read(path: str) -> bytes:
    with open(os.path.join(FOLDER, *path.split("/")), "rb") as stream:
        return stream.read().replace(b"\r\n", b"\n")


MAX_HOOKS_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class InitPlan:
    """The files to create, by their paths in the folder, and what is there already.

    `documents` are the paths of files with documents of ours. `settings` is the settings file that applies already, and
    `hooks` the `.pre-commit-config.yaml` that is there, or of the repository around; `needs_hook` says that it has no
    hook of ours, so that a person has to add one.
    """

    files: Mapping[str, bytes]
    documents: Sequence[str] = ()
    settings: str | None = None
    hooks: str | None = None
    needs_hook: bool = False


def init_plan(folder: str, request: CheckRequest | None) -> InitPlan:
    """The plan for a folder; `request` is that of a check of it, None where it is new. Raises UsageError."""
    from trialrun.workspace.listed_files import listed_files

    documents, settings = [], None
    if request:
        documents = [file.path for file in listed_files(request) if file.kinds]
        file = request.profiles.settings.file
        # beside documents, the settings of a workspace around the folder count as well
        if file is not None and (documents or os.path.dirname(file) == os.path.abspath(folder)):
            settings = file
    hooks = _hooks_file(folder)
    paths = [SETTINGS, HOOKS] if documents else list(CONTENTS)
    present = {SETTINGS: settings, HOOKS: hooks}
    files = {path: starter_file(path) for path in paths if present.get(path) is None}
    taken = [display_path(file) for path in files if os.path.lexists(file := os.path.join(folder, *path.split("/")))]
    if taken:
        raise UsageError(f"{', '.join(taken)} already exists; nothing was written: name another folder")
    return InitPlan(files, documents, settings, hooks, hooks is not None and not _has_our_hook(hooks))


def _hooks_file(folder: str) -> str | None:
    """The file of hooks in the folder; pre-commit reads only that at the top of a repository."""
    from trialrun.repository import Repository, find_repository, top_as_reached

    repository = find_repository(folder)
    if isinstance(repository, Repository) and os.path.realpath(folder) != repository.top:
        return os.path.join(top_as_reached(folder, repository), HOOKS)
    file = os.path.join(folder, HOOKS)
    return file if os.path.lexists(file) else None


def _has_our_hook(file: str) -> bool:
    """Whether a file of hooks has one that runs trialrun; one that cannot be read has none."""
    from trialrun.parser import parse

    try:
        data = read_file(file, MAX_HOOKS_BYTES, named_in=os.path.dirname(file))
    except OSError:
        return False
    values = [document.value for document in parse(data[:MAX_HOOKS_BYTES], HOOKS).documents]
    hooks = [hook for value in values for hook in _items(value, "repos", "hooks") if isinstance(hook, dict)]
    words = [word for hook in hooks for key in ("id", "entry") for word in str(hook.get(key, "")).split()]
    return any(word.rpartition("/")[2].startswith("trialrun") for word in words)


def _items(value: Any, key: str, *inner: str) -> list[Any]:
    """The items of a list below some keys, each the key of an item of the list before."""
    items = value.get(key) if isinstance(value, dict) else None
    found = items if isinstance(items, list) else []
    return [leaf for item in found for leaf in _items(item, *inner)] if inner else found
