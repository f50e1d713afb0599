"""Completion in every shape of a text: colons without a blank, anchors, quotes, JSON, streams, whole documents."""

from collections.abc import Callable

import pytest

from tests.lsp.completion.conftest import After, Ask, Labels
from trialrun.model.kinds import KINDS
from trialrun.parser import parse

VIEW = "kind: FeatureView\n"
TONE = "kind: ChannelConfig\ntone: "
UPSELLS = "kind: ChannelConfig\noperationsConfig:\n  upsellStrategy:\n    upsells:\n"


def value_of(text: str) -> object:
    return parse(text.encode(), "a.yaml").documents[-1].value


@pytest.mark.parametrize(
    ("text", "label", "whole"),
    [
        ("tone:¦", "FRIENDLY", "tone: FRIENDLY"),
        ("tone:FRI¦", "FRIENDLY", "tone: FRIENDLY"),
        ("operationsConfig: {interactionMode:¦}", "LISTEN_ONLY", "operationsConfig: {interactionMode: LISTEN_ONLY}"),
        (
            "operationsConfig: {greetings: [{languageCode:d¦}]}",
            "de",
            "operationsConfig: {greetings: [{languageCode: de}]}",
        ),
    ],
)
def test_a_colon_without_its_blank_gets_one(after: After, text: str, label: str, whole: str) -> None:
    assert after(f"kind: ChannelConfig\n{text}", label) == f"kind: ChannelConfig\n{whole}"


def test_a_message_behind_its_colon_begins_a_line(after: After) -> None:
    assert after(f"{VIEW}syncConfig: ¦", "cron") == f"{VIEW}syncConfig: \n  cron: "
    assert after(f"{VIEW}syncConfig:¦\n", "cron") == f"{VIEW}syncConfig:\n  cron: \n"
    text = after("kind: ChannelConfig\noperationsConfig:\n  greetings: ¦", "languageCode")
    assert text.endswith("  greetings: \n    - languageCode: ")


def test_what_stands_below_already_is_not_begun_again(labels: Labels) -> None:
    assert labels(f"{VIEW}syncConfig:¦\n  cron: 0 3 * * *\n") == []
    assert labels(f"{VIEW}syncConfig: ¦\n  cron: 0 3 * * *\n") == []


@pytest.mark.parametrize(
    "text",
    [
        f"{UPSELLS}      - &first\n        ¦\n",
        f"{UPSELLS}      - &first displayName: a\n        ¦\n",
        f"{UPSELLS}      - !thing\n        displayName: a\n        ¦\n",
        f"{UPSELLS}      - &first {{displayName: a, ¦}}\n",
        UPSELLS.replace("upsells:", "upsells: &all") + "      - ¦\n",
    ],
)
def test_an_anchor_or_a_tag_changes_nothing(labels: Labels, text: str) -> None:
    assert labels(text)[:1] == ["priority"]


def test_an_item_behind_another_in_brackets_is_its_own(labels: Labels) -> None:
    text = "kind: ChannelConfig\noperationsConfig: {upsellStrategy: {upsells: [{priority: 1}, {¦}]}}\n"
    assert labels(text)[:1] == ["priority"]


def test_an_alias_names_an_anchor_above_whose_value_fits(labels: Labels, after: After) -> None:
    text = f"{UPSELLS}      - &one {{priority: 1}}\n      - displayName: &name a\n      - *¦\n      - &late {{}}\n"
    assert labels(text) == ["*one"]
    assert "displayName: *name" in after(text.replace("- *¦", "- displayName: *¦"), "*name")


def test_an_alias_to_merge_names_an_anchor_whose_fields_fit(labels: Labels) -> None:
    text = (
        f"{UPSELLS}      - &one {{priority: 1}}\n      - displayName: &name a\n      - disabled: true\n        <<: *¦\n"
    )
    assert labels(text) == ["*one"]
    assert labels(text.replace("*¦", "¦")) == []


@pytest.mark.parametrize("key", ["'pri¦'", '"pri¦"', "'pri¦", '"pri¦\n        celUpsell: {}'])
def test_a_key_in_quotes_is_completed_before_it_has_a_colon(labels: Labels, key: str) -> None:
    assert "priority" in labels(f"{UPSELLS}      - displayName: a\n        {key}\n")


def test_a_union_is_taken_by_what_is_merged(labels: Labels) -> None:
    text = f"{UPSELLS}      - &base\n        celUpsell: {{}}\n        priority: 1\n      - <<: *base\n        ¦\n"
    assert "greetingOffer" not in labels(text)
    assert {"celUpsell", "priority"} <= set(labels(text))


def test_a_key_becomes_another_only_where_that_takes_its_value(labels: Labels) -> None:
    assert labels(f"{VIEW}sync¦Config:\n  continuous: true\n") == ["syncConfig"]
    assert "indexConfig" in labels(f"{VIEW}sync¦Config: {{}}\n")
    assert labels(f"{VIEW}index¦Config:\n  filterColumns: [a]\n") == ["indexConfig", "vectorSearchConfig"]


def test_a_kind_becomes_another_only_where_that_has_the_fields(labels: Labels) -> None:
    assert labels("kind: ¦\nfeatures: []\n") == ["FeatureGroupTable"]
    assert labels("kind: ¦\nname: a\nbindings: []\nstores: []\n") == ["Brand"]


@pytest.mark.parametrize("quote", ["", "'", '"'])
def test_a_value_is_written_in_its_quotes(after: After, quote: str) -> None:
    assert value_of(after(f"{TONE}{quote}F¦{quote}\n", "FRIENDLY")) == {"kind": "ChannelConfig", "tone": "FRIENDLY"}


@pytest.mark.parametrize("line", ["\n", "\r\n", "\r"])
def test_lines_end_as_they_end(ask: Ask, line: str) -> None:
    found = ask(f"kind: FeatureView{line}syncConfig:{line}  ¦{line}etag: a{line}")
    assert [item.label for item in found] == ["cron", "continuous"]
    assert found[0].range.start.column == found[0].range.end.column == 3


def test_a_text_behind_a_byte_order_mark_is_completed(labels: Labels) -> None:
    assert labels(f"\ufeff{VIEW}syncConfig:\n  ¦") == ["cron", "continuous"]


def test_what_follows_in_brackets_is_parted_by_a_comma(after: After) -> None:
    json = after('{"kind": "FeatureView",\n  ¦\n  "name": "a"}', "etag", "edited.json")
    assert json == '{"kind": "FeatureView",\n  "etag": "",\n  "name": "a"}'
    assert after(f"{VIEW}syncConfig: {{¦ }}\n", "cron") == f"{VIEW}syncConfig: {{cron:  }}\n"
    listed = after("kind: Brand\nstores: [{name: s, tags: [a]}]\nbindings: [{stores: {tags: [¦\n   b]}}]\n", "a")
    assert "tags: [a,\n   b]" in listed


def test_where_a_comma_is_missing_nothing_is_offered(labels: Labels) -> None:
    assert labels('{"kind": "FeatureView" ¦}', "edited.json") == []
    assert labels('{"kind": "FeatureView", ¦ "name": "a"}', "edited.json") == []


def test_a_message_of_json_comes_with_its_brackets(after: After) -> None:
    text = after('{"kind": "FeatureView", "warehouseSource": ¦}', "{…}", "edited.json")
    assert text == '{"kind": "FeatureView", "warehouseSource": {"uri": "", "entityIdColumns": [""]}}'


@pytest.mark.parametrize("text", ["¦---\nkind: Menu\n", "-¦--\n", "---¦\n", "kind: Menu\n...¦\n"])
def test_between_documents_nothing_is_offered(labels: Labels, text: str) -> None:
    assert labels(text) == []


def test_a_document_of_a_stream_begins_whole(ask: Ask) -> None:
    found = ask("kind: Menu\n---\n¦\n---\nkind: Brand\n")
    assert [item.label for item in found if item.kind == "snippet"] == list(KINDS)


@pytest.mark.parametrize("kind", KINDS)
def test_a_whole_document_has_what_it_cannot_do_without(after: After, kind: str) -> None:
    value = value_of(after("¦", kind))
    assert isinstance(value, dict)
    assert value["kind"] == kind


def test_a_whole_view_has_a_source_and_a_name_to_fill_in(ask: Ask) -> None:
    (one,) = (item for item in ask("¦") if item.label == "FeatureView")
    assert "projects/${1:project}/locations/" in one.text
    assert "entityIdColumns:\n    - $" in one.text


def test_a_member_of_a_union_comes_with_what_it_requires(ask: Ask) -> None:
    (one,) = (item for item in ask(f"{UPSELLS}      - ¦") if item.label == "celUpsell")
    assert one.text == "celUpsell:\n    conditionExpression: $1\n    suggestedMenuItems:\n      - $2"


def test_an_enum_comes_as_a_choice(ask: Ask) -> None:
    (one,) = (item for item in ask("kind: FeatureOnlineStore\n¦") if item.label == "type")
    assert one.text == "type: ${1|OPTIMIZED,KEY_VALUE|}"


def test_the_words_for_an_enum_value_are_told(told: Callable[..., str | None]) -> None:
    assert told(f"{VIEW}indexConfig:\n  distanceMeasureType: ¦", "SQUARED_L2_DISTANCE") == "Euclidean (L2) distance."


def test_a_comment_behind_content_silences_no_file(labels: Labels) -> None:
    assert labels("# ¦") == ["trialrun: ignore[]", "trialrun: ignore-file[]"]
    assert labels("kind: Menu # ¦") == ["trialrun: ignore[]"]
    assert labels("kind: Menu # ¦ as agreed") == []


def test_a_long_list_is_cut_and_says_so(opened: Callable[..., object]) -> None:
    from trialrun.lsp.features.completion import MAX_ITEMS, completion

    text = "kind: Brand\nstores:\n  - timeZone: "
    found = completion(opened(text), "edited.yaml", len(text))  # type: ignore[arg-type]
    assert (len(found["items"]), found["isIncomplete"]) == (MAX_ITEMS, True)
    text += "Europe/Os"
    found = completion(opened(text), "edited.yaml", len(text))  # type: ignore[arg-type]
    assert not found["isIncomplete"]


@pytest.mark.parametrize("name", ["[group 499¦]", "['499¦']", "\n      - Group 499¦"])
def test_typing_narrows_a_long_list_of_names_down(name: str, labels: Labels) -> None:
    groups = "".join(f"  - name: Group {number}\n" for number in range(500))
    assert labels(f"kind: Menu\nmodifierGroups:\n{groups}items:\n  - name: Tea\n    modifierGroups: {name}\n") == [
        "Group 499"
    ]


def test_json_has_no_text_without_quotes(labels: Labels, after: After) -> None:
    text = '{"kind": "FeatureView", "syncConfig": {"cron": ¦}}'
    assert "CRON_TZ=" not in labels(text, "edited.json")
    assert '"cron": "0 3 * * *"' in after(text, "0 3 * * *", "edited.json")
    assert (
        labels(
            '{"kind": "ChannelConfig", "operationsConfig": {"upsellStrategy": {"upsells": [{"celUpsell": '
            '{"conditionExpression": ¦}}]}}}',
            "edited.json",
        )
        == []
    )


@pytest.mark.parametrize(
    ("text", "whole"), [("¦", '{"kind": ""}'), ("[¦ ]", '[{"kind": ""} ]'), ("[¦\n {}]", '[{"kind": ""},\n {}]')]
)
def test_a_document_of_json_comes_in_its_brackets(after: After, text: str, whole: str) -> None:
    assert after(text, "{…}", "edited.json") == whole
