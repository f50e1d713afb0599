"""Whatever a request says, it is answered or refused in the way of the service, and what is answered is sound."""

from __future__ import annotations

import tempfile
from collections.abc import Coroutine, Iterable
from pathlib import Path
from typing import Any

from hypothesis import given
from hypothesis import strategies as some

from tests.service.channel_config.service_fixture import ACME, AUSTIN, BISTRO, LUNCH, VOICE, catalog, edit
from tests.service.channel_config.service_fixture import service as config_service
from tests.service.service_fixture import NOON, RIDERS, SERVING, run, service
from trialrun.model.channel_config import ChannelConfig
from trialrun.model.companion import Brand, Store
from trialrun.model.feature_view import FeatureView
from trialrun.service.channel_config import ChannelConfigService
from trialrun.service.channel_config import messages as of_configs
from trialrun.service.error import ServiceError
from trialrun.service.feature_view import messages as of_views
from trialrun.service.filter import FilterError, LabelsField, TextField, TimeField, compile_filter
from trialrun.service.iam import Signer
from trialrun.service.listing import GetRequest, ListRequest

FIELDS = {
    "createTime": TimeField(lambda _: None),
    "id": TextField(lambda _: "x"),
    "labels": LabelsField(lambda _: {"a": "b"}),
}
WORDS = [*"-().:=<*a ", "labels", "create_time", "id", "AND", "OR", "NOT", "!=", '"a"']
VIEW_NAMES = [*FeatureView.model_fields, "uri", "cron", "continuous", "entityIdColumns", "treeAhConfig", "source", "x"]
RESOURCE_NAMES = [*ChannelConfig.model_fields, *Brand.model_fields, *Store.model_fields]
CONFIG_NAMES = [*RESOURCE_NAMES, "rule", "channelConfig", "channel_config", "upsellStrategy", "upsells", "x"]
CONFIG_TEXTS = ["lunch", "voice", LUNCH, AUSTIN, "AGENT_CUSTOMIZATION", "austin", "a/b", "", "quiet"]
VIEW_LEAVES = some.none() | some.booleans() | some.integers() | some.floats() | some.text(max_size=5)
LEAVES = some.none() | some.booleans() | some.integers() | some.text(max_size=5) | some.sampled_from(CONFIG_TEXTS)
Strategy = some.SearchStrategy[Any]


def resources(names: list[str], leaves: Strategy) -> Strategy:
    values = some.recursive(
        leaves,
        lambda inner: some.lists(inner, max_size=3) | some.dictionaries(some.sampled_from(names), inner, max_size=4),
        max_leaves=8,
    )
    return some.dictionaries(some.sampled_from(names), values, max_size=5)


def masks(words: Iterable[str]) -> Strategy:
    return some.none() | some.lists(some.sampled_from([*words]), max_size=6).map("".join)


VIEWS = resources(VIEW_NAMES, VIEW_LEAVES)
VIEW_MASKS = masks([*VIEW_NAMES, "*", ".", "`", ",", "labels.a"])
CONFIGS = resources(CONFIG_NAMES, LEAVES | some.floats())
CONFIG_MASKS = masks([*CONFIG_NAMES, "*", ".", "`", ","])
IN_FILES = resources(CONFIG_NAMES, LEAVES | some.floats(allow_nan=False, allow_infinity=False))
BINDING = {"rule": some.sampled_from(["quiet", "late"]), "channelConfig": some.sampled_from(CONFIG_TEXTS)}
LEVEL = {
    "defaults": some.lists(some.sampled_from(CONFIG_TEXTS)),
    "bindings": some.lists(some.fixed_dictionaries(BINDING)),
    "tags": some.just(["city"]),
}
LEVELS = some.fixed_dictionaries({}, optional=LEVEL)
HERE = service(Path(tempfile.mkdtemp(prefix="trialrun-test-")))
CONFIG_SERVICE = config_service()


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


@given(VIEWS)
def test_any_view_can_be_asked_to_be_created(view: dict[str, Any]) -> None:
    answered(HERE.create(of_views.CreateFeatureViewRequest(parent=SERVING, featureViewId="riders2", featureView=view)))


@given(VIEWS, VIEW_MASKS)
def test_any_view_and_mask_can_be_asked_for_in_a_patch(view: dict[str, Any], mask: str | None) -> None:
    request = of_views.PatchFeatureViewRequest(featureView={**view, "name": RIDERS}, updateMask=mask)
    answer = answered(HERE.patch(request))
    assert answer is None or answer.featureView.name == RIDERS


@given(some.text(), some.text(), some.integers())
def test_any_page(token: str, by: str, size: int) -> None:
    request = ListRequest(parent=SERVING, pageToken=token, orderBy=by, pageSize=size)
    try:
        run(HERE.list(request))
    except ServiceError as error:
        assert error.status.name == "INVALID_ARGUMENT"


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


@given(CONFIGS)
def test_any_config_can_be_asked_to_be_created(config: dict[str, Any]) -> None:
    answered(CONFIG_SERVICE.create(of_configs.CreateChannelConfigRequest(parent=BISTRO, channelConfig=config)))


@given(CONFIGS, CONFIG_MASKS)
def test_any_config_and_mask_can_be_asked_for_in_a_patch(config: dict[str, Any], mask: str | None) -> None:
    request = of_configs.PatchChannelConfigRequest(channelConfig={**config, "name": LUNCH}, updateMask=mask)
    answer = answered(CONFIG_SERVICE.patch(request))
    assert answer is None or answer.channelConfig.name == LUNCH


@given(some.text(), some.sampled_from(["config", "brand", "store", "promote"]))
def test_any_name(name: str, what: str) -> None:
    promoting = of_configs.PromoteChannelConfigRequest(name=VOICE, destinationBrand=name or "x")
    operations = {
        "config": lambda: CONFIG_SERVICE.delete(GetRequest(name=name)),
        "brand": lambda: CONFIG_SERVICE.get_brand(GetRequest(name=name)),
        "store": lambda: CONFIG_SERVICE.get_store(GetRequest(name=name)),
        "promote": lambda: CONFIG_SERVICE.promote(promoting),
    }
    assert answered(operations[what]()) is None


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
