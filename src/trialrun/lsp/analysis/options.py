"""The options of the command line, and what is checked with them and the settings of a folder."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from trialrun.guarded_path import allow_folder
from trialrun.lint.settings import Profiles, Settings, read_settings
from trialrun.working_folder import absolute_path
from trialrun.workspace import CheckRequest, workspace_root
from trialrun.workspace.check_request import allow_named_paths, read_baseline_file
from trialrun.workspace.discovery import settings_files

DEFAULT_DEBOUNCE = 0.1
"""Seconds without a change after which a text is linted if that takes longer than the time between two changes."""


@dataclass(frozen=True, slots=True)
class Options:
    """Command line options, as for `check`. `now` is a fixed clock, None for the real one.

    `allowed_folders` are those of `--allow-path`. `debounce` are the seconds without a change after which a text is
    linted if that takes longer than the time between two changes.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    policies: tuple[str, ...] = ()
    now: datetime | None = None
    is_isolated: bool = False
    cache: bool = True
    debounce: float = DEFAULT_DEBOUNCE
    allowed_folders: tuple[str, ...] = ()


def options_from_json(text: str) -> Options:
    """Options as the guard passes them on."""
    given: dict[str, Any] = json.loads(text)
    given |= {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    if given.get("now") is not None:
        given["now"] = datetime.fromisoformat(given["now"])
    return Options(**given)


def workspace_request(folder: str, options: Options) -> CheckRequest:
    """The request of the workspace of a folder, with its settings. Raises UsageError for invalid settings."""
    request = request_without_settings(folder, options)
    if options.is_isolated:
        return request
    settings = read_settings(request.root)
    profiles = Profiles(settings, list(options.select), list(options.ignore), list(options.policies))
    profiles.whole  # noqa: B018 - raises for invalid rules and policies
    baseline = (
        None if settings.baseline_file is None else read_baseline_file(settings.baseline_file, named_in=settings.folder)
    )
    return replace(request, profiles=profiles, baseline=baseline)


def request_without_settings(folder: str, options: Options) -> CheckRequest:
    """The request of the workspace of a folder without settings."""
    profiles = Profiles(Settings(), list(options.select), list(options.ignore), list(options.policies))
    now = options.now or datetime.now(UTC)
    root = workspace_root(folder)
    for path in options.allowed_folders:
        allow_folder(path)
    allow_named_paths(
        root, [name for name in options.policies if os.path.lexists(name)], is_isolated=options.is_isolated
    )
    return CheckRequest(root, now, profiles, jobs=1, cache=options.cache)


def is_settings_file(file: str, folder: str, options: Options, request: CheckRequest) -> bool:
    """Whether a file affects the request: settings, or a baseline or policies that they name."""
    if file in settings_files(folder) or file in request.profiles.policies.files:
        return True
    settings = request.profiles.settings
    paths = [os.path.join(settings.folder, path) for path in settings.policies]
    paths += [path for path in (settings.baseline_file, *options.policies) if path]
    return any(file == path or file.startswith(os.path.join(path, "")) for path in map(absolute_path, paths))
