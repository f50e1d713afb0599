"""Build the check request of an editor's workspace, as `check` in its folder does."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime

from trialrun.display_path import display_path
from trialrun.errors import UsageError, os_error_reason
from trialrun.guarded_path import allow_folder, read_file
from trialrun.lint.baseline import MAX_BYTES, Baseline, InvalidBaseline, read_baseline
from trialrun.lint.settings import Profiles, Settings, read_settings
from trialrun.lsp.ipc.messages import Initialize, Options
from trialrun.working_folder import absolute_path
from trialrun.workspace import CheckRequest, workspace_root
from trialrun.workspace.check_request import allow_named_paths
from trialrun.workspace.discovery import settings_files


def workspace_request(folder: str, options: Options) -> CheckRequest:
    """The request of the workspace of a folder, with its settings. Raises UsageError for invalid settings."""
    request = request_without_settings(folder, options)
    if options.is_isolated:
        return request
    settings = read_settings(request.root)
    profiles = Profiles(settings, list(options.select), list(options.ignore), list(options.policies))
    profiles.whole  # noqa: B018 - raises for invalid rules and policies
    baseline = None if settings.baseline_file is None else _read_baseline(settings.baseline_file, settings.folder)
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


def is_settings_file(file: str, begin: Initialize, request: CheckRequest) -> bool:
    """Whether a file affects the request: settings, or a baseline or policies that they name."""
    if file in settings_files(begin.folder) or file in request.profiles.policies.files:
        return True
    settings = request.profiles.settings
    paths = [os.path.join(settings.folder, path) for path in settings.policies]
    paths += [path for path in (settings.baseline_file, *begin.options.policies) if path]
    return any(file == path or file.startswith(os.path.join(path, "")) for path in map(absolute_path, paths))


def _read_baseline(file: str, folder: str) -> Baseline:
    try:
        return read_baseline(read_file(file, MAX_BYTES, named_in=folder).decode("utf-8"))
    except OSError as error:
        raise UsageError(f"the baseline {display_path(file)} cannot be read: {os_error_reason(error)}") from error
    except (InvalidBaseline, UnicodeDecodeError) as error:
        raise UsageError(f"{display_path(file)} is not a baseline: {error}") from error
