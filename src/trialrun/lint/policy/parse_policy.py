"""Policy files into policies: every key, name, type and expression is checked, and all that is wrong is told."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import get_origin

from trialrun.diagnostic import Severity
from trialrun.lint.policy.expressions import Expressions
from trialrun.lint.policy.policy import Policy
from trialrun.lint.policy.policy_document import Entry, entry_of
from trialrun.lint.policy.policy_errors import Problems
from trialrun.lint.policy.types import kinds_by_message, messages
from trialrun.model.node import Node, value_type
from trialrun.model.suggest import nearest
from trialrun.parser import Tree
from trialrun.text import Span

ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
SEVERITIES = {severity.word: severity for severity in reversed(Severity)}
HARMLESS = ("ambiguous-scalar",)
"""Troubles of the reading that policies do not mind: their values are texts by the rules of YAML 1.2."""
OF_ONE_KEY = ("tagged-value", "duplicate-key")
"""Troubles that leave the rest of their document as it was written."""


def policies_of(tree: Tree, taken: dict[str, str], problems: Problems) -> Iterator[Policy]:
    """The sound policies of a file.

    `taken` says of each name that no policy may have any more what has it; the ids of the file are added to it.
    """
    troubles = [trouble for trouble in tree.troubles if trouble.rule not in HARMLESS]
    for trouble in troubles:
        problems.tell(tree.source, trouble.span, trouble.message)
    documents = [document for document in tree.documents if document.value is not None]
    if not documents and not troubles:
        problems.tell(tree.source, Span(0, 0), "the file has no policy; write one, or leave it out")
    unread = {trouble.document for trouble in troubles if trouble.rule not in OF_ONE_KEY}
    for document in documents:
        told = {trouble.path[0] for trouble in troubles if trouble.document == document.index and trouble.path}
        entry = None if document.index in unread else entry_of(tree.source, document, problems, told)
        policy = None if entry is None else _policy(entry, taken)
        if policy is not None:
            yield policy


def _policy(entry: Entry, taken: dict[str, str]) -> Policy | None:
    """The policy of an entry; None where it has a problem."""
    before = len(entry.problems.found)
    texts = entry.texts
    _check_id(entry, taken)
    severity = _severity(entry)
    on = _message_type(entry)
    if on is None:
        return None
    expressions = Expressions(entry, on)
    check, message_expression = expressions.check(), expressions.message()
    at = _at(entry, on)
    if check is None or len(entry.problems.found) > before or not {"id", "message"} <= texts.keys():
        return None
    return Policy(
        id=texts["id"],
        on=on,
        at=at,
        severity=severity,
        check=check.text,
        reads=check.reads | message_expression.reads if message_expression else check.reads,
        reads_path=check.reads_path or (message_expression is not None and message_expression.reads_path),
        message=" ".join(texts["message"].split()),
        message_expression=message_expression.text if message_expression else None,
        doc=texts.get("doc", ""),
        path=entry.source.path,
        line=entry.line,
    )


def _check_id(entry: Entry, taken: dict[str, str]) -> None:
    name = entry.texts.get("id")
    if name is None:
        return
    if not ID.fullmatch(name):
        entry.tell("id", f'"{name}" is no id; write lower-case words with hyphens between them')
    elif name in taken:
        entry.tell("id", f'"{name}" is {taken[name]} already; name the policy otherwise')
    else:
        taken[name] = f"the policy of {entry.source.path}:{entry.line}"


def _severity(entry: Entry) -> Severity:
    word = entry.texts.get("severity", Severity.WARNING.word)
    if word not in SEVERITIES:
        near = nearest(word, SEVERITIES, close=0.6)
        advice = f'did you mean "{near}"?' if near else f"write one of {', '.join(SEVERITIES)}"
        entry.tell("severity", f'there is no severity "{word}"; {advice}')
    return SEVERITIES.get(word, Severity.WARNING)


def _message_type(entry: Entry) -> str | None:
    name = entry.texts.get("on")
    if name is None or name in kinds_by_message():
        return name
    near = nearest(name, kinds_by_message(), close=0.6)
    advice = f'did you mean "{near}"?' if near else "write the name of a kind of document or of a part of one"
    entry.tell("on", f'there is no message "{name}"; {advice}')
    return None


def _at(entry: Entry, on: str) -> tuple[str, ...]:
    """The fields from the message to where a finding points; the last may be a key of a map."""
    steps = tuple(entry.texts.get("at", "").split(".")) if "at" in entry.texts else ()
    model: type[Node] | None = messages(kinds_by_message()[on])[on]
    start = 0
    for index, step in enumerate(steps):
        chars = (start, start + len(step))
        start += len(step) + 1
        if model is None:
            is_key = index == len(steps) - 1 and step and _is_map(messages(kinds_by_message()[on])[on], steps[:index])
            if not is_key:
                entry.tell("at", f'"{steps[index - 1]}" has no fields to go on to; end there', chars=chars)
            break
        if step not in model.model_fields:
            near = nearest(step, model.model_fields, close=0.6)
            advice = f'did you mean "{near}"?' if near else f"its fields are {', '.join(model.model_fields)}"
            entry.tell("at", f'{model.__name__} has no field "{step}"; {advice}', chars=chars)
            break
        inner = value_type(model, step)
        model = inner if isinstance(inner, type) and issubclass(inner, Node) else None
    return steps


def _is_map(model: type[Node], steps: tuple[str, ...]) -> bool:
    """Whether fields lead from a message to a map."""
    for step in steps[:-1]:
        model = value_type(model, step)
    return get_origin(value_type(model, steps[-1])) is dict
