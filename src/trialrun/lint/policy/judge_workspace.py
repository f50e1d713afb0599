"""Judges policies with `scope: workspace`, when all files have been read.

The engine copies values that it is given, so the documents are bound once for many messages: an activation has them,
and functions give the message of each evaluation. Values of evaluations stay in the memory of an activation, so it is
renewed after some of them. Results for equal messages are cached.
"""

from __future__ import annotations

import marshal
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from typing import Any

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.file_result import Fact
from trialrun.lint.policy.activation import MARSHAL_VERSION, DocumentFact, MessageFact, RootFact
from trialrun.lint.policy.evaluate import RunVariables, failure_texts, run_variables
from trialrun.lint.policy.policy import Policy
from trialrun.lint.policy.types import VARIABLES, documents_variable
from trialrun.lint.policy.work_budget import TOO_MUCH_WORK, WorkBudget
from trialrun.values.cel.batch import MessageEngine
from trialrun.values.cel.evaluate import CelError
from trialrun.values.cel.policy_functions import is_unreadable

MAX_DOCUMENTS = 10_000
"""The most documents of a kind that a policy may read."""

Documents = Mapping[str, Sequence[Mapping[str, Any]]]
"""The views of the documents that a policy reads, by kind."""


@dataclass(frozen=True, slots=True)
class PolicyVerdict:
    """A finding about a fact, or with `help` the failure of the policy there."""

    fact: Fact
    message: str
    help: str | None = None


ParametersOf = Callable[[Fact], Mapping[str, Any] | None]
"""Returns the values of parameters at a fact, None if the policy does not judge it."""


def judge_policy(
    policy: Policy, facts: Sequence[Fact], parameters_of: ParametersOf, now: datetime, budget: WorkBudget
) -> Iterator[PolicyVerdict | None]:
    """The verdicts of a policy on its sorted facts, with None in between where the work may be suspended.

    There are none if a document that the policy reads is not known as a whole: it might be what it asks for.
    """
    messages = [fact for fact in facts if isinstance(fact.value, MessageFact)]
    read = [fact for fact in facts if isinstance(fact.value, DocumentFact)]
    if not messages or any(fact.value.view is None or not fact.is_complete for fact in read):
        return
    documents: dict[str, list[Mapping[str, Any]]] = {kind: [] for kind in policy.kinds}
    for fact in read:
        documents[fact.value.kind].append(fact.value.view)
    if full := next((kind for kind, views in documents.items() if len(views) > MAX_DOCUMENTS), None):
        count = f"{len(documents[full]):,} documents of kind {full}"
        error = f"it would read {count}, and a policy reads at most {MAX_DOCUMENTS:,}"
        yield PolicyVerdict(messages[0], *failure_texts(policy, error))
        return
    evaluators = _Evaluators(policy, documents, now, budget)
    roots = {(fact.path, fact.document): fact.value.view for fact in facts if isinstance(fact.value, RootFact)}
    for fact in messages:
        yield None
        given = parameters_of(fact)
        if given is None:
            continue
        try:
            root = roots.get((fact.path, fact.document))
            message = evaluators.of(given).finding(fact.value.variables, root, evaluators.reported)
        except CelError as error:
            yield PolicyVerdict(fact, *failure_texts(policy, error.message))
            return
        if message is not None:
            yield PolicyVerdict(fact, message)


class _Evaluators:
    """The evaluators of a policy by the values of its parameters; `reported` has the digest of each group with a
    finding.
    """

    def __init__(self, policy: Policy, documents: Documents, now: datetime, budget: WorkBudget) -> None:
        self._policy, self._documents, self._budget = policy, documents, budget
        self._day = now.replace(hour=0, minute=0, second=0, microsecond=0)
        self._known: dict[str, WorkspaceEvaluator] = {}
        self.reported: set[bytes] = set()

    def of(self, given: Mapping[str, Any]) -> WorkspaceEvaluator:
        """The evaluator for some parameters."""
        key = repr(sorted(given.items()))
        if key not in self._known:
            run = run_variables(self._policy, self._day, given)
            self._known[key] = WorkspaceEvaluator(self._policy, self._documents, run, self._budget)
        return self._known[key]


class WorkspaceEvaluator:
    """Evaluates one policy on messages, with the same documents and parameters."""

    def __init__(self, policy: Policy, documents: Documents, run: RunVariables, budget: WorkBudget) -> None:
        self._policy, self._run, self._budget = policy, run, budget
        shared = {documents_variable(kind): list(views) for kind, views in documents.items()}
        self._shared = {**shared, **run.values}
        self._cached: dict[tuple[bytes, int], str | None] = {}

    @cached_property
    def _engine(self) -> MessageEngine:
        read = [name for name in VARIABLES if name in self._policy.reads.variables]
        return MessageEngine(self._shared, read, self._run.library)

    def finding(self, own: Mapping[str, Any], root: Mapping[str, Any] | None, reported: set[bytes]) -> str | None:
        """The text of the finding about a message in a document, None if there is none. Raises CelError.

        Of messages with the same value of `once`, whose digests are in `reported`, only the first has a finding.
        """
        variables = own if root is None else {**own, "root": root}
        try:
            message = self._text(own, variables)
            if message is None or self._policy.once is None:
                return message
            group = self._evaluate(self._policy.once, variables)
        except CelError as error:
            if is_unreadable(error.message):
                return None
            raise
        if not isinstance(group, str):
            raise CelError(f"once: its result is {group!r}, not text")
        group_digest = blake2b(group.encode(), digest_size=16).digest()
        is_new = group_digest not in reported
        reported.add(group_digest)
        return message if is_new else None

    def _text(self, own: Mapping[str, Any], variables: Mapping[str, Any]) -> str | None:
        """The text for a message; that of an equal one in the same document is cached, by the digest of its `own`
        variables.
        """
        try:
            content: Any = own
            digest = blake2b(marshal.dumps(content, MARSHAL_VERSION), digest_size=16).digest()
        except ValueError:
            return self._judge(variables)
        key = (digest, id(variables.get("root")))
        if key not in self._cached:
            self._cached[key] = self._judge(variables)
        return self._cached[key]

    def _judge(self, variables: Mapping[str, Any]) -> str | None:
        if not self._budget.spend_evaluation(self._policy, (self._shared, variables)):
            raise CelError(TOO_MUCH_WORK)
        value = self._evaluate(self._policy.check, variables)
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
            raise error if is_unreadable(error.message) else CelError(f"messageExpression: {error.message}") from None
        return self._policy.finding_text(str(text))

    def _evaluate(self, text: str, variables: Mapping[str, Any]) -> Any:
        with self._budget.functions(self._policy):
            return self._engine.evaluate(text, variables)
