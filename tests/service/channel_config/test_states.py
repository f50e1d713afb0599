"""The states of configs and their rules, as bindings, defaults and promote make them."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.service.channel_config.service_fixture import (
    ACME,
    BISTRO,
    LUNCH,
    VOICE,
    WITH_CAKE,
    catalog,
    config,
    create,
    edit,
    edit_store,
    patch,
    promote,
    refusal,
    service,
    stores_with,
)
from trialrun.runtime.clock import FixedClock
from trialrun.service.channel_config import ChannelConfigService, messages

QUIET = {"rule": "quiet", "channelConfig": "lunch"}
GUEST = {"rule": "guest", "channelConfig": LUNCH}
RULE = f"{ACME}/configApplicationRules/quiet"


def rules(here: ChannelConfigService) -> list[dict[str, Any]]:
    return config(here).configApplicationRules or []


@pytest.mark.parametrize("level", [{"defaults": ["voice", "lunch"]}, {"bindings": [QUIET]}])
def test_what_a_brand_names_is_active_and_a_draft_when_it_names_it_no_more(
    here: ChannelConfigService, level: dict[str, Any]
) -> None:
    edit(here, **level)
    assert config(here).state == "ACTIVE"
    edit(here, **{field: [] for field in level})
    assert config(here).state == "DRAFT"


@pytest.mark.parametrize("level", [{"defaults": ["lunch"]}, {"bindings": [QUIET]}])
def test_what_a_store_names_is_active_and_a_draft_when_the_store_is_gone(
    here: ChannelConfigService, level: dict[str, Any]
) -> None:
    edit_store(here, **level)
    assert config(here).state == "ACTIVE"
    edit(here, stores=stores_with()[1:])
    assert config(here).state == "DRAFT"


def test_a_default_has_no_rule(here: ChannelConfigService) -> None:
    assert config(here, VOICE).state == "ACTIVE"
    assert config(here, VOICE).configApplicationRules is None


def test_a_rule_is_told_by_its_resource_name_and_since_when_it_is_bound(
    here: ChannelConfigService, clock: FixedClock
) -> None:
    clock.advance(timedelta(minutes=1))
    edit(here, bindings=[QUIET])
    assert rules(here) == [{"name": RULE, "createTime": "2026-03-01T12:01:00Z", "updateTime": "2026-03-01T12:01:00Z"}]


def test_a_rule_is_updated_when_its_binding_changes_and_not_with_others(
    here: ChannelConfigService, clock: FixedClock
) -> None:
    edit(here, bindings=[QUIET])
    clock.advance(timedelta(minutes=1))
    edit(here, bindings=[{**QUIET, "stores": {"tags": ["city"]}}])
    clock.advance(timedelta(minutes=1))
    edit(here, bindings=[{**QUIET, "stores": {"tags": ["city"]}}], displayName="Acme")
    assert rules(here) == [{"name": RULE, "createTime": "2026-03-01T12:00:00Z", "updateTime": "2026-03-01T12:01:00Z"}]


def test_a_rule_that_a_brand_and_its_store_bind_is_one(here: ChannelConfigService) -> None:
    of_store = [{**QUIET, "rule": RULE}, {**QUIET, "rule": "late"}]
    edit(here, bindings=[QUIET], stores=stores_with(bindings=of_store))
    assert [rule["name"] for rule in rules(here)] == [RULE, RULE.replace("quiet", "late")]


def test_a_rule_of_another_brand_keeps_its_name(here: ChannelConfigService) -> None:
    name = f"{BISTRO}/configApplicationRules/shared"
    edit(here, bindings=[{**QUIET, "rule": name}])
    assert [rule["name"] for rule in rules(here)] == [name]


def test_a_binding_does_not_update_the_config(here: ChannelConfigService, clock: FixedClock) -> None:
    clock.advance(timedelta(minutes=1))
    edit(here, bindings=[QUIET])
    assert config(here).updateTime == "2026-03-01T12:00:00Z"


def test_files_that_bind_a_config_of_another_brand_are_told_as_they_are() -> None:
    here = service({"kind": "Brand", "name": f"{BISTRO}-2", "bindings": [GUEST]})
    assert rules(here)[0]["name"] == f"{BISTRO}-2/configApplicationRules/guest"


def test_states_in_files_are_those_of_a_service_and_are_worked_out_anew() -> None:
    written = {"kind": "ChannelConfig", "name": LUNCH, "type": "AGENT_CUSTOMIZATION", "state": "PROMOTED"}
    assert config(ChannelConfigService(catalog(written))).state == "DRAFT"


def test_a_promoted_config_is_promoted_with_bindings_and_without(here: ChannelConfigService, clock: FixedClock) -> None:
    clock.advance(timedelta(minutes=1))
    answer = promote(here)
    assert (answer.channelConfig.state, answer.channelConfig.updateTime) == ("PROMOTED", "2026-03-01T12:01:00Z")
    assert (answer.channelConfigCopy, answer.warnings) == (None, [])
    edit(here, bindings=[QUIET])
    assert (config(here).state, len(rules(here))) == ("PROMOTED", 1)
    edit(here, bindings=[])
    assert config(here).state == "PROMOTED"


def test_what_is_promoted_already_stays_as_it_is(here: ChannelConfigService, clock: FixedClock) -> None:
    promote(here)
    clock.advance(timedelta(minutes=1))
    assert promote(here).channelConfig.updateTime == "2026-03-01T12:00:00Z"


def test_a_patch_of_a_promoted_config_takes_it_back(here: ChannelConfigService) -> None:
    promote(here)
    edit(here, bindings=[QUIET])
    answer = patch(here, tone="FRIENDLY")
    assert (answer.channelConfig.state, answer.warnings[0].rule) == ("ACTIVE", "no-longer-promoted")
    assert (
        answer.warnings[0].message == "the config is not what was promoted any more, so it is ACTIVE; promote it again"
    )


def test_a_patch_that_changes_nothing_takes_nothing_back(here: ChannelConfigService) -> None:
    promote(here)
    assert patch(here, displayName="Lunch").channelConfig.state == "PROMOTED"


def test_a_copy_is_made_in_another_brand_and_is_a_draft_there(here: ChannelConfigService) -> None:
    edit(here, bindings=[QUIET])
    answer = promote(here, to=BISTRO)
    copy = answer.channelConfigCopy
    assert copy is not None
    assert (copy.name, copy.displayName, copy.state) == (f"{BISTRO}/channelConfigs/lunch", "Lunch", "DRAFT")
    assert (answer.channelConfig.name, answer.channelConfig.state) == (LUNCH, "PROMOTED")
    assert config(here, copy.name or "") == copy


def test_a_copy_goes_its_own_way(here: ChannelConfigService) -> None:
    promote(here, to=BISTRO)
    patch(here, name=f"{BISTRO}/channelConfigs/lunch", displayName="Déjeuner")
    assert (config(here).displayName, config(here).state) == ("Lunch", "PROMOTED")


def test_no_copy_is_made_in_the_brand_that_the_config_is_under(here: ChannelConfigService) -> None:
    assert promote(here, to=ACME).channelConfigCopy is None


def promoting(here: ChannelConfigService, name: str, to: str) -> Any:
    return here.promote(messages.PromoteChannelConfigRequest(name=name, destinationBrand=to))


def test_an_id_that_is_taken_in_the_other_brand_is_refused(here: ChannelConfigService) -> None:
    promote(here, to=BISTRO)
    assert refusal(promoting(here, LUNCH, BISTRO)).status.name == "ALREADY_EXISTS"


def test_what_the_menu_of_the_other_brand_lacks_is_refused_and_nothing_is_changed(here: ChannelConfigService) -> None:
    name = create(here, "cake", **WITH_CAKE).name or ""
    error = refusal(promoting(here, name, BISTRO))
    assert (error.status.name, error.reason) == ("FAILED_PRECONDITION", "unknown-menu-item")
    assert error.field_violations[0].field.startswith("channelConfigCopy.operationsConfig.upsellStrategy.upsells[0]")
    assert config(here, name).state == "DRAFT"


def test_what_the_linter_refuses_is_not_promoted() -> None:
    name = f"{BISTRO}/channelConfigs/cake"
    here = service({"kind": "ChannelConfig", "name": name, **WITH_CAKE})
    error = refusal(promoting(here, name, ACME))
    assert (error.status.name, error.reason) == ("FAILED_PRECONDITION", "unknown-menu-item")
    assert error.field_violations[0].field.startswith("channelConfig.operationsConfig")
    assert config(here, name).state == "DRAFT"


def test_an_unknown_destination_is_told_with_its_near_name(here: ChannelConfigService) -> None:
    assert refusal(promoting(here, LUNCH, f"{BISTRO}t")).message.endswith('did you mean "bistro"?')
    assert refusal(promoting(here, LUNCH, "bistro")).field_violations[0].field == "destinationBrand"
