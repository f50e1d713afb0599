"""Check a CEL expression: its problems, its type and what can be said about it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from trialrun.values.cel.check_result import CheckResult
from trialrun.values.cel.extensions import ALL_EXTENSIONS, extension_uses
from trialrun.values.cel.type_schema import DEFAULT_SCHEMA, Schema


def check_expression(
    text: str, *, schema: Schema = DEFAULT_SCHEMA, result: str = "bool", extensions: frozenset[str] = ALL_EXTENSIONS
) -> CheckResult:
    """Check a CEL condition against a schema; never raises for what the text is.

    `result` is the type that the whole must have; "dyn" takes any. `extensions` are the extension libraries that are
    on: no other function is proposed, and what else is used of one is in `extension_uses`. Of a text with very many
    mistakes the first 20 or so come out, as many as the engine tells.
    """
    return _check(text, schema, result, extensions)


@lru_cache(maxsize=4096)
def _check(text: str, schema: Schema, result: str, extensions: frozenset[str]) -> CheckResult:
    # a run over files without conditions never pays for what checks them
    from trialrun.values.cel.check_engine import check_with_engine

    result_ = check_with_engine(text, schema, result, extensions)
    uses = extension_uses(result_.tree, extensions) if result_.tree else ()
    return replace(result_, extension_uses=uses) if uses else result_
