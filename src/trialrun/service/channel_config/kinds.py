"""The kinds of resources of the service, and how their names are made of each other."""

from __future__ import annotations

from trialrun.model.channel_config import NAME_FORMAT
from trialrun.service.resource_names import ResourceKind, parent_name

BRAND_FORMAT = parent_name(NAME_FORMAT)
CONFIG = ResourceKind("ChannelConfig", "config", NAME_FORMAT, under="brand")
BRAND = ResourceKind("Brand", "brand", BRAND_FORMAT)
STORE = ResourceKind("Store", "store", f"{BRAND_FORMAT}/stores/{{store}}", under="brand")
MENU = ResourceKind("Menu", "menu", f"{parent_name(BRAND_FORMAT)}/menus/{{menu}}")
RULE_FORMAT = f"{BRAND_FORMAT}/configApplicationRules/{{configApplicationRule}}"
