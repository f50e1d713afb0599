"""Policies that read `root`: each document is converted for the engine once, however many messages it has."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.lint.policy.parse_policies import policy, told
from trialrun.values.cel import batch

UPSELLS = "root.operationsConfig.upsellStrategy.upsells"
UNIQUE = f"{UPSELLS}.exists_one(u, u.displayName == self.displayName)"


class CountingEngine:
    """An engine that counts how often a document is converted."""

    def __init__(self, engine: Any, conversions: list[object]) -> None:
        self._engine, self._conversions = engine, conversions

    def compile(self, text: str) -> Any:
        return self._engine.compile(text)

    def Activation(self, *, data: dict[str, Any]) -> Any:
        if "root" in data:
            self._conversions.append(data["root"])
        return self._engine.Activation(data=data)


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The documents that were converted."""
    found: list[object] = []
    for name in ("plain_engine", "engine_with"):
        create: Callable[..., Any] = getattr(batch, name)
        monkeypatch.setattr(batch, name, lambda *given, create=create: CountingEngine(create(*given), found))
    batch.compile_expression.cache_clear()
    return found


def config(*names: str) -> str:
    """A config with an upsell of each name, on lines 6, 7 and so on."""
    upsells = "".join(f"      - {{priority: {at}, displayName: {name}}}\n" for at, name in enumerate(names))
    return (
        "kind: ChannelConfig\nname: projects/p/locations/l/brands/b/channelConfigs/c\ntype: UPSELL_STRATEGY\n"
        f"operationsConfig:\n  upsellStrategy: {{upsells: [\n{upsells.replace('- ', '').replace('}', '},')}  ]}}\n"
    )


def numbered(count: int) -> list[str]:
    return [f"n{number}" for number in range(count)]


def test_a_document_is_converted_once_for_all_its_messages(conversions: list[object]) -> None:
    unique = policy(UNIQUE, on="UpsellConfig")
    text = config(*numbered(60), "n7") + "---\n" + config(*numbered(40))
    assert told(unique, text) == ["13:8 p m", "66:8 p m"]
    assert len(conversions) == 2


def test_a_document_is_converted_once_for_texts_too(conversions: list[object]) -> None:
    more = f"messageExpression: \"self.displayName + ' of ' + string(size({UPSELLS}))\"\n"
    small = policy(f"size({UPSELLS}) < 3", on="UpsellConfig", more=more)
    said = told(small, config(*numbered(50)))
    assert (said[0], said[49]) == ("6:8 p n0 of 50", "55:8 p n49 of 50")
    assert len(conversions) == 1


def test_with_parameters_and_functions_too(conversions: list[object]) -> None:
    more = "parameters:\n  most: {type: int, default: 3}\n"
    checks = f"size({UPSELLS}) <= parameters.most || condition.reads(self.celUpsell.conditionExpression).size() > 0"
    assert len(told(policy(checks, on="UpsellConfig", more=more), config(*numbered(20)))) == 20
    assert len(conversions) == 1


@pytest.mark.parametrize("bytes_kept", [-(1 << 50), None])
def test_memory_is_bounded_and_answers_are_the_same(
    bytes_kept: int | None, conversions: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where evaluations have kept too much, or the system does not say how much, a message is converted by itself."""
    if bytes_kept is None:
        monkeypatch.setattr(batch, "resident_bytes", lambda: None)
    else:
        monkeypatch.setattr(batch, "MAX_KEPT_BYTES", bytes_kept)
    assert told(policy(UNIQUE, on="UpsellConfig"), config(*numbered(9), "n3")) == ["9:8 p m", "15:8 p m"]
    assert len(conversions) == 9  # of ten messages, two are equal


def test_a_check_that_nests_as_deep_as_the_engine_lets_it() -> None:
    for depth in range(20, 30):
        deep = "(" * depth + f"size({UPSELLS})" + ")" * depth + " > self.priority"
        assert told(policy(deep, on="UpsellConfig"), config("a", "b")) == [], depth
