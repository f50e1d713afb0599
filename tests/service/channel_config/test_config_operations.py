"""Configs are created, patched, deleted and promoted: what the rules refuse, and the states that bindings make."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest

from tests.service.channel_config.service_fixture import (
    ACME,
    BISTRO,
    HERE,
    LUNCH,
    UPSELL,
    VOICE,
    WITH_CAKE,
    catalog,
    config,
    create,
    edit,
    edit_store,
    patch,
    promote,
    service,
    stores_with,
)
from tests.service.service_fixture import refusal, run
from trialrun.model.channel_config import ChannelConfig
from trialrun.runtime.clock import FixedClock
from trialrun.service.channel_config import ChannelConfigService, messages
from trialrun.service.error import ServiceError
from trialrun.service.listing import GetRequest


def creating(here: ChannelConfigService, content: Any, *, parent: str = ACME, id_: str = "new") -> Any:
    request = messages.CreateChannelConfigRequest(parent=parent, channelConfigId=id_, channelConfig=content)
    return here.create(request)


def deleting(here: ChannelConfigService, name: str) -> Any:
    return here.delete(GetRequest(name=name))


def with_condition(text: str) -> dict[str, Any]:
    upsell = {"priority": 1, "celUpsell": {"suggestedMenuItems": ["Cake"], "conditionExpression": text}}
    return {"type": "UPSELL_STRATEGY", "operationsConfig": {"upsellStrategy": {"upsells": [upsell]}}}


def test_the_service_sets_what_is_output_only(here: ChannelConfigService) -> None:
    made = create(here, name="x", createTime="x", state="ACTIVE", configApplicationRules=[{"name": "x"}])
    assert made.model_dump(exclude_none=True) == {
        "name": f"{ACME}/channelConfigs/new",
        "createTime": "2026-03-01T12:00:00Z",
        "updateTime": "2026-03-01T12:00:00Z",
        "state": "DRAFT",
        "type": "AGENT_CUSTOMIZATION",
    }


def test_a_typed_config_is_as_good_as_its_json(here: ChannelConfigService) -> None:
    given = ChannelConfig(type="UPSELL_STRATEGY", displayName="Typed")
    assert run(creating(here, given)).channelConfig.displayName == "Typed"


def test_without_an_id_the_service_gives_the_next_one(here: ChannelConfigService) -> None:
    names = [create(here, None).name for _ in range(2)]
    assert names == [f"{ACME}/channelConfigs/channel-config-1", f"{ACME}/channelConfigs/channel-config-2"]


@pytest.mark.parametrize(
    ("content", "rule", "field"),
    [
        ({"tone": "FRIENDLY"}, "missing-field", "channelConfig"),
        ({"type": "UPSELLS"}, "unknown-enum-value", "channelConfig.type"),
        ({"type": "UPSELL_STRATEGY", "etag": "1"}, "unknown-field", "channelConfig.etag"),
        (
            {
                **WITH_CAKE,
                "operationsConfig": {"upsellStrategy": {"upsells": [UPSELL, {**UPSELL, "displayName": "again"}]}},
            },
            "duplicate-upsell-priority",
            "channelConfig.operationsConfig.upsellStrategy.upsells[1].priority",
        ),
    ],
)
def test_errors_of_the_linter_are_refused_with_rule_and_field(
    here: ChannelConfigService, content: dict[str, Any], rule: str, field: str
) -> None:
    error = refusal(creating(here, content))
    assert (error.status.name, error.reason, error.field_violations[0].field) == ("INVALID_ARGUMENT", rule, field)


def test_a_config_is_judged_beside_the_menu_of_its_brand(here: ChannelConfigService) -> None:
    assert run(creating(here, WITH_CAKE)).channelConfig.state == "DRAFT"
    assert refusal(creating(here, WITH_CAKE, parent=BISTRO)).reason == "unknown-menu-item"


def test_conditions_are_judged_by_the_types_that_the_workspace_declares() -> None:
    declaring = ChannelConfigService(catalog({"kind": "Brand", "name": ACME}, weather="string"))
    assert run(creating(declaring, with_condition("weather == 'hot'"))).warnings[0].rule == "unused-channel-config"
    assert refusal(creating(declaring, with_condition("order.size() > 1"), id_="other")).reason == "cel-type"


def test_the_types_that_the_linter_ships_are_a_guess(here: ChannelConfigService) -> None:
    told = run(creating(here, with_condition("weather == 'hot'"))).warnings
    assert ("cel-type", "warning") in [(one.rule, one.severity) for one in told]


def test_a_name_is_taken_once(here: ChannelConfigService) -> None:
    error = refusal(creating(here, {"type": "AGENT_CUSTOMIZATION"}, id_="lunch"))
    message = 'there is a config "lunch" already; patch it, or use another id'
    assert (error.status.name, error.message) == ("ALREADY_EXISTS", message)


def test_an_unknown_brand_is_told_with_its_near_name(here: ChannelConfigService) -> None:
    error = refusal(creating(here, {"type": "AGENT_CUSTOMIZATION"}, parent=f"{HERE}/brands/acne"))
    assert (error.status.name, error.message) == ("NOT_FOUND", 'there is no Brand "acne"; did you mean "acme"?')


@pytest.mark.parametrize(
    ("name", "status", "message"),
    [
        (
            f"{ACME}/channelConfigs/lnch",
            "NOT_FOUND",
            'no ChannelConfig "lnch" under the brand "acme"; did you mean "lu',
        ),
        (f"{ACME}s/channelConfigs/lunch", "NOT_FOUND", 'there is no Brand "acmes"; did you mean "acme"?'),
        (f"{ACME}/channelConfig/lunch", "INVALID_ARGUMENT", 'name: expected "channelConfigs", not "channelConfig"'),
    ],
)
def test_what_is_missing_is_told_with_the_near_name(
    here: ChannelConfigService, name: str, status: str, message: str
) -> None:
    error = refusal(here.get(GetRequest(name=name)))
    assert error.status.name == status
    assert message in error.message


def test_a_config_that_there_is_not_is_neither_patched_nor_deleted(here: ChannelConfigService) -> None:
    name = f"{ACME}/channelConfigs/lnch"
    request = messages.PatchChannelConfigRequest(channelConfig={"name": name, "tone": "FRIENDLY"})
    assert refusal(here.patch(request)).status.name == refusal(deleting(here, name)).status.name == "NOT_FOUND"


def test_configs_of_a_brand_that_nobody_declares_are_there_all_the_same() -> None:
    name = f"{HERE}/brands/elsewhere/channelConfigs/night"
    here = service({"kind": "ChannelConfig", "name": name, "type": "AGENT_CUSTOMIZATION"})
    assert config(here, name).state == "DRAFT"
    run(creating(here, {"type": "AGENT_CUSTOMIZATION"}, parent=f"{HERE}/brands/elsewhere"))


def test_a_patch_changes_what_it_sets(here: ChannelConfigService, clock: FixedClock) -> None:
    clock.advance(timedelta(minutes=5))
    after = patch(here, tone="FRIENDLY").channelConfig
    assert (after.displayName, after.tone) == ("Lunch", "FRIENDLY")
    assert (after.createTime, after.updateTime) == ("2026-03-01T12:00:00Z", "2026-03-01T12:05:00Z")


def test_a_mask_clears_what_the_request_lacks(here: ChannelConfigService) -> None:
    after = patch(here, mask="display_name,tone", tone="FRIENDLY").channelConfig
    assert (after.displayName, after.tone) == (None, "FRIENDLY")


def test_what_the_service_sets_is_ignored_in_a_mask(here: ChannelConfigService) -> None:
    answer = patch(here, mask="state,tone", state="ACTIVE", tone="FRIENDLY")
    assert (answer.channelConfig.state, answer.warnings[0].rule) == ("DRAFT", "output-only-field")


def test_a_patch_that_the_linter_refuses_changes_nothing(here: ChannelConfigService) -> None:
    with pytest.raises(ServiceError, match="displayName"):
        patch(here, displayName="x" * 64)
    assert config(here).displayName == "Lunch"


def test_patches_at_once_of_different_fields_both_take(here: ChannelConfigService) -> None:
    async def both() -> None:
        given = {"name": LUNCH, "displayName": "Late lunch", "tone": "FRIENDLY"}
        await asyncio.gather(
            *(
                here.patch(messages.PatchChannelConfigRequest(channelConfig=given, updateMask=mask))
                for mask in ("displayName", "tone")
            )
        )

    asyncio.run(both())
    assert (config(here).displayName, config(here).tone) == ("Late lunch", "FRIENDLY")


def test_a_config_that_is_named_is_not_deleted_until_it_is_named_no_more(here: ChannelConfigService) -> None:
    edit(here, bindings=[{"rule": "quiet", "channelConfig": "voice"}])
    error = refusal(deleting(here, VOICE))
    assert (error.status.name, error.reason) == ("FAILED_PRECONDITION", "channel-config-in-use")
    message = '"voice" is used by the defaults of the brand "acme" and 1 other place; remove it there first'
    assert error.message == message
    edit(here, defaults=[])
    run(deleting(here, VOICE))


def test_the_documents_of_the_workspace_are_as_they_were() -> None:
    found = catalog({"kind": "ChannelConfig", "name": LUNCH, "type": "AGENT_CUSTOMIZATION"})
    patch(ChannelConfigService(found), displayName="Changed")
    assert config(ChannelConfigService(found)).displayName is None


QUIET = {"rule": "quiet", "channelConfig": "lunch"}
GUEST = {"rule": "guest", "channelConfig": LUNCH}
RULE = f"{ACME}/configApplicationRules/quiet"


def rules(here: ChannelConfigService) -> list[dict[str, Any]]:
    return config(here).configApplicationRules or []


@pytest.mark.parametrize("level", [{"defaults": ["lunch"]}, {"bindings": [QUIET]}])
def test_what_a_store_names_is_active_and_a_draft_when_the_store_is_gone(
    here: ChannelConfigService, level: dict[str, Any]
) -> None:
    edit_store(here, **level)
    assert config(here).state == "ACTIVE"
    edit(here, stores=stores_with()[1:])
    assert config(here).state == "DRAFT"


def test_a_rule_is_told_by_its_resource_name_and_since_when_it_is_bound(
    here: ChannelConfigService, clock: FixedClock
) -> None:
    clock.advance(timedelta(minutes=1))
    edit(here, bindings=[QUIET])
    assert rules(here) == [{"name": RULE, "createTime": "2026-03-01T12:01:00Z", "updateTime": "2026-03-01T12:01:00Z"}]
    assert config(here).updateTime == "2026-03-01T12:00:00Z"


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
