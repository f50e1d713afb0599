"""Policies on documents: what unset and refused fields read as, where findings point, and what a failure does.

Those that read `root` convert each document for the engine once, however many messages it has.
"""

from collections.abc import Callable
from typing import Any

import pytest

from tests.cases import each_of
from tests.lint.policy.parse_policies import found, policy, read, told
from trialrun.diagnostic import Severity
from trialrun.lint.policy.policy import DOCUMENTED_DEFAULTS, MAX_TEXT, kinds_by_message, messages, policy_schema
from trialrun.lint.policy.template import policy_template
from trialrun.values.cel import batch
from trialrun.values.cel.field_presence import PRESENCE_SUFFIX

TRUE = [
    ("SyncConfig", "self.cron == ''", "continuous: true"),
    ("SyncConfig", "!self.continuous", "cron: '0 3 * * *'"),
    ("SyncConfig", "!has(self.cron) && has(self.continuous)", "continuous: false"),
    ("IndexConfig", "self.embeddingDimension == 0", "embeddingColumn: e"),
    ("IndexConfig", "self.filterColumns == []", "embeddingColumn: e"),
    ("IndexConfig", "self.distanceMeasureType == 'DISTANCE_MEASURE_TYPE_UNSPECIFIED'", "embeddingColumn: e"),
    ("IndexConfig", "!has(self.treeAhConfig) && self.treeAhConfig.leafNodeEmbeddingCount == 1000", "{}"),
    ("IndexConfig", "self.treeAhConfig.leafNodeEmbeddingCount == 7", "treeAhConfig: {leafNodeEmbeddingCount: '7'}"),
    ("FeatureView", "self.labels == {}", "etag: a"),
    ("FeatureView", "self.optimizedConfig.automaticResources.maxReplicaCount == 6", "etag: a"),
    ("FeatureView", "self.optimizedConfig.automaticResources.minReplicaCount == 2", "optimizedConfig: {}"),
    ("FeatureView", "self.kind == 'FeatureView'", "etag: a"),
    ("FeatureView", "self.warehouseSource == root.warehouseSource", "warehouseSource: {uri: u, entityIdColumns: [a]}"),
    ("OfferMessage", "self.messageFrequency > 0 && self.messageFrequency < 1.5", "messageFrequency: 1"),
    ("UpsellStrategy", "self.upsells.all(u, has(u.celUpsell) == (u.priority == 1))",
     "upsells: [{priority: 1, celUpsell: {}}, {priority: 2, closingOffer: {}}]"),
    ("UpsellStrategy", "self.upsells.filter(u, !has(u.displayName)).size() == 1", "upsells: [{priority: 1}]"),
    ("UpsellConfig", "cel.bind(c, self.celUpsell, c.suggestedMenuItems.exists(i, i == 'Pie'))",
     "celUpsell: {suggestedMenuItems: [Tea, Pie]}"),
    ("Column", "self.mode == 'NULLABLE'", "name: a"),
    ("ExpectedValue", "self.level != 'brand-default'", "{field: a, level: store-default}"),
]  # fmt: skip


@each_of(TRUE)
def test_what_is_true_of_a_message(on: str, check: str, text: str) -> None:
    assert [finding.message for finding in found(policy(check, on=on), text, on) if finding.rule == "p"] == []
    opposite = policy(f"!({check})", on=on)
    assert [finding.message for finding in found(opposite, text, on) if finding.rule == "p"] == ["m"]


def test_a_policy_sees_every_message_of_its_type() -> None:
    text = "upsells:\n  - priority: 1\n  - priority: 12\n  - priority: 13\n"
    assert told(policy("self.priority < 10", on="UpsellConfig", more="at: priority\n"), text, "UpsellStrategy") == [
        "3:15 p m",
        "4:15 p m",
    ]


def test_the_root_and_the_document() -> None:
    text = """\
        kind: ChannelConfig
        name: projects/p/locations/l/brands/b/channelConfigs/summer
        type: UPSELL_STRATEGY
        operationsConfig:
          defaultLanguageCode: en
          greetings: [{languageCode: en}, {languageCode: de}]
        """
    in_default = policy("self.languageCode == root.operationsConfig.defaultLanguageCode", on="Greetings")
    assert told(in_default, text) == ["6:36 p m"]
    about = "document.path == 'a.yaml' && document.kind == 'ChannelConfig' && document.name.endsWith('/summer')"
    assert told(policy(about, on="ChannelConfig"), text) == []
    assert told(policy(f"!({about})", on="ChannelConfig"), text) == ["1:1 p m"]


@each_of(
    [
        ("labels", "kind: FeatureView\nlabels: {a: b}\n", "2:1"),
        ("labels", "kind: FeatureView\n", "1:1"),
        ("labels.a", "kind: FeatureView\nlabels: {a: b}\n", "2:13"),
        ("labels.a", "kind: FeatureView\nlabels: {b: b}\n", "2:1"),
        ("optimizedConfig.automaticResources.maxReplicaCount", "kind: FeatureView\netag: a\n", "1:1"),
        ("optimizedConfig.automaticResources.maxReplicaCount", "kind: FeatureView\noptimizedConfig: {}\n", "2:1"),
        (
            "optimizedConfig.automaticResources.maxReplicaCount",
            "kind: FeatureView\noptimizedConfig:\n  automaticResources: {maxReplicaCount: 3}\n",
            "3:41",
        ),
        ("syncConfig", "kind: FeatureView\nsync_config: {cron: 0 3 * * *}\n", "2:1"),
    ]
)
def test_a_finding_points_as_far_along_at_as_there_is_something(at: str, text: str, place: str) -> None:
    assert told(policy("has(self.name)", more=f"at: {at}\n"), text) == [f"{place} p m"]


def test_a_message_expression_says_what_stands_there() -> None:
    more = "messageExpression: \"'at most 4, not ' + string(self.maxReplicaCount)\"\n"
    few = policy("self.maxReplicaCount < 5", on="AutomaticResources", more=more)
    assert told(few, "minReplicaCount: 3", "AutomaticResources") == ["1:1 p at most 4, not 6"]


def test_a_message_expression_says_no_more_than_a_reader_reads() -> None:
    more = "messageExpression: \"'a  ' + self.displayName\"\n"
    checks = policy("self.priority > 0", on="UpsellConfig", more=more)
    (line,) = told(checks, f"displayName: {'x' * 300_000}", "UpsellConfig")
    assert line == f"1:1 p a {'x' * (MAX_TEXT - 3)}…"


REFUSED = [
    ("'owner' in self.labels", "labels: [owner]"),
    ("has(self.labels) && size(self.labels) > 3", "labels: owner"),
    ("self.syncConfig.continuous", "syncConfig: {continuous: 'often'}"),
    ("size(self.warehouseSource.entityIdColumns) > 3", "warehouseSource: {uri: u, entityIdColumns: [a, {}]}"),
    ("has(self.labels)", "lables: {a: b}"),
    ("'owner' in self.labels", "labels: {a: b, owner: [ads]}"),
    ("self == root && !has(self.etag)", "labels: owner"),
]


@each_of(REFUSED)
def test_a_policy_that_reads_a_refused_value_keeps_silent(check: str, text: str) -> None:
    said = found(policy(check), f"kind: FeatureView\netag: a\n{text}\n")
    assert [finding.rule for finding in said if finding.rule in ("p", "internal-error")] == []
    assert said != []


def test_a_refused_value_elsewhere_silences_nothing() -> None:
    assert told(policy("has(self.etag)"), "kind: FeatureView\nlabels: owner\n")[0] == "1:1 p m"
    text = "upsells:\n  - priority: one\n  - priority: 12\n"
    said = told(policy("self.priority < 10", on="UpsellConfig"), text, "UpsellStrategy")
    assert [one for one in said if " p " in one] == ["3:5 p m"]


def test_what_may_stand_on_an_unread_line_is_not_missed() -> None:
    broken = "kind: FeatureView\netag: a\n@labels: {owner: ads}\n"
    assert [finding.rule for finding in found(policy("has(self.labels)"), broken)] == ["syntax-error"]


def test_a_policy_that_fails_is_reported_once_in_a_file_and_the_others_go_on() -> None:
    policies = read(
        "id: fails\non: UpsellConfig\nmessage: m\ncheck: self.celUpsell.suggestedMenuItems[0] != 'Tea'\n",
        "id: goes-on\non: UpsellConfig\nmessage: m\ncheck: self.priority > 1\n",
    )
    text = "upsells:\n  - priority: 1\n  - priority: 1\n  - priority: 1\n    celUpsell: {suggestedMenuItems: [Pie]}\n"
    failed, *others = sorted(found(policies, text, "UpsellStrategy"), key=lambda one: one.rule != "internal-error")
    assert failed.message.startswith("the policy fails (0.yaml:1) failed here: Index error")
    assert (failed.rule, failed.severity) == ("internal-error", Severity.ERROR)
    assert [(finding.rule, finding.range.start.line) for finding in others] == [("goes-on", line) for line in (2, 3, 4)]


def test_a_policy_that_goes_through_too_much_is_stopped() -> None:
    upsells = "upsells: [" + ", ".join(f"{{priority: {number + 1}}}" for number in range(150)) + "]"
    pairs = policy("self.upsells.all(a, self.upsells.all(b, a.priority + b.priority > 0))", on="UpsellStrategy")
    (failed,) = [finding for finding in told(pairs, upsells, "UpsellStrategy") if "internal-error" in finding]
    assert "the condition iterates over more than 10000 items" in failed


def test_a_number_beyond_the_engine_is_as_good_as_refused() -> None:
    text = f"priority: {10**30}\n"
    assert [
        finding
        for finding in told(policy("self.priority < 10", on="UpsellConfig"), text, "UpsellConfig")
        if " p " in finding
    ] == []


def test_a_severity_of_the_policy_holds() -> None:
    (one,) = found(policy("has(self.name)", more="severity: note\n"), "kind: FeatureView\n")
    assert one.severity is Severity.NOTE


def test_every_message_can_be_looked_at() -> None:
    for on in kinds_by_message():
        assert policy_schema(on).variables["self"] == on


def test_no_field_is_called_as_the_mark_of_one_that_is_set() -> None:
    names = {
        name
        for kind in set(kinds_by_message().values())
        for model in messages(kind).values()
        for name in model.model_fields
    }
    assert [name for name in names if name.endswith(PRESENCE_SUFFIX)] == []
    assert all(field in messages(kinds_by_message()[on])[on].model_fields for on, field in DOCUMENTED_DEFAULTS)


@each_of(["FeatureView", "SyncConfig", "UpsellConfig", "Brand", "Store"])
def test_a_first_policy_is_true_at_once(on: str) -> None:
    from trialrun.lint.examples import check_examples

    policies = read(policy_template("first", on, None))
    assert list(check_examples(policies.rules["first"], policies)) == []


UPSELLS = "root.operationsConfig.upsellStrategy.upsells"
UNIQUE = f"{UPSELLS}.exists_one(u, u.displayName == self.displayName)"


class CountingEngine:
    """An engine that counts how often a document is converted."""

    def __init__(self, engine: Any, conversions: list[object]) -> None:
        self._engine, self._conversions = engine, conversions

    def compile(self, text: str) -> Any:
        return self._engine.compile(text)

    def Activation(self, *, data: dict[str, Any]) -> Any:
        if "root" in data:
            self._conversions.append(data["root"])
        return self._engine.Activation(data=data)


@pytest.fixture
def conversions(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """The documents that were converted."""
    found: list[object] = []
    for name in ("plain_engine", "engine_with"):
        create: Callable[..., Any] = getattr(batch, name)
        monkeypatch.setattr(batch, name, lambda *given, create=create: CountingEngine(create(*given), found))
    batch.compile_expression.cache_clear()
    return found


def config(*names: str) -> str:
    """A config with an upsell of each name, on lines 6, 7 and so on."""
    upsells = "".join(f"      - {{priority: {at}, displayName: {name}}}\n" for at, name in enumerate(names))
    return (
        "kind: ChannelConfig\nname: projects/p/locations/l/brands/b/channelConfigs/c\ntype: UPSELL_STRATEGY\n"
        f"operationsConfig:\n  upsellStrategy: {{upsells: [\n{upsells.replace('- ', '').replace('}', '},')}  ]}}\n"
    )


def numbered(count: int) -> list[str]:
    return [f"n{number}" for number in range(count)]


def test_a_document_is_converted_once_for_all_its_messages(conversions: list[object]) -> None:
    unique = policy(UNIQUE, on="UpsellConfig")
    text = config(*numbered(60), "n7") + "---\n" + config(*numbered(40))
    assert told(unique, text) == ["13:8 p m", "66:8 p m"]
    assert len(conversions) == 2


def test_a_document_is_converted_once_for_texts_too(conversions: list[object]) -> None:
    more = f"messageExpression: \"self.displayName + ' of ' + string(size({UPSELLS}))\"\n"
    said = told(policy(f"size({UPSELLS}) < 3", on="UpsellConfig", more=more), config(*numbered(50)))
    assert (said[0], said[49]) == ("6:8 p n0 of 50", "55:8 p n49 of 50")
    assert len(conversions) == 1


def test_with_parameters_and_functions_too(conversions: list[object]) -> None:
    more = "parameters:\n  most: {type: int, default: 3}\n"
    checks = f"size({UPSELLS}) <= parameters.most || condition.reads(self.celUpsell.conditionExpression).size() > 0"
    assert len(told(policy(checks, on="UpsellConfig", more=more), config(*numbered(20)))) == 20
    assert len(conversions) == 1


@pytest.mark.parametrize("bytes_kept", [-(1 << 50), None])
def test_memory_is_bounded_and_answers_are_the_same(
    bytes_kept: int | None, conversions: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where evaluations have kept too much, or the system does not say how much, a message is converted by itself."""
    if bytes_kept is None:
        monkeypatch.setattr(batch, "resident_bytes", lambda: None)
    else:
        monkeypatch.setattr(batch, "MAX_KEPT_BYTES", bytes_kept)
    assert told(policy(UNIQUE, on="UpsellConfig"), config(*numbered(9), "n3")) == ["9:8 p m", "15:8 p m"]
    assert len(conversions) == 9  # of ten messages, two are equal


def test_a_check_that_nests_as_deep_as_the_engine_lets_it() -> None:
    for depth in range(20, 30):
        deep = "(" * depth + f"size({UPSELLS})" + ")" * depth + " > self.priority"
        assert told(policy(deep, on="UpsellConfig"), config("a", "b")) == [], depth
