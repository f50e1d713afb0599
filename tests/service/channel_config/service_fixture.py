"""Two brands as the tests of configs have them: acme with stores, bindings and a menu, bistro with a menu."""

import json
from dataclasses import replace
from typing import Any

from tests.runtime.channel_config.brands import brands
from tests.service.service_fixture import NOON, run
from trialrun.lint.selection import default_selection
from trialrun.model.channel_config import ChannelConfig
from trialrun.runtime.clock import FixedClock
from trialrun.runtime.declaration import BrandCatalog
from trialrun.service.channel_config import ChannelConfigService, messages
from trialrun.service.listing import GetRequest
from trialrun.service.resource import Merge
from trialrun.values.cel import build_schema

HERE = "projects/food/locations/us"
ACME, BISTRO = f"{HERE}/brands/acme", f"{HERE}/brands/bistro"
AUSTIN = f"{ACME}/stores/austin"
VOICE, LUNCH = f"{ACME}/channelConfigs/voice", f"{ACME}/channelConfigs/lunch"
CAKE = {"messageConfigs": [{"languageCode": "en", "messageText": "Cake?"}], "upsoldItems": ["Cake"]}
UPSELL = {"displayName": "cake", "priority": 1, "closingOffer": {"closingMessages": [{"offerMessage": CAKE}]}}
WITH_CAKE = {"type": "UPSELL_STRATEGY", "operationsConfig": {"upsellStrategy": {"upsells": [UPSELL]}}}
DOCUMENTS: list[dict[str, Any]] = [
    {
        "kind": "Brand",
        "name": ACME,
        "defaults": ["voice"],
        "stores": [{"name": "austin", "tags": ["city"]}, {"name": "boston", "tags": ["city", "kiosk"]}],
    },
    {"kind": "Brand", "name": BISTRO},
    {"kind": "Menu", "name": "acme-menu", "brand": "acme", "items": [{"name": "Cake"}]},
    {"kind": "Menu", "name": "bistro-menu", "brand": "bistro", "items": [{"name": "Tarte"}]},
    {"kind": "ChannelConfig", "name": VOICE, "type": "AGENT_CUSTOMIZATION", "tone": "FRIENDLY"},
    {"kind": "ChannelConfig", "name": LUNCH, "type": "AGENT_CUSTOMIZATION", "displayName": "Lunch"},
]


def catalog(*documents: dict[str, Any], **types: str) -> BrandCatalog:
    """The catalog of some documents; `types` are the variables of a session that the workspace declares."""
    found = brands(**{f"{number}.json": json.dumps(one) for number, one in enumerate(documents)})
    declared = build_schema({}, types) if types else None
    return replace(found, schema_for=lambda _: declared) if declared else found


def service(*documents: dict[str, Any], clock: FixedClock | None = None) -> ChannelConfigService:
    """A service of the two brands and of further documents, at noon."""
    found = catalog(*DOCUMENTS, *documents)
    return ChannelConfigService(found, clock=clock or FixedClock(NOON), selection=default_selection())


def config(here: ChannelConfigService, name: str = LUNCH) -> ChannelConfig:
    """A config as it is now."""
    return run(here.get(GetRequest(name=name)))


def create(here: ChannelConfigService, id_: str | None = "new", **content: Any) -> ChannelConfig:
    """Create a config of acme."""
    request = messages.CreateChannelConfigRequest(
        parent=ACME, channelConfigId=id_, channelConfig={"type": "AGENT_CUSTOMIZATION", **content}
    )
    return run(here.create(request)).channelConfig


def patch(
    here: ChannelConfigService, *, mask: str | None = None, name: str = LUNCH, **content: Any
) -> messages.PatchChannelConfigResponse:
    """Patch a config."""
    request = messages.PatchChannelConfigRequest(channelConfig={"name": name, **content}, updateMask=mask)
    return run(here.patch(request))


def edit(here: ChannelConfigService, *documents: dict[str, Any], **acme: Any) -> Merge:
    """Serve the files with other content of the brand acme, and with further documents."""
    files = [{**document, **acme} if document["name"] == ACME else document for document in DOCUMENTS]
    return here.replace_documents(catalog(*files, *documents), default_selection())


def edit_store(here: ChannelConfigService, **austin: Any) -> Merge:
    """Serve the files with other content of the store austin."""
    return edit(here, stores=stores_with(**austin))


def stores_with(**austin: Any) -> list[dict[str, Any]]:
    """The stores of acme, with other content of austin."""
    first, *others = DOCUMENTS[0]["stores"]
    return [{**first, **austin}, *others]


def promote(
    here: ChannelConfigService, name: str = LUNCH, *, to: str | None = None
) -> messages.PromoteChannelConfigResponse:
    """Promote a config."""
    return run(here.promote(messages.PromoteChannelConfigRequest(name=name, destinationBrand=to)))
