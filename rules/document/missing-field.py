"""Required field without a value.

Without it the service refuses the resource, or the part does nothing: an upsell without a priority is never attempted,
an offer without messages says nothing. Null, an empty text and an empty list count as missing.

Specification: feature-view, section 2, and channel-config, section 2: the fields whose mode is "required".

Good, as MessageConfig:

    languageCode: en
    messageText: Fries?

Bad, as MessageConfig:

    languageCode: en  # <- MessageConfig needs "messageText"; add it

Bad:

    kind: FeatureView
    warehouseSource:  # <- WarehouseSource needs "uri"; add it
      entityIdColumns: []  # <- "entityIdColumns" is an empty list, and WarehouseSource needs it; add an item

Bad:

    kind: ChannelConfig  # <- ChannelConfig needs "type"; add it
    operationsConfig:
      upsellStrategy:
        upsells:
          - displayName: Fries  # <- UpsellConfig needs "priority"; add it
            celUpsell:
              conditionExpression: ""  # <- "conditionExpression" is empty, and CelUpsell needs it; set a value
              suggestedMenuItems:  # <- "suggestedMenuItems" is null, and CelUpsell needs it; set a value

Bad:

    kind: ChannelConfig
    type: []  # <- "type" is an empty list, and ChannelConfig needs it; set a value

Bad, as WarehouseSource:

    entity-id-columns: [id]  # <- WarehouseSource needs "uri"; add it

Bad, as MenuItem:

    price: 2.5  # <- MenuItem needs a name; add "name", "displayName" or "semanticName"
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trialrun.diagnostic import Severity
from trialrun.lint.rule import Findings, rule
from trialrun.model.misfit import MissingField

if TYPE_CHECKING:
    from trialrun.model.node import Node


@rule(MissingField, severity=Severity.ERROR, absence=True)
def check(misfit: MissingField) -> Findings:
    """Flag the mapping that should hold the field, or the field that holds nothing."""
    model = misfit.model.__name__
    if not misfit.is_present:
        yield misfit.finding(f'{model} needs "{misfit.name}"; add it')
        return
    what = "null" if misfit.value is None else "an empty list" if isinstance(misfit.value, list) else "empty"
    is_list = "list[" in str(misfit.model.model_fields[misfit.name].annotation)
    advice = "add an item" if is_list and misfit.value is not None else "set a value"
    yield misfit.finding(
        f'"{misfit.name}" is {what}, and {model} needs it; {advice}', at="key" if misfit.value is None else "place"
    )


@rule("MenuItem", "Modifier", "ModifierGroup", severity=Severity.ERROR, absence=True)
def check_names(node: Node) -> Findings:
    """Flag an entry of a menu without any name, at its first key; not if one was refused."""
    if not any(getattr(node, name) or node.is_partial(name) for name in node.one_of):
        *names, last = (f'"{name}"' for name in node.one_of)
        present = next((name for name in node.one_of if node.has(name)), None)
        yield node.finding(present, f"{type(node).__name__} needs a name; add {', '.join(names)} or {last}")
