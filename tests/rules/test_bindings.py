"""What brands bind, and the configs that there are."""

from itertools import product

import pytest

from tests.cases import each_of
from tests.lint.workspace_findings import judged, told

IN_ACME = "projects/p/locations/l/brands/acme/channelConfigs/"
IN_OTHER = "projects/p/locations/l/brands/other/channelConfigs/"


def config(name: str, path: str = "config.yaml") -> tuple[str, str]:
    return (path, f"kind: ChannelConfig\nname: {name}\ntype: AGENT_CUSTOMIZATION\n")


def brand(text: str, path: str = "brand.yaml") -> tuple[str, str]:
    return (path, f"{{kind: Brand, name: acme, {text}}}")


@each_of(
    product(
        [
            "defaults: [{}]",
            "bindings: [{{rule: r, channelConfig: {}}}]",
            "stores: [{{name: s, defaults: [{}]}}]",
            "stores: [{{name: s, bindings: [{{rule: r, channelConfig: {}}}]}}]",
        ],
        [IN_ACME + "lunch", "lunch", "channelConfigs/lunch", "acme/channelConfigs/lunch"],
    )
)
def test_a_config_is_named_in_full_or_by_the_end_of_its_name(use: str, written: str) -> None:
    files = [brand(use.format(written)), config(IN_ACME + "lunch")]
    assert told("unknown-channel-config", files) == told("unused-channel-config", files) == []
    others = [brand(use.format(written)), config(IN_ACME + "brunch")]
    assert len(told("unknown-channel-config", others)) == len(told("unused-channel-config", others)) == 1


@each_of([IN_OTHER + "lunch", "unch", "s/lunch", "Lunch", "lunch/", "''"])
def test_another_name_is_unknown(written: str) -> None:
    files = [brand(f"defaults: [{written}]"), config(IN_ACME + "lunch")]
    assert len(told("unknown-channel-config", files)) == len(told("unused-channel-config", files)) == 1


@each_of(
    [
        ("lnuch", '; did you mean "lunch"?'),
        (IN_ACME + "lunhc", '; did you mean "lunch"?'),
        (IN_OTHER + "lunch", f'; did you mean "{IN_ACME}lunch"?'),
        (IN_OTHER + "lunhc", f'; did you mean "{IN_ACME}lunch"?'),
        ("dinner", "; add it, or name another"),
        (IN_ACME + "dinner", "; add it, or name another"),
    ]
)
def test_the_name_that_was_meant_is_told(written: str, meant: str) -> None:
    (one,) = judged("unknown-channel-config", [brand(f"defaults: [{written}]"), config(IN_ACME + "lunch")])
    assert one.message == f'no ChannelConfig of the workspace is named "{written}"{meant}'


def test_the_item_of_a_list_is_pointed_at_also_beside_one_that_was_refused() -> None:
    files = [("brand.yaml", "kind: Brand\nname: acme\ndefaults:\n  - 7\n  - lunch\n  - night\n"), config("lunch")]
    assert [finding.range.start.line for finding in judged("unknown-channel-config", files)] == [6]
    assert judged("unknown-channel-config", files)[0].pointer == "/defaults/2"


def test_a_list_that_aliases_share_is_wrong_once() -> None:
    stores = "kind: Brand\nstores:\n- {name: a, defaults: &d [night]}\n- {name: b, defaults: *d}\n"
    assert told("unknown-channel-config", [("brand.yaml", stores), config("lunch")]) == [
        'brand.yaml:3 no ChannelConfig of the workspace is named "night"; add it, or name another'
    ]


def test_of_two_ids_that_nearly_agree_the_same_one_was_meant() -> None:
    files = [brand(f"defaults: [{IN_OTHER}lunch]"), config(IN_ACME + "Lunch", "a.yaml"), config(IN_ACME + "lunch")]
    assert told("unknown-channel-config", files)[0].endswith(f'did you mean "{IN_ACME}lunch"?')


@pytest.mark.parametrize(
    "unclear",
    ["name: 7\n", "nmae: night\n", 'name "night"\n'],
    ids=["a refused name", "a misspelt key", "a line that cannot be read"],
)
def test_a_config_whose_name_is_not_clear_may_be_the_one(unclear: str) -> None:
    files = [brand("defaults: [night]"), ("c.yaml", f"kind: ChannelConfig\ntype: AGENT_CUSTOMIZATION\n{unclear}")]
    assert told("unknown-channel-config", files) == []


def test_a_name_that_was_not_read_as_it_is_written_is_not_judged() -> None:
    files = [("brand.yaml", "kind: Brand\nname: acme\ndefaults:\n  - @lunch\n  - dinner\n"), config("night")]
    assert [finding.split(" ")[0] for finding in told("unknown-channel-config", files)] == ["brand.yaml:5"]


def test_without_a_brand_no_config_is_unused() -> None:
    assert told("unused-channel-config", [config(IN_ACME + "lunch")]) == []


@each_of(
    [
        "defaults: 7",
        "defaults: [night, 7]",
        "bindings: [{rule: r, channelConfig: 7}]",
        "stores: [harbour]",
        "stores: [{name: a, defalts: [lunch]}]",
    ]
)
def test_where_a_brand_is_not_clear_no_config_is_unused(unclear: str) -> None:
    assert told("unused-channel-config", [brand(unclear), config("lunch")]) == []


def test_a_line_of_a_brand_that_cannot_be_read_may_bind() -> None:
    broken = ("brand.yaml", "kind: Brand\nname: acme\nbindings: [{rule: r, channelConfig: lunch}\nstores: []\n")
    assert told("unused-channel-config", [broken, config("lunch")]) == []


def bound(*configs: str, rule: str = "r") -> str:
    return (
        "bindings: ["
        + ", ".join(f"{{rule: {rule}, channelConfig: {channel_config}}}" for channel_config in configs)
        + "]"
    )


@each_of(
    [
        pytest.param([brand(bound("a", "b"))], ["brand.yaml:1"], id="two configs"),
        pytest.param([brand(bound("a", "a", IN_ACME + "a"))], [], id="one config, repeated"),
        pytest.param([brand(bound("a", "b", "a"))], ["brand.yaml:1"], id="the first again"),
        pytest.param([brand(f"{bound('a')}, stores: [{{name: s, {bound('b')}}}]")], [], id="a brand and a store"),
        pytest.param([brand(f"stores: [{{name: s, {bound('a')}}}, {{name: t, {bound('b')}}}]")], [], id="two stores"),
        pytest.param([brand(f"stores: [{{{bound('a')}}}, {{{bound('b')}}}]")], [], id="two stores without names"),
        pytest.param([brand(f"stores: [{{{bound('a', 'b')}}}]")], ["brand.yaml:1"], id="a store without name"),
        pytest.param([brand(bound("a")), brand(bound("b"), "c.yaml")], ["c.yaml:1"], id="a brand in two files"),
        pytest.param(
            [brand(bound("a")), ("c.yaml", f"{{kind: Brand, name: other, {bound('b')}}}")], [], id="two brands"
        ),
        pytest.param(
            [("b.yaml", f"{{kind: Brand, {bound('a')}}}"), ("c.yaml", f"{{kind: Brand, {bound('b')}}}")],
            [],
            id="two brands without names",
        ),
        pytest.param(
            [
                brand(bound("a", rule="brands/acme/rules/r")),
                ("c.yaml", f"{{kind: Brand, name: other, {bound('b', rule='brands/acme/rules/r')}}}"),
            ],
            ["c.yaml:1"],
            id="a rule named in full is one in every brand",
        ),
    ]
)
def test_a_rule_has_one_config_on_a_level(files: list[tuple[str, str]], lines: list[str]) -> None:
    assert [finding.split(" ")[0] for finding in told("rule-bound-twice", files)] == lines


def test_the_earlier_binding_is_a_related_place() -> None:
    text = "kind: Brand\nbindings:\n- {rule: r, channelConfig: a}\n- {rule: r, channelConfig: b}\n"
    (one,) = judged("rule-bound-twice", [("brand.yaml", text)])
    assert (one.range.start.line, one.range.start.column) == (4, 10)
    assert [(related_location.message, related_location.range.start.line) for related_location in one.related] == [
        ("bound here", 3)
    ]


def test_of_configs_with_one_id_a_brand_uses_its_own() -> None:
    files = [brand("defaults: [lunch]"), config(IN_ACME + "lunch", "acme.yaml"), config(IN_OTHER + "lunch", "b.yaml")]
    [line] = told("unused-channel-config", files)
    assert line.startswith("b.yaml:2 no rule binds this config")
    assert told("unused-channel-config", [brand(f"defaults: [lunch, {IN_OTHER}lunch]"), *files[1:]]) == []


def test_an_id_that_a_brand_has_no_config_of_its_own_for_uses_all_that_have_it() -> None:
    third = IN_OTHER.replace("other", "third")
    files = [brand("defaults: [lunch]"), config(IN_OTHER + "lunch", "b.yaml"), config(third + "lunch", "c.yaml")]
    assert told("unused-channel-config", files) == []
