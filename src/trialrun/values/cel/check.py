"""Checks a CEL expression with the engine, and adds checks that the engine lacks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from trialrun.values import Problem
from trialrun.values.cel.builtins import ALL_EXTENSIONS, extension_uses
from trialrun.values.cel.constant_folding import constant_value, failing_part, portability_problems
from trialrun.values.cel.environment import MAX_DEPTH, MAX_LENGTH, environment, types_by_offset
from trialrun.values.cel.error_messages import Issue, is_limit, parse_issues, problems_of
from trialrun.values.cel.field_presence import optional_reads
from trialrun.values.cel.literals import literal_problems
from trialrun.values.cel.syntax_tree import Node, canonical_form, walk
from trialrun.values.cel.tokens import surrogate_problems, tokenize
from trialrun.values.cel.type_schema import DEFAULT_SCHEMA, Schema


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of checking a condition.

    `problems` are in text order; their codes are syntax, type, undeclared, enum, placeholder and unchecked. `tree` is
    None if the text does not parse or is unchecked, and has types if it is valid; it is not cached between runs. `type`
    is the type of the whole.
    `constant` is the value if it is always the same. `key` is equal for equivalent conditions. `optional_reads` are
    fields that may be absent and are read without has() or `in`; `extension_uses` are uses of disabled extension
    libraries, with the library as code; `portability` is what other engines refuse or answer differently. `failing` is
    the range of a part that fails in every session, so that the condition is never true.
    """

    problems: tuple[Problem, ...]
    tree: Node | None = None
    type: str | None = None
    constant: bool | None = None
    key: str | None = None
    optional_reads: tuple[Problem, ...] = ()
    extension_uses: tuple[Problem, ...] = ()
    failing: tuple[int, int] | None = None
    portability: tuple[Problem, ...] = ()

    @property
    def is_noteworthy(self) -> bool:
        """Whether there is anything to say about the condition; nothing in most."""
        listed = self.problems or self.optional_reads or self.extension_uses or self.portability
        return bool(listed) or self.constant is not None or self.failing is not None


_SYNTAX = ("Syntax error", "reserved", "invalid", "Invalid", "unsupported")
"""How messages of the engine about the syntax begin."""
# more problems of one text help nobody, and could fill the memory
_MAX_PROBLEMS = 100


def check_with_engine(
    text: str, schema: Schema, result: str, extensions: frozenset[str] = ALL_EXTENSIONS, *, corrected: bool = False
) -> CheckResult:
    """Check a condition; `corrected` marks a text whose slips were corrected, which is not corrected again.

    Only functions of the standard library and of `extensions` are suggested.
    """
    if len(text) > MAX_LENGTH:
        return _unchecked(text, f"is longer than the {MAX_LENGTH} characters that are checked; shorten it")
    try:
        text.encode()
    except UnicodeEncodeError:
        from trialrun.values.cel.parse import parse

        return CheckResult(_sort_problems({*parse(text).problems, *surrogate_problems(text)}))
    if unfilled := placeholders(text):
        filled = CorrectedText.apply(text, unfilled)
        if filled is None:
            return CheckResult(_sort_problems(unfilled))
        beside = check_with_engine(filled.text, schema, result, extensions, corrected=True).problems
        return CheckResult(_sort_problems([*unfilled, *filter(None, map(filled.to_original, beside))]))
    try:
        types = _types_of_operands(text, schema) if result == "bool" else None
        types = types_by_offset(environment(schema).compile(text)) if types is None else types
    except RuntimeError as refusal:
        rejected = _rejected_result(text, str(refusal), schema, extensions)
        if corrected or rejected.tree:
            return rejected
        hidden = _hidden_problems(text, rejected.problems, schema, result, extensions)
        return replace(rejected, problems=_sort_problems([*rejected.problems, *hidden]))
    return _accepted_result(text, types, schema, result)


def _unchecked(text: str, why: str) -> CheckResult:
    return CheckResult((Problem("unchecked", 0, len(text), f"the condition {why}"),))


_SPLIT = re.compile(r"""([?`\\]|//|"{3}|'{3})|("[^"\\]*"|'[^'\\]*')|([(\[{])|([)\]}])|&&|\|\|""")
"""Signs that are taken whole, texts, opening and closing brackets, and what is between operands."""
_SPACE = " \t\r\n"
_LEVEL = re.compile(r"[\[({.,!+*/%<>=&|-]|\bin\b")
_MAX_LENGTH, _MAX_OPERANDS, _MAX_LEVELS = 1000, 16, 16
"""What is taken operand by operand. The engine refuses more than 32 levels in the whole: 16 operands have up to 7 above
them, since it balances `&&` and `||`, and a macro makes up to 4 levels of 3 of the signs that are counted."""


def _types_of_operands(text: str, schema: Schema) -> dict[int, str] | None:
    """The types of the parts of a text, operand by operand of `&&` and `||`; None where the engine takes it whole.

    Conditions of a brand have operands in common, which the engine then compiles once: what is around an operand asks
    nothing of it but to be a bool.
    """
    if len(text) > _MAX_LENGTH:
        return None
    depth, ends = 0, []
    for match in _SPLIT.finditer(text):
        depth += bool(match[3]) - bool(match[4])
        if match[1] or depth < 0:
            return None
        if not depth and not any(match.groups()):
            ends.append(match.span())
    if not 0 < len(ends) < _MAX_OPERANDS:
        return None
    types = dict.fromkeys((end for end, _ in ends), "bool")
    for start, end in zip((0, *(after for _, after in ends)), (*(end for end, _ in ends), len(text)), strict=True):
        operand = _operand_types(text[start:end].strip(_SPACE), schema)
        if operand is None:
            return None
        start += len(text[start:end]) - len(text[start:end].lstrip(_SPACE))
        types |= {start + offset: type_ for offset, type_ in operand.items()}
    return types


@lru_cache(maxsize=2048)
def _operand_types(text: str, schema: Schema) -> dict[int, str] | None:
    """The types of the parts of an operand of `&&` or `||`; None if the engine refuses it as one."""
    if len(_LEVEL.findall(text)) > _MAX_LEVELS:
        return None
    try:
        types = types_by_offset(environment(schema).compile(f"{text} && true"))
    except RuntimeError:
        return None
    return {offset: type_ for offset, type_ in types.items() if offset < len(text)}


def _accepted_result(text: str, types: dict[int, str], schema: Schema, result: str) -> CheckResult:
    from trialrun.values.cel.parse import parse

    read = parse(text, types)
    if read.tree is None or read.problems:
        # the engine decides: what it accepts is valid, even if our parser does not understand it
        return CheckResult(())
    tree = read.tree
    nodes = list(walk(tree))
    found = [*_accepted_problems(tree, nodes, text, schema, result), *literal_problems(nodes, text, schema)]
    problems = _sort_problems(found)
    failing = None if problems else failing_part(tree, text, schema)
    return CheckResult(
        problems,
        tree,
        tree.type,
        None if problems else constant_value(tree, text, schema),
        canonical_form(tree),
        optional_reads(tree, nodes, text, schema),
        failing=(failing.start, failing.end) if failing else None,
        portability=_sort_problems(portability_problems(nodes, text)),
    )


def _accepted_problems(tree: Node, nodes: Sequence[Node], text: str, schema: Schema, result: str) -> Iterator[Problem]:
    """What is wrong with a condition that the engine accepts: its type, and messages that it constructs."""
    accepted_types = (result, "dyn", f"{result}?")
    if result != "dyn" and tree.type not in accepted_types:
        advice = "compare it with something" if result == "bool" else f"make it {result}"
        yield Problem("type", tree.start, tree.end, f"the condition gives {tree.type}, not {result}; {advice}")
    # the engine knows types of the schema under a package of ours, so conditions cannot construct them
    for node in nodes if "{" in text else ():
        if node.kind == "message" and node.type in schema.types:
            message = f"{node.type} cannot be constructed in a condition; compare its fields one by one"
            yield Problem("type", node.name_start, node.name_end, message)


def _rejected_result(text: str, refusal: str, schema: Schema, extensions: frozenset[str]) -> CheckResult:
    from trialrun.values.cel.parse import parse

    if is_limit(refusal):
        return _unchecked(text, f"nests deeper than the {MAX_DEPTH} levels that are checked; split it up")
    read, issues = parse(text), parse_issues(text, refusal)
    if read.problems:
        return CheckResult(_sort_problems(read.problems))
    if not issues:
        return _unchecked(text, "is refused by the engine; rewrite it")
    if read.tree is None or any(issue.message.startswith(_SYNTAX) for issue in issues):
        return CheckResult((_engine_syntax_problem(text, issues),))
    wrong_literals = literal_problems(list(walk(read.tree)), text, schema)
    problems = [*problems_of(text, read.tree, issues, schema, extensions), *wrong_literals]
    return CheckResult(
        _sort_problems(problems or [_engine_syntax_problem(text, issues)]), read.tree, key=canonical_form(read.tree)
    )


def _hidden_problems(
    text: str, slips: Sequence[Problem], schema: Schema, result: str, extensions: frozenset[str]
) -> Iterable[Problem]:
    """Further problems once slips are corrected, so that one does not hide the others.

    If a slip has several possible corrections, such as an unclosed bracket, only problems with a clear correction of
    their own are reported: types could follow from the wrong guess.
    """
    corrections = CorrectedText.apply(text, slips)
    if corrections is None or corrections.text == text:
        return
    is_guess = any(slip.replacement is None for slip in slips)
    corrected_result = check_with_engine(corrections.text, schema, result, extensions, corrected=True)
    for problem in corrected_result.problems if corrected_result.tree else ():
        original_problem = corrections.to_original(problem)
        if original_problem is not None and (original_problem.replacement is not None or not is_guess):
            yield original_problem


def _engine_syntax_problem(text: str, issues: list[Issue]) -> Problem:
    """The engine's message for a syntax error that our parser does not describe."""
    issue = next((candidate for candidate in issues if candidate.offset >= 0), issues[0])
    start = max(issue.offset, 0)
    words = issue.message.removeprefix("Syntax error: ").split(" expecting ")[0][:100]
    return Problem("syntax", start, min(start + 1, len(text)), f"{words}; rewrite it from here")


def _sort_problems(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    if not (problems := list(problems)):
        return ()
    ordered = sorted(set(problems), key=lambda each: (each.start, each.end, each.code, each.message))
    return tuple(ordered[:_MAX_PROBLEMS])


_COMPARISONS = ("==", "!=", "<=", ">=")


@dataclass(frozen=True, slots=True)
class CorrectedText:
    """A corrected text; `edits` are (start, end, replacement) in the original text, in order."""

    text: str
    edits: tuple[tuple[int, int, str], ...]

    @classmethod
    def apply(cls, text: str, problems: Sequence[Problem]) -> CorrectedText | None:
        """The text with every problem corrected; None if none can be, or corrections overlap."""
        edits = []
        for problem in problems:
            if problem.assumed_text is not None:
                edits.append(problem.assumed_text)
            elif problem.replacement is not None:
                edits.append((problem.start, problem.end, problem.replacement))
        edits.sort()
        pieces, place = [], 0
        for start, end, right in edits:
            if start < place:
                return None
            pieces += [text[place:start], right]
            place = end
        return cls("".join([*pieces, text[place:]]), tuple(edits)) if len(edits) == len(problems) else None

    def to_original(self, problem: Problem) -> Problem | None:
        """The problem at its position in the original text; None if it is about a correction itself."""
        start, starts_inside = self._original_offset(problem.start)
        end, ends_inside = self._original_offset(problem.end, closing=True)
        # a misspelt comparison, whose operands may have further problems
        is_comparison = any((start, end) == edit[:2] and edit[2] in _COMPARISONS for edit in self.edits)
        if starts_inside and ends_inside and not is_comparison:
            return None
        return replace(problem, start=start, end=max(start, end))

    def _original_offset(self, place: int, *, closing: bool = False) -> tuple[int, bool]:
        shift = 0
        for start, end, replacement in self.edits:
            begins = start + shift
            if place < begins or (closing and place == begins):
                break
            if place < begins + len(replacement) or (closing and place == begins + len(replacement)):
                return (end if closing else start), True
            shift += len(replacement) - (end - start)
        return place - shift, False


_PLACEHOLDER = re.compile(r"\$\{[^{}]*\}|\{\{[^{}]*\}\}|\$\([A-Za-z_]\w*\)|\{\s*[A-Za-z_][\w.-]*\s*\}")


_ASSUMED_VALUE = "dyn(0)"


def placeholders(text: str) -> tuple[Problem, ...]:
    """The placeholders of a condition outside of its strings, with substitutes so that the rest can be checked."""
    if "{" not in text and "$(" not in text:
        return ()
    strings = [(token.start, token.end) for token in tokenize(text, []) if token.kind == "string"]
    problems = []
    for match in _PLACEHOLDER.finditer(text):
        start, end = match.span()
        is_message = start > 0 and (text[start - 1].isalnum() or text[start - 1] in "_.")
        if not is_message and not any(first < end and start < last for first, last in strings):
            message = f"{match[0]} is a placeholder; fill it in"
            problems.append(Problem("placeholder", start, end, message, assumed_text=(start, end, _ASSUMED_VALUE)))
    return tuple(problems)


@lru_cache(maxsize=8192)  # a file of 30,000 lines has half as many: with fewer, an edit would check all of them again
def check_expression(
    text: str, *, schema: Schema = DEFAULT_SCHEMA, result: str = "bool", extensions: frozenset[str] = ALL_EXTENSIONS
) -> CheckResult:
    """Check a CEL condition against a schema; never raises because of the text.

    `result` is the required type of the whole; "dyn" allows any. `extensions` are the enabled extension libraries: no
    other functions are suggested, and uses of disabled ones are in `extension_uses`. Of very many errors, only the
    first 20 or so are reported, as by the engine.
    """
    checked = check_with_engine(text, schema, result, extensions)
    uses = extension_uses(checked.tree, extensions) if checked.tree and extensions != ALL_EXTENSIONS else ()
    return replace(checked, extension_uses=uses) if uses else checked
