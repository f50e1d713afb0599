"""Any filter, token, documents and steps are answered or refused soundly; `test_hostile_requests` tries any request."""

from collections.abc import Coroutine
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from tests.service.channel_config.service_fixture import ACME, AUSTIN, LUNCH, catalog, edit
from tests.service.channel_config.service_fixture import service as config_service
from tests.service.service_fixture import NOON, run
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.companion import Brand, Store
from trialrun.service.channel_config import ChannelConfigService
from trialrun.service.channel_config import messages as of_configs
from trialrun.service.error import ServiceError
from trialrun.service.filter import FilterError, LabelsField, TextField, TimeField, compile_filter
from trialrun.service.iam import Signer
from trialrun.service.listing import GetRequest, ListRequest

FIELDS = {
    "createTime": TimeField(lambda _: None),
    "id": TextField(lambda _: "x"),
    "labels": LabelsField(lambda _: {"a": "b"}),
}
WORDS = [*"-().:=<*a ", "labels", "create_time", "id", "AND", "OR", "NOT", "!=", '"a"']
RESOURCE_NAMES = [*ChannelConfig.model_fields, *Brand.model_fields, *Store.model_fields]
CONFIG_NAMES = [*RESOURCE_NAMES, "rule", "channelConfig", "channel_config", "upsellStrategy", "upsells", "x"]
CONFIG_TEXTS = ["lunch", "voice", LUNCH, AUSTIN, "AGENT_CUSTOMIZATION", "austin", "a/b", "", "quiet"]
LEAVES = some.none() | some.booleans() | some.integers() | some.text(max_size=5) | some.sampled_from(CONFIG_TEXTS)
Strategy = some.SearchStrategy[Any]


def resources(names: list[str], leaves: Strategy) -> Strategy:
    values = some.recursive(
        leaves,
        lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.sampled_from(names), inner, max_size=4),
        max_leaves=8,
    )
    return some.dictionaries(some.sampled_from(names), values, max_size=5)


IN_FILES = resources(CONFIG_NAMES, LEAVES | some.floats(allow_nan=False, allow_infinity=False))
BINDING = {"rule": some.sampled_from(["quiet", "late"]), "channelConfig": some.sampled_from(CONFIG_TEXTS)}
LEVEL = {
    "defaults": some.lists(some.sampled_from(CONFIG_TEXTS)),
    "bindings": some.lists(some.fixed_dictionaries(BINDING)),
    "tags": some.just(["city"]),
}
LEVELS = some.fixed_dictionaries({}, optional=LEVEL)


def answered(operation: Coroutine[Any, Any, Any]) -> Any:
    try:
        return run(operation)
    except ServiceError as error:
        assert error.reason and error.message
        assert error.reason != "internal-error"
        return None


@given(some.lists(some.sampled_from(WORDS), max_size=12).map("".join) | some.text())
def test_any_filter(text: str) -> None:
    try:
        assert compile_filter(text, FIELDS)(None) in (True, False)
    except FilterError as error:
        assert 1 <= error.at <= len(text) + 1


@given(some.text())
def test_any_token(token: str) -> None:
    try:
        Signer(b"key").verify(token, "views/a", now=NOON)
    except ServiceError as error:
        assert error.reason == "invalid-token"


@given(IN_FILES, IN_FILES | LEVELS, some.sampled_from([ACME, "acme", "a/b", "brands/", ""]))
def test_a_service_can_begin_with_any_documents(config: dict[str, Any], brand: dict[str, Any], name: str) -> None:
    documents = [{**config, "kind": "ChannelConfig", "name": LUNCH}, {**brand, "kind": "Brand", "name": name}]
    here = ChannelConfigService(catalog(*documents))
    (found,) = run(here.list(ListRequest(parent=ACME))).channelConfigs
    assert (found.name, found.state) in ((LUNCH, "DRAFT"), (LUNCH, "ACTIVE"))
    stores = answered(here.list_stores(ListRequest(parent=ACME)))
    for store in stores.stores if stores else ():
        assert run(here.get_store(GetRequest(name=store.name))) == store


@given(some.lists(LEVELS | some.sampled_from(["promote", "patch"]), max_size=5))
def test_whatever_is_done_the_state_is_that_of_the_table(steps: list[Any]) -> None:
    here, is_promoted = config_service(), False
    for number, step in enumerate(steps):
        if step == "promote":
            run(here.promote(of_configs.PromoteChannelConfigRequest(name=LUNCH)))
            is_promoted = True
        elif step == "patch":
            given_ = {"name": LUNCH, "displayName": str(number)}
            run(here.patch(of_configs.PatchChannelConfigRequest(channelConfig=given_)))
            is_promoted = False
        else:
            edit(here, **step)
    brand = run(here.get_brand(GetRequest(name=ACME)))
    rules = list(dict.fromkeys(binding.rule for binding in brand.bindings or () if binding.channelConfig == LUNCH))
    is_used = bool(rules) or LUNCH in (brand.defaults or ())
    config = run(here.get(GetRequest(name=LUNCH)))
    assert config.state == ("PROMOTED" if is_promoted else "ACTIVE" if is_used else "DRAFT")
    found = [configapplicationrule["name"] for configapplicationrule in config.configApplicationRules or ()]
    assert found == [f"{ACME}/configApplicationRules/{rule}" for rule in rules]
