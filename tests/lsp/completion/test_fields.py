"""The names of fields are completed: required ones first, what is there left out, unions while they are free."""

import pytest

from tests.lsp.completion.conftest import After, Labels

UPSELL = "kind: ChannelConfig\noperationsConfig:\n  upsellStrategy:\n    upsells:\n"


def test_required_fields_come_first(labels: Labels) -> None:
    assert labels("kind: FeatureView\nwarehouseSource:\n  ¦\n") == ["uri", "entityIdColumns"]
    assert labels("kind: ChannelConfig\n¦")[:2] == ["name", "type"]


def test_a_deprecated_field_comes_last(labels: Labels) -> None:
    assert labels("kind: FeatureView\n¦")[-1] == "vectorSearchConfig"


def test_fields_that_are_set_are_left_out(labels: Labels) -> None:
    assert labels("kind: FeatureView\nwarehouseSource:\n  uri: bq://a.b.c\n  ¦\n") == ["entityIdColumns"]
    assert labels("kind: FeatureView\nwarehouseSource:\n  ¦\n  uri: bq://a.b.c\n") == ["entityIdColumns"]


def test_a_field_in_the_spelling_of_protocol_buffers_is_set(labels: Labels) -> None:
    assert labels("kind: FeatureView\nwarehouseSource:\n  entity_id_columns: [a]\n  ¦\n") == ["uri"]


def test_fields_of_the_service_are_not_offered(labels: Labels) -> None:
    assert not {"createTime", "satisfiesPzs"} & set(labels("kind: FeatureView\n¦"))


def test_members_of_a_union_are_offered_while_none_is_set(labels: Labels) -> None:
    assert labels("kind: FeatureView\nsyncConfig:\n  ¦\n") == ["cron", "continuous"]
    assert labels("kind: FeatureView\nsyncConfig:\n  continuous: true\n  ¦\n") == []


def test_the_member_that_is_edited_does_not_shut_out_the_others(labels: Labels) -> None:
    assert "closingOffer" in labels(f"{UPSELL}      - priority: 1\n        ¦greetingOffer: {{}}\n")


@pytest.mark.parametrize(
    "text",
    [
        "kind: FeatureView\nlabels: [\nsyncConfig:\n  ¦\n",
        'kind: FeatureView\netag: "not closed\nsyncConfig:\n  ¦\n',
        "kind: FeatureView\nsyncConfig:\n  ¦\n}}}\n",
        "kind: FeatureView\nsyncConfig: {¦\nname: a\n",
        'syncConfig: {"¦\nkind: FeatureView\n',
        '{"kind": "FeatureView", "syncConfig": {"¦',
        '{\n  "kind": "FeatureView"\n  "syncConfig": {\n    "¦"\n  }\n}',
    ],
)
def test_a_text_that_does_not_parse_has_fields(labels: Labels, text: str) -> None:
    assert labels(text) == ["cron", "continuous"]


def test_a_document_has_the_fields_of_its_own_kind(labels: Labels) -> None:
    assert labels("kind: FeatureView\n---\nkind: Menu\nitems:\n  - name: Fries\n    ¦\n---\nkind: Brand\n") == [
        *("semanticName", "displayName", "id", "price", "categories", "availability", "modifierGroups")
    ]


def test_a_list_of_resources_has_fields(labels: Labels) -> None:
    assert labels("- kind: Menu\n- kind: FeatureView\n  syncConfig:\n    ¦\n") == ["cron", "continuous"]


def test_a_text_without_a_kind_is_asked_for_one(after: After) -> None:
    assert after("¦", "kind") == "kind: "


def test_a_manifest_of_another_system_is_left_alone(labels: Labels) -> None:
    assert labels("apiVersion: v1\n¦") == []
    assert labels("apiVersion: v1\nkind: ¦") == []


def test_below_a_field_that_there_is_not_nothing_is_offered(labels: Labels) -> None:
    assert labels("kind: FeatureView\nsyncConfiguration:\n  ¦\n") == []


def test_a_message_goes_on_in_the_next_line(after: After) -> None:
    assert after("kind: FeatureView\nsync¦", "syncConfig") == "kind: FeatureView\nsyncConfig:\n  "


def test_a_list_begins_with_a_dash(after: After) -> None:
    assert after("kind: FeatureView\nwarehouseSource:\n  ¦", "entityIdColumns").endswith("  entityIdColumns:\n    - ")


def test_a_message_in_an_item_is_indented_below_its_dash(after: After) -> None:
    assert after(f"{UPSELL}      - ¦", "greetingOffer").splitlines()[-3:] == [
        "            - messageConfigs:",
        "                - languageCode: ",
        "                  messageText: ",
    ]


def test_an_item_without_its_dash_gets_one(after: After) -> None:
    assert after(f"{UPSELL}      ¦\n", "priority").endswith("      - priority: \n")
    assert after(f"{UPSELL}      - priority: 1\n      ¦\n", "priority").endswith("      - priority: \n")


def test_a_message_without_fields_is_written_whole(after: After) -> None:
    text = "kind: ChannelConfig\noperationsConfig:\n  featuresConfig:\n    ¦"
    assert after(text, "orderPickup").endswith("    orderPickup: {}")


def test_a_key_that_has_its_colon_gets_no_other(after: After) -> None:
    assert after("kind: FeatureView\nsync¦: {}\n", "syncConfig") == "kind: FeatureView\nsyncConfig: {}\n"


@pytest.mark.parametrize("quote", ["'", '"'])
def test_a_key_in_quotes_gets_a_colon_behind_them(after: After, quote: str) -> None:
    text = after(f"{{kind: FeatureView, {quote}sync¦{quote}}}", "syncConfig")
    assert text.startswith(f"{{kind: FeatureView, {quote}syncConfig{quote}: ")


def test_a_key_of_json_is_quoted(after: After) -> None:
    path = "edited.json"
    assert after('{"kind": "FeatureView", ¦}', "etag", path) == '{"kind": "FeatureView", "etag": ""}'
    assert after('{"kind": "FeatureView", "et¦"}', "etag", path) == '{"kind": "FeatureView", "etag": ""}'
