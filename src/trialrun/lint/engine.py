"""Lints one file: parses it, validates each document, runs the rules and locates the findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

from trialrun.diagnostic import Diagnostic, NotChecked, Path, Range, SymbolicLocation
from trialrun.lint import positions
from trialrun.lint.diagnostic_sink import DiagnosticSink
from trialrun.lint.file_result import ALWAYS_REPORTED, FileResult
from trialrun.lint.policy import is_policy
from trialrun.lint.positions import RangeIndex
from trialrun.lint.rule import Context, SessionTypes
from trialrun.lint.selection import Selection
from trialrun.lint.visitor import MASKING_PARSE_ERRORS, ResourceVisitor, VisitPlan, is_under
from trialrun.model.kinds import KINDS, RESOURCES, find_message, is_recognizable, model_of
from trialrun.model.validate import validate
from trialrun.model.wrapper import Candidate, Wrapper, candidates
from trialrun.parser import Document, ParsedFile, ParseError, parse
from trialrun.parser.parse_error import TEMPLATE_LINE
from trialrun.terraform import is_terraform_path

if TYPE_CHECKING:
    from trialrun.lint.rule import CheckCondition
    from trialrun.model.node import Node
    from trialrun.values.cel import CheckResult, Schema


ANY_CONDITION = "true"
ESCAPE_MARKS = ("\\u", "\\U", "\\x")
"""Without these, an ASCII text has no characters outside of ASCII even after unescaping."""
SUPPRESSION_MARKS = ("rialrun", "TRIALRUN")
"""A text without these substrings has no suppressions."""
PARSER_RULES = ("encoding-error", "syntax-error", "tagged-value", "duplicate-key", "resource-limit")
"""Rules whose findings come from the parser, and do not depend on the content."""

WRONG_VALUE_RULES = ("out-of-range", "invalid-timestamp")
"""Rules about a value that has to change, so that it does not matter how it is spelled."""

ABSENCE_RULES = {
    "embeddingColumn": "missing-embedding-column",
    **dict.fromkeys(("greetingOffer", "closingOffer", "celUpsell"), "missing-union-member"),
    **dict.fromkeys(("files", "database", "table"), "invalid-source-place"),
}
"""By field, the rule whose error about its absence says more than `null-value` about a null."""

MAX_UNKNOWN_NAMES = 4
"""The most names of arguments that are listed of what only Terraform knows."""

DOCUMENT_MARKER = re.compile(r"^(?:---|\.\.\.)(?=[ \t\r\n]|\Z)", re.MULTILINE)
ODD_LINE_BELOW = r"[ \t]*+:(?>(?:[ \t]*+(?:#[^\r\n]*+)?(?:\r\n?|\n))+)[ \t]*+[^\S \t\r\n]"
"""From the end of a key: no value, and then a line that begins with a space that is none to YAML."""
NO_TEXT = "the file has invalid bytes or characters; fix these first"
"""Reason why nothing is fixed in a file with invalid bytes: they could not be written back."""


class UnknownKind(NamedTuple):
    """The subject of `unknown-kind`: a document without a known kind, or with a misspelt one."""

    kind: str | None
    near: str | None
    location: SymbolicLocation


class ResourceTexts(NamedTuple):
    """The subject of `deceptive-text`: the decoded texts of a resource."""

    value: Any
    path: Path


def _may_deceive(text: str) -> bool:
    from trialrun.values.deceptive import may_deceive

    return may_deceive(text)


def check_condition(text: str, schema: Schema, extensions: frozenset[str]) -> CheckResult:
    """Check a condition without a cache."""
    from trialrun.values import cel

    return cel.check_expression(text, schema=schema, extensions=extensions)


class Linter:
    """Lints files with one selection of rules, for one day, with one source of session types.

    `check_cancelled` is called between steps, and may raise to end the work. Fixes are computed only if `with_fixes` is
    set. `check_condition` may know conditions of earlier runs.
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
        check_condition: CheckCondition = check_condition,
    ) -> None:
        self.selection = selection
        self._day = now.replace(hour=0, minute=0, second=0, microsecond=0)
        self.session_types = session_types
        self._check_condition = check_condition
        self._kind_by_path = kind_by_path
        self._policy_path = policy_path
        self.check_cancelled = check_cancelled
        self._with_fixes = with_fixes
        self._dispatch: dict[str, VisitPlan] = {}

    def lint(self, data: bytes, path: str, *, is_explicit: bool = False) -> FileResult:
        """The diagnostics and facts of one file; `is_explicit` means that the user named the file."""
        parsed, result = parse(data, path), FileResult(path)
        file = _FileLinter(self, self._new_sink(parsed, result), is_explicit)
        by_path = self._kind_by_path(path)
        for document in parsed.documents:
            for candidate in candidates(document.value, by_path=by_path):
                if isinstance(candidate, Wrapper):
                    file.lint_wrapper(document, candidate)
                else:
                    file.lint_resource(document, candidate)
        if is_terraform_path(path):
            result.not_checked = unknown_values(parsed)
        return file.finish()

    def lint_message(self, data: bytes, path: str, part: str) -> FileResult:
        """The diagnostics of a file in which every document is a part of a resource, such as an UpsellStrategy."""
        kind, model = find_message(part)
        parsed, result = parse(data, path), FileResult(path)
        file = _FileLinter(self, self._new_sink(parsed, result), named=False)
        for document in parsed.documents:
            file.lint_model(document, (), document.value, kind, model)
        return file.finish()

    def _new_sink(self, parsed: ParsedFile, result: FileResult) -> DiagnosticSink:
        path = self._policy_path(result.path) if self.selection.policies.all else ""
        return DiagnosticSink(self.selection, parsed, result, path, with_fixes=self._with_fixes)

    def warm_up(self, schema: Schema | None) -> None:
        """Import and build what files need before workers are forked; `schema` is that of their CEL conditions."""
        for kind in RESOURCES if not self.selection.policies.all else KINDS:
            model = model_of(kind)
            self.visit_plan(kind).node_plan(model)
            validate({}, model)
        if schema is not None:
            check_condition(ANY_CONDITION, schema, self.extensions)

    @property
    def extensions(self) -> frozenset[str]:
        """The extension libraries of CEL that conditions may use."""
        from trialrun.lint.rule_support.cel_conditions import enabled_extensions

        return enabled_extensions(self.selection.option_values)

    def visit_plan(self, kind: str) -> VisitPlan:
        """The checks for one kind of document."""
        plan = self._dispatch.get(kind)
        if plan is None:
            plan = self._dispatch[kind] = VisitPlan(kind, self.selection, self._day)
        return plan

    def context(self, node: Node) -> Context:
        """The context that checks of one resource receive."""
        return Context(self._day, node, self.session_types, self._check_condition)


def unknown_values(parsed: ParsedFile) -> list[NotChecked]:
    """What of a file only Terraform knows, in one line."""
    unknown = {(document.full_span.start, name): name for document in parsed.documents for name in document.unknown}
    if not unknown:
        return []
    names = list(dict.fromkeys(unknown.values()))
    listed = ", ".join([*names[:MAX_UNKNOWN_NAMES], *(["…"] if len(names) > MAX_UNKNOWN_NAMES else [])])
    count = "1 value" if len(unknown) == 1 else f"{len(unknown):,} values"
    return [NotChecked(parsed.source.path, f"{count} ({listed})", "known to Terraform alone; check a plan for them")]


class _FileLinter:
    """Lints one file, document by document."""

    def __init__(self, linter: Linter, collector: DiagnosticSink, named: bool) -> None:
        self._linter = linter
        self._collector = collector
        self._named = named
        self._unread: dict[int, list[int]] = {}
        self._silenced: dict[int, set[Path]] = {}
        for parse_error in collector.parsed.errors:
            if parse_error.rule in ("syntax-error", "resource-limit"):
                lines = positions.range_of(collector.parsed.source, parse_error.unread or parse_error.span)
                self._unread.setdefault(parse_error.document, []).extend(range(lines.start.line, lines.end.line + 1))
            if parse_error.rule in MASKING_PARSE_ERRORS and parse_error.path is not None:
                self._silenced.setdefault(parse_error.document, set()).add(parse_error.path)
        for unread in self._unread.values():
            unread.sort()
        text = collector.parsed.source.text
        has_escapes = "\\" in text and any(escape in text for escape in ESCAPE_MARKS)
        self._may_deceive = (has_escapes or not text.isascii()) and _may_deceive(text)
        self._refused: dict[int, set[Path]] = {}
        self._policies: set[int] = set()
        self._resources: dict[int, set[Path]] = {}
        self._recognized: dict[int, bool] = {}
        self._scenarios: dict[int, set[Path]] = {}

    @property
    def _parsed(self) -> ParsedFile:
        return self._collector.parsed

    def lint_wrapper(self, document: Document, wrapper: Wrapper) -> None:
        """Report a wrapper, and a misspelt kind inside it."""
        self._collector.run_named_rule("unknown-kind", wrapper, document)
        if wrapper.kind_text and wrapper.kind and wrapper.kind_text != wrapper.kind:
            self._report_unknown_kind(document, wrapper.path[:-1], wrapper.kind_text, wrapper.kind)

    def lint_resource(self, document: Document, candidate: Candidate) -> None:
        """Lint a value of a document if its kind is known, otherwise report it."""
        root, value, kind = candidate.path, candidate.value, candidate.kind
        if is_policy(value):
            self._policies.add(document.index)
            return
        kind_text = value.get("kind") if isinstance(value, dict) else None
        if not isinstance(kind_text, str):
            kind_text = None
        if kind is None or (kind_text and kind_text != kind):
            self._report_unknown_kind(document, root, kind_text, kind)
        if kind is None:
            return
        if kind_text and kind_text != kind:
            value = {key: entry for key, entry in value.items() if key != "kind"}
        self._collector.file_result.documents += 1
        if kind == "Scenario":
            self._scenarios.setdefault(document.index, set()).add(root)
        self.lint_model(document, root, value, kind, model_of(kind))

    def lint_model(self, document: Document, root: Path, value: Any, kind: str, model: type[Node]) -> None:
        """Validate a value as a model, and run the rules on it."""
        self._resources.setdefault(document.index, set()).add(root)
        validated = validate(value, model, root=root, correct_typos=True)
        name = document.address or (value.get("name") if isinstance(value, dict) else None)
        resource = ResourceVisitor(
            self._collector,
            document,
            name if isinstance(name, str) else "",
            validated,
            self._unread.get(document.index, ()),
            self._silenced.get(document.index, ()),
        )
        if self._may_deceive:
            self._collector.run_named_rule(
                "deceptive-text", ResourceTexts(value, root), document, resource=resource.name
            )
        if refused := resource.report_misfits():
            self._refused.setdefault(document.index, set()).update(refused)
        context = self._linter.context(validated.node)
        resource.visit(self._linter.visit_plan(kind), context, self._linter.check_cancelled)
        self._collector.file_result.uses_session |= context.uses_session
        self._collector.file_result.uses_date |= context.uses_date

    def finish(self) -> FileResult:
        """Report parse errors in our documents, except for those that a misfit at the same place makes redundant."""
        documents = {document.index: document for document in self._parsed.documents}
        for parse_error in self._own_errors(documents):
            if parse_error.document in self._policies:
                continue
            refused = self._refused.get(parse_error.document, ())
            is_style_finding = parse_error.rule == "ambiguous-scalar" and parse_error.path is not None
            if not (
                is_style_finding
                and (is_under(parse_error.path or (), refused) or self._is_time_of_scenario(parse_error))
            ):
                self._collector.run_named_rule(parse_error.rule, parse_error, documents.get(parse_error.document))
        if self._collector.file_result.diagnostics:  # skipped for most files, which have no diagnostics
            self._settle_diagnostics()
        is_checked = self._collector.file_result.documents or self._collector.file_result.diagnostics
        if is_checked and any(mark in self._parsed.source.text for mark in SUPPRESSION_MARKS):
            self._collect_suppressions()
        return self._collector.file_result

    def _own_errors(self, documents: Mapping[int, Document]) -> list[ParseError]:
        """The parse errors in documents of ours: what other programs write is theirs.

        Of a named file without any, what keeps it from being read at all is reported as well.
        """
        if is_terraform_path(self._parsed.source.path):  # the parser leaves out what is not about ours
            return self._parsed.errors
        own = [error for error in self._parsed.errors if self._is_own(error, documents)]
        if own or self._resources or not self._named or self._parsed.source.path.lower().endswith(".json"):
            return own
        unread = [error for error in self._parsed.errors if error.rule in ALWAYS_REPORTED]
        return [] if unread and TEMPLATE_LINE.search(self._parsed.source.text) else unread

    def _is_own(self, error: ParseError, documents: Mapping[int, Document]) -> bool:
        document = documents.get(error.document)
        if error.rule == "encoding-error":  # it is found before the documents are
            document = self._parsed.document_at(error.span.start)
        if document is None or not _has_content(document):
            return self._is_recognizable_at(error.span.start) or self._continues_own(error.span.start)
        roots = self._resources.get(document.index, ())
        if error.path is None:
            return bool(roots) or (document.source_slice.is_json and bool(self._resources))
        return any(error.path[: len(root)] == root[: len(error.path)] for root in roots)

    def _is_recognizable_at(self, offset: int) -> bool:
        """Whether a document of ours is around an offset, between the documents that could be read."""
        text = self._parsed.source.text
        read = [document.full_span for document in self._parsed.documents if _has_content(document)]
        start = max((span.end for span in read if span.end <= offset), default=0)
        if start not in self._recognized:
            end = min((span.start for span in read if span.start > offset), default=len(text))
            self._recognized[start] = not TEMPLATE_LINE.search(text[start:end]) and is_recognizable(text[start:end])
        return self._recognized[start]

    def _continues_own(self, offset: int) -> bool:
        """Whether what could not be read at an offset follows a document of ours without a marker between them."""
        before = [document for document in self._parsed.documents if document.full_span.end <= offset]
        if not before or not self._resources.get(before[-1].index):
            return False
        return DOCUMENT_MARKER.search(self._parsed.source.text, before[-1].full_span.end, offset) is None

    def _settle_diagnostics(self) -> None:
        """Remove duplicate diagnostics, and those about a text that could not be read or a value that is reported."""
        guessed_ranges = RangeIndex(
            self._ranges(parse_error for parse_error in self._parsed.errors if parse_error.guessed)
        )
        invalid_ranges = RangeIndex(
            self._ranges(parse_error for parse_error in self._parsed.errors if parse_error.rule == "encoding-error")
        )
        diagnostics = self._collector.file_result.diagnostics
        places = {(found.rule, place) for found in diagnostics for place in (found.pointer, _parent(found.pointer))}
        odd_lines = {found.range.start.line for found in diagnostics if _is_indented_oddly(found)}
        wrong_values = {diagnostic.range for diagnostic in diagnostics if diagnostic.rule in WRONG_VALUE_RULES}
        diagnostics = _dedupe(
            diagnostic
            for diagnostic in diagnostics
            if not _concerns_unread_text(diagnostic, guessed_ranges, invalid_ranges)
            and not (diagnostic.rule == "ambiguous-scalar" and diagnostic.range in wrong_values)
            and not (diagnostic.rule == "null-value" and _absence(diagnostic.pointer) in places)
            and not (diagnostic.rule == "null-value" and self._odd_line_below(diagnostic.range) in odd_lines)
        )
        if invalid_ranges:  # the file cannot be written back
            diagnostics = [one._replace(fix=None, refusal=NO_TEXT) if one.fix else one for one in diagnostics]
        self._collector.file_result.diagnostics = diagnostics

    def _odd_line_below(self, key: Range) -> int | None:
        """The line below a key without a value, if it begins with a space that is none to YAML."""
        source = self._parsed.source
        below = re.compile(ODD_LINE_BELOW).match(source.text, source.offset(key.end))
        return source.position(below.end()).line if below else None

    def _is_time_of_scenario(self, parse_error: ParseError) -> bool:
        """Whether a plain scalar is a time in a scenario: quotes are only needed for other YAML readers."""
        if not is_under(parse_error.path or (), self._scenarios.get(parse_error.document, ())):
            return False
        from trialrun.values.timestamp import check as problems

        return not problems(self._parsed.source.text[parse_error.span.start : parse_error.span.end])

    def _collect_suppressions(self) -> None:
        from trialrun.lint.suppression.collect import collect_suppressions

        try:
            self._collector.file_result.suppressions = collect_suppressions(self._parsed)
        except Exception as error:  # noqa: BLE001 - a fault in reading comments must not hide the findings
            self._collector.add_internal_error("unused-suppression", error)

    def _ranges(self, parse_errors: Iterable[ParseError]) -> list[Range]:
        return [positions.range_of(self._parsed.source, parse_error.span) for parse_error in parse_errors]

    def _report_unknown_kind(self, document: Document, root: Path, kind_text: str | None, near: str | None) -> None:
        is_empty_among_others = document.value is None and not root and len(self._parsed.documents) > 1
        if near is None and (not self._named or document.index in self._unread or is_empty_among_others):
            return
        unknown_kind = UnknownKind(kind_text, near, SymbolicLocation(None, (*root, "kind") if kind_text else root))
        self._collector.run_named_rule("unknown-kind", unknown_kind, document)


def _concerns_unread_text(diagnostic: Diagnostic, guessed: RangeIndex, invalid: RangeIndex) -> bool:
    """Whether a diagnostic is about a text that could not be read, or contains invalid bytes."""
    if diagnostic.rule in PARSER_RULES:
        return diagnostic.rule == "syntax-error" and invalid.any_encloses(diagnostic.range)
    return guessed.any_encloses(diagnostic.range) or invalid.any_within(diagnostic.range)


def _is_indented_oddly(diagnostic: Diagnostic) -> bool:
    """Whether a diagnostic is about a key behind a space that is none to YAML, and no field here without it."""
    is_odd = diagnostic.rule == "unknown-field" and diagnostic.pointer.rpartition("/")[2][:1].isspace()
    return is_odd and diagnostic.fix is None


def _absence(pointer: str) -> tuple[str | None, str]:
    """The rule that reports the absence of a field as an error, and the message that lacks it."""
    return ABSENCE_RULES.get(pointer.rpartition("/")[2]), _parent(pointer)


def _parent(pointer: str) -> str:
    return pointer.rpartition("/")[0]


def _dedupe(diagnostics: Iterable[Diagnostic]) -> list[Diagnostic]:
    """The diagnostics in order without duplicates: a value that aliases repeat is reported once."""
    first: dict[tuple[str, Range, str], Diagnostic] = {}
    for diagnostic in sorted(diagnostics, key=lambda diagnostic: diagnostic.sort_key):
        first.setdefault((diagnostic.rule, diagnostic.range, diagnostic.message), diagnostic)
    return list(first.values())


def _has_content(document: Document) -> bool:
    """Whether a document is a mapping or a list, of which repairs have left something."""
    value = document.value
    return any(entry is not None for entry in value.values()) if isinstance(value, dict) else isinstance(value, list)
