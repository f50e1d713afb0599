"""One file in, its diagnostics out: read once, fit to a model, walk once, place every finding."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Diagnostic, Path, Range, SymbolicLocation
from trialrun.lazy_dataclass import dataclass
from trialrun.lint import positions
from trialrun.lint.diagnostic_sink import DiagnosticSink
from trialrun.lint.file_result import FileResult
from trialrun.lint.policy import is_policy
from trialrun.lint.range_index import RangeIndex
from trialrun.lint.rule import Context, SessionTypes
from trialrun.lint.selection import Selection
from trialrun.lint.visit_plan import VisitPlan
from trialrun.lint.visitor import MASKING_PARSE_ERRORS, ResourceVisitor, is_under
from trialrun.model.kinds import KINDS, RESOURCES, find_message, model_of
from trialrun.model.validate import validate
from trialrun.model.wrapper import Candidate, Wrapper, candidates
from trialrun.parser import Document, ParsedFile, ParseError, parse

if TYPE_CHECKING:
    from trialrun.model.node import Node


ESCAPE_MARKS = ("\\u", "\\U", "\\x")
"""A text in ASCII without them has no other character."""
SUPPRESSION_MARKS = ("rialrun", "TRIALRUN")
"""A text without them has no suppression."""
PARSER_RULES = ("encoding-error", "syntax-error", "tagged-value", "duplicate-key", "resource-limit")
"""Rules about the reading itself, which hold whatever a text may mean."""

NO_TEXT = "the file has invalid bytes or characters; fix these first"
"""Why nothing is fixed in such a file: what could not be read could not be written back."""


@dataclass(frozen=True, slots=True)
class UnknownKind:
    """A document of no known kind, or of a kind that is misspelt: the subject of `unknown-kind`."""

    kind: str | None
    near: str | None
    location: SymbolicLocation


@dataclass(frozen=True, slots=True)
class ResourceTexts:
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
        session_types: Callable[[], SessionTypes],
        kind_by_path: Callable[[str], str | None] = lambda path: None,
        policy_path: Callable[[str], str] = lambda path: path,
        check_cancelled: Callable[[], None] = lambda: None,
        with_fixes: bool = True,
    ) -> None:
        self.selection = selection
        self._day = now.replace(hour=0, minute=0, second=0, microsecond=0)
        self._session = session_types
        self._kind_by_path = kind_by_path
        self._policy_path = policy_path
        self.check_cancelled = check_cancelled
        self._with_fixes = with_fixes
        self._dispatch: dict[str, VisitPlan] = {}

    def lint(self, data: bytes, path: str, *, is_explicit: bool = False) -> FileResult:
        """The diagnostics and facts of one file; `named` says that a person gave the file by name."""
        tree, report = parse(data, path), FileResult(path)
        file = _FileLinter(self, self._new_sink(tree, report), is_explicit)
        by_path = self._kind_by_path(path)
        for document in tree.documents:
            for candidate in candidates(document.value, by_path=by_path):
                if isinstance(candidate, Wrapper):
                    file.lint_wrapper(document, candidate)
                else:
                    file.lint_resource(document, candidate)
        return file.finish()

    def lint_message(self, data: bytes, path: str, part: str) -> FileResult:
        """The diagnostics of a file whose every document is one part of a resource, such as an UpsellStrategy."""
        kind, model = find_message(part)
        tree, report = parse(data, path), FileResult(path)
        file = _FileLinter(self, self._new_sink(tree, report), named=False)
        for document in tree.documents:
            file.lint_model(document, (), document.value, kind, model)
        return file.finish()

    def _new_sink(self, tree: ParsedFile, report: FileResult) -> DiagnosticSink:
        path = self._policy_path(report.path) if self.selection.policies.all else ""
        return DiagnosticSink(self.selection, tree, report, path, with_fixes=self._with_fixes)

    def warm_up(self, *, conditions: bool) -> None:
        """Import and build what the files need, before workers are forked; `conditions` if any has a CEL condition."""
        for kind in RESOURCES if not self.selection.policies.all else KINDS:
            model = model_of(kind)
            self.visit_plan(kind).node_plan(model)
            validate({}, model)
        if conditions:
            from trialrun.values import cel

            cel.check_expression("true", schema=self._session().schema)

    def visit_plan(self, kind: str) -> VisitPlan:
        """The checks of one kind of document."""
        found = self._dispatch.get(kind)
        if found is None:
            found = self._dispatch[kind] = VisitPlan(kind, self.selection)
        return found

    def context(self, node: Node) -> Context:
        """What checks of one resource may ask."""
        return Context(self._day, node, self._session)


class _FileLinter:
    """The linting of one file, resource by resource."""

    def __init__(self, linter: Linter, collector: DiagnosticSink, named: bool) -> None:
        self._linter = linter
        self._collector = collector
        self._named = named
        self._unread: dict[int, list[int]] = {}
        self._silenced: dict[int, set[Path]] = {}
        for trouble in collector.tree.errors:
            if trouble.rule == "syntax-error":
                lines = positions.range_of(collector.tree.source, trouble.unread or trouble.span)
                self._unread.setdefault(trouble.document, []).extend(range(lines.start.line, lines.end.line + 1))
            if trouble.rule in MASKING_PARSE_ERRORS and trouble.path is not None:
                self._silenced.setdefault(trouble.document, set()).add(trouble.path)
        for unread in self._unread.values():
            unread.sort()
        text = collector.tree.source.text
        is_plain = text.isascii() and not any(escape in text for escape in ESCAPE_MARKS)
        self._may_deceive = not is_plain and _may_deceive(text)
        self._refused: dict[int, set[Path]] = {}
        self._policies: set[int] = set()
        self._scenarios: dict[int, set[Path]] = {}

    @property
    def _tree(self) -> ParsedFile:
        return self._collector.tree

    def lint_wrapper(self, document: Document, wrapper: Wrapper) -> None:
        """Say of a wrapper that no file has it, and of the kind beside it that there is none like it."""
        self._collector.run_named_rule("unknown-kind", wrapper, document)
        if wrapper.kind_text and wrapper.kind and wrapper.kind_text != wrapper.kind:
            self._report_unknown_kind(document, wrapper.path[:-1], wrapper.kind_text, wrapper.kind)

    def lint_resource(self, document: Document, candidate: Candidate) -> None:
        """Lint a value of a document, if it is ours, or say that it is not."""
        root, value, kind = candidate.path, candidate.value, candidate.kind
        if is_policy(value):
            self._policies.add(document.index)
            return
        written = value.get("kind") if isinstance(value, dict) else None
        if not isinstance(written, str):
            written = None
        if kind is None or (written and written != kind):
            self._report_unknown_kind(document, root, written, kind)
        if kind is None:
            return
        if written and written != kind:
            value = {key: entry for key, entry in value.items() if key != "kind"}
        self._collector.file_result.documents += 1
        if kind == "Scenario":
            self._scenarios.setdefault(document.index, set()).add(root)
        self.lint_model(document, root, value, kind, model_of(kind))

    def lint_model(self, document: Document, root: Path, value: Any, kind: str, model: type[Node]) -> None:
        """Lint a value as a model of a kind of document."""
        fitted = validate(value, model, root=root, correct_typos=True)
        name = value.get("name") if isinstance(value, dict) else None
        resource = ResourceVisitor(
            self._collector,
            document,
            name if isinstance(name, str) else "",
            fitted,
            self._unread.get(document.index, ()),
            self._silenced.get(document.index, ()),
        )
        if self._may_deceive:
            self._collector.run_named_rule(
                "deceptive-text", ResourceTexts(value, root), document, resource=resource.name
            )
        if refused := resource.report_misfits():
            self._refused.setdefault(document.index, set()).update(refused)
        context = self._linter.context(fitted.node)
        resource.visit(self._linter.visit_plan(kind), context, self._linter.check_cancelled)
        self._collector.file_result.uses_session |= context.uses_session
        self._collector.file_result.uses_date |= context.uses_date

    def finish(self) -> FileResult:
        """Tell what was wrong in the reading, but for what a misfit at the same place has told already."""
        documents = {document.index: document for document in self._tree.documents}
        for trouble in self._tree.errors:
            if trouble.document in self._policies:
                continue
            refused = self._refused.get(trouble.document, ())
            remark = trouble.rule == "ambiguous-scalar" and trouble.path is not None
            if not (remark and (is_under(trouble.path or (), refused) or self._is_time_of_scenario(trouble))):
                self._collector.run_named_rule(trouble.rule, trouble, documents.get(trouble.document))
        if self._collector.file_result.diagnostics:  # there are none in most files, and nothing is built to sort them
            self._settle_diagnostics()
        if any(mark in self._tree.source.text for mark in SUPPRESSION_MARKS):
            self._collect_suppressions()
        return self._collector.file_result

    def _settle_diagnostics(self) -> None:
        """Sort the diagnostics, one for each mistake, without those about a text that could not be read."""
        guessed = RangeIndex(self._ranges(trouble for trouble in self._tree.errors if trouble.guessed))
        spoilt = RangeIndex(self._ranges(trouble for trouble in self._tree.errors if trouble.rule == "encoding-error"))
        told = self._collector.file_result.diagnostics
        told = _dedupe(diagnostic for diagnostic in told if not _concerns_unread_text(diagnostic, guessed, spoilt))
        self._collector.file_result.diagnostics = [*map(_without_fix, told)] if spoilt else told

    def _is_time_of_scenario(self, trouble: ParseError) -> bool:
        """Whether a plain value is a time in a scenario, which has no other readers than us."""
        if not is_under(trouble.path or (), self._scenarios.get(trouble.document, ())):
            return False
        from trialrun.values.timestamp import check as problems

        return not problems(self._tree.source.text[trouble.span.start : trouble.span.end])

    def _collect_suppressions(self) -> None:
        from trialrun.lint.suppression.collect import collect_suppressions

        try:
            self._collector.file_result.suppressions = collect_suppressions(self._tree)
        except Exception as error:  # noqa: BLE001 - a fault in reading comments must not hide the findings
            self._collector.add_internal_error("unused-suppression", error)

    def _ranges(self, troubles: Iterable[ParseError]) -> list[Range]:
        return [positions.range_of(self._tree.source, trouble.span) for trouble in troubles]

    def _report_unknown_kind(self, document: Document, root: Path, written: str | None, near: str | None) -> None:
        is_empty_among_others = document.value is None and not root and len(self._tree.documents) > 1
        if near is None and (not self._named or document.index in self._unread or is_empty_among_others):
            return
        stray = UnknownKind(written, near, SymbolicLocation(None, (*root, "kind") if written else root))
        self._collector.run_named_rule("unknown-kind", stray, document)


def _concerns_unread_text(diagnostic: Diagnostic, guessed: RangeIndex, spoilt: RangeIndex) -> bool:
    """Whether a diagnostic is about a text that could not be read, or has characters that could not."""
    if diagnostic.rule in PARSER_RULES:
        return False
    return guessed.any_encloses(diagnostic.range) or spoilt.any_within(diagnostic.range)


def _without_fix(diagnostic: Diagnostic) -> Diagnostic:
    """The diagnostic in a file that cannot be written back, since some of its bytes or characters are no text."""
    return replace(diagnostic, fix=None, refusal=NO_TEXT) if diagnostic.fix else diagnostic


def _dedupe(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics in their order, one for each mistake: a wrong text that aliases reach twice is wrong once."""
    first: dict[tuple[str, Range, str], Diagnostic] = {}
    for diagnostic in sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key):
        first.setdefault((diagnostic.rule, diagnostic.range, diagnostic.message), diagnostic)
    return list(first.values())
