"""Declared session field that no condition reads.

The field is left over, or a condition reads another one by mistake, so its upsell depends on the wrong value. Fields
and variables of the default session are not reported, since the service sends them anyway. Any mention of the name in a
condition counts as a read. Nothing is reported if there are no conditions.

Basis: best practice; the assumption session-unused.

Good:

    - {kind: SessionSchema, types: {Session: {turn: int, partySize: int}}, variables: {session: Session}}
    - kind: ChannelConfig
      name: projects/p/locations/l/brands/acme/channelConfigs/c
      type: UPSELL_STRATEGY
      operationsConfig: {upsellStrategy: {upsells: [
        {priority: 1, celUpsell: {conditionExpression: session.partySize > 3, suggestedMenuItems: [Fries]}}]}}

Bad:

    kind: SessionSchema
    types:
      Session:
        turn: int
        partySize: int
        loyaltyTier: string  # <- no condition reads "loyaltyTier" of Session; use it in a condition, or remove it
    variables:
      session: Session
      weather: string  # <- no condition reads the variable "weather"; use it in a condition, or remove it
    ---
    kind: ChannelConfig
    name: projects/p/locations/l/brands/acme/channelConfigs/c
    type: UPSELL_STRATEGY
    operationsConfig:
      upsellStrategy:
        upsells:
          - priority: 1
            celUpsell: {conditionExpression: session.partySize > 3, suggestedMenuItems: [Fries]}
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Gathered, gather, rule
from trialrun.lint.workspace_rules import Facts, WorkspaceFinding, WorkspaceFindings

if TYPE_CHECKING:
    from trialrun.model.channel_config import ChannelConfig
    from trialrun.model.companion import SessionSchema

CONDITION_KEYS = ["conditionExpression", "condition_expression"]
"""What a file has in it that matters to a schema: the field of a condition, in either spelling."""
WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class DeclaredField(NamedTuple):
    """A field of a type of a schema, or a variable, whose type name is empty; `markers` are `CONDITION_KEYS`."""

    markers: list[str]
    name: str
    type_name: str


class ConditionWords(NamedTuple):
    """The words of all conditions of a config; None where one of them could not be read."""

    words: list[str] | None


@gather("SessionSchema", facts=(DeclaredField,), keys=("markers",))
def declarations(schema: SessionSchema) -> Gathered[DeclaredField]:
    """Each field and variable that a schema adds to the default."""
    from trialrun.values.cel import DEFAULT_SCHEMA

    default = {name for fields in DEFAULT_SCHEMA.fields.values() for name in fields}
    for type_name, fields in (schema.types or {}).items():
        for name in fields:
            if name not in default:
                yield schema.location("types", type_name, name), DeclaredField(CONDITION_KEYS, name, type_name)
    for name in schema.variables or {}:
        if name not in DEFAULT_SCHEMA.roots:
            yield schema.location("variables", name), DeclaredField(CONDITION_KEYS, name, "")


@gather("ChannelConfig", facts=(ConditionWords,), context=(ConditionWords,))
def readings(config: ChannelConfig) -> Gathered[ConditionWords]:
    """The words of all conditions of a config."""
    texts = list(_conditions(config))
    words = None if None in texts else sorted({word for text in texts for word in WORD.findall(text or "")})
    yield config.location(), ConditionWords(words)


def _conditions(config: ChannelConfig) -> Iterator[str | None]:
    operations = config.operationsConfig
    strategy = operations.upsellStrategy if operations else None
    if config.is_partial("operationsConfig") or (operations and operations.is_partial("upsellStrategy")):
        yield None
    if strategy is not None and strategy.is_partial("upsells"):
        yield None
    for upsell in (strategy.upsells if strategy else None) or ():
        if upsell.is_partial("celUpsell") or (upsell.celUpsell and upsell.celUpsell.is_partial("conditionExpression")):
            yield None
        elif upsell.celUpsell:
            yield upsell.celUpsell.conditionExpression or ""


@rule(Facts, severity=Severity.NOTE)
def check(facts: Facts) -> WorkspaceFindings:
    """Flag each declaration whose name is in no condition, where all conditions could be read."""
    configs = list(facts.of(ConditionWords))
    if not all(fact.value.words is not None and fact.is_complete for fact in configs):
        return
    words = {word for fact in configs for word in fact.value.words or ()}
    for fact in facts.of(DeclaredField):
        _, name, type_name = fact.value
        if words and name not in words:
            what = f'"{name}" of {type_name}' if type_name else f'the variable "{name}"'
            yield WorkspaceFinding(fact, f"no condition reads {what}; use it in a condition, or remove it")
