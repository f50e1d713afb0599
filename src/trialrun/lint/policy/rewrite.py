"""Rewrites the calls of a policy that the engine cannot type or that need the run: `documents`, `texts`, `cron.runs`.

Before types are checked, `documents("FeatureView")` becomes the variable `documents__FeatureView__`, which is as long,
so that all errors have the characters of the file. Afterwards, `texts(x)` becomes a key of the mapping of `x`, and
`cron.runs` gets the time of the run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.policy.policy import Scope
from trialrun.lint.policy.types import documents_variable
from trialrun.model.kinds import KINDS
from trialrun.values.cel.field_presence import TEXTS_KEY, Edit, apply_edits, is_texts, presence_edits
from trialrun.values.cel.parse import parse
from trialrun.values.cel.syntax_tree import Node, bound_variables, is_macro, namespace, walk
from trialrun.values.cel.tokens import tokenize
from trialrun.values.cel.type_schema import Schema
from trialrun.values.problem import Problem
from trialrun.values.suggest import did_you_mean

NOW = "now__"
"""The variable with the time of the run that calls get; no variable of a macro may have its name."""
_VARIABLE = re.compile(r"documents__(\w+?)__(?!\w)")
_NO_DOCUMENTS = "dyn([])"


@dataclass(frozen=True, slots=True)
class DocumentCalls:
    """An expression whose calls of `documents` are variables: of the same length, with the kinds that it reads."""

    text: str
    kinds: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def rewrite_documents(text: str, scope: Scope) -> DocumentCalls:
    """The expression with variables in place of calls of `documents`; a wrong call has a problem."""
    tree = parse(text).tree if "documents" in text else None
    calls = [node for node in walk(tree) if _is_documents(node)] if tree is not None else []
    kinds: dict[str, None] = {}
    problems: list[Problem] = []
    edits: list[Edit] = []
    for call in calls:
        end = _after(text, ")", call.children[-1].end if call.children else call.name_end)
        problem, kind = _call_problem(call, scope), call.children[0].value if call.children else None
        if problem is None and isinstance(kind, str):
            kinds[kind] = None
        elif problem is not None:
            problems.append(problem)
        put = _NO_DOCUMENTS if problem else documents_variable(str(kind))
        edits.append((call.name_start, end, put.ljust(end - call.name_start)))
    return DocumentCalls(apply_edits(text, edits), tuple(kinds), tuple(problems))


def original_words(message: str) -> str:
    """A message about an expression with the calls in place of their variables."""
    return _VARIABLE.sub(r'documents("\1")', message)


def reserved_names(tree: Node) -> Iterator[Problem]:
    """Variables of macros that might hide one of ours, whose names have `__`."""
    for node in walk(tree):
        for variable in node.arguments[: len(bound_variables(node))] if is_macro(node) else ():
            if "__" in variable.name:
                message = f'"{variable.name}" may be a name of ours; write one without __'
                yield Problem("syntax", variable.start, variable.end, message)


def _is_documents(node: Node) -> bool:
    return node.kind == "call" and node.name == "documents" and not node.receiver


def _call_problem(call: Node, scope: Scope) -> Problem | None:
    """What is wrong with a call of `documents`."""
    argument = call.children[0] if call.children else call
    if scope == "document":
        message = "documents() reads other documents; add scope: workspace to the policy"
        return Problem("type", call.name_start, call.name_end, message)
    if len(call.children) != 1 or argument.kind != "literal" or not isinstance(argument.value, str):
        start, end = (argument.start, argument.end) if len(call.children) == 1 else (call.name_start, call.name_end)
        message = 'documents() takes the name of a kind in quotes, such as documents("FeatureView")'
        return Problem("type", start, end, message)
    if argument.value in KINDS:
        return None
    advice = did_you_mean(argument.value, KINDS, otherwise=f"the kinds are {', '.join(KINDS)}")
    return Problem("undeclared", argument.start, argument.end, f'there is no kind "{argument.value}"{advice}')


def _after(text: str, bracket: str, start: int) -> int:
    """The end of the first bracket from a character on."""
    return next(
        (token.end for token in tokenize(text, []) if token.text == bracket and token.start >= start), len(text)
    )


def uses_functions(tree: Node) -> bool:
    """Whether an expression calls functions that the engine does not have."""
    return any(namespace(node) in ("cron", "language", "condition") for node in walk(tree))


def is_cron_runs(node: Node) -> bool:
    """Whether a part calls `cron.runs`, which depends on the time of the run."""
    return namespace(node) == "cron" and node.name == "runs"


def rewrite_expression(text: str, tree: Node, schema: Schema) -> str:
    """A checked expression as the engine evaluates it over mappings."""
    return apply_edits(text, [*presence_edits(text, tree, schema), *_call_edits(text, tree, schema)])


def _call_edits(text: str, tree: Node, schema: Schema) -> Iterator[Edit]:
    for node in walk(tree):
        if is_texts(node, schema):
            end = _after(text, ")", node.children[0].end)
            yield node.name_start, node.name_end, ""
            yield end, end, f".{TEXTS_KEY}"
        elif is_cron_runs(node):
            opened = next(
                token.end for token in tokenize(text, []) if token.text == "(" and token.start >= node.name_end
            )
            yield opened, opened, f"{NOW}, "
