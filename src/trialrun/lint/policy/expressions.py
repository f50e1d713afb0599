"""Compiles the expressions of a policy: type-checked against the models."""

from __future__ import annotations

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.policy.policy_document import KEYS, PolicyDocument
from trialrun.lint.policy.types import policy_schema
from trialrun.values import cel
from trialrun.values.cel.cost import MAX_GROWTH, find_oversized
from trialrun.values.cel.field_presence import FieldReads, field_reads, rewrite_presence, untranslatable_uses
from trialrun.values.cel.syntax_tree import Node, walk

MAX_LENGTH = 4_000
"""Maximum length of an expression: the cost of an evaluation grows with it."""


@dataclass(frozen=True, slots=True)
class CompiledExpression:
    """An expression for the engine, and the fields that it reads."""

    text: str
    reads: FieldReads
    reads_path: bool


class ExpressionCompiler:
    """Compiles the expressions of one policy on a message."""

    def __init__(self, entry: PolicyDocument, on: str) -> None:
        self._entry, self._schema = entry, policy_schema(on)

    def compile_check(self) -> CompiledExpression | None:
        """The compiled check, a bool; None, with the problems reported, if it is invalid."""
        return self._compile("check")

    def compile_message(self) -> CompiledExpression | None:
        """The compiled message, a string; None if there is none or it is invalid."""
        return self._compile("messageExpression")

    def _compile(self, key: str) -> CompiledExpression | None:
        text = self._entry.texts.get(key)
        if text is None:
            return None
        if len(text) > MAX_LENGTH:
            self._entry.report(key, f'"{key}" is longer than {MAX_LENGTH} characters; split the policy up')
            return None
        result = KEYS[key].cel_type or "dyn"
        check_result = cel.check_expression(text, schema=self._schema, result=result)
        tree = check_result.tree
        problems = [
            *check_result.problems,
            *(untranslatable_uses(tree, self._schema) if tree and not check_result.problems else ()),
        ]
        for problem in problems:
            message = problem.message.replace("the condition ", "the expression ", 1)
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
        return CompiledExpression(
            rewrite_presence(text, tree, self._schema), field_reads(tree, self._schema), _reads_path(tree)
        )


def _reads_path(tree: Node) -> bool:
    """Whether an expression depends on the path of the file; assumed if it uses the document as a whole."""
    selected = {id(node.children[0]) for node in walk(tree) if node.kind == "select" and node.name != "path"}
    return any(node.type == "Document" and id(node) not in selected for node in walk(tree))
