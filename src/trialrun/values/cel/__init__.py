"""Conditions in Common Expression Language: checked against a session's types, and evaluated.

The engine is cel-cpp (cel-expr-python): the reference implementation's verdict on what parses and what has which
type. What it leaves out is done here: exact places, did-you-mean, literals, guards, constants.
"""

from __future__ import annotations

from trialrun.values.cel.check import Check, check
from trialrun.values.cel.evaluate import CelError, Part, Program, compile
from trialrun.values.cel.extensions import ALL_EXTENSIONS, EXTENSIONS
from trialrun.values.cel.syntax_tree import Node, walk
from trialrun.values.cel.type_schema import DEFAULT_SCHEMA, Schema, SchemaError, schema, schema_errors, type_names

__all__ = [
    "ALL_EXTENSIONS",
    "DEFAULT_SCHEMA",
    "EXTENSIONS",
    "CelError",
    "Check",
    "Node",
    "Part",
    "Program",
    "Schema",
    "SchemaError",
    "check",
    "compile",
    "schema",
    "schema_errors",
    "type_names",
    "walk",
]
