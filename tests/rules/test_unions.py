"""Every union of every model is one that the two rules on unions have words for."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

import trialrun.model
from tests.cases import each_of
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule_support.session_types import session_types
from trialrun.lint.selection import Selection
from trialrun.model.node import Node


def models(base: type[Node] = Node) -> Iterator[type[Node]]:
    for model in base.__subclasses__():
        yield model
        yield from models(model)


def messages() -> list[type[Node]]:
    for module in iter_modules(trialrun.model.__path__, "trialrun.model."):
        import_module(module.name)
    ours = [model for model in models() if model.__module__.startswith("trialrun.model.")]
    return sorted({model for model in ours if model.unions}, key=lambda model: model.__name__)


def findings(rule: str, text: str, model: type[Node]) -> list[str]:
    linter = Linter(Selection(frozenset({rule})), now=EXAMPLE_TIME, session_types=lambda: session_types([]))
    return [
        diagnostic.rule for diagnostic in linter.lint_message(text.encode(), "part.yaml", model.__name__).diagnostics
    ]


@each_of(messages())
def test_two_members_of_a_union_are_told(model: type[Node]) -> None:
    for first, second, *_ in model.unions.values():
        assert findings("union-conflict", f"{{{first}: x, {second}: y}}", model) == ["union-conflict"]


@each_of([message for message in messages() if message.required_unions])
def test_a_union_without_the_member_that_it_needs_is_told(model: type[Node]) -> None:
    assert findings("missing-union-member", "{}", model) == ["missing-union-member"]
