"""Judges policies with `scope: workspace`, when all files have been read.

The engine copies values that it is given, so the documents are bound once for many messages: an activation has them,
and functions give the message of each evaluation. Values of evaluations stay in the memory of an activation, so it is
renewed after some of them. Results for equal messages are cached.
"""

from __future__ import annotations

import marshal
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Diagnostic, Severity
from trialrun.lint.file_result import Fact
from trialrun.lint.policy.evaluate import MARSHAL_VERSION
from trialrun.lint.policy.policy import Policy
from trialrun.lint.policy.run_variables import RunVariables, run_variables
from trialrun.lint.policy.types import VARIABLES, documents_variable
from trialrun.lint.policy.workspace_facts import PolicyDocument, PolicyMessage
from trialrun.lint.rule import Rule
from trialrun.lint.workspace_rules import WorkspaceContext, WorkspaceFinding, diagnostic_of, locate_finding
from trialrun.values.cel.evaluate import CelError
from trialrun.values.cel.message_engine import MessageEngine
from trialrun.values.cel.policy_functions import UNREADABLE

MAX_DOCUMENTS = 10_000
"""The most documents of a kind that a policy may read."""

if TYPE_CHECKING:
    Documents = Mapping[str, Sequence[Mapping[str, Any]]]


def judge_policy(policy: Policy, facts: Sequence[Fact], context: WorkspaceContext) -> Iterator[Diagnostic | None]:
    """The findings of a policy for its sorted facts, with None in between where the work may be suspended.

    There are none if a document that the policy reads is not known as a whole: it might be what it asks for.
    """
    messages = [fact for fact in facts if isinstance(fact.value, PolicyMessage)]
    read = [fact for fact in facts if isinstance(fact.value, PolicyDocument)]
    if context.unread or not messages or any(fact.value.view is None or not fact.is_complete for fact in read):
        return
    rule = context.selection.policies.rules[policy.id]
    documents: dict[str, list[Mapping[str, Any]]] = {kind: [] for kind in policy.kinds}
    for fact in read:
        documents[fact.value.kind].append(fact.value.view)
    if full := next((kind for kind, views in documents.items() if len(views) > MAX_DOCUMENTS), None):
        count = f"{len(documents[full]):,} documents of kind {full}"
        error = f"it would read {count}, and a policy reads at most {MAX_DOCUMENTS:,}"
        yield _failure(policy, error, messages[0], context)
        return
    yield from _judge_messages(policy, rule, messages, documents, context)


def _judge_messages(
    policy: Policy, rule: Rule, messages: Sequence[Fact], documents: Documents, context: WorkspaceContext
) -> Iterator[Diagnostic | None]:
    evaluators: dict[str, WorkspaceEvaluator] = {}
    reported: set[str] = set()
    for fact in messages:
        yield None
        selection = context.selection_for(fact.path)
        if policy.id not in selection.rules or context.locate.is_guessed(fact):
            continue
        given = selection.parameters(policy.id)
        key = repr(sorted(given.items()))
        if key not in evaluators:
            day = (context.now or datetime.now(UTC)).replace(hour=0, minute=0, second=0, microsecond=0)
            evaluators[key] = WorkspaceEvaluator(policy, documents, run_variables(policy, day, given))
        try:
            message = evaluators[key].finding(fact.value.variables, reported)
        except CelError as error:
            yield _failure(policy, error.message, fact, context)
            return
        if message is not None:
            yield diagnostic_of(rule, WorkspaceFinding(fact, message), context)


def _failure(policy: Policy, error: str, fact: Fact, context: WorkspaceContext) -> Diagnostic:
    from trialrun.lint.policy.failures import failure_texts

    message, help_ = failure_texts(policy, error)
    finding = WorkspaceFinding(fact, message, help=help_)
    return locate_finding("internal-error", Severity.ERROR, finding, context.locate)


class WorkspaceEvaluator:
    """Evaluates one policy on messages, with the same documents and parameters."""

    def __init__(self, policy: Policy, documents: Documents, run: RunVariables) -> None:
        self._policy, self._run = policy, run
        shared = {documents_variable(kind): list(views) for kind, views in documents.items()}
        self._shared = {**shared, **run.values}
        self._cached: dict[bytes, str | None] = {}

    @cached_property
    def _engine(self) -> MessageEngine:
        read = [name for name in VARIABLES if name in self._policy.reads.variables]
        return MessageEngine(self._shared, read, self._run.library)

    def finding(self, variables: Mapping[str, Any], reported: set[str]) -> str | None:
        """The text of the finding about a message, None if there is none. Raises CelError.

        Of messages with the same value of `once`, which are `reported`, only the first has a finding.
        """
        message = self._text(variables)
        if message is None or self._policy.once is None:
            return message
        group = self._evaluate(self._policy.once, variables)
        if not isinstance(group, str):
            raise CelError(f"once: its result is {group!r}, not text")
        is_new = group not in reported
        reported.add(group)
        return message if is_new else None

    def _text(self, variables: Mapping[str, Any]) -> str | None:
        try:
            content: Any = variables
            key = marshal.dumps(content, MARSHAL_VERSION)
        except ValueError:
            return self._judge(variables)
        if key not in self._cached:
            self._cached[key] = self._judge(variables)
        return self._cached[key]

    def _judge(self, variables: Mapping[str, Any]) -> str | None:
        try:
            value = self._evaluate(self._policy.check, variables)
        except CelError as error:
            if error.message.startswith(UNREADABLE):
                return None
            raise
        if value is True:
            return None
        if value is not False:
            raise CelError(f"its result is {value!r}, not true or false")
        return self._message(variables)

    def _message(self, variables: Mapping[str, Any]) -> str:
        if self._policy.message_expression is None:
            return self._policy.message
        try:
            text = self._evaluate(self._policy.message_expression, variables)
        except CelError as error:
            raise CelError(f"messageExpression: {error.message}") from None
        return " ".join(str(text).split()) or self._policy.message

    def _evaluate(self, text: str, variables: Mapping[str, Any]) -> Any:
        with self._run.bounds():
            return self._engine.evaluate(text, variables)
