"""Whatever a request says, it is answered or refused in the way of the service, and what is answered is sound."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from tests.service.channel_config.service_fixture import ACME, AUSTIN, BISTRO, LUNCH, VOICE, catalog, edit, service
from tests.service.service_fixture import run
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.companion import Brand, Store
from trialrun.service.channel_config import ChannelConfigService, messages
from trialrun.service.error import ServiceError

NAMES = [
    *ChannelConfig.model_fields,
    *Brand.model_fields,
    *Store.model_fields,
    "rule",
    "channelConfig",
    "channel_config",
    "upsellStrategy",
    "upsells",
    "x",
]
TEXTS = ["lunch", "voice", LUNCH, AUSTIN, "AGENT_CUSTOMIZATION", "austin", "a/b", "", "quiet"]
LEAVES = some.none() | some.booleans() | some.integers() | some.text(max_size=5) | some.sampled_from(TEXTS)
NUMBERS_THAT_FILES_HAVE = some.floats(allow_nan=False, allow_infinity=False)


def values(leaves: some.SearchStrategy[Any]) -> some.SearchStrategy[Any]:
    return some.recursive(
        leaves,
        lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.sampled_from(NAMES), inner, max_size=4),
        max_leaves=8,
    )


JSON = values(LEAVES | some.floats())
RESOURCES = some.dictionaries(some.sampled_from(NAMES), JSON, max_size=5)
IN_FILES = some.dictionaries(some.sampled_from(NAMES), values(LEAVES | NUMBERS_THAT_FILES_HAVE), max_size=5)
BINDINGS = some.lists(
    some.fixed_dictionaries({"rule": some.sampled_from(["quiet", "late"]), "channelConfig": some.sampled_from(TEXTS)})
)
LEVELS = some.fixed_dictionaries(
    {}, optional={"defaults": some.lists(some.sampled_from(TEXTS)), "bindings": BINDINGS, "tags": some.just(["city"])}
)
MASKS = some.none() | some.lists(some.sampled_from([*NAMES, "*", ".", "`", ","]), max_size=6).map("".join)
HERE = service()


def answered(operation: Coroutine[Any, Any, Any]) -> Any:
    try:
        return run(operation)
    except ServiceError as error:
        assert error.reason and error.message
        assert error.reason != "internal-error"
        return None


@given(IN_FILES, IN_FILES | LEVELS, some.sampled_from([ACME, "acme", "a/b", "brands/", ""]))
def test_a_service_can_begin_with_any_documents(config: dict[str, Any], brand: dict[str, Any], name: str) -> None:
    documents = [{**config, "kind": "ChannelConfig", "name": LUNCH}, {**brand, "kind": "Brand", "name": name}]
    here = ChannelConfigService(catalog(*documents))
    (found,) = run(here.list(messages.ListChannelConfigsRequest(parent=ACME))).channelConfigs
    assert (found.name, found.state) in ((LUNCH, "DRAFT"), (LUNCH, "ACTIVE"))
    stores = answered(here.list_stores(messages.ListStoresRequest(parent=ACME)))
    for store in stores.stores if stores else ():
        assert run(here.get_store(messages.GetStoreRequest(name=store.name))) == store


@given(RESOURCES)
def test_any_config_can_be_asked_to_be_created(config: dict[str, Any]) -> None:
    answered(HERE.create(messages.CreateChannelConfigRequest(parent=BISTRO, channelConfig=config)))


@given(RESOURCES, MASKS)
def test_any_config_and_mask_can_be_asked_for_in_a_patch(config: dict[str, Any], mask: str | None) -> None:
    request = messages.PatchChannelConfigRequest(channelConfig={**config, "name": LUNCH}, updateMask=mask)
    answer = answered(HERE.patch(request))
    assert answer is None or answer.channelConfig.name == LUNCH


@given(some.text(), some.sampled_from(["config", "brand", "store", "promote"]))
def test_any_name(name: str, what: str) -> None:
    operations = {
        "config": lambda: HERE.delete(messages.DeleteChannelConfigRequest(name=name)),
        "brand": lambda: HERE.get_brand(messages.GetBrandRequest(name=name)),
        "store": lambda: HERE.get_store(messages.GetStoreRequest(name=name)),
        "promote": lambda: HERE.promote(messages.PromoteChannelConfigRequest(name=VOICE, destinationBrand=name or "x")),
    }
    assert answered(operations[what]()) is None


@given(some.lists(LEVELS | some.sampled_from(["promote", "patch"]), max_size=5))
def test_whatever_is_done_the_state_is_that_of_the_table(steps: list[Any]) -> None:
    here, is_promoted = service(), False
    for number, step in enumerate(steps):
        if step == "promote":
            run(here.promote(messages.PromoteChannelConfigRequest(name=LUNCH)))
            is_promoted = True
        elif step == "patch":
            given_ = {"name": LUNCH, "displayName": str(number)}
            run(here.patch(messages.PatchChannelConfigRequest(channelConfig=given_)))
            is_promoted = False
        else:
            edit(here, **step)
    brand = run(here.get_brand(messages.GetBrandRequest(name=ACME)))
    rules = list(dict.fromkeys(binding.rule for binding in brand.bindings or () if binding.channelConfig == LUNCH))
    is_used = bool(rules) or LUNCH in (brand.defaults or ())
    config = run(here.get(messages.GetChannelConfigRequest(name=LUNCH)))
    assert config.state == ("PROMOTED" if is_promoted else "ACTIVE" if is_used else "DRAFT")
    found = [configapplicationrule["name"] for configapplicationrule in config.configApplicationRules or ()]
    assert found == [f"{ACME}/configApplicationRules/{rule}" for rule in rules]
