"""The state that conditions read: every declared field, what the session knows, what the client sends."""

from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest

from tests.cases import each_of
from tests.runtime.channel_config.brands import BRAND, add, play, upsells
from trialrun.runtime.channel_config.menu import Item, OrderLineItem
from trialrun.runtime.channel_config.session.actions import ActionError, Add, Remove, SetState
from trialrun.values.cel import DEFAULT_SCHEMA, Schema, build_schema

OWN = build_schema(
    {
        "Cart": {"items": "list(Line)", "subtotal": "double", "channel": "enum(web, kiosk)", "coupon": "string?"},
        "Line": {"displayName": "string", "quantity": "double", "allergens": "list(string)", "note": "string?"},
        "Visit": {
            "turn": "int",
            "guest": "Guest",
            "tags": "map(string, int)",
            "seen": "timestamp",
            "wait": "duration",
            "extra": "dyn",
            "ratio": "double",
            "vip": "bool",
            "lane": "string",
            "codes": "list(string)",
            "stamps": "uint",
            "seats": "map(int, string)",
            "open": "map(bool, uint)",
        },
        "Guest": {"tier": "enum(none, silver, gold)", "visits": "int", "friend": "Guest", "nick": "string?"},
    },
    {"order": "Cart", "session": "Visit", "weather": "map(string, dyn)"},
)


def asked(condition: str, *actions: Any, types: Schema = DEFAULT_SCHEMA, **options: Any) -> bool | None:
    """What a condition comes to after some moves."""
    rule = f"- {{priority: 1, celUpsell: {{suggestedMenuItems: [Fries], conditionExpression: {condition!r}}}}}"
    turn = play(rule, schema=types, **options).turn(list(actions))
    assert turn.conditions[0].error is None, turn.conditions[0].error
    return turn.conditions[0].value


def test_the_default_state_has_every_field() -> None:
    session = play("[]", language="en-US", begin=datetime(2026, 11, 21, 6, 30, tzinfo=UTC))
    session.turn([add("Burger", 2, "Cheese", "Cheese", "Bacon")])
    assert session.state == {
        "order": {
            "items": [
                {
                    "uid": "line-1",
                    "itemId": "I-1",
                    "displayName": "Burger",
                    "quantity": 2,
                    "basePrice": 6.1,
                    "modifierGroups": [
                        {
                            "modifierGroupId": "G-1",
                            "displayName": "Extras",
                            "modifiers": [
                                {"modifierId": "M-1", "displayName": "Cheese", "quantity": 2},
                                {"modifierId": "M-2", "displayName": "Bacon", "quantity": 1},
                            ],
                        }
                    ],
                }
            ],
            "subtotal": 12.2,
            "orderType": "",
            "metadata": {},
        },
        "session": {
            "store": "s",
            "channelType": "",
            "daypartId": "",
            "laneId": "",
            "languageCode": "en-US",
            "turn": 1,
            "upsellOffers": 0,
            "upsellDeclines": 0,
            "metadata": {},
            "startTime": datetime(2026, 11, 21, 6, 30, tzinfo=UTC),
        },
    }


def test_a_begin_with_another_offset_is_the_same_instant() -> None:
    begin = datetime(2026, 11, 21, 6, 30, tzinfo=timezone(timedelta(hours=-6)))
    assert asked('session.startTime == timestamp("2026-11-21T12:30:00Z")', begin=begin) is True


def test_a_begin_without_an_offset_is_refused() -> None:
    with pytest.raises(ValueError, match="give it a time zone"):
        play("[]", begin=datetime(2026, 11, 21, 6, 30))


def test_prices_are_added_up_exactly() -> None:
    session = play("[]")
    session.turn([add("Cookie", 3)])
    assert session.subtotal == 0.3  # 0.1 + 0.1 + 0.1 is more
    session.turn([add("Fries", 3), add("Burger", 7)])
    assert session.subtotal == 49.6


def test_an_order_line_keeps_its_uid_and_no_other_gets_it() -> None:
    session = play("[]")
    session.turn([add("Burger"), add("Burger"), add("Fries"), Remove("Burger"), add("Burger"), add("Fries")])
    assert [(one["uid"], one["quantity"]) for one in session.state["order"]["items"]] == [("line-2", 2), ("line-3", 1)]


def test_types_of_other_names_have_what_the_session_knows_by_the_names_of_fields() -> None:
    session = play("[]", schema=OWN)
    session.turn([add("Burger", 2)])
    assert session.state == {
        "order": {
            "items": [{"displayName": "Burger", "quantity": 2, "allergens": []}],
            "subtotal": 12.2,
            "channel": "web",
        },
        "session": {
            "turn": 1,
            "guest": {"tier": "none", "visits": 0},
            "tags": {},
            "seen": datetime(1970, 1, 1, tzinfo=UTC),
            "wait": timedelta(),
            "extra": None,
            "ratio": 0.0,
            "vip": False,
            "lane": "",
            "codes": [],
            "stamps": 0,
            "seats": {},
            "open": {},
        },
        "weather": {},
    }


@each_of(
    [
        ("session.guest.tier", "gold", 'session.guest.tier == "gold"'),
        ("session.guest.visits", 4.0, "session.guest.visits == 4"),
        ("session.guest", {"visits": 3}, 'session.guest.visits == 3 && session.guest.tier == "none"'),
        ("session.guest.nick", "Al", 'has(session.guest.nick) && session.guest.nick == "Al"'),
        ("session.guest.friend.visits", 3, 'session.guest.friend.visits == 3 && session.guest.friend.tier == "none"'),
        ("session.tags.a", 1, 'session.tags["a"] == 1'),
        ("session.tags", {"a": 1, "b": 2}, "session.tags.size() == 2"),
        ("session.seen", "2026-11-21T12:30:00-06:00", 'session.seen == timestamp("2026-11-21T18:30:00Z")'),
        ("session.wait", "90s", 'session.wait == duration("90s")'),
        ("session.extra", {"deep": [1, {"x": "y"}]}, 'session.extra.deep[1].x == "y"'),
        ("session.extra.deep.x", 5, "session.extra.deep.x == 5"),
        ("session.ratio", 1, "session.ratio == 1.0"),
        ("session.vip", True, "session.vip"),
        ("session.lane", 2, 'session.lane == "2"'),
        ("session.codes", ["a", "b"], '"b" in session.codes'),
        ("session.stamps", 4, "session.stamps + 1u == 5u"),
        ("session.stamps", 2**64 - 1, "session.stamps > 9223372036854775807u"),
        ("session.seats", {"-1": "a", 2: "b"}, 'session.seats[-1] == "a" && session.seats[2] == "b"'),
        ("session.open", {"true": 3}, "session.open[true] * 2u == 6u"),
        ("order.coupon", "X1", 'has(order.coupon) && order.coupon == "X1"'),
        ("order.channel", "kiosk", 'order.channel == "kiosk"'),
        ("weather.rain", True, "weather.rain == true"),
    ]
)
def test_a_client_sends_values_of_the_declared_types(path: str, value: object, condition: str) -> None:
    assert asked(condition, SetState(tuple(path.split(".")), value), types=OWN) is True


@each_of(
    [
        ("sesion.lane", "1", 'there is no variable "sesion"; did you mean "session"?'),
        ("session.lanes", "1", 'session has no field "lanes"; did you mean "lane"?'),
        ("session.guest.x", "1", 'session.guest has no field "x"; there is tier, visits, friend, nick'),
        ("session.lane.x", "1", 'session.lane is text, and has no "x"'),
        ("session.codes.0", "1", 'session.codes is a list, and has no "0"; set it as a whole'),
        ("session.guest.visits", "four", 'session.guest.visits must be a 64-bit integer, not "four"'),
        ("session.guest.visits", 1.5, "session.guest.visits must be a 64-bit integer, not 1.5"),
        ("session.guest.visits", 2**63, f"session.guest.visits must be a 64-bit integer, not {2**63}"),
        ("session.guest.visits", True, "session.guest.visits must be a 64-bit integer, not true"),
        ("session.guest.visits", None, "session.guest.visits must be a 64-bit integer, not null"),
        ("session.guest.tier", "Gold", 'one of none, silver, gold, not "Gold"; did you mean "gold"?'),
        ("session.guest", {"visit": 3}, 'session.guest has no field "visit"; did you mean "visits"?'),
        ("session.guest", 3, "session.guest must be a mapping, Guest, not 3"),
        ("session.codes", "a", 'session.codes must be a list, not "a"'),
        ("session.tags.a", "x", 'session.tags.a must be a 64-bit integer, not "x"'),
        ("session.seen", "noon", 'session.seen must be a time such as 2027-01-31T12:00:00Z, not "noon"'),
        ("session.wait", "1 minute", 'session.wait must be a duration such as 90s, not "1 minute"'),
        ("session.wait", "315576000001s", 'session.wait must be a duration such as 90s, not "315576000001s"'),
        ("session.seats", {"one": "a"}, 'a key of session.seats must be a 64-bit integer, not "one"'),
        ("session.vip", "yes", 'session.vip must be true or false, not "yes"'),
        ("session.lane", "\ud800", "session.lane must be text, not"),
        ("session.extra", "\ud800", "half of a surrogate pair; remove it"),
        ("session.extra", 2**64, "out of the 64-bit range"),
        ("session.extra.\ud800", 1, "half of a surrogate pair; remove it"),
        ("session.extra" + ".x" * 200, 1, "deeper than 100 levels; flatten it"),
        ("session.extra", object(), "cannot be evaluated"),
        ("session.turn", 4, "session.turn is set by the session: it is counted by the session"),
        ("order.items", [], "order.items is set by the session: change it by adding or removing items"),
        ("order", {"subtotal": 5}, "order.subtotal is set by the session: it is computed from the items"),
    ]
)
def test_a_value_that_does_not_fit_is_refused(path: str, value: object, message: str) -> None:
    session = play("[]", schema=OWN)
    with pytest.raises(ActionError) as refused:
        session.turn([SetState(tuple(path.split(".")), value)])
    assert message in str(refused.value)


def test_a_value_that_holds_itself_is_refused() -> None:
    ring: dict[str, Any] = {}
    ring["friend"] = ring
    for path in (("session", "guest"), ("session", "extra")):
        with pytest.raises(ActionError, match=r"levels; flatten it|holds itself; break the cycle"):
            play("[]", schema=OWN).turn([SetState(path, ring)])


def test_what_is_optional_is_absent_until_it_is_set_and_absent_again_after_null() -> None:
    nick = ("session", "guest", "nick")
    assert asked("has(session.guest.nick)", types=OWN) is False
    assert asked("has(session.guest.nick)", SetState(nick, "Al"), types=OWN) is True
    assert asked("has(session.guest.nick)", SetState(nick, "Al"), SetState(nick, None), types=OWN) is False


def test_a_later_value_stands_over_an_earlier_one() -> None:
    actions = SetState(("session", "guest"), {"visits": 3}), SetState(("session", "guest", "tier"), "gold")
    assert asked('session.guest.visits == 3 && session.guest.tier == "gold"', *actions, types=OWN) is True
    assert asked('session.guest.tier == "none"', *reversed(actions), types=OWN) is True


def test_a_session_begins_with_the_state_that_the_client_sends() -> None:
    state = {"session": {"lane": "7", "guest": {"tier": "gold"}}, "weather": {"rain": True}}
    assert asked('session.lane == "7" && weather.rain && session.guest.tier == "gold"', types=OWN, state=state) is True


def test_a_variable_of_any_type_has_what_the_session_knows() -> None:
    loose = build_schema({}, {"order": "dyn", "session": "map(string, dyn)"})
    condition = 'order.items[0].displayName == "Burger" && session.turn == 1 && session.startTime > timestamp(0)'
    assert asked(condition, add("Burger"), types=loose) is True


def test_what_the_session_knows_is_unsigned_where_the_types_have_it_so() -> None:
    unsigned = build_schema(
        {"Order": {"items": "list(Item)"}, "Item": {"quantity": "uint"}, "Session": {"turn": "uint"}},
        {"order": "Order", "session": "Session"},
    )
    assert (
        asked("order.items[0].quantity * 2u == 4u && session.turn + 1u == 2u", add("Fries", 2), types=unsigned) is True
    )


def test_a_field_of_another_type_than_the_session_knows_is_the_clients() -> None:
    cents = build_schema({"Order": {"subtotal": "int", "items": "list(string)"}}, {"order": "Order"})
    assert asked("order.subtotal == 0 && order.items.size() == 0", add("Burger"), types=cents) is True
    sent = SetState(("order", "subtotal"), 610), SetState(("order", "items"), ["Burger"])
    assert asked('order.subtotal == 610 && "Burger" in order.items', *sent, types=cents) is True


def test_half_a_surrogate_pair_in_a_name_is_read_as_a_replacement_character() -> None:
    odd = Add(OrderLineItem(Item("Bur\ud800ger", "", 1.0)))
    assert asked('order.items[0].displayName == "Bur\ufffdger"', odd) is True


def test_the_state_of_a_turn_stays_as_it_was_for_the_parts_of_its_conditions() -> None:
    session = play('- {priority: 1, celUpsell: {conditionExpression: "order.subtotal > 5.0", suggestedMenuItems: [A]}}')
    first = session.turn([add("Burger")])
    session.turn([Remove("Burger")])
    assert [(part.text, part.value) for part in first.conditions[0].parts] == [
        ("order.subtotal > 5.0", True),
        ("order.subtotal", 6.1),
    ]


FILES = {
    "2.yaml": build_schema({"Session": {"tier": "string", "turn": "int"}}, {"session": "Session"}),
    "3.yaml": build_schema({"Session": {"tier": "enum(none, gold)", "size": "int"}}, {"session": "Session"}),
}


def of_files(*actions: Any) -> list[bool | None]:
    """What the conditions of two files come to, each with types of its own."""
    first = upsells(
        """
        - displayName: first
          priority: 1
          celUpsell: {suggestedMenuItems: [Fries], conditionExpression: session.tier == "gold"}
        """
    )
    second = upsells(
        """
        - displayName: second
          priority: 2
          celUpsell: {suggestedMenuItems: [Fries], conditionExpression: session.tier == "none" || session.size > 3}
        """
    )
    at_store = BRAND.replace("stores: [{", "stores: [{defaults: [more], ")
    session = play(first, second.replace("/upsells", "/more"), types=FILES.__getitem__, brand=at_store)
    return [condition.value for condition in session.turn(list(actions)).conditions]


def test_conditions_of_files_with_other_types_read_the_state_as_their_types_have_it() -> None:
    assert of_files() == [False, True]
    assert of_files(SetState(("session", "tier"), "gold")) == [True, False]
    assert of_files(SetState(("session", "size"), 4), SetState(("session", "tier"), "gold")) == [True, True]


def test_a_value_that_does_not_fit_the_types_of_one_file_is_refused() -> None:
    with pytest.raises(ActionError, match="one of none, gold"):
        of_files(SetState(("session", "tier"), "silver"))


def test_what_the_client_sent_is_its_own_after_it_was_sent() -> None:
    extra = {"deep": [1]}
    session = play("[]", schema=OWN)
    session.turn([SetState(("session", "extra"), extra)])
    extra["deep"].append(2)
    session.state["session"]["extra"]["deep"].append(3)
    assert session.state["session"]["extra"] == {"deep": [1]}
