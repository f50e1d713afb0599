"""One file in, its diagnostics out: read once, fit to a model, walk once, place every finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Diagnostic, Path, Place, Range
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import positions
from trialrun.lint.diagnostic_sink import Collector
from trialrun.lint.file_result import Report
from trialrun.lint.policy import is_policy
from trialrun.lint.range_index import Ranges
from trialrun.lint.rule import Context, SessionTypes
from trialrun.lint.selection import Selection
from trialrun.lint.visit_plan import Dispatch
from trialrun.lint.visitor import SILENCING_TROUBLES, Resource, is_under
from trialrun.model.kinds import KINDS, RESOURCES, model_of, part_named
from trialrun.model.validate import fit
from trialrun.model.wrapper import Candidate, Wrapper, candidates
from trialrun.parser import Document, Tree, Trouble, read

if TYPE_CHECKING:
    from trialrun.model.node import Node


ESCAPES = ("\\u", "\\U", "\\x")
"""A text in ASCII without them has no other character."""
MARKS_OF_SUPPRESSIONS = ("rialrun", "TRIALRUN")
"""A text without them has no suppression."""
TOLD_BY_THE_READER = ("encoding-error", "syntax-error", "tagged-value", "duplicate-key", "resource-limit")
"""Rules about the reading itself, which hold whatever a text may mean."""

NO_TEXT = "the file has bytes or characters that are no text; mend these first"
"""Why nothing is fixed in such a file: what could not be read could not be written back."""


@dataclass(frozen=True, slots=True)
class Stray:
    """A document of no known kind, or of a kind that is misspelt: the subject of `unknown-kind`."""

    kind: str | None
    near: str | None
    place: Place


@dataclass(frozen=True, slots=True)
class Texts:
    """The texts of a resource at a path, as they are read: the subject of `deceptive-text`."""

    value: Any
    path: Path


def _may_deceive(text: str) -> bool:
    from trialrun.values.deceptive import may_deceive

    return may_deceive(text)


class Linter:
    """Lints files under one selection of rules, on one day, with one way to the session's types.

    `go_on` is called again and again between two steps of the work; what it raises ends it. Fixes are worked out
    `with_fixes` alone.
    """

    def __init__(
        self,
        selection: Selection,
        *,
        now: datetime,
        session: Callable[[], SessionTypes],
        kind_by_path: Callable[[str], str | None] = lambda path: None,
        policy_path: Callable[[str], str] = lambda path: path,
        go_on: Callable[[], None] = lambda: None,
        with_fixes: bool = True,
    ) -> None:
        self.selection = selection
        self._day = now.replace(hour=0, minute=0, second=0, microsecond=0)
        self._session = session
        self._kind_by_path = kind_by_path
        self._policy_path = policy_path
        self.go_on = go_on
        self._with_fixes = with_fixes
        self._dispatch: dict[str, Dispatch] = {}

    def lint(self, data: bytes, path: str, *, named: bool = False) -> Report:
        """The diagnostics and facts of one file; `named` says that a person gave the file by name."""
        tree, report = read(data, path), Report(path)
        file = _File(self, self._collector(tree, report), named)
        by_path = self._kind_by_path(path)
        for document in tree.documents:
            for one in candidates(document.value, by_path=by_path):
                if isinstance(one, Wrapper):
                    file.wrapper(document, one)
                else:
                    file.resource(document, one)
        return file.done()

    def lint_part(self, data: bytes, path: str, part: str) -> Report:
        """The diagnostics of a file whose every document is one part of a resource, such as an UpsellStrategy."""
        kind, model = part_named(part)
        tree, report = read(data, path), Report(path)
        file = _File(self, self._collector(tree, report), named=False)
        for document in tree.documents:
            file.model(document, (), document.value, kind, model)
        return file.done()

    def _collector(self, tree: Tree, report: Report) -> Collector:
        path = self._policy_path(report.path) if self.selection.policies.all else ""
        return Collector(self.selection, tree, report, path, with_fixes=self._with_fixes)

    def warm_up(self, *, conditions: bool) -> None:
        """Import and build what the files need, before workers are forked; `conditions` if any has a CEL condition."""
        for kind in RESOURCES if not self.selection.policies.all else KINDS:
            model = model_of(kind)
            self.dispatch(kind).stop(model)
            fit({}, model)
        if conditions:
            from trialrun.values import cel

            cel.check("true", schema=self._session().schema)

    def dispatch(self, kind: str) -> Dispatch:
        """The checks of one kind of document."""
        found = self._dispatch.get(kind)
        if found is None:
            found = self._dispatch[kind] = Dispatch(kind, self.selection)
        return found

    def context(self, node: Node) -> Context:
        """What checks of one resource may ask."""
        return Context(self._day, node, self._session)


class _File:
    """The linting of one file, resource by resource."""

    def __init__(self, linter: Linter, collector: Collector, named: bool) -> None:
        self._linter = linter
        self._collector = collector
        self._named = named
        self._unread: dict[int, list[int]] = {}
        self._silenced: dict[int, set[Path]] = {}
        for trouble in collector.tree.troubles:
            if trouble.rule == "syntax-error":
                lines = positions.range_of(collector.tree.source, trouble.unread or trouble.span)
                self._unread.setdefault(trouble.document, []).extend(range(lines.start.line, lines.end.line + 1))
            if trouble.rule in SILENCING_TROUBLES and trouble.path is not None:
                self._silenced.setdefault(trouble.document, set()).add(trouble.path)
        for unread in self._unread.values():
            unread.sort()
        text = collector.tree.source.text
        is_plain = text.isascii() and not any(escape in text for escape in ESCAPES)
        self._may_deceive = not is_plain and _may_deceive(text)
        self._refused: dict[int, set[Path]] = {}
        self._policies: set[int] = set()
        self._scenarios: dict[int, set[Path]] = {}

    @property
    def _tree(self) -> Tree:
        return self._collector.tree

    def wrapper(self, document: Document, wrapper: Wrapper) -> None:
        """Say of a wrapper that no file has it, and of the kind beside it that there is none like it."""
        self._collector.told_of("unknown-kind", wrapper, document)
        if wrapper.written and wrapper.kind and wrapper.written != wrapper.kind:
            self._stray(document, wrapper.path[:-1], wrapper.written, wrapper.kind)

    def resource(self, document: Document, candidate: Candidate) -> None:
        """Lint a value of a document, if it is ours, or say that it is not."""
        root, value, kind = candidate.path, candidate.value, candidate.kind
        if is_policy(value):
            self._policies.add(document.index)
            return
        written = value.get("kind") if isinstance(value, dict) else None
        if not isinstance(written, str):
            written = None
        if kind is None or (written and written != kind):
            self._stray(document, root, written, kind)
        if kind is None:
            return
        if written and written != kind:
            value = {key: entry for key, entry in value.items() if key != "kind"}
        self._collector.report.documents += 1
        if kind == "Scenario":
            self._scenarios.setdefault(document.index, set()).add(root)
        self.model(document, root, value, kind, model_of(kind))

    def model(self, document: Document, root: Path, value: Any, kind: str, model: type[Node]) -> None:
        """Lint a value as a model of a kind of document."""
        fitted = fit(value, model, root=root, as_meant=True)
        name = value.get("name") if isinstance(value, dict) else None
        resource = Resource(
            self._collector,
            document,
            name if isinstance(name, str) else "",
            fitted,
            self._unread.get(document.index, ()),
            self._silenced.get(document.index, ()),
        )
        if self._may_deceive:
            self._collector.told_of("deceptive-text", Texts(value, root), document, resource=resource.name)
        if refused := resource.tell_misfits():
            self._refused.setdefault(document.index, set()).update(refused)
        context = self._linter.context(fitted.node)
        resource.walk(self._linter.dispatch(kind), context, self._linter.go_on)
        self._collector.report.asked_session |= context.asked_session
        self._collector.report.asked_day |= context.asked_day

    def done(self) -> Report:
        """Tell what was wrong in the reading, but for what a misfit at the same place has told already."""
        documents = {document.index: document for document in self._tree.documents}
        for trouble in self._tree.troubles:
            if trouble.document in self._policies:
                continue
            refused = self._refused.get(trouble.document, ())
            remark = trouble.rule == "ambiguous-scalar" and trouble.path is not None
            if not (remark and (is_under(trouble.path or (), refused) or self._is_time_of_scenario(trouble))):
                self._collector.told_of(trouble.rule, trouble, documents.get(trouble.document))
        guessed = Ranges(self._ranges(trouble for trouble in self._tree.troubles if trouble.guessed))
        spoilt = Ranges(self._ranges(trouble for trouble in self._tree.troubles if trouble.rule == "encoding-error"))
        told = self._collector.report.diagnostics
        told = _once(one for one in told if not _judges_what_is_unread(one, guessed, spoilt))
        self._collector.report.diagnostics = [*map(_without_fix, told)] if spoilt else told
        if any(mark in self._tree.source.text for mark in MARKS_OF_SUPPRESSIONS):
            self._collect_suppressions()
        return self._collector.report

    def _is_time_of_scenario(self, trouble: Trouble) -> bool:
        """Whether a plain value is a time in a scenario, which has no other readers than us."""
        if not is_under(trouble.path or (), self._scenarios.get(trouble.document, ())):
            return False
        from trialrun.values.timestamp import check as problems

        return not problems(self._tree.source.text[trouble.span.start : trouble.span.end])

    def _collect_suppressions(self) -> None:
        from trialrun.lint.suppression.collect import suppressions

        try:
            self._collector.report.suppressions = suppressions(self._tree)
        except Exception as error:  # noqa: BLE001 - a fault in reading comments must not hide the findings
            self._collector.fault("unused-suppression", error)

    def _ranges(self, troubles: Iterable[Trouble]) -> list[Range]:
        return [positions.range_of(self._tree.source, trouble.span) for trouble in troubles]

    def _stray(self, document: Document, root: Path, written: str | None, near: str | None) -> None:
        is_empty_among_others = document.value is None and not root and len(self._tree.documents) > 1
        if near is None and (not self._named or document.index in self._unread or is_empty_among_others):
            return
        stray = Stray(written, near, Place(None, (*root, "kind") if written else root))
        self._collector.told_of("unknown-kind", stray, document)


def _judges_what_is_unread(diagnostic: Diagnostic, guessed: Ranges, spoilt: Ranges) -> bool:
    """Whether a diagnostic is about a text that could not be read, or has characters that could not."""
    if diagnostic.rule in TOLD_BY_THE_READER:
        return False
    return guessed.surround(diagnostic.range) or spoilt.are_inside(diagnostic.range)


def _without_fix(diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic in a file that cannot be written back, since some of its bytes or characters are no text."""
    return replace(diagnostic, fix=None, refusal=NO_TEXT) if diagnostic.fix else diagnostic


def _once(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics in their order, one for each mistake: a wrong text that aliases reach twice is wrong once."""
    first: dict[tuple[str, Range, str], Diagnostic] = {}
    for one in sorted(diagnostics, key=lambda one: one.order):
        first.setdefault((one.rule, one.range, one.message), one)
    return list(first.values())
