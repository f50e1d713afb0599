"""The judgement of one condition: the engine's verdict, and what it leaves out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from trialrun.values.cel.autocorrect import Corrections
from trialrun.values.cel.canonical import canonical
from trialrun.values.cel.check import Check
from trialrun.values.cel.checked_types import types_by_place
from trialrun.values.cel.constant_folding import constant, failing_part
from trialrun.values.cel.engine_issues import Issue, is_limit, read_issues
from trialrun.values.cel.environment import DEEPEST, LONGEST, environment
from trialrun.values.cel.error_messages import problems_of
from trialrun.values.cel.extensions import ALL_EXTENSIONS
from trialrun.values.cel.literals import literal_problems
from trialrun.values.cel.optional_reads import optional_reads
from trialrun.values.cel.parse import parse
from trialrun.values.cel.placeholders import placeholders
from trialrun.values.cel.syntax_tree import Node, walk
from trialrun.values.cel.tokens import surrogate_problems
from trialrun.values.cel.type_schema import Schema
from trialrun.values.problem import Problem

# more than this of one text help nobody, and a text of nothing else would fill the memory
_MOST = 100


def judged(
    text: str, schema: Schema, result: str, extensions: frozenset[str] = ALL_EXTENSIONS, *, corrected: bool = False
) -> Check:
    """Judge a condition; `corrected` is one whose slips were put right, which is not corrected again.

    Of functions only those of the standard library and of `extensions` are proposed.
    """
    if len(text) > LONGEST:
        return Check((_unchecked(text, f"is longer than the {LONGEST} characters that are checked; shorten it"),))
    try:
        text.encode()
    except UnicodeEncodeError:
        return Check(_ordered({*parse(text).problems, *surrogate_problems(text)}))
    if unfilled := placeholders(text):
        return _unfilled(text, unfilled, schema, result, extensions)
    try:
        serialized = environment(schema).checked(text)
    except RuntimeError as refusal:
        found = _refused(text, str(refusal), schema, extensions)
        beyond = () if corrected or found.tree else _beyond(text, found.problems, schema, result, extensions)
        return replace(found, problems=_ordered([*found.problems, *beyond]))
    return _accepted(text, serialized, schema, result)


def _unfilled(text: str, unfilled: Sequence[Problem], schema: Schema, result: str, extensions: frozenset[str]) -> Check:
    """What is wrong with a text that has placeholders, besides these."""
    filled = Corrections.of(text, unfilled)
    found = judged(filled.text, schema, result, extensions, corrected=True) if filled else Check(())
    beside = (filled.back(problem) for problem in found.problems) if filled else ()
    return Check(_ordered([*unfilled, *filter(None, beside)]))


def _unchecked(text: str, why: str) -> Problem:
    return Problem("unchecked", 0, len(text), f"the condition {why}")


def _accepted(text: str, serialized: bytes, schema: Schema, result: str) -> Check:
    read = parse(text, types_by_place(serialized))
    if read.tree is None or read.problems:
        # the engine is the judge: what it takes is right, even where our reading of the text stumbles
        return Check(())
    tree = read.tree
    problems = _ordered([*_result(tree, result), *literal_problems(tree, text, schema), *_made(tree, text, schema)])
    failing = None if problems else failing_part(tree, text, schema)
    return Check(
        problems,
        tree,
        tree.type,
        None if problems else constant(tree, text, schema),
        canonical(tree),
        optional_reads(tree, text, schema),
        failing=(failing.start, failing.end) if failing else None,
    )


def _result(tree: Node, result: str) -> Iterable[Problem]:
    wanted = (result, "dyn", f"{result}?")
    if result != "dyn" and tree.type not in wanted:
        advice = "compare it with something" if result == "bool" else f"make it {result}"
        yield Problem("type", tree.start, tree.end, f"the condition gives {tree.type}, not {result}; {advice}")


def _made(tree: Node, text: str, schema: Schema) -> Iterable[Problem]:
    """Types of the schema are told to the engine under a package of our own, and cannot be made in a condition."""
    for node in walk(tree) if "{" in text else ():
        if node.kind == "message" and node.type in schema.types:
            message = f"{node.type} cannot be made in a condition; compare its fields one by one"
            yield Problem("type", node.name_start, node.name_end, message)


def _refused(text: str, refusal: str, schema: Schema, extensions: frozenset[str]) -> Check:
    if is_limit(refusal):
        return Check((_unchecked(text, f"nests deeper than the {DEEPEST} levels that are checked; split it up"),))
    read, issues = parse(text), read_issues(text, refusal)
    if read.problems:
        return Check(_ordered(read.problems))
    if read.tree is None or not issues or any(_is_syntax(each) for each in issues):
        return Check((_engine_syntax(text, issues),))
    problems = [*problems_of(text, read.tree, issues, schema, extensions), *literal_problems(read.tree, text, schema)]
    return Check(_ordered(problems or [_engine_syntax(text, issues)]), read.tree, key=canonical(read.tree))


def _beyond(
    text: str, slips: Sequence[Problem], schema: Schema, result: str, extensions: frozenset[str]
) -> Iterable[Problem]:
    """What else is wrong once the slips are put right, so that one does not hide the rest.

    Where a slip could be put right in other ways too, as a bracket that nothing closes, only what has one clear
    correction itself is told: types could follow from the wrong guess.
    """
    corrections = Corrections.of(text, slips)
    if corrections is None or corrections.text == text:
        return
    is_guess = any(each.replacement is None for each in slips)
    found = judged(corrections.text, schema, result, extensions, corrected=True)
    for problem in found.problems if found.tree else ():
        told = corrections.back(problem)
        if told is not None and (told.replacement is not None or not is_guess):
            yield told


def _is_syntax(issue: Issue) -> bool:
    return issue.message.startswith(("Syntax error", "reserved", "invalid", "Invalid", "unsupported"))


def _engine_syntax(text: str, issues: list[Issue]) -> Problem:
    """A refusal that our own reading has no words for, in the engine's."""
    if not issues:
        return _unchecked(text, "is refused by the engine without a place; rewrite it")
    issue = next((each for each in issues if each.place >= 0), issues[0])
    start = max(issue.place, 0)
    words = issue.message.removeprefix("Syntax error: ").split(" expecting ")[0][:100]
    return Problem("syntax", start, min(start + 1, len(text)), f"{words}; rewrite it from here")


def _ordered(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(set(problems), key=lambda each: (each.start, each.end, each.code, each.message))[:_MOST])
