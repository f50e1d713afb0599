"""One file in, its diagnostics out: read once, fit to a model, walk once, place every finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Diagnostic, Finding, Place, Severity
from trialrun.lint import catalogue, placing
from trialrun.lint.dispatch import Call, Dispatch
from trialrun.lint.report import Fact, Report
from trialrun.lint.rule import Context, Rule, SessionTypes, wants_context
from trialrun.lint.selection import Selection
from trialrun.model.fit import fit
from trialrun.model.kinds import RESOURCES, kind_of, model_of, part_named
from trialrun.tree import Document, Tree, read

if TYPE_CHECKING:
    from trialrun.model.fit import Fitted
    from trialrun.model.node import Node

NOT_ABOUT_PLACES = Place(None)


@dataclass(frozen=True, slots=True)
class Stray:
    """A document of no known kind, or of a kind that is misspelt: the subject of `unknown-kind`."""

    kind: str | None
    near: str | None
    place: Place


class Linter:
    """Lints files under one selection of rules, on one day, with one way to the session's types."""

    def __init__(
        self,
        selection: Selection,
        *,
        now: datetime,
        session: Callable[[], SessionTypes],
        kind_by_path: Callable[[str], str | None] = lambda path: None,
    ) -> None:
        self.selection = selection
        self.now = now.replace(hour=0, minute=0, second=0, microsecond=0)
        self.session = session
        self.kind_by_path = kind_by_path
        self._dispatch: dict[str, Dispatch] = {}

    def lint(self, data: bytes, path: str, *, named: bool = False) -> Report:
        """The diagnostics and facts of one file; `named` says that a person gave the file by name."""
        tree = read(data, path)
        report = Report(path)
        _FileLint(self, tree, report, named=named).run()
        report.diagnostics.sort(key=lambda one: one.order)
        return report

    def lint_part(self, data: bytes, path: str, part: str) -> Report:
        """The diagnostics of a file whose every document is one part of a resource, such as an UpsellStrategy."""
        kind, model = part_named(part)
        tree = read(data, path)
        report = Report(path)
        file = _FileLint(self, tree, report, named=False)
        refused: list[tuple[int, tuple[str | int, ...]]] = []
        for document in tree.documents:
            _ResourceLint(file, document, (), kind, kind, model=model).run(document.value, refused)
        file.tell_troubles(refused)
        report.diagnostics.sort(key=lambda one: one.order)
        return report

    def warm_up(self) -> None:
        """Import and build what every file needs, before workers are forked."""
        for kind in RESOURCES:
            model = model_of(kind)
            self.dispatch(kind).stop(model)
            fit({}, model)

    def dispatch(self, kind: str) -> Dispatch:
        """The checks of one kind of document."""
        found = self._dispatch.get(kind)
        if found is None:
            found = self._dispatch[kind] = Dispatch(kind, self.selection.rules)
        return found


@dataclass(slots=True)
class _FileLint:
    """The linting of one file: where its findings are collected."""

    linter: Linter
    tree: Tree
    report: Report
    named: bool
    broken: frozenset[int] = frozenset()

    def run(self) -> None:
        """Lint every document of the file, then tell what was wrong with the reading itself."""
        self.broken = frozenset(one.document for one in self.tree.troubles if one.rule == "syntax-error")
        by_path = self.linter.kind_by_path(self.report.path)
        refused: list[tuple[int, tuple[str | int, ...]]] = []
        for document in self.tree.documents:
            for root, value in _resources(document.value):
                self._resource(document, root, value, by_path, refused)
        self.tell_troubles(refused)

    def _resource(
        self, document: Document, root: tuple[int, ...], value: Any, by_path: str | None, refused: list[Any]
    ) -> None:
        kind = kind_of(value, by_path=by_path)
        written = value.get("kind") if isinstance(value, dict) else None
        written = written if isinstance(written, str) else None
        if kind is None or (written and written != kind):
            self._stray(document, root, written, kind)
        if kind is None:
            return
        self.report.documents += 1
        _ResourceLint(self, document, root, kind, str(written or kind)).run(value, refused)

    def _stray(self, document: Document, root: tuple[int, ...], written: str | None, near: str | None) -> None:
        empty = document.value is None and self.tree.source.text.strip() == ""
        if near is None and (not self.named or document.index in self.broken or (empty and document.index)):
            return
        stray = Stray(written, near, Place(None, (*root, "kind") if written else root))
        self.on_demand("unknown-kind", stray, document, resource="")

    def tell_troubles(self, refused: list[tuple[int, tuple[str | int, ...]]]) -> None:
        """Tell what was wrong in the reading, but for what a misfit at the same place has told already."""
        documents = {document.index: document for document in self.tree.documents}
        for trouble in self.tree.troubles:
            silenced = trouble.rule == "ambiguous-scalar" and any(
                index == trouble.document and trouble.path is not None and trouble.path[: len(path)] == path
                for index, path in refused
            )
            if not silenced:
                self.on_demand(trouble.rule, trouble, documents.get(trouble.document), resource="")

    def on_demand(self, rule_id: str, subject: Any, document: Document | None, *, resource: str, **how: Any) -> None:
        """Tell a subject that is no part of a model, by the rule that is named for it."""
        if rule_id not in self.linter.selection.rules:
            return
        rule = catalogue.load(rule_id)
        name = type(subject).__name__
        for check in rule.checks:
            if name in catalogue.subject_names_of(check):
                for finding in self.called(rule, check, subject, None, wants_context(check)):
                    self.tell(rule, finding, document, resource=resource, **how)

    def called(
        self, rule: Rule, check: Callable[..., Iterator[Any]], subject: Any, context: Context | None, wants: bool
    ) -> Iterable[Any]:
        """The findings of a check; a fault of ours in it becomes one `internal-error`."""
        try:
            return list(check(subject, context) if wants else check(subject))
        except Exception as error:  # noqa: BLE001 - a fault in one rule must not hide the findings of the others
            self.fault(rule.id, error)
            return []

    def fault(self, rule_id: str, error: Exception) -> None:
        """Report a fault of ours in one rule."""
        self.report.internal = True
        finding = internal_error(rule_id, error)
        self.report.diagnostics.append(
            placing.diagnostic(
                finding,
                rule="internal-error",
                severity=Severity.ERROR,
                source=self.tree.source,
                document=None,
            )
        )

    def tell(self, rule: Rule, finding: Finding, document: Document | None, *, resource: str, **how: Any) -> None:
        """Place a finding and add it to the report."""
        severity = self.linter.selection.severity(rule, finding)
        try:
            self.report.diagnostics.append(
                placing.diagnostic(
                    finding,
                    rule=rule.id,
                    severity=severity,
                    source=self.tree.source,
                    document=document,
                    resource=resource,
                    **how,
                )
            )
        except Exception as error:  # noqa: BLE001 - a place that cannot be found must not hide the other findings
            self.fault(rule.id, error)


def internal_error(rule_id: str, error: Exception) -> Finding:
    """The finding that tells a fault of ours, and how to report it."""
    what = f"{type(error).__name__}: {error}".splitlines()[0][:200]
    return Finding(
        f"the rule {rule_id} failed on this file ({what}); please report it with the file",
        NOT_ABOUT_PLACES,
        help="leave the rule out with --ignore " + rule_id + " until it is mended",
    )


def _resources(value: Any) -> Iterator[tuple[tuple[int, ...], Any]]:
    """The resources of a document, each with the way to it: a list holds several."""
    if isinstance(value, list):
        yield from (((index,), item) for index, item in enumerate(value))
    else:
        yield (), value


@dataclass(slots=True)
class _ResourceLint:
    """The linting of one resource: its misfits, then one walk over its model."""

    file: _FileLint
    document: Document
    root: tuple[int, ...]
    kind: str
    written: str
    model: type[Node] | None = None
    name: str = ""

    def run(self, value: Any, refused: list[Any]) -> None:
        """Tell all findings of the resource, and gather its facts."""
        if self.written != self.kind and isinstance(value, dict) and "kind" in value:
            value = {key: entry for key, entry in value.items() if key != "kind"}
        fitted = fit(value, self.model or model_of(self.kind), root=self.root)
        name = value.get("name") if isinstance(value, dict) else None
        self.name = name if isinstance(name, str) else ""
        silent = self._silent()
        for misfit in fitted.misfits:
            if misfit.rule in ("wrong-type", "unknown-enum-value", "unknown-field"):
                refused.append((self.document.index, misfit.path))
            if not _under(misfit.path, silent):
                self._on_demand(misfit)
        self._walk(fitted, silent)

    def _silent(self) -> list[tuple[str | int, ...]]:
        """The places whose troubles silence what would follow from them: repeated keys and tagged values."""
        return [
            trouble.path
            for trouble in self.file.tree.troubles
            if trouble.path is not None
            and trouble.document == self.document.index
            and trouble.rule in ("duplicate-key", "tagged-value")
        ]

    def _on_demand(self, misfit: Any) -> None:
        if self._is_broken() and misfit.rule in ("missing-field", "null-value"):
            return
        self.file.on_demand(misfit.rule, misfit, self.document, resource=self.name)

    def _is_broken(self) -> bool:
        return self.document.index in self.file.broken

    def _walk(self, fitted: Fitted, silent: list[tuple[str | int, ...]]) -> None:
        linter = self.file.linter
        context = Context(linter.now, fitted.node, linter.session)
        dispatch = linter.dispatch(self.kind)
        stack: list[Node] = [fitted.node]
        while stack:
            node = stack.pop()
            stop = dispatch.stop(type(node))
            for call in stop.calls:
                self._call(call, node, context, fitted, silent)
            for call in stop.gatherers:
                self._gather(call, node, context, fitted)
            values = node.__dict__
            for name, listed in stop.down:
                inner = values[name]
                if inner is not None:
                    stack.extend(inner) if listed else stack.append(inner)
        self.file.report.asked_session |= context.asked_session
        self.file.report.asked_day |= context.asked_day

    def _call(
        self, call: Call, node: Node, context: Context, fitted: Fitted, silent: list[tuple[str | int, ...]]
    ) -> None:
        rule, check, wants = call
        if wants:
            context.options = self.file.linter.selection.options(rule)
        try:
            findings = check(node, context) if wants else check(node)
            for finding in findings:
                self._tell(rule, finding, fitted, silent)
        except Exception as error:  # noqa: BLE001 - a fault in one rule must not hide the findings of the others
            self.file.fault(rule.id, error)

    def _tell(
        self, rule: Rule, finding: Finding, fitted: Fitted, silent: list[tuple[str | int, ...]]
    ) -> None:
        if rule.about_absence and self._is_broken():
            return
        if silent and _under(fitted.path(finding.place), silent):
            return
        self.file.tell(rule, finding, self.document, resource=self.name, find_path=fitted.path)

    def _gather(self, call: Call, node: Node, context: Context, fitted: Fitted) -> None:
        rule, gatherer, wants = call
        path = self.file.tree.source.path
        for place, value in self.file.called(rule, gatherer, node, context, wants):
            fact = Fact(rule.id, value, path, self.document.index, fitted.path(place), self.name)
            self.file.report.facts.append(fact)


def _under(path: tuple[str | int, ...], places: list[tuple[str | int, ...]]) -> bool:
    return any(path[: len(place)] == place for place in places)

