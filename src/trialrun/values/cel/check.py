"""What is wrong with a condition, and what can be said of one that is right."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from trialrun.lazy_dataclass import dataclass
from trialrun.values.cel.extensions import ALL_EXTENSIONS, extension_uses
from trialrun.values.cel.syntax_tree import Node
from trialrun.values.cel.type_schema import DEFAULT_SCHEMA, Schema
from trialrun.values.problem import Problem


@dataclass(frozen=True, slots=True)
class Check:
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


def check(
    text: str, *, schema: Schema = DEFAULT_SCHEMA, result: str = "bool", extensions: frozenset[str] = ALL_EXTENSIONS
) -> Check:
    """Check a CEL condition against a schema; never raises for what the text is.

    `result` is the type that the whole must have; "dyn" takes any. `extensions` are the extension libraries that are
    on: no other function is proposed, and what else is used of one is in `extension_uses`. Of a text with very many
    mistakes the first 20 or so come out, as many as the engine tells.
    """
    return _check(text, schema, result, extensions)


@lru_cache(maxsize=4096)
def _check(text: str, schema: Schema, result: str, extensions: frozenset[str]) -> Check:
    # a run over files without conditions never pays for what judges them
    from trialrun.values.cel.check_engine import judged

    found = judged(text, schema, result, extensions)
    uses = extension_uses(found.tree, extensions) if found.tree else ()
    return replace(found, extension_uses=uses) if uses else found
