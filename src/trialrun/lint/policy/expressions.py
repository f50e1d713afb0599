"""Compiles the expressions of a policy: type-checked against the models."""

from __future__ import annotations

from collections.abc import Sequence

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.policy.parameters import Parameter
from trialrun.lint.policy.policy import Scope
from trialrun.lint.policy.policy_document import KEYS, PolicyDocument
from trialrun.lint.policy.rewrite import (
    DocumentCalls,
    is_cron_runs,
    original_words,
    reserved_names,
    rewrite_documents,
    rewrite_expression,
    uses_functions,
)
from trialrun.lint.policy.types import policy_schema
from trialrun.values import cel
from trialrun.values.cel.cost import MAX_GROWTH, Work, find_oversized, work_of
from trialrun.values.cel.field_presence import FieldReads, field_reads, untranslatable_uses
from trialrun.values.cel.syntax_tree import Node, walk
from trialrun.values.cel.type_schema import Schema

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


class ExpressionCompiler:
    """Compiles the expressions of one policy on a message."""

    def __init__(self, entry: PolicyDocument, on: str, scope: Scope, parameters: Sequence[Parameter]) -> None:
        self._entry, self._on, self._scope = entry, on, scope
        self._parameters = tuple((parameter.name, parameter.type) for parameter in parameters)

    def compile(self, key: str) -> CompiledExpression | None:
        """The compiled expression of a key; None if there is none, or it is invalid, with the problems reported."""
        text = self._entry.texts.get(key)
        if text is None:
            return None
        if len(text) > MAX_LENGTH:
            self._entry.report(key, f'"{key}" is longer than {MAX_LENGTH} characters; split the policy up')
            return None
        calls = rewrite_documents(text, self._scope)
        schema = policy_schema(self._on, calls.kinds, self._parameters)
        tree = self._check(key, calls, schema)
        if tree is None:
            return None
        reads = field_reads(tree, schema)
        uses_runs = any(map(is_cron_runs, walk(tree)))
        return CompiledExpression(
            rewrite_expression(calls.text, tree, schema),
            reads,
            _reads_path(tree),
            calls.kinds,
            uses_functions(tree),
            uses_runs or "now" in reads.variables,
            work_of(tree),
        )

    def _check(self, key: str, calls: DocumentCalls, schema: Schema) -> Node | None:
        """The typed tree of a valid expression; otherwise None, with the problems reported."""
        result = KEYS[key].cel_type or "dyn"
        check_result = cel.check_expression(calls.text, schema=schema, result=result)
        tree = check_result.tree
        problems = [
            *calls.problems,
            *check_result.problems,
            *(reserved_names(tree) if tree else ()),
            *(untranslatable_uses(tree, schema) if tree and not check_result.problems else ()),
        ]
        for problem in problems:
            message = original_words(problem.message).replace("the condition ", "the expression ", 1)
            self._entry.report(key, message, chars=(problem.start, problem.end))
        if problems:
            return None
        if tree is None:
            self._entry.report(key, "trialrun cannot analyze this expression; rewrite it")
            return None
        if large := find_oversized(tree):
            message = f"the value may grow to {MAX_GROWTH} times its input; simplify it"
            self._entry.report(key, message, chars=(large.start, large.end))
            return None
        if result == "bool" and check_result.constant is not None:
            self._entry.report(key, f"this is always {str(check_result.constant).lower()}; check a field of self")
            return None
        return tree


def _reads_path(tree: Node) -> bool:
    """Whether an expression depends on the path of the file; assumed if it uses the document as a whole."""
    selected = {id(node.children[0]) for node in walk(tree) if node.kind == "select" and node.name != "path"}
    return any(node.type == "Document" and id(node) not in selected for node in walk(tree))
