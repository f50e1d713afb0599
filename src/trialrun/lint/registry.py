"""The registry of rules: found as files, imported when their first subject occurs."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib.machinery import SourceFileLoader
from types import ModuleType
from typing import Any

from trialrun.lint.rule import Rule, build_rule, subject_names

GROUPS = ("document", "feature_view", "channel_config", "workspace", "suppression")
PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@cache
def rules_folder() -> str:
    """The folder of the rules: in the installed package, or in the repository of an editable install."""
    packaged = os.path.join(PACKAGE, "_rules")
    if os.path.isdir(packaged):
        return packaged
    beside = os.path.join(os.path.dirname(os.path.dirname(PACKAGE)), "rules")
    if os.path.isdir(beside):
        return beside
    raise FileNotFoundError("the rules are missing from this installation; install trialrun again")


@cache
def files() -> dict[str, tuple[str, str]]:
    """The group and file of every rule, by id, in catalog order."""
    modules: dict[str, tuple[str, str]] = {}
    for group in GROUPS:
        folder = os.path.join(rules_folder(), group)
        for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            if name.endswith(".py"):
                modules[name[:-3]] = (group, os.path.join(folder, name))
    return modules


def ids() -> list[str]:
    """The ids of all rules in catalog order."""
    return list(files())


@cache
def load(rule_id: str) -> Rule:
    """A rule by its id. Raises KeyError."""
    group, file = files()[rule_id]
    name = f"trialrun._rules.{group}.{rule_id}"
    module = ModuleType(name)
    module.__file__ = file
    code = SourceFileLoader(name, file).get_code(name)
    if code is None:
        raise ImportError(f"{file} cannot be read as Python")
    sys.modules[name] = module
    exec(code, module.__dict__)
    if module.__doc__ is None and sys.flags.optimize > 1:
        module.__doc__ = _docstring(file)
    return build_rule(file, rule_id, group, module.__dict__)


def _docstring(file: str) -> str | None:
    """The docstring of a rule from its source, since -OO removes it from the code."""
    import ast

    with open(file, encoding="utf-8") as stream:
        return ast.get_docstring(ast.parse(stream.read()), clean=False)


@cache
def fact_types(rule_id: str) -> dict[str, type[Any]]:
    """The classes of the facts that a rule gathers, by name."""
    return load(rule_id).fact_types


@cache
def subject_names_of(check: Callable[..., Any]) -> frozenset[str]:
    """The names of the subject classes of a check."""
    return frozenset(subject_names(check))


def everything() -> Iterator[Rule]:
    """All rules, imported, in catalog order."""
    return (load(rule_id) for rule_id in ids())
