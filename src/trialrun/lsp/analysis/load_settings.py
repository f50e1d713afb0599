"""The request of an editor's workspace: as a run of `check` in its folder makes it."""

from __future__ import annotations

import os
from dataclasses import replace
from datetime import UTC, datetime

from trialrun.display_path import display_path
from trialrun.errors import UsageError, system_reason
from trialrun.guarded_path import allow_folder, read_file
from trialrun.lint.baseline import MOST_BYTES, Baseline, NotABaseline, read_baseline
from trialrun.lint.settings import Profiles, Settings, read_settings
from trialrun.lsp.ipc.messages import Begin, Choices
from trialrun.workspace import Request, workspace_root
from trialrun.workspace.consent import take_consent
from trialrun.workspace.discovery import settings_files


def request_of(folder: str, choices: Choices) -> Request:
    """The request of the workspace of a folder under its settings. Raises UsageError where they are wrong."""
    request = plain_request(folder, choices)
    if choices.is_isolated:
        return request
    settings = read_settings(request.root)
    profiles = Profiles(settings, list(choices.select), list(choices.ignore), list(choices.policies))
    profiles.whole  # noqa: B018 - what is wrong in rules and policies is told here
    baseline = None if settings.baseline_file is None else _baseline(settings.baseline_file, settings.folder)
    return replace(request, profiles=profiles, baseline=baseline)


def plain_request(folder: str, choices: Choices) -> Request:
    """The request of the workspace of a folder without settings."""
    profiles = Profiles(Settings(), list(choices.select), list(choices.ignore), list(choices.policies))
    now = choices.now or datetime.now(UTC)
    root = workspace_root(folder)
    for path in choices.allowed:
        allow_folder(path)
    take_consent(root, [name for name in choices.policies if os.path.lexists(name)], is_isolated=choices.is_isolated)
    return Request(root, now, profiles, jobs=1, cache=choices.cache)


def is_of_settings(file: str, begin: Begin, request: Request) -> bool:
    """Whether a file says what is looked for: settings, or a baseline or policies that these name."""
    if file in settings_files(begin.folder) or file in request.profiles.policies.files:
        return True
    settings = request.profiles.settings
    named = [os.path.join(settings.folder, one) for one in settings.policies]
    named += [one for one in (settings.baseline_file, *begin.choices.policies) if one]
    return any(file == one or file.startswith(os.path.join(one, "")) for one in map(os.path.abspath, named))


def _baseline(file: str, folder: str) -> Baseline:
    try:
        return read_baseline(read_file(file, MOST_BYTES, named_in=folder).decode("utf-8"))
    except OSError as error:
        raise UsageError(f"the baseline {display_path(file)} cannot be read: {system_reason(error)}") from error
    except (NotABaseline, UnicodeDecodeError) as error:
        raise UsageError(f"{display_path(file)} is no baseline: {error}") from error
