"""Redundant operands and changes of the benchmarks' conditions: nearly all are decided, what differs is played."""

import json
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from benchmarks.brands import PARENT, menu
from benchmarks.configs import conditions
from benchmarks.text_pool import ITEMS
from tests.runtime.channel_config.brands import brands
from trialrun.changes.proved import prove_pair
from trialrun.changes.session_differences import StorePair
from trialrun.prove.replay import Stage, comes_to, show
from trialrun.prove.store import StoreProof, redundant_operands
from trialrun.prove.translate import MIRRORED
from trialrun.prove.verdict import Possible, Unknown
from trialrun.runtime.channel_config.active_config import resolve_active_config
from trialrun.runtime.channel_config.menu import brand_menu
from trialrun.runtime.channel_config.session.cel_state import state_builder
from trialrun.runtime.declaration import BrandCatalog
from trialrun.runtime.options import DEFAULT_OPTIONS
from trialrun.values.cel import DEFAULT_SCHEMA, Node
from trialrun.values.cel import compile as compile_cel
from trialrun.values.cel.syntax_tree import is_macro, walk

PARTS, DECIDED = 10, 0.98
BEGIN = datetime(2026, 11, 28, tzinfo=UTC)
OTHER_LOGIC = {"&&": "||", "||": "&&"}


def rewritten(node: Node, text: str) -> str:
    """A part in other words: other connectives, sides and quantifiers, the same meaning."""
    parts = [text[each.start : each.end] for each in node.children]
    if is_macro(node) and node.name == "exists":
        variable, body = node.arguments
        return f"!{parts[0]}.all({variable.name}, !({rewritten(body, text)}))"
    if node.kind == "operator" and node.name in MIRRORED:
        return f"{parts[1]} {MIRRORED[node.name]} {parts[0]}"
    if node.kind == "operator" and node.name == "in":
        return f"({' || '.join(f'{parts[0]} == {text[each.start : each.end]}' for each in node.children[1].children)})"
    inner = [f"({rewritten(each, text)})" for each in node.children]
    if node.kind == "conditional":
        return " ? ".join(inner[:2]) + f" : {inner[2]}"
    if node.kind == "operator" and node.name == "!":
        return f"({inner[0]} ? false : true)"
    if node.kind == "operator" and node.name in OTHER_LOGIC:
        return f"!({f' {OTHER_LOGIC[node.name]} '.join(f'!{each}' for each in inner)})"
    return text[node.start : node.end]


def changed(tree: Node, text: str, number: int) -> str:
    """A condition with one of its literals changed: a number is one more, an item another one."""
    literals = [node for node in walk(tree) if node.kind == "literal" and isinstance(node.value, str | int | float)]
    literal = literals[number % len(literals)]
    if isinstance(literal.value, str):
        other = repr(ITEMS[number % len(ITEMS)] if literal.value in ITEMS else f"{literal.value}x")
    else:
        other = repr((literal.value or 0) + 1)
    return text[: literal.start] + other + text[literal.end :]


def catalog(condition: str) -> BrandCatalog:
    """The benchmarks' menu and a store with one upsell."""
    config, cel = f"{PARENT}/channelConfigs/c", {"conditionExpression": condition, "suggestedMenuItems": ["Cookie"]}
    strategy = {"upsellStrategy": {"upsells": [{"displayName": "Cookie", "priority": 1, "celUpsell": cel}]}}
    store = {"name": f"{PARENT}/stores/s", "timeZone": "America/Chicago", "defaults": [config]}
    resources = [
        {"kind": "Brand", "name": PARENT, "stores": [store]},
        {"kind": "ChannelConfig", "name": config, "type": "UPSELL_STRATEGY", "operationsConfig": strategy},
        menu(),
    ]
    return brands(json.dumps(resources))


def stage_of(found: BrandCatalog) -> Stage:
    store = found.store("s")
    config = resolve_active_config(store, found, DEFAULT_OPTIONS)
    return Stage(config, brand_menu(store.brand, found, store.store), found.schema_for, BEGIN)


def decided_operands(condition: str, found: BrandCatalog) -> Iterator[bool]:
    """Whether it is decided of each operand that it is redundant; the state that needs it is brought about."""
    stage, program = stage_of(found), compile_cel(condition, schema=DEFAULT_SCHEMA)
    builder = state_builder(DEFAULT_SCHEMA)
    for operand, verdict in redundant_operands(condition, StoreProof(stage).situation(DEFAULT_SCHEMA)):
        yield not isinstance(verdict, Unknown)
        if isinstance(verdict, Possible):
            value = program.value(verdict.witness.activation(builder, "s"))
            assert show(verdict.witness, stage, comes_to(program, builder, value=value is True)), operand


def verdict_of_change(before: BrandCatalog, after: BrandCatalog) -> str:
    """What `plan --prove` says of the store; where sessions differ, one was played on both sides."""
    pair = StorePair(["s"], (before.store("s"), after.store("s")), (before, after), DEFAULT_OPTIONS)
    proof = prove_pair(pair, BEGIN, "s", (), deque())
    assert (proof.example is not None) == (proof.verdict == "differs")
    return proof.verdict


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(PARTS))
def test_operands_and_changes_are_decided(part: int) -> None:
    found = list[bool]()
    for number, condition in [*enumerate(conditions())][part::PARTS]:
        tree, before = compile_cel(condition, schema=DEFAULT_SCHEMA).tree, catalog(condition)
        found += decided_operands(condition, before)
        verdicts = [
            verdict_of_change(before, catalog(other))
            for other in (rewritten(tree, condition), changed(tree, condition, number))
        ]
        assert verdicts[0] != "differs", condition
        found += [verdict != "unknown" for verdict in verdicts]
    assert sum(found) >= DECIDED * len(found)
