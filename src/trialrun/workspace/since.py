"""Findings that a change introduced: checks both sides, and removes findings of the earlier one.

If settings have changed, the repository at the revision is written to a temporary folder, and checked there.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from tempfile import TemporaryDirectory

from trialrun.diagnostic import Diagnostic
from trialrun.errors import UsageError, os_error_reason
from trialrun.lint.file_result import Fact, FactsGone
from trialrun.lint.settings import Profiles
from trialrun.model.kinds import COMPANION_KINDS, declared_kinds
from trialrun.text import MAX_BYTES
from trialrun.working_folder import absolute_path, display_path
from trialrun.workspace.check import (
    CheckResult,
    ResultAccumulator,
    check,
    check_workspace,
    findings_across_files,
    merge_results,
)
from trialrun.workspace.check_request import CheckRequest
from trialrun.workspace.discovery import SETTINGS_FILES, DiscoveredFile, WorkspaceRoots
from trialrun.workspace.lint_files import FileLinter
from trialrun.workspace.related_files import RelatedFiles
from trialrun.workspace.revision import Change, Revision, revision
from trialrun.workspace.session_schemas import may_declare
from trialrun.workspace.terraform_module import dependents
from trialrun.workspace.walk import has_ending
from trialrun.workspace.workspaces import workspaces


def check_since(request: CheckRequest, name: str) -> CheckResult:
    """The diagnostics that the workspaces of the paths have now and did not have at a git revision.

    If settings have changed, or files that they name, both sides are checked completely, each with its own settings.
    Raises UsageError for an unknown revision, UnknownPath for a path that does not exist.
    """
    parts = [request] if request.workspace_at is None else workspaces(request)
    results: list[tuple[CheckRequest, CheckResult]] = []
    repositories: dict[str, Revision] = {}
    for part in parts:
        at = revision(part.root, name)
        repositories.setdefault(at.top, at)
    for top, at in repositories.items():
        changes = list(at.changes())
        own = [part for part in parts if top == innermost_repository(part.root, repositories)]
        if request.workspace_at is not None and any(_affects_all_files(change, own) for change in changes):
            results += _compare_both_sides(own, at, changes, name)
        else:
            results += [(part, check_workspace_since(part, at, changes)) for part in own]
    return merge_results(results)


def innermost_repository(root: str, repositories: Collection[str]) -> str:
    """The innermost of some work trees that contains a folder."""
    around = [top for top in repositories if os.path.join(root, "").startswith(os.path.join(top, ""))]
    return max(around, key=len, default="")


def _affects_all_files(change: Change, parts: Sequence[CheckRequest]) -> bool:
    """Whether a changed file affects others: settings, or policies, a baseline or a schema that they name."""
    files = {file for file in (change.before, change.after) if file}
    if any(os.path.basename(file) in SETTINGS_FILES for file in files):
        return True
    named: set[str] = set()
    for part in parts:
        settings = part.profiles.settings
        named.update(os.path.join(settings.folder, policy) for policy in settings.policies)
        named.update(filter(None, (settings.baseline_file, settings.session_schema)))
        named.update(override.session_schema for override in settings.overrides if override.session_schema)
    places = [os.path.normpath(name) for name in named]
    return any(file == name or file.startswith(os.path.join(name, "")) for file in files for name in places)


def _compare_both_sides(
    parts: Sequence[CheckRequest], at: Revision, changes: Sequence[Change], name: str
) -> Iterator[tuple[CheckRequest, CheckResult]]:
    """The new findings of each workspace, compared with the revision under its own settings."""

    before = check_at_revision(parts, at, changes, name)
    for part in parts:
        paths = {file.display_path for file in part.files.find(part.paths)} if part.paths else None
        yield part, _new_diagnostics(check_workspace(part), before, paths)


def check_workspace_since(request: CheckRequest, at: Revision, changes: Sequence[Change]) -> CheckResult:
    """The diagnostics that one workspace has now and did not have at a git revision.

    In unchanged files, only findings of rules across files can be new, unless session types have changed. Raises
    UsageError for an unknown revision, UnknownPath for a path that does not exist.
    """
    asked = request.files.find(request.paths) if request.paths else []
    on_disk = replace(request, overlay={}).files  # git does not see what the overlay changes
    then = {file: on_disk.bytes_of(file) for file in request.overlay}
    then |= texts_at_revision(at, changes, request.profiles)
    after, before = _check_both_texts(request, then, asked)
    paths = {file.display_path for file in asked} if request.paths else None
    return _new_diagnostics(after, before, paths).without_baseline(request.baseline)


def findings_new_and_gone(
    request: CheckRequest, then: dict[str, bytes | None]
) -> tuple[Sequence[Diagnostic], Sequence[Diagnostic]]:
    """The diagnostics that a workspace has and did not have with other texts, and those that it had only with these.

    `then` has the texts by absolute path, None for a file that did not exist.
    """
    after, before = _check_both_texts(request, then, ())
    return _new_diagnostics(after, before, None).diagnostics, _new_diagnostics(before, after, None).diagnostics


def _check_both_texts(
    request: CheckRequest, then: dict[str, bytes | None], asked: Sequence[DiscoveredFile]
) -> tuple[CheckResult, CheckResult]:
    """The results of a workspace now, and with other texts."""
    files = request.files
    texts = [(file, data) for file in then for data in (then[file], files.bytes_of(file)) if data]
    kinds = {file: request.profiles.kind_by_glob(display_path(file)) for file, _ in texts}
    types_changed = any(may_declare(data, kinds[file]) for file, data in texts)
    everywhere = any(declared_kinds(data, by_path=kinds[file]) for file, data in texts)
    now, files_then = FileLinter(request, files), files.with_overlay({**request.overlay, **then})
    linter_then = FileLinter(request, files_then) if types_changed else now.for_files(files_then)
    sides = (_Side(now, then, asked), _Side(linter_then, then, asked))
    try:
        for side in sides:
            side.lint(whole=types_changed)
        _run_workspace_rules(*sides, whole=types_changed, everywhere=everywhere)
    except FactsGone:
        return _check_both_texts(replace(request, cache=False), then, asked)
    finally:
        for side in sides:
            side.linter.close()
    after, before = (side.looked.to_result(side.linter, whole=types_changed) for side in sides)
    return after, before


def texts_at_revision(at: Revision, changes: Sequence[Change], profiles: Profiles) -> dict[str, bytes | None]:
    """The texts of changed files at a revision, by absolute path; None for a file that did not exist.

    A renamed file has its current name, so that its findings are not new, unless the settings treat the two names
    differently.
    """
    texts = at.texts(change.blob for change in changes if change.blob)
    then: dict[str, bytes | None] = {change.after: None for change in changes if change.after}
    then.update({change.before: None for change in changes if change.before and _is_renamed(change, profiles)})
    for change in changes:
        name = change.after if _is_renamed(change, profiles) else change.before
        if name and change.blob:
            then[name] = texts[change.blob]
    return then


def _is_renamed(change: Change, profiles: Profiles) -> bool:
    if not change.before or not change.after or change.before == change.after:
        return False
    before, after = display_path(change.before), display_path(change.after)
    same_kind = profiles.kind_by_glob(before) == profiles.kind_by_glob(after)
    return same_kind and profiles.of(before) is profiles.of(after)


class _Side:
    """The workspace before or after a change; only the `changed` files are linted, and those that depend on them.

    The files that the user `asked` for may include others than those of the workspace.
    """

    def __init__(self, linter: FileLinter, changed: Collection[str], asked: Sequence[DiscoveredFile]) -> None:
        self.linter = linter
        self._all = {file.display_path: file for file in (*linter.files.find(), *asked)}.values()
        changed = {*changed, *dependents(changed, (absolute_path(file.file) for file in self._all))}
        self.found = [file for file in self._all if absolute_path(file.file) in changed]
        self.looked = ResultAccumulator()

    def lint(self, *, whole: bool) -> None:
        """Lint the changed files, or all; files checked together with them may declare anything."""
        found = list(self._all) if whole else self.found
        for result in self.linter.lint(found, whole=whole, declared=COMPANION_KINDS, pass_over=self.looked.skip):
            self.looked.add(result)


def _run_workspace_rules(after: _Side, before: _Side, *, whole: bool, everywhere: bool) -> None:
    """Run the rules across files on both sides, with the files related to the changed facts, or with all.

    If no facts have changed, neither have the findings.
    """
    different = _difference(after.looked.facts, before.looked.facts)
    if not different:
        return
    rules = {fact.rule for fact in different}
    around = ResultAccumulator(is_cached=after.linter.result_cache is not None)
    if not whole:
        known = {file.display_path for side in (after, before) for file in side.found}
        related = RelatedFiles(after.linter, known)
        for result in related.results(None if everywhere else different, with_facts=not around.is_cached):
            around.add(result)
    for side in (after, before):
        side.looked.diagnostics.extend(findings_across_files(side.linter, [around, side.looked], rules))
        side.looked.suppressions.extend(around.suppressions)


def _difference(after: Sequence[Fact], before: Sequence[Fact]) -> list[Fact]:
    """The facts of one side that the other does not have."""
    now, then = (Counter(map(_fact_key, facts)) for facts in (after, before))
    only = {**(now - then), **(then - now)}
    return [fact for fact in (*after, *before) if _fact_key(fact) in only]


def _fact_key(fact: Fact) -> str:
    """The content of a fact, without its location; facts of completely read documents are distinct."""
    return repr((fact.rule, fact.path, fact.value, fact.resource, fact.is_complete))


def _new_diagnostics(after: CheckResult, before: CheckResult, asked: Collection[str] | None) -> CheckResult:
    """The later result without findings of the earlier one, in the requested files."""
    had = Counter(diagnostic.fingerprint for diagnostic in before.diagnostics)
    new: list[Diagnostic] = []
    for diagnostic in after.diagnostics:
        if had[diagnostic.fingerprint]:
            had[diagnostic.fingerprint] -= 1
        elif asked is None or diagnostic.path in asked:
            new.append(diagnostic)
    return replace(after, diagnostics=new)


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
        steps = name.lower().replace(os.sep, "/").split("/")
        if {"", os.curdir, os.pardir, ".git"}.isdisjoint(steps):  # objects of git may have any names
            names.setdefault(blob, []).append(name)
    for blob, data in at.each_text((blob for blob, of_blob in names.items() for _ in of_blob), most=MAX_SNAPSHOT):
        for name in names[blob]:
            if len(data) <= MAX_BYTES:
                _write_file(os.path.join(top, name), data)
            elif has_ending(name):
                _write_file(os.path.join(top, name), b"kind: FeatureView\n")  # sparse: too large for a document
                os.truncate(os.path.join(top, name), MAX_BYTES + 1)


def _write_file(file: str, data: bytes) -> None:
    try:
        os.makedirs(os.path.dirname(file), exist_ok=True)
        with open(file, "xb") as stream:
            stream.write(data)
    except OSError as error:
        raise UsageError(f"--since: {os.path.basename(file)} cannot be written: {os_error_reason(error)}") from error


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
            diagnostic._replace(message=f"at {name}: {diagnostic.message}", help=diagnostic.help or way_out)
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
