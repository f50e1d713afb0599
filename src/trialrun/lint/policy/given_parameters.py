"""Checks the parameters of policies in settings: their names, and the types of their values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from trialrun.lint.policy import Policies
from trialrun.lint.policy.parameters import value_problem
from trialrun.lint.policy.policy import Policy
from trialrun.values.suggest import did_you_mean

Problem = tuple[tuple[str | int, ...], str, str]
"""The path of a key in the settings, what is wrong, and the text that is wrong."""


def parameter_problems(
    path: tuple[str | int, ...], tables: Mapping[str, Mapping[str, Any]], policies: Policies
) -> Iterator[Problem]:
    """The errors of the tables at a path of the settings, by policy."""
    known = {policy.id: policy for policy in policies.all}
    for name, values in tables.items():
        policy = known.get(name)
        if policy is None:
            advice = did_you_mean(name, known, otherwise="name one of those that policies lists")
            yield (*path, name), f'there is no policy "{name}"{advice}', name
        else:
            yield from _value_problems((*path, name), values, policy)


def _value_problems(path: tuple[str | int, ...], values: Mapping[str, Any], policy: Policy) -> Iterator[Problem]:
    types = {parameter.name: parameter.type for parameter in policy.parameters}
    for name, value in values.items():
        if name not in types:
            known = f"its parameters are {', '.join(types)}" if types else "it has none"
            advice = did_you_mean(name, types, otherwise=known)
            yield (*path, name), f'the policy {policy.id} has no parameter "{name}"{advice}', name
        elif problem := value_problem(value, types[name]):
            yield (*path, name), f"{name} {problem}", value if isinstance(value, str) else name
