"""The kinds of resources of the service, and how their names are made of each other."""

from __future__ import annotations

from trialrun.model.channel_config import NAME_FORMAT
from trialrun.service.resource_names import Kind, parent_of

BRAND_FORMAT = parent_of(NAME_FORMAT)
CONFIG = Kind("ChannelConfig", "config", NAME_FORMAT, under="brand")
BRAND = Kind("Brand", "brand", BRAND_FORMAT)
STORE = Kind("Store", "store", f"{BRAND_FORMAT}/stores/{{store}}", under="brand")
RULE_FORMAT = f"{BRAND_FORMAT}/configApplicationRules/{{configApplicationRule}}"
