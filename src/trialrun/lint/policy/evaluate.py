"""Evaluates policies: those on one message type together, and those with `scope: workspace` when all files are read.

The engine copies values that it is given, so the documents that policies on the workspace read are bound once for many
messages: an activation has them, and functions give the message of each evaluation. Values of evaluations stay in the
memory of an activation, so it is renewed after some of them. Results for equal messages are cached.
"""

from __future__ import annotations

import marshal
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from contextlib import AbstractContextManager, nullcontext
from datetime import datetime
from functools import cached_property
from hashlib import blake2b
from typing import Any

from trialrun.diagnostic import Diagnostic, Finding, SymbolicLocation
from trialrun.interrupts import defer_interrupts
from trialrun.lint.file_result import Fact
from trialrun.lint.policy.activation import (
    MARSHAL_VERSION,
    FieldMask,
    MessageViews,
    policy_location,
)
from trialrun.lint.policy.parse_policy import NOW
from trialrun.lint.policy.policy import (
    TOO_MUCH_WORK,
    VARIABLES,
    Policy,
    WorkBudget,
    documents_variable,
    kinds_by_message,
    parameter_values,
)
from trialrun.lint.rule import Rule
from trialrun.model.node import Node
from trialrun.values.cel.batch import (
    CheckBatch,
    DocumentEngine,
    Failure,
    MessageEngine,
    PlainStateEngine,
    StateEngine,
    evaluate_text,
)
from trialrun.values.cel.evaluate import CelError
from trialrun.values.cel.policy_functions import LIBRARY, is_unreadable


def run_variables(policy: Policy, day: datetime, given: Mapping[str, Any]) -> dict[str, Any]:
    """The variables of a policy that stands alone; `given` are the values of parameters in the settings."""
    from trialrun.values.cel.evaluate import convert_time

    values: dict[str, Any] = {"now": convert_time(day), NOW: convert_time(day)} if policy.uses_date else {}
    if policy.parameters:
        values["parameters"] = parameter_values(policy.parameters, given)
    return values


_FAILED = re.compile(r"the policy (\S+) \(.*:\d+\) failed here: ")


def failure_texts(policy: Policy, error: str) -> tuple[str, str]:
    """The message that reports the failure of a policy, and its help."""
    message = f"the policy {policy.id} ({policy.path}:{policy.line}) failed here: {error}; fix its check"
    return message, f"leave it out with --ignore {policy.id} until it is fixed"


def first_failures(diagnostics: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """The diagnostics in order, with only the first failure of each policy."""
    seen: set[str] = set()
    for diagnostic in diagnostics:
        failed = _FAILED.match(diagnostic.message) if diagnostic.rule == "internal-error" else None
        if failed is None or failed[1] not in seen:
            yield diagnostic
        if failed is not None:
            seen.add(failed[1])


MAX_CACHED_BYTES = 2_000
MAX_CACHED_MESSAGES = 20_000
"""Maximum number of cached messages, and of bytes of each."""


PolicyResult = tuple[Rule, Finding, bool]
"""A policy as a rule, a finding, and whether that is the failure of the policy."""


class PolicyEvaluator:
    """Evaluates some policies on one message type; created once, before workers start.

    `field_mask` is what they read. The messages of a repository are similar, so results for equal messages are cached.
    `run` is the same for all messages: the day, and the values of parameters. Only a policy that stands alone has any,
    and may call functions that the engine does not have.
    """

    def __init__(self, judged: Sequence[tuple[Policy, Rule]], run: Mapping[str, Any] | None = None) -> None:
        self._policies, self._run = judged, run
        self.field_mask = FieldMask(policy.reads for policy, _ in judged)
        self._read_names = tuple(name for name in self.field_mask.variables if name in VARIABLES)
        self.uses_date = any(policy.uses_date for policy, _ in judged)
        self._engine = _state_engine(judged, self.field_mask, run)
        self._batch = CheckBatch([policy.check for policy, _ in judged], self._engine)
        self._indexes = {policy.id: index for index, (policy, _) in enumerate(judged)}
        self._cached: dict[bytes, tuple[Failure, ...]] = {}

    def evaluate(self, node: Node, views: MessageViews, failed: Set[str]) -> Sequence[PolicyResult]:
        """The findings of the policies for a message, and their failures; policies in `failed` are skipped."""
        state = {**views.activation(node), **(self._run or {})}
        read = [state[name] for name in self._read_names]
        refused = [
            (policy, rule)
            for policy, rule in self._policies
            if policy.id not in failed and not views.budget.spend_evaluation(policy, read)
        ]
        failed = {*failed, *(policy.id for policy, _ in refused)}
        key = None if failed or self._policies[0][0].uses_functions else self._key(node, views)
        if key is None:
            untrue = self._evaluate_checks(state, failed, views.budget)
        else:
            untrue = self._cached_checks(key, state, views.budget)
        findings = list(self._findings(untrue, node, views, state)) if untrue else []
        return [*findings, *(_failure(policy, rule, node, TOO_MUCH_WORK) for policy, rule in refused)]

    def _key(self, node: Node, views: MessageViews) -> bytes | None:
        """What the result of equal messages is cached by; None for one that is not cached."""
        try:
            key = views.key(node, self._read_names)
        except ValueError:
            return None
        return key if len(key) <= MAX_CACHED_BYTES else None

    def _cached_checks(self, key: bytes, state: dict[str, Any], budget: WorkBudget) -> tuple[Failure, ...]:
        found = self._cached.get(key)
        if found is None:
            if len(self._cached) >= MAX_CACHED_MESSAGES:
                self._cached.clear()
            found = self._cached[key] = self._evaluate_checks(state, frozenset(), budget)
        return found

    def _evaluate_checks(self, state: dict[str, Any], failed: Set[str], budget: WorkBudget) -> tuple[Failure, ...]:
        passed_over = frozenset(self._indexes[each] for each in failed if each in self._indexes)
        with self._bounds(budget):
            return tuple(self._batch.failed_checks(state, passed_over))

    def _bounds(self, budget: WorkBudget) -> AbstractContextManager[None]:
        """One evaluation; a Ctrl-C waits where the engine calls functions, since it would swallow it."""
        if self._run is not None:
            return budget.functions(self._policies[0][0])
        return defer_interrupts() if isinstance(self._engine, DocumentEngine) else nullcontext()

    def _message(self, policy: Policy, state: dict[str, Any], budget: WorkBudget) -> str:
        """The text of a finding. Raises CelError."""
        if policy.message_expression is None:
            return policy.message
        with self._bounds(budget):
            text = evaluate_text(policy.message_expression, state, self._engine)
        return policy.finding_text(text)

    def _findings(
        self, untrue: Iterable[Failure], node: Node, views: MessageViews, state: dict[str, Any]
    ) -> Iterator[PolicyResult]:
        for index, error_text in untrue:
            policy, rule = self._policies[index]
            refused = views.refused_fields(node)  # values that the model refused have been reported already
            if (refused and policy.reads.reads_any(refused)) or is_unreadable(error_text or ""):
                continue
            if error_text is not None:
                yield _failure(policy, rule, node, error_text)
                continue
            try:
                text = self._message(policy, state, views.budget)
                yield rule, Finding(text, policy_location(policy, node)), False
            except CelError as error:
                if not is_unreadable(error.message):
                    yield _failure(policy, rule, node, f"messageExpression: {error.message}")


def _failure(policy: Policy, rule: Rule, node: Node, error: str) -> PolicyResult:
    """What reports that a policy could not be evaluated on a message."""
    message, help_ = failure_texts(policy, error)
    return rule, Finding(message, SymbolicLocation(node), help=help_), True


def _state_engine(
    judged: Sequence[tuple[Policy, Rule]], field_mask: FieldMask, run: Mapping[str, Any] | None
) -> StateEngine:
    """The engine of some policies on one message type: with `root` it converts a document once for all its messages."""
    library = "" if run is None else LIBRARY
    plain = PlainStateEngine(VARIABLES if run is None else (*VARIABLES, "now", NOW, "parameters"), library)
    kinds = kinds_by_message()
    if "root" not in field_mask.variables or all(kinds[policy.on] == policy.on for policy, _ in judged):
        return plain
    engine = DocumentEngine(("root", "document", *(run or ())), ("self",), library)
    try:
        for policy, _ in judged:
            engine.compile(policy.check)
            engine.compile(policy.message_expression or "true")
    except CelError:  # it nests as deep as the engine lets it
        return plain
    return engine


MAX_DOCUMENTS = 10_000
"""The most documents of a kind that a policy may read."""

Documents = Mapping[str, Sequence[Mapping[str, Any]]]
"""The views of the documents that a policy reads, by kind."""


PolicyVerdict = tuple[Fact, str, str | None]
"""A fact, and the text of the finding about it; with a help, that of the failure of the policy there."""
ParametersOf = Callable[[Fact], Mapping[str, Any] | None]
"""Returns the values of parameters at a fact, None if the policy does not judge it."""


def judge_policy(
    policy: Policy, facts: Sequence[Fact], parameters_of: ParametersOf, now: datetime, budget: WorkBudget
) -> Iterator[PolicyVerdict | None]:
    """The verdicts of a policy on its sorted facts, with None in between where the work may be suspended.

    There are none if a document that the policy reads is not known as a whole: it might be what it asks for.
    """
    messages = [fact for fact in facts if fact.value.role == "subject"]
    read = [fact for fact in facts if fact.value.role == "document"]
    if not messages or any(fact.value.view is None or not fact.is_complete for fact in read):
        return
    documents: dict[str, list[Mapping[str, Any]]] = {kind: [] for kind in policy.kinds}
    for fact in read:
        documents[fact.value.message].append(fact.value.view)
    if full := next((kind for kind, views in documents.items() if len(views) > MAX_DOCUMENTS), None):
        count = f"{len(documents[full]):,} documents of kind {full}"
        error = f"it would read {count}, and a policy reads at most {MAX_DOCUMENTS:,}"
        yield messages[0], *failure_texts(policy, error)
        return
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    roots = {(fact.path, fact.document): fact.value.view for fact in facts if fact.value.role == "root"}
    evaluators: dict[str, WorkspaceEvaluator] = {}
    reported: set[bytes] = set()
    for fact in messages:
        yield None
        given = parameters_of(fact)
        if given is None:
            continue
        key = repr(sorted(given.items()))
        try:
            if key not in evaluators:
                evaluators[key] = WorkspaceEvaluator(policy, documents, run_variables(policy, day, given), budget)
            message = evaluators[key].finding(fact.value.view, roots.get((fact.path, fact.document)), reported)
        except CelError as error:
            yield fact, *failure_texts(policy, error.message)
            return
        if message is not None:
            yield fact, message, None


class WorkspaceEvaluator:
    """Evaluates one policy on messages, with the same documents and parameters."""

    def __init__(self, policy: Policy, documents: Documents, run: Mapping[str, Any], budget: WorkBudget) -> None:
        self._policy, self._budget = policy, budget
        shared = {documents_variable(kind): list(views) for kind, views in documents.items()}
        self._shared = {**shared, **run}
        self._cached: dict[tuple[bytes, int], str | None] = {}

    @cached_property
    def _engine(self) -> MessageEngine:
        read = [name for name in VARIABLES if name in self._policy.reads.variables]
        return MessageEngine(self._shared, read, LIBRARY)

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
