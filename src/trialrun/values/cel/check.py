"""Checks a CEL expression: problems, type, and further properties."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

from trialrun.values.cel.check_result import CheckResult
from trialrun.values.cel.extensions import ALL_EXTENSIONS, extension_uses
from trialrun.values.cel.type_schema import DEFAULT_SCHEMA, Schema


def check_expression(
    text: str, *, schema: Schema = DEFAULT_SCHEMA, result: str = "bool", extensions: frozenset[str] = ALL_EXTENSIONS
) -> CheckResult:
    """Check a CEL condition against a schema; never raises because of the text.

    `result` is the required type of the whole; "dyn" allows any. `extensions` are the enabled extension libraries: no
    other functions are suggested, and uses of disabled ones are in `extension_uses`. Of very many errors, only the
    first 20 or so are reported, as by the engine.
    """
    return _check(text, schema, result, extensions)


@lru_cache(maxsize=4096)
def _check(text: str, schema: Schema, result: str, extensions: frozenset[str]) -> CheckResult:
    # imported here so that runs without conditions do not pay for it
    from trialrun.values.cel.check_engine import check_with_engine

    result_ = check_with_engine(text, schema, result, extensions)
    uses = extension_uses(result_.tree, extensions) if result_.tree else ()
    return replace(result_, extension_uses=uses) if uses else result_
