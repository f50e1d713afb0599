"""The result of checking a CEL expression."""

from __future__ import annotations

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.syntax_tree import Node
from trialrun.values.problem import Problem


@dataclass(frozen=True, slots=True)
class CheckResult:
    """The result of checking a condition.

    `problems` are in text order; their codes are syntax, type, undeclared, enum, placeholder and unchecked. `tree` is
    None if the text does not parse or is unchecked, and has types if it is valid; it is not cached between runs. `type`
    is the type of the whole.
    `constant` is the value if it is always the same. `key` is equal for equivalent conditions. `optional_reads` are
    fields that may be absent and are read without has() or `in`; `extension_uses` are uses of disabled extension
    libraries, with the library as code; `portability` is what other engines refuse or answer differently. `failing` is
    the range of a part that fails in every session, so that the condition is never true.
    """

    problems: tuple[Problem, ...]
    tree: Node | None = None
    type: str | None = None
    constant: bool | None = None
    key: str | None = None
    optional_reads: tuple[Problem, ...] = ()
    extension_uses: tuple[Problem, ...] = ()
    failing: tuple[int, int] | None = None
    portability: tuple[Problem, ...] = ()

    @property
    def is_noteworthy(self) -> bool:
        """Whether there is anything to say about the condition; nothing in most."""
        return bool(
            self.problems
            or self.optional_reads
            or self.extension_uses
            or self.portability
            or self.constant is not None
            or self.failing is not None
        )
