"""The rows of docs/assumptions.md that an effective configuration rests on."""

from __future__ import annotations

from tests.cases import each_of
from tests.runtime.channel_config.brands import at_store
from trialrun.runtime.options import Options

ONE = "{kind: Brand, defaults: [one, two], stores: [{name: austin}]}"
TWO = "{kind: Brand, defaults: [one], stores: [{name: austin, defaults: [two]}]}"
APPEND = Options(list_merge="append")


def config(name: str, strategy: str, *, of: str = "UPSELL_STRATEGY", further: str = "") -> str:
    operations = f"operationsConfig: {{displayName: X, upsellStrategy: {{{strategy}}}}}"
    return f"{{kind: ChannelConfig, name: {name}, type: {of}, {operations}{further}}}"


def rows(one: str, two: str, *, brand: str = TWO, options: Options | None = None) -> list[str]:
    configs = [config("one", one), config("two", two)]
    found = at_store("austin", brand, *configs, options=options or Options()).assumptions
    return [row.removeprefix("precedence-") for row in found if row != "precedence-presence"]


CASES = {
    "fields": ("maxUpsellOffers: 1", "maxItemsInCart: 2", []),
    "upsells": ("upsells: [{priority: 1}]", "upsells: [{priority: 2}]", ["upsells"]),
    "tie": (
        "upsells: [{priority: 1, displayName: A}]",
        "upsells: [{priority: 1, displayName: B}]",
        ["upsells", "ties"],
    ),
    "union": (
        "upsells: [{priority: 1, celUpsell: {priority: 1}}]",
        "upsells: [{priority: 1, greetingOffer: {messages: [{displayName: x}]}}]",
        ["upsells", "unions"],
    ),
    "union-that-changes": (
        "upsells: [{priority: 1, celUpsell: {priority: 1}}, {priority: 2, disabled: true}]",
        "upsells: [{priority: 1, closingOffer: {}}]",
        ["upsells", "unions"],
    ),
    "list": (
        "upsells: [{priority: 1, celUpsell: {suggestedMenuItems: [A]}}]",
        "upsells: [{priority: 1, celUpsell: {suggestedMenuItems: [B]}}]",
        ["upsells", "lists"],
    ),
}


@each_of(CASES)
def test_what_configs_make_together(one: str, two: str, expected: list[str]) -> None:
    assert rows(one, two) == expected


def test_appended_lists_rest_on_the_row_of_lists() -> None:
    assert rows(*CASES["list"][:2], options=APPEND) == ["upsells", "lists"]  # type: ignore[misc, arg-type]


def test_what_one_config_sets_alone_rests_on_nothing() -> None:
    found = at_store("austin", ONE.replace(", two", ""), config("one", "upsells: [{priority: 1}]"))
    assert found.assumptions == ()


def test_two_values_of_one_level() -> None:
    assert rows("maxUpsellOffers: 1", "maxUpsellOffers: 2", brand=ONE) == ["one-level"]


def test_an_override_rests_on_presence() -> None:
    found = at_store("austin", TWO, config("one", "maxUpsellOffers: 1"), config("two", "maxUpsellOffers: 2"))
    assert found.assumptions == ("precedence-presence",)


def test_a_name_that_means_no_config() -> None:
    assert at_store("austin", TWO, config("one", "")).assumptions == ("precedence-names",)


def test_a_config_that_sets_what_a_session_takes_from_the_other_type() -> None:
    agent = config("one", "maxUpsellOffers: 1", of="AGENT_CUSTOMIZATION")
    tone = config("two", "maxUpsellOffers: 2", further=", tone: FRIENDLY")
    assert at_store("austin", TWO, agent).assumptions == ("precedence-names", "precedence-types")
    assert at_store("austin", TWO, config("one", ""), tone).assumptions == ("precedence-types", "precedence-presence")


def test_greetings() -> None:
    greetings = "operationsConfig: {greetings: [{languageCode: XX}]}"
    head = "kind: ChannelConfig, type: AGENT_CUSTOMIZATION"
    texts = [
        f"{{{head}, name: {name}, {greetings.replace('XX', tag)}}}" for name, tag in (("one", "en"), ("two", "fr"))
    ]
    assert at_store("austin", TWO, *texts).assumptions == ("precedence-greetings",)
