"""Creates requests from paths and options: finds the workspaces of the paths and reads their settings."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from trialrun.display_path import display_path
from trialrun.errors import UsageError, os_error_reason
from trialrun.lazy_dataclass import dataclass
from trialrun.working_folder import absolute_path, working_folder
from trialrun.workspace.check_request import CheckRequest

if TYPE_CHECKING:
    from trialrun.lint.baseline import Baseline


@dataclass(frozen=True)
class CheckOptions:
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
    from trialrun.workspace.consent import allow_named_paths

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
    from trialrun.workspace.settings_cache import validate_once

    validate = validate_once if choices.cache else None
    known: dict[str, CheckRequest] = {}

    def opened(root: str) -> CheckRequest:
        if root not in known:
            settings = Settings() if choices.is_isolated else read_settings(root, validate)
            profiles = Profiles(settings, choices.select, choices.ignore, choices.policies)
            file = settings.baseline_file if choices.with_baselines else None
            baseline = None if file is None else read_baseline_file(file, named_in=settings.folder)
            known[root] = CheckRequest(root, choices.now, profiles, baseline=baseline)
        return known[root]

    return opened


def read_baseline_file(file: str, *, named_in: str | None = None) -> Baseline:
    """The baseline in a file that the user, or the settings in a folder, name. Raises UsageError."""
    from trialrun.guarded_path import read_file
    from trialrun.lint.baseline import MAX_BYTES, InvalidBaseline, read_baseline

    folder = named_in or os.path.dirname(absolute_path(file))
    try:
        return read_baseline(read_file(file, MAX_BYTES, named_in=folder).decode("utf-8"))
    except FileNotFoundError as error:
        path = display_path(file)
        raise UsageError(f"there is no baseline {path}; write it with trialrun baseline write {path}") from error
    except OSError as error:
        raise UsageError(f"the baseline {display_path(file)} cannot be read: {os_error_reason(error)}") from error
    except (InvalidBaseline, UnicodeDecodeError) as error:
        raise UsageError(f"{display_path(file)} is not a baseline: {error}") from error
