"""The expressions of a policy: checked against the types of the models, and made ready to run."""

from __future__ import annotations

from trialrun.lazy_dataclass import dataclass
from trialrun.lint.policy.policy_document import Entry
from trialrun.lint.policy.types import policy_schema
from trialrun.values import cel
from trialrun.values.cel.cost import MOST, swelling
from trialrun.values.cel.field_presence import Reads, over_mappings, reads_of, untyped
from trialrun.values.cel.syntax_tree import Node, walk

LONGEST = 4_000
"""Characters of an expression: what one evaluation may cost grows with it."""


@dataclass(frozen=True, slots=True)
class Ready:
    """An expression as the engine evaluates it over mappings, and what it reads."""

    text: str
    reads: Reads
    reads_path: bool


class Expressions:
    """The expressions of one entry, which looks at a message."""

    def __init__(self, entry: Entry, on: str) -> None:
        self._entry, self._schema = entry, policy_schema(on)

    def check(self) -> Ready | None:
        """The check, true or false; None, with what is wrong told, where it is not sound."""
        return self._ready("check", "bool")

    def message(self) -> Ready | None:
        """The expression of the message, a text; None where there is none, or it is not sound."""
        return self._ready("messageExpression", "string")

    def _ready(self, key: str, result: str) -> Ready | None:
        text = self._entry.texts.get(key)
        if text is None:
            return None
        if len(text) > LONGEST:
            self._entry.tell(key, f'"{key}" is longer than {LONGEST} characters; split the policy up')
            return None
        found = cel.check(text, schema=self._schema, result=result)
        tree = found.tree
        problems = [*found.problems, *(untyped(tree, self._schema) if tree and not found.problems else ())]
        for problem in problems:
            message = problem.message.replace("the condition ", "the expression ", 1)
            self._entry.tell(key, message, chars=(problem.start, problem.end))
        if problems:
            return None
        if tree is None:
            self._entry.tell(key, "this is written in a way that trialrun cannot follow; rewrite it")
            return None
        if large := swelling(tree):
            message = f"this may hold what it reads more than {MOST} times over; make it smaller"
            self._entry.tell(key, message, chars=(large.start, large.end))
            return None
        if result == "bool" and found.constant is not None:
            self._entry.tell(key, f"this is always {str(found.constant).lower()}; ask something of self")
            return None
        return Ready(over_mappings(text, tree, self._schema), reads_of(tree, self._schema), _reads_path(tree))


def _reads_path(tree: Node) -> bool:
    """Whether an expression asks where the file lies; one that takes the document as a whole may."""
    selected = {id(node.children[0]) for node in walk(tree) if node.kind == "select" and node.name != "path"}
    return any(node.type == "Document" and id(node) not in selected for node in walk(tree))
