"""Conditions in Common Expression Language: type-checked against session types, and evaluated.

The engine is cel-cpp (cel-expr-python), the reference implementation, which decides what is valid and which type it
has. This package adds what the engine lacks: exact positions, suggestions, checks of literals, guards and constants.
"""

from __future__ import annotations

from trialrun.values.cel.builtins import ALL_EXTENSIONS, EXTENSIONS
from trialrun.values.cel.check import CheckResult, check_expression
from trialrun.values.cel.evaluate import CelError, Program, Subexpression, compile, json_state
from trialrun.values.cel.syntax_tree import Node, walk
from trialrun.values.cel.type_schema import (
    DEFAULT_SCHEMA,
    DEFAULT_TYPES,
    DEFAULT_VARIABLES,
    Schema,
    SchemaError,
    build_schema,
    schema_errors,
    type_names,
)

__all__ = [
    "ALL_EXTENSIONS", "DEFAULT_SCHEMA", "DEFAULT_TYPES", "DEFAULT_VARIABLES", "EXTENSIONS", "CelError", "CheckResult",
    "Node", "Program", "Schema", "SchemaError", "Subexpression", "build_schema", "check_expression", "compile",
    "json_state", "schema_errors", "type_names", "walk",
]  # fmt: skip
