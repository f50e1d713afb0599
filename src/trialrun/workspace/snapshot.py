"""Writes a repository at a revision to a temporary folder, and checks it there."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory

from trialrun.errors import UsageError, os_error_reason
from trialrun.workspace.check import check
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.check_result import CheckResult
from trialrun.workspace.discovery import WorkspaceRoots
from trialrun.workspace.paths import has_ending
from trialrun.workspace.revision import TOO_LARGE, Change, Revision

MAX_SNAPSHOT = 2**31
"""Total bytes written for a revision: an object of some kilobytes may have a thousand names."""


def check_at_revision(parts: Sequence[CheckRequest], at: Revision, changes: Sequence[Change], name: str) -> CheckResult:
    """Check workspaces at a revision, with the settings, policies and baselines of the revision.

    Renamed files have their current names. The working directory is moved, too, so that displayed paths are the same.
    Raises UsageError, whose message mentions the `name` of the revision.
    """
    request = parts[0]
    if request.workspace_at is None or not parts:
        return CheckResult()
    with TemporaryDirectory(prefix="trialrun-since-") as folder:
        base = os.path.commonpath([os.getcwd(), at.top])
        top = os.path.normpath(os.path.join(os.path.realpath(folder), os.path.relpath(at.top, base)))
        here = os.path.normpath(os.path.join(os.path.realpath(folder), os.path.relpath(os.getcwd(), base)))
        _write(at, changes, top)
        with _working_in(here), _errors_at(name):
            return _check(parts, at.top, top)


def _check(parts: Sequence[CheckRequest], now: str, then: str) -> CheckResult:
    """Check the requested parts of some workspaces, as far as they existed."""
    paths = [path for part in parts for path in (part.paths or [part.root])]
    moved = [os.path.normpath(os.path.join(then, os.path.relpath(path, now))) for path in _absolute(paths, then, now)]
    there = [path for path in moved if os.path.lexists(path)]
    opened = parts[0].workspace_at
    if not there or opened is None:
        return CheckResult()
    root = min(WorkspaceRoots().roots_of_paths(there).values())
    return check(replace(parts[0], root=root, profiles=opened(root).profiles, baseline=opened(root).baseline,
                         paths=there, overlay={}, known_files=None))  # fmt: skip


def _absolute(paths: Sequence[str], then: str, now: str) -> Iterator[str]:
    """Absolute paths moved to the snapshot."""
    for path in paths:
        file = os.path.abspath(path)
        yield os.path.join(now, os.path.relpath(file, then)) if file.startswith(os.path.join(then, "")) else file


def _write(at: Revision, changes: Sequence[Change], top: str) -> None:
    os.makedirs(os.path.join(top, ".git"), exist_ok=True)  # marks the boundary of a workspace; not a repository
    names: dict[bytes, list[str]] = {}
    for name, blob in _current_names(at, changes).items():
        if _is_plain(name):
            names.setdefault(blob, []).append(name)
    for blob, data in at.each_text((blob for blob, of_blob in names.items() for _ in of_blob), most=MAX_SNAPSHOT):
        for name in names[blob]:
            if data is not TOO_LARGE:
                _write_file(os.path.join(top, name), data)
            elif has_ending(name):
                _write_too_large(os.path.join(top, name))


def _is_plain(name: str) -> bool:
    """Whether a path of a revision is safe: below its top and not in `.git`, since git objects may have any names."""
    return not any(part.lower() in ("", os.curdir, os.pardir, ".git") for part in name.replace(os.sep, "/").split("/"))


def _write_file(file: str, data: bytes) -> None:
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "xb") as stream:
            stream.write(data)
    except OSError as error:
        raise UsageError(f"--since: {os.path.basename(file)} cannot be written: {os_error_reason(error)}") from error


def _write_too_large(file: str) -> None:
    """Write a sparse file that is too large for a document, and begins as one of ours does."""
    _write_file(file, b"kind: FeatureView\n")
    os.truncate(file, len(TOO_LARGE))


def _current_names(at: Revision, changes: Sequence[Change]) -> Mapping[str, bytes]:
    files = at.files()
    for change in changes:
        if change.before and change.after and change.before != change.after:
            blob = files.pop(os.path.relpath(change.before, at.top).replace(os.sep, "/"), None)
            if blob is not None:
                files[os.path.relpath(change.after, at.top).replace(os.sep, "/")] = blob
    return files


@contextmanager
def _errors_at(name: str) -> Iterator[None]:
    """Mark errors as those of a revision, since the current settings may be valid."""
    way_out = "check without --since, or use a later revision"
    try:
        yield
    except UsageError as error:
        messages = [f"at {name}: {message}" for message in error.messages or [str(error)]]
        of_revision = UsageError("\n".join(messages))
        of_revision.messages = [*messages, f"--since: the settings or policies at {name} are invalid; {way_out}"]
        of_revision.sources = error.sources
        of_revision.diagnostics = [
            replace(diagnostic, message=f"at {name}: {diagnostic.message}", help=diagnostic.help or way_out)
            for diagnostic in error.diagnostics
        ]
        raise of_revision from error


@contextmanager
def _working_in(folder: str) -> Iterator[None]:
    before = os.getcwd()
    os.makedirs(folder, exist_ok=True)
    os.chdir(folder)
    try:
        yield
    finally:
        os.chdir(before)
