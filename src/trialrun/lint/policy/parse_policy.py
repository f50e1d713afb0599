"""Parses policy files: checks every key, name, type and expression, and reports all problems."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from operator import or_
from typing import get_origin

from trialrun.diagnostic import Severity
from trialrun.lint.policy.policy import (
    Parameter,
    Policy,
    Scope,
    documents_variable,
    kinds_by_message,
    messages,
    policy_schema,
)
from trialrun.lint.policy.policy_document import (
    KEYS,
    PolicyDocument,
    PolicyErrors,
    parse_parameters,
    read_policy_document,
)
from trialrun.model.kinds import KINDS
from trialrun.model.node import Node, value_type
from trialrun.parser import ParsedFile
from trialrun.text import Span
from trialrun.values import Problem, cel
from trialrun.values.cel import syntax_tree
from trialrun.values.cel.cost import MAX_GROWTH, Work, find_oversized, work_of
from trialrun.values.cel.field_presence import (
    TEXTS_KEY,
    Edit,
    FieldReads,
    apply_edits,
    field_reads,
    is_texts,
    presence_edits,
    untranslatable_uses,
)
from trialrun.values.cel.parse import parse
from trialrun.values.cel.syntax_tree import bound_variables, is_macro, namespace, walk
from trialrun.values.cel.tokens import tokenize
from trialrun.values.cel.type_schema import Schema
from trialrun.values.suggest import did_you_mean

MAX_LENGTH = 4_000
"""Maximum length of an expression: the cost of an evaluation grows with it."""


@dataclass(frozen=True, slots=True)
class CompiledExpression:
    """An expression for the engine, and what it reads: fields, the path, the documents of `kinds`, and the day."""

    text: str
    reads: FieldReads
    reads_path: bool
    kinds: tuple[str, ...]
    uses_functions: bool
    uses_date: bool
    work: Work


def _compile(
    entry: PolicyDocument, key: str, on: str, scope: Scope, parameters: Sequence[Parameter]
) -> CompiledExpression | None:
    """The compiled expression of a key of a policy on a message; None if there is none, or it is invalid, with the
    problems reported.
    """
    text = entry.texts.get(key)
    if text is None:
        return None
    if len(text) > MAX_LENGTH:
        entry.report(key, f'"{key}" is longer than {MAX_LENGTH} characters; split the policy up')
        return None
    text, kinds, wrong_calls = rewrite_documents(text, scope)
    schema = policy_schema(on, kinds, tuple((parameter.name, parameter.type) for parameter in parameters))
    tree = _check(entry, key, text, wrong_calls, schema)
    if tree is None:
        return None
    reads = field_reads(tree, schema)
    return CompiledExpression(
        apply_edits(text, [*presence_edits(text, tree, schema), *_call_edits(text, tree, schema)]),
        reads,
        _reads_path(tree),
        kinds,
        uses_functions(tree),
        any(map(is_cron_runs, walk(tree))) or "now" in reads.variables,
        work_of(tree),
    )


def _check(
    entry: PolicyDocument, key: str, text: str, wrong_calls: Sequence[Problem], schema: Schema
) -> syntax_tree.Node | None:
    """The typed tree of a valid expression; otherwise None, with the problems reported."""
    result = KEYS[key].cel_type or "dyn"
    check_result = cel.check_expression(text, schema=schema, result=result)
    tree = check_result.tree
    problems = [
        *wrong_calls,
        *check_result.problems,
        *(reserved_names(tree) if tree else ()),
        *(untranslatable_uses(tree, schema) if tree and not check_result.problems else ()),
    ]
    for problem in problems:
        message = original_words(problem.message).replace("the condition ", "the expression ", 1)
        entry.report(key, message, chars=(problem.start, problem.end))
    if problems:
        return None
    if tree is None:
        entry.report(key, "trialrun cannot analyze this expression; rewrite it")
        return None
    if large := find_oversized(tree):
        message = f"the value may grow to {MAX_GROWTH} times its input; simplify it"
        entry.report(key, message, chars=(large.start, large.end))
        return None
    if result == "bool" and check_result.constant is not None:
        entry.report(key, f"this is always {str(check_result.constant).lower()}; check a field of self")
        return None
    return tree


def _reads_path(tree: syntax_tree.Node) -> bool:
    """Whether an expression depends on the path of the file; assumed if it uses the document as a whole."""
    selected = {id(node.children[0]) for node in walk(tree) if node.kind == "select" and node.name != "path"}
    return any(node.type == "Document" and id(node) not in selected for node in walk(tree))


ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
SCOPES = ("document", "workspace")
SEVERITIES = {severity.word: severity for severity in reversed(Severity)}
IGNORED_RULES = ("ambiguous-scalar",)
"""Parse errors that do not matter for policies: their values are texts by the rules of YAML 1.2."""
SINGLE_KEY_RULES = ("tagged-value", "duplicate-key")
"""Parse errors that do not affect the rest of the document."""


def parse_policies(tree: ParsedFile, taken: dict[str, str], problems: PolicyErrors) -> Iterator[Policy]:
    """The valid policies of a file.

    `taken` has the owner of each name that a policy cannot have; the ids of the file are added.
    """
    errors = [error for error in tree.errors if error.rule not in IGNORED_RULES]
    for error in errors:
        problems.add(tree.source, error.span, error.message)
    documents = [document for document in tree.documents if document.value is not None]
    if not documents and not errors:
        problems.add(tree.source, Span(0, 0), "the file has no policy; write one, or remove the file")
    unread = {error.document for error in errors if error.rule not in SINGLE_KEY_RULES}
    for document in documents:
        reported_keys = {error.path[0] for error in errors if error.document == document.index and error.path}
        entry = (
            None if document.index in unread else read_policy_document(tree.source, document, problems, reported_keys)
        )
        policy = None if entry is None else _parse_policy(entry, taken)
        if policy is not None:
            yield policy


def _parse_policy(entry: PolicyDocument, taken: dict[str, str]) -> Policy | None:
    """The policy of a document; None if it has a problem."""
    before = len(entry.errors.diagnostics)
    texts = entry.texts
    _check_id(entry, taken)
    severity = SEVERITIES[_parse_word(entry, "severity", SEVERITIES, Severity.WARNING.word)]
    on = _parse_message_type(entry)
    scope: Scope = "workspace" if _parse_word(entry, "scope", SCOPES, "document") == "workspace" else "document"
    parameters = parse_parameters(entry)
    if on is None:
        return None
    keys = ("check", "messageExpression", "once")
    check, message_expression, once = (_compile(entry, key, on, scope, parameters) for key in keys)
    at = _parse_at(entry, on)
    if scope == "document" and "once" in texts:
        entry.report("once", '"once" is for policies that see all messages; add scope: workspace')
    if check is None or len(entry.errors.diagnostics) > before or not {"id", "message"} <= texts.keys():
        return None
    compiled = [expression for expression in (check, message_expression, once) if expression is not None]
    return Policy(
        id=texts["id"],
        on=on,
        at=at,
        severity=severity,
        check=check.text,
        reads=reduce(or_, (expression.reads for expression in compiled)),
        reads_path=any(expression.reads_path for expression in compiled),
        message=" ".join(texts["message"].split()),
        message_expression=message_expression.text if message_expression else None,
        doc=texts.get("doc", ""),
        path=entry.source.path,
        line=entry.line,
        parameters=parameters,
        uses_functions=any(expression.uses_functions for expression in compiled),
        uses_date=any(expression.uses_date for expression in compiled),
        scope=scope,
        kinds=tuple(dict.fromkeys(kind for expression in compiled for kind in expression.kinds)),
        once=once.text if once else None,
        work=tuple(expression.work for expression in compiled),
    )


def name_problem(name: str, taken: Mapping[str, str]) -> str | None:
    """What is wrong with the name of a policy, or None; `taken` has the owner of each name that it cannot have."""
    if not ID.fullmatch(name):
        return f'"{name}" is not a valid id; write lower-case words joined by hyphens'
    return f'"{name}" is {taken[name]} already; rename the policy' if name in taken else None


def _check_id(entry: PolicyDocument, taken: dict[str, str]) -> None:
    name = entry.texts.get("id")
    if name is None:
        return
    if problem := name_problem(name, taken):
        entry.report("id", problem)
    else:
        taken[name] = f"the policy of {entry.source.path}:{entry.line}"


def _parse_word(entry: PolicyDocument, key: str, words: Collection[str], default: str) -> str:
    """The word of a key, one of some; the default where it is unset or another, which is reported."""
    word = entry.texts.get(key, default)
    if word in words:
        return word
    advice = did_you_mean(word, words, otherwise=f"write one of {', '.join(words)}")
    entry.report(key, f'there is no {key} "{word}"{advice}')
    return default


def _parse_message_type(entry: PolicyDocument) -> str | None:
    name = entry.texts.get("on")
    if name is None or name in kinds_by_message():
        return name
    advice = did_you_mean(
        name, kinds_by_message(), otherwise="write the name of a kind of document or of a part of one"
    )
    entry.report("on", f'there is no message "{name}"{advice}')
    return None


def _parse_at(entry: PolicyDocument, on: str) -> tuple[str, ...]:
    """The fields from the message to the location of findings; the last step may be the key of a map."""
    steps = tuple(entry.texts.get("at", "").split(".")) if "at" in entry.texts else ()
    model: type[Node] | None = messages(kinds_by_message()[on])[on]
    start = 0
    for index, step in enumerate(steps):
        chars = (start, start + len(step))
        start += len(step) + 1
        if model is None:
            is_key = index == len(steps) - 1 and step and _is_map(messages(kinds_by_message()[on])[on], steps[:index])
            if not is_key:
                entry.report("at", f'"{steps[index - 1]}" has no fields; end the path there', chars=chars)
            break
        if step not in model.model_fields:
            advice = did_you_mean(step, model.model_fields, otherwise=f"its fields are {', '.join(model.model_fields)}")
            entry.report("at", f'{model.__name__} has no field "{step}"{advice}', chars=chars)
            break
        inner = value_type(model, step)
        model = inner if isinstance(inner, type) and issubclass(inner, Node) else None
    return steps


def _is_map(model: type[Node], steps: tuple[str, ...]) -> bool:
    """Whether the fields lead from a message to a map."""
    for step in steps[:-1]:
        model = value_type(model, step)
    return get_origin(value_type(model, steps[-1])) is dict


NOW = "now__"
"""The variable with the time of the run that calls get; no variable of a macro may have its name."""
_VARIABLE = re.compile(r"documents__(\w+?)__(?!\w)")
_NO_DOCUMENTS = "dyn([])"


def rewrite_documents(text: str, scope: Scope) -> tuple[str, tuple[str, ...], list[Problem]]:
    """The expression with variables in place of calls of `documents`, of the same length; the kinds that it reads; and
    what is wrong with calls.
    """
    tree = parse(text).tree if "documents" in text else None
    calls = (
        [node for node in walk(tree) if node.kind == "call" and node.name == "documents" and not node.receiver]
        if tree is not None
        else []
    )
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
    return apply_edits(text, edits), tuple(kinds), problems


def original_words(message: str) -> str:
    """A message about an expression with the calls in place of their variables."""
    return _VARIABLE.sub(r'documents("\1")', message)


def reserved_names(tree: syntax_tree.Node) -> Iterator[Problem]:
    """Variables of macros that might hide one of ours, whose names have `__`."""
    for node in walk(tree):
        for variable in node.arguments[: len(bound_variables(node))] if is_macro(node) else ():
            if "__" in variable.name:
                message = f'"{variable.name}" may be a name of ours; write one without __'
                yield Problem("syntax", variable.start, variable.end, message)


def _call_problem(call: syntax_tree.Node, scope: Scope) -> Problem | None:
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


def uses_functions(tree: syntax_tree.Node) -> bool:
    """Whether an expression calls functions that the engine does not have."""
    return any(namespace(node) in ("cron", "language", "condition") for node in walk(tree))


def is_cron_runs(node: syntax_tree.Node) -> bool:
    """Whether a part calls `cron.runs`, which depends on the time of the run."""
    return namespace(node) == "cron" and node.name == "runs"


def _call_edits(text: str, tree: syntax_tree.Node, schema: Schema) -> Iterator[Edit]:
    """The edits of calls for an engine that evaluates over mappings, and gets the time of the run."""
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
