"""What a change brought: both sides of it are linted and judged, and what the earlier side has is left out."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from trialrun.diagnostic import Diagnostic
from trialrun.lint.file_result import Fact
from trialrun.lint.settings import Profiles
from trialrun.workspace.check import Looked, Outcome, Request, check_workspace, judgement
from trialrun.workspace.discovery import SETTINGS_FILES, Found, shown_path
from trialrun.workspace.kind_scan import DECLARING, declared_kinds
from trialrun.workspace.lint_files import Linting
from trialrun.workspace.related_files import surroundings
from trialrun.workspace.revision import Change, Revision, revision
from trialrun.workspace.session_schemas import may_declare
from trialrun.workspace.workspaces import merged, workspaces


def check_since(request: Request, name: str) -> Outcome:
    """The diagnostics that the workspaces of the paths have now and did not have at a revision of git.

    Where settings changed, or what they name, all of both sides is judged, each by its own. Raises UsageError where git
    does not know the revision, UnknownPath for a path that does not exist.
    """
    parts = [request] if request.workspace_at is None else workspaces(request)
    outcomes: list[tuple[Request, Outcome]] = []
    repositories: dict[str, Revision] = {}
    for part in parts:
        at = revision(part.root, name)
        repositories.setdefault(at.top, at)
    for top, at in repositories.items():
        changes = list(at.changes())
        own = [part for part in parts if top == revision_top(part.root, repositories)]
        if request.workspace_at is not None and any(_decides(one, own) for one in changes):
            outcomes += _by_both_sides(own, at, changes, name)
        else:
            outcomes += [(part, check_workspace_since(part, at, changes)) for part in own]
    return merged(outcomes)


def revision_top(root: str, repositories: Collection[str]) -> str:
    """The innermost of some work trees that a folder is in."""
    around = [top for top in repositories if os.path.join(root, "").startswith(os.path.join(top, ""))]
    return max(around, key=len, default="")


def _decides(change: Change, parts: Sequence[Request]) -> bool:
    """Whether a changed file says how others are judged: settings, or policies, a baseline or a schema they name."""
    files = {file for file in (change.before, change.after) if file}
    if any(os.path.basename(file) in SETTINGS_FILES for file in files):
        return True
    named: set[str] = set()
    for part in parts:
        settings = part.profiles.settings
        named.update(os.path.join(settings.folder, policy) for policy in settings.policies)
        named.update(filter(None, (settings.baseline_file, settings.session_schema)))
        named.update(one.session_schema for one in settings.overrides if one.session_schema)
    places = [os.path.normpath(name) for name in named]
    return any(file == name or file.startswith(os.path.join(name, "")) for file in files for name in places)


def _by_both_sides(
    parts: Sequence[Request], at: Revision, changes: Sequence[Change], name: str
) -> Iterator[tuple[Request, Outcome]]:
    """What each workspace has more than all that the repository had at a revision, under the settings of then."""
    from trialrun.workspace.snapshot import checked_then

    before = checked_then(parts, at, changes, name)
    for part in parts:
        paths = {one.shown for one in part.files.found(part.paths)} if part.paths else None
        yield part, _new(check_workspace(part), before, paths)


def check_workspace_since(request: Request, at: Revision, changes: Sequence[Change]) -> Outcome:
    """The diagnostics that one workspace has now and did not have at a revision of git.

    Of files that did not change, only what rules across files say of them can be new, unless the types of the session
    changed. Raises UsageError where git does not know the revision, UnknownPath for a path that does not exist.
    """
    files = request.files
    asked = files.found(request.paths) if request.paths else []
    then = _beneath(request) | texts_then(at, changes, request.profiles)
    texts = [(file, data) for file in then for data in (then[file], files.bytes_of(file)) if data]
    kinds = {file: request.profiles.kind_by_glob(shown_path(file)) for file, _ in texts}
    types_changed = any(may_declare(data, kinds[file]) for file, data in texts)
    everywhere = any(declared_kinds(data, by_path=kinds[file]) for file, data in texts)
    now, files_then = request.linting(files), files.under({**request.overlay, **then})
    linting_then = request.linting(files_then) if types_changed else now.of(files_then)
    sides = (_Side(now, then, asked), _Side(linting_then, then, asked))
    try:
        for side in sides:
            side.look(whole=types_changed)
        _judge(*sides, whole=types_changed, everywhere=everywhere)
    finally:
        for side in sides:
            side.linting.close()
    outcome, before = (side.looked.outcome(side.linting, whole=types_changed) for side in sides)
    paths = {one.shown for one in asked} if request.paths else None
    return _new(outcome, before, paths).without(request.baseline)


def _beneath(request: Request) -> dict[str, bytes | None]:
    """The texts on the disk of the files that have others laid over them, which is a change that git does not see."""
    files = replace(request, overlay={}).files
    return {file: files.bytes_of(file) for file in request.overlay}


def texts_then(at: Revision, changes: Sequence[Change], profiles: Profiles) -> dict[str, bytes | None]:
    """The texts that changed files had, by whole path; None for a file that was not there.

    A file with another name counts under its name of today, so that its findings are not new; one that the settings
    treat otherwise under that name counts as another file.
    """
    texts = at.texts(one.blob for one in changes if one.blob)
    then: dict[str, bytes | None] = {one.after: None for one in changes if one.after}
    then.update({one.before: None for one in changes if one.before and _is_renamed(one, profiles)})
    for one in changes:
        name = one.after if _is_renamed(one, profiles) else one.before
        if name and one.blob:
            then[name] = texts[one.blob]
    return then


def _is_renamed(one: Change, profiles: Profiles) -> bool:
    if not one.before or not one.after or one.before == one.after:
        return False
    before, after = shown_path(one.before), shown_path(one.after)
    same_kind = profiles.kind_by_glob(before) == profiles.kind_by_glob(after)
    return same_kind and profiles.of(before) is profiles.of(after)


class _Side:
    """The workspace before or after a change, of which the `changed` files are looked at.

    The files that a person `asked` for may be more than those of the workspace.
    """

    def __init__(self, linting: Linting, changed: Collection[str], asked: Sequence[Found]) -> None:
        self.linting = linting
        self._all = {one.shown: one for one in (*linting.terms.files.found(), *asked)}.values()
        self.found = [one for one in self._all if os.path.abspath(one.file) in changed]
        self.looked = Looked()

    def look(self, *, whole: bool) -> None:
        """Lint the changed files, or all of them; whatever they are judged with may declare anything."""
        found = list(self._all) if whole else self.found
        for report in self.linting.reports(found, whole=whole, declared=DECLARING, pass_over=self.looked.pass_over):
            self.looked.take(report)


def _judge(after: _Side, before: _Side, *, whole: bool, everywhere: bool) -> None:
    """Judge both sides with the files around that the difference of their facts has to do with, or with all files.

    Where the facts are the same, so is what they say.
    """
    different = _difference(after.looked.facts, before.looked.facts)
    if not different:
        return
    rules = {fact.rule for fact in different}
    around = Looked()
    if not whole:
        known = {one.shown for side in (after, before) for one in side.found}
        for report in surroundings(after.linting, None if everywhere else different, known):
            around.take(report)
    for side in (after, before):
        facts = [fact for fact in (*side.looked.facts, *around.facts) if fact.rule in rules]
        side.looked.diagnostics.extend(judgement(side.linting, facts, unread=side.looked.unread or around.unread))
        side.looked.suppressions.extend(around.suppressions)


def _difference(after: Sequence[Fact], before: Sequence[Fact]) -> list[Fact]:
    """The facts of one side that the other does not have."""
    now, then = (Counter(map(_said, facts)) for facts in (after, before))
    only = {**(now - then), **(then - now)}
    return [fact for fact in (*after, *before) if _said(fact) in only]


def _said(fact: Fact) -> str:
    """What a fact says, wherever in its file it stands; a document that is read whole says more than another."""
    return repr((fact.rule, fact.path, fact.value, fact.resource, fact.whole))


def _new(after: Outcome, before: Outcome, asked: Collection[str] | None) -> Outcome:
    """What the later outcome has more, in the files that were asked for."""
    had = Counter(one.fingerprint for one in before.diagnostics)
    told: list[Diagnostic] = []
    for one in after.diagnostics:
        if had[one.fingerprint]:
            had[one.fingerprint] -= 1
        elif asked is None or one.path in asked:
            told.append(one)
    return replace(after, diagnostics=told)
