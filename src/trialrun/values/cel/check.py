"""What is wrong with a condition, and what can be said of one that is right."""

from __future__ import annotations

from functools import lru_cache

from trialrun.record import dataclass
from trialrun.values.cel.schema import DEFAULT_SCHEMA, Schema
from trialrun.values.cel.syntax_tree import Node
from trialrun.values.problem import Problem


@dataclass(frozen=True, slots=True)
class Check:
    """What checking a condition found.

    `problems` are in the order of the text; their codes are syntax, type, undeclared, enum and unchecked.
    `tree` is None when the text does not parse or is unchecked, and has types when it is sound; `type` is the type
    of the whole. `constant` is the value that the condition always has. `key` is equal for equal conditions.
    `optional_reads` are fields that may be absent and are read without has() or `in`.
    """

    problems: tuple[Problem, ...]
    tree: Node | None = None
    type: str | None = None
    constant: bool | None = None
    key: str | None = None
    optional_reads: tuple[Problem, ...] = ()


def check(text: str, *, schema: Schema = DEFAULT_SCHEMA, result: str = "bool") -> Check:
    """Check a CEL condition against a schema; never raises for what the text is.

    `result` is the type that the whole must have; "dyn" takes any. Of a text with very many mistakes the first 20 or
    so come out, as many as the engine tells.
    """
    return _check(text, schema, result)


@lru_cache(maxsize=4096)
def _check(text: str, schema: Schema, result: str) -> Check:
    # a run over files without conditions never pays for what judges them
    from trialrun.values.cel.judge import judged

    return judged(text, schema, result)
