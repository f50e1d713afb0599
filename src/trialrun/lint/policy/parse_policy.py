"""Parses policy files: checks every key, name, type and expression, and reports all problems."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import reduce
from operator import or_
from typing import get_origin

from trialrun.diagnostic import Severity
from trialrun.lint.policy.expressions import ExpressionCompiler
from trialrun.lint.policy.parse_parameters import parse_parameters
from trialrun.lint.policy.policy import Policy, Scope
from trialrun.lint.policy.policy_document import PolicyDocument, read_policy_document
from trialrun.lint.policy.policy_errors import PolicyErrors
from trialrun.lint.policy.types import kinds_by_message, messages
from trialrun.model.node import Node, value_type
from trialrun.parser import ParsedFile
from trialrun.text import Span
from trialrun.values.suggest import did_you_mean

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
    severity = _parse_severity(entry)
    on, scope, parameters = _parse_message_type(entry), _parse_scope(entry), parse_parameters(entry)
    if on is None:
        return None
    expressions = ExpressionCompiler(entry, on, scope, parameters)
    check, message_expression = expressions.compile("check"), expressions.compile("messageExpression")
    once, at = expressions.compile("once"), _parse_at(entry, on)
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


def _check_id(entry: PolicyDocument, taken: dict[str, str]) -> None:
    name = entry.texts.get("id")
    if name is None:
        return
    if not ID.fullmatch(name):
        entry.report("id", f'"{name}" is not a valid id; write lower-case words joined by hyphens')
    elif name in taken:
        entry.report("id", f'"{name}" is {taken[name]} already; rename the policy')
    else:
        taken[name] = f"the policy of {entry.source.path}:{entry.line}"


def _parse_severity(entry: PolicyDocument) -> Severity:
    word = entry.texts.get("severity", Severity.WARNING.word)
    if word not in SEVERITIES:
        advice = did_you_mean(word, SEVERITIES, otherwise=f"write one of {', '.join(SEVERITIES)}")
        entry.report("severity", f'there is no severity "{word}"{advice}')
    return SEVERITIES.get(word, Severity.WARNING)


def _parse_scope(entry: PolicyDocument) -> Scope:
    word = entry.texts.get("scope", "document")
    if word not in SCOPES:
        advice = did_you_mean(word, SCOPES, otherwise=f"write one of {', '.join(SCOPES)}")
        entry.report("scope", f'there is no scope "{word}"{advice}')
    return "workspace" if word == "workspace" else "document"


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
