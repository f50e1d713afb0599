"""The result of checking a CEL expression."""

from __future__ import annotations

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.syntax_tree import Node
from trialrun.values.problem import Problem


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What checking a condition found.

    `problems` are in the order of the text; their codes are syntax, type, undeclared, enum, placeholder and unchecked.
    `tree` is None when the text does not parse or is unchecked, and has types when it is sound; `type` is the type
    of the whole. `constant` is the value that the condition always has. `key` is equal for equal conditions.
    `optional_reads` are fields that may be absent and are read without has() or `in`; `extension_uses` what is called
    of extension libraries that are off, with the library as code. `failing` are the characters of a part that fails
    in every session, so that the condition is never true.
    """

    problems: tuple[Problem, ...]
    tree: Node | None = None
    type: str | None = None
    constant: bool | None = None
    key: str | None = None
    optional_reads: tuple[Problem, ...] = ()
    extension_uses: tuple[Problem, ...] = ()
    failing: tuple[int, int] | None = None
