"""A request to check a workspace: which files, under which settings, and how; and how one is opened for some paths."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.diagnostic import NotChecked
from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import allow_arguments, allow_folder
from trialrun.lint.settings import Profiles
from trialrun.working_folder import absolute_path, display_path, working_folder
from trialrun.workspace.file_system import FileSystem

if TYPE_CHECKING:
    from trialrun.lint.baseline import Baseline
    from trialrun.lint.settings.lines import Problem
    from trialrun.text import Source
    from trialrun.workspace.discovery import DiscoveredFile


@dataclass(frozen=True)
class CheckRequest:
    """What to check: the `paths` given by the user, empty for the whole workspace at `root`.

    `overlay` has, by absolute path, bytes that replace those of a file, or None for a file that counts as deleted.
    `as_discovered` means that a program listed the paths, not a user. Findings in the `baseline` are not reported.

    `workspace_at` returns the request of a nested or neighbouring workspace by its root, since files are checked with
    their own nearest settings; without it, only files of this workspace are checked. `known_files` are those of `paths`
    if these have been listed before; `not_entered` are the nested repositories found there, and files passed by a hook
    that discovery would skip. `recurse_submodules` makes discovery enter submodules. Without `with_fixes`, findings
    have no fixes and no reasons for their absence. `planned` is what a plan of Terraform has for the files of a folder.
    """

    root: str
    now: datetime
    profiles: Profiles
    paths: Sequence[str] = ()
    as_discovered: bool = False
    overlay: Mapping[str, bytes | None] = field(default_factory=dict)
    baseline: Baseline | None = None
    jobs: int = 0
    cache: bool = True
    workspace_at: Callable[[str], CheckRequest] | None = None
    known_files: Sequence[DiscoveredFile] | None = None
    not_entered: Sequence[NotChecked] = ()
    recurse_submodules: bool = False
    with_fixes: bool = True
    planned: Mapping[str, bytes] = field(default_factory=dict)

    @property
    def files(self) -> FileSystem:
        """The files of the workspace."""
        settings = self.profiles.settings
        return FileSystem(
            self.root,
            settings.exclude,
            self.overlay,
            as_found=self.as_discovered,
            folder=settings.folder if settings.file else self.root,
            known=None if self.known_files is None else (self.paths, self.known_files),
            kind_by_glob=self.profiles.kind_by_glob,
            planned=self.planned,
        )

    def links(self) -> dict[str, tuple[str, ...]]:
        """The further paths of the files of the request that have any, by the path under which each is checked."""
        return {file.display_path: file.links for file in self.files.find(self.paths) if file.links}

    def with_texts(self, texts: Mapping[str, bytes]) -> CheckRequest:
        """The request with other bytes in place of those of some files, by their paths as they are shown."""
        return replace(self, overlay={**self.overlay, **{absolute_path(path): texts[path] for path in texts}})

    def source(self, path: str) -> Source | None:
        """The text of a file, None if it can no longer be read."""
        return self.source_reader()(path)

    def source_reader(self) -> Callable[[str], Source | None]:
        """Like `source` for many files: the boundary around them is determined only once."""
        files = self.files

        def read(path: str) -> Source | None:
            from trialrun.parser import read_source  # determined lazily: a check without findings does not need it

            data = files.bytes_of(path)
            return None if data is None else read_source(data, path)

        return read


class CheckOptions(NamedTuple):
    """Options of a check, apart from the settings.

    `select`, `ignore` and `policies` are those of the command `check`. `is_isolated` means that no settings file is
    read, `with_baselines` that the baselines of the settings apply, `as_discovered` that a program listed the paths.
    `jobs` is 0 for all cores. Fixes are only computed `with_fixes`.
    """

    now: datetime
    select: Sequence[str] = ()
    ignore: Sequence[str] = ()
    policies: Sequence[str] = ()
    is_isolated: bool = False
    with_baselines: bool = False
    as_discovered: bool = False
    jobs: int = 0
    cache: bool = True
    with_fixes: bool = True


def workspace_roots(paths: Sequence[str]) -> Mapping[str, str]:
    """The root of the workspace of each path; without paths, that of the working directory."""
    from trialrun.workspace.discovery import WorkspaceRoots

    return WorkspaceRoots().roots_of_paths(paths or [working_folder()])


def open_request(
    paths: Sequence[str],
    choices: CheckOptions,
    *,
    text: tuple[str, bytes] | None = None,
    roots: Mapping[str, str] | None = None,
) -> CheckRequest:
    """The request for some paths, by default the workspace of the working directory. Raises UsageError.

    Each file is checked with the settings of its own workspace. `text` has the path of a file, which is one of the
    paths, and bytes that are checked instead of its own. `roots` are those of the paths, if known.
    """

    roots = roots or workspace_roots(paths)
    root = min(roots.values())
    policy_files = [name for name in choices.policies if os.path.lexists(name)]  # the names of packs are no paths
    for workspace in {root, *roots.values()}:
        own = [path for path in paths if roots.get(path) == workspace]
        allow_named_paths(workspace, (*own, *policy_files), is_isolated=choices.is_isolated, cache=choices.cache)
    opened = _request_for_root(choices)
    return replace(
        opened(root),
        paths=[] if [absolute_path(path) for path in paths] == [root] else list(paths),
        as_discovered=choices.as_discovered,
        overlay={} if text is None else {absolute_path(text[0]): text[1]},
        jobs=choices.jobs,
        cache=choices.cache,
        with_fixes=choices.with_fixes,
        workspace_at=opened,
    )


def _request_for_root(choices: CheckOptions) -> Callable[[str], CheckRequest]:
    """A function that creates the request for the root of a workspace; its settings are read once."""
    from trialrun.lint.settings import Profiles, Settings, read_settings
    from trialrun.lint.settings.loader import validate_by_model

    known: dict[str, CheckRequest] = {}
    validate = validate_once if choices.cache else validate_by_model

    def opened(root: str) -> CheckRequest:
        if root not in known:
            settings = Settings() if choices.is_isolated else read_settings(root, validate)
            profiles = Profiles(settings, choices.select, choices.ignore, choices.policies)
            file = settings.baseline_file if choices.with_baselines else None
            baseline = None if file is None else read_baseline_file(file, named_in=settings.folder)
            known[root] = CheckRequest(root, choices.now, profiles, baseline=baseline)
        return known[root]

    return opened


SETTINGS_FOLDER = "settings"
"""The folder of the store of valid settings: its rows are not the results by which a first run is told."""


def validate_once(content: dict[str, Any], name: str) -> tuple[dict[str, Any], list[Problem]]:
    """As `validate_by_model`; what was valid in an earlier run is valid, and needs no model of settings."""
    from trialrun.cache_dir import private_cache_dir
    from trialrun.lint.settings.loader import validate_by_model
    from trialrun.workspace.cache_store import CacheStore
    from trialrun.workspace.result_cache import tool_signature

    folder, store, key = private_cache_dir(), None, b""
    with suppress(RecursionError, ValueError):  # it nests deeper than any settings, or has a number of many digits
        inputs = repr((tool_signature(), name, content)).encode("utf-8", "surrogatepass")
        key = blake2b(inputs, digest_size=20).digest()
        store = None if folder is None else CacheStore(os.path.join(folder, SETTINGS_FOLDER))
    try:
        if store is not None and store.find(key) is not None:
            return content, []
        valid, problems = validate_by_model(content, name)
        if store is not None and not problems:
            store.write([(key, "valid")])
        return valid, problems
    finally:
        if store is not None:
            store.close()


def read_baseline_file(file: str, *, named_in: str | None = None) -> Baseline:
    """The baseline in a file that the user, or the settings in a folder, name. Raises UsageError."""
    from trialrun.guarded_path import read_file
    from trialrun.lint.baseline import MAX_BYTES, read_baseline

    folder = named_in or os.path.dirname(absolute_path(file))
    try:
        return read_baseline(read_file(file, MAX_BYTES, named_in=folder).decode("utf-8-sig"))
    except FileNotFoundError as error:
        path = display_path(file)
        raise UsageError(f"there is no baseline {path}; write it with trialrun baseline write {path}") from error
    except OSError as error:
        raise UsageError(f"the baseline {display_path(file)} cannot be read: {os_error_reason(error)}") from error
    except ValueError as error:
        raise UsageError(f"{display_path(file)} is not a baseline: {error}") from error


def allow_named_paths(root: str, named: Sequence[str] = (), *, is_isolated: bool = False, cache: bool = False) -> None:
    """Allow paths to lead into the workspace at `root`, to what the user named, and where the user's settings allow it.

    Also applies the limits of these settings to trial runs; with `cache`, they may be known to be valid. Raises
    UsageError for errors in the user's settings.
    """
    allow_folder(root)
    if named:
        allow_arguments(named, root)
    if not is_isolated and _has_user_settings():
        from trialrun.lint.settings.loader import read_user_settings, validate_by_model

        settings = read_user_settings(root, validate_once if cache else validate_by_model)
        for folder in settings.allow_paths:
            allow_folder(folder)
        if settings.limits:
            from trialrun.runtime.options import set_user_limits

            set_user_limits(settings.limits)


def _has_user_settings() -> bool:
    """Whether the user may have settings; most have none, which saves imports."""
    if "TRIALRUN_USER_SETTINGS" in os.environ:
        return True
    base = os.environ.get("APPDATA" if sys.platform == "win32" else "XDG_CONFIG_HOME")
    base = base or os.path.expanduser("~/.config")
    return os.path.lexists(os.path.join(base, "trialrun", "settings.toml"))
