"""Functions, the day of the run and parameters in policies that look at one document."""

import pytest

from tests.cases import each_of
from tests.lint.policy.parse_policies import found, linter_of, policy, problems, read, told
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.policy.policy import lenient_schema
from trialrun.values.cel import policy_functions

TRUE = [
    ("SyncConfig", "cron.runs(self.cron, 2).map(r, string(r)) == ['2026-11-20T03:00:00Z', '2026-11-21T03:00:00Z']",
     "cron: '0 3 * * *'"),
    ("SyncConfig", "cron.runs(self.cron, 1)[0].getHours(cron.zone(self.cron)) == 3",
     "cron: 'CRON_TZ=America/Chicago 0 3 * * *'"),
    ("SyncConfig", "cron.runs(self.cron, 1)[0].getHours() == 9", "cron: 'CRON_TZ=America/Chicago 0 3 * * *'"),
    ("SyncConfig", "cron.zone(self.cron) == 'UTC'", "cron: '0 3 * * *'"),
    ("SyncConfig", "cron.zone(self.cron) == 'Europe/Berlin'", "cron: 'TZ=Europe/Berlin 0 3 * * *'"),
    ("SyncConfig", "cron.runs(self.cron, 5) == []", "cron: '0 0 30 2 *'"),
    ("SyncConfig", "cron.runs(self.cron, 5) == [] && cron.zone(self.cron) == 'UTC'", "continuous: true"),
    ("SyncConfig", "cron.runs( /* c */ (self.cron), 1).size() == 1".replace("/* c */", ""), "cron: '0 3 * * *'"),
    ("MessageConfig", "language.matches(self.languageCode, 'de')", "languageCode: de-AT"),
    ("MessageConfig", "language.matches(self.languageCode, 'DE-at')", "languageCode: de-Latn-AT"),
    ("MessageConfig", "language.matches(self.languageCode, '*-AT')", "languageCode: de-AT"),
    ("MessageConfig", "language.matches(self.languageCode, 'he')", "languageCode: iw"),
    ("MessageConfig", "!language.matches(self.languageCode, 'de-AT')", "languageCode: de"),
    ("MessageConfig", "!language.matches(self.languageCode, '*')", "messageText: a"),
    ("CelUpsell", "condition.reads(self.conditionExpression).filter(p, p != 'order.items') "
     "== ['order.items.*.quantity', 'session.turn']",
     'conditionExpression: "order.items.exists(i, i.quantity > 1) && session.turn > 2 && session.turn < 9"'),
    ("CelUpsell", "condition.reads(self.conditionExpression) == []", "priority: 1"),
    ("UpsellConfig", "texts(self) == ['Combo', 'order.subtotal > 1.0']",
     "celUpsell: {conditionExpression: order.subtotal > 1.0}\ndisplayName: Combo"),
    ("UpsellConfig", "texts(self.celUpsell) == ['order.subtotal > 1.0']",
     "celUpsell: {conditionExpression: order.subtotal > 1.0}\ndisplayName: Combo"),
    ("UpsellConfig", "texts(self.celUpsell) == []", "displayName: Combo"),
    ("UpsellStrategy", "self.upsells.all(u, texts(u).exists(t, t == 'a'))", "upsells: [{displayName: a}]"),
    ("FeatureView", "now == timestamp('2026-11-20T00:00:00Z') && now.getFullYear() == 2026", "etag: a"),
]  # fmt: skip


@each_of(TRUE)
def test_what_is_true_of_a_message(on: str, check: str, text: str) -> None:
    assert [finding.message for finding in found(policy(check, on=on), text, on) if finding.rule != "wrong-type"] == []
    opposite = policy(f"!({check})", on=on)
    assert [finding.message for finding in found(opposite, text, on) if finding.rule == "p"] == ["m"]


@each_of(["language", "cron", "condition", "texts", "now"])
def test_a_variable_of_a_macro_may_have_the_name_of_functions(name: str) -> None:
    check = f"self.greetings.map(g, g.languageCode).all({name}, {name}.matches('e[mn].*'))"
    assert told(policy(check, on="OperationsConfig"), "greetings: [{languageCode: en}]", "OperationsConfig") == []


@each_of(
    [
        ("SyncConfig", "cron.runs(self.cron, 1).size() > 3", "cron: every day"),
        ("SyncConfig", "cron.zone(self.cron) == 'a'", "cron: 'CRON_TZ=Mars/Base 0 3 * * *'"),
        ("SyncConfig", "cron.runs(self.cron, 1) == []", "cron: 'CRON_TZ=Mars/Base 0 3 * * *'"),
        ("MessageConfig", "language.matches(self.languageCode, 'de')", "languageCode: not a tag"),
        ("CelUpsell", "condition.reads(self.conditionExpression) == ['a']", "conditionExpression: 'a &&'"),
        ("CelUpsell", "condition.reads(self.conditionExpression) == ['a']", f"conditionExpression: a{'.b' * 9000}"),
        ("UpsellStrategy", "texts(self) == ['a']", "upsells: [{displayName: {a: b}}]"),
    ]
)
def test_nothing_is_said_of_what_its_own_rule_reports(on: str, check: str, text: str) -> None:
    assert [finding.rule for finding in found(policy(check, on=on), text, on) if finding.rule != "wrong-type"] == []


def test_nothing_is_said_if_a_message_needs_what_its_own_rule_reports() -> None:
    checks = policy("self.cron == ''", on="SyncConfig", more="messageExpression: cron.zone(self.cron)\n")
    assert told(checks, "cron: every day", "SyncConfig") == []
    assert told(checks, "cron: TZ=Europe/Berlin 0 3 * * *", "SyncConfig") == ["1:1 p Europe/Berlin"]


@pytest.mark.parametrize(
    ("on", "check", "text", "reason"),
    [
        ("SyncConfig", "cron.runs(self.cron, 1001).size() > 3", "cron: '0 3 * * *'",
         "cron.runs gives 0 to 1000 runs, not 1001; ask for fewer"),
        ("SyncConfig", "cron.runs(self.cron, -1).size() > 3", "cron: '0 3 * * *'",
         "cron.runs gives 0 to 1000 runs, not -1; ask for fewer"),
        ("MessageConfig", "language.matches(self.languageCode, 'de_' + 'AT')", "languageCode: de",
         '"de_AT" is no language range; write one such as de, de-AT or *-Latn'),
        ("SyncConfig", "lists.range(9000).all(i, cron.runs(self.cron, 1000).size() > 0)", "cron: '0 3 * * *'",
         "the functions do too much work in one evaluation; call them on fewer items"),
        pytest.param(
         "SyncConfig", "lists.range(9).all(i, cron.runs(string(i) + ' ' + self.cron, 500).size() > 0)",
         "cron: '3 29 2 *'",
         "the functions do too much work in one evaluation; call them on fewer items",
         marks=pytest.mark.exhaustive),
    ],
)  # fmt: skip
def test_a_wrong_call_is_one_failure_of_the_policy(on: str, check: str, text: str, reason: str) -> None:
    assert told(policy(check, on=on), text, on) == [
        f"1:1 internal-error the policy p (0.yaml:1) failed here: {reason}; fix its check"
    ]


def test_each_evaluation_has_the_whole_bound() -> None:
    text = "".join(f"- {{cron: '{minute} * * * *'}}\n" for minute in range(4))
    checks = policy("lists.range(90).all(i, cron.runs(self.cron, 1000).size() > 0)", on="SyncConfig")
    assert told(checks, "---\n".join(text.replace("- ", "").splitlines(keepends=True)), "SyncConfig") == []


def test_long_texts_are_not_kept() -> None:
    before = policy_functions._paths.cache_info().currsize, policy_functions._zone.cache_info().currsize
    assert policy_functions.condition_reads("order.subtotal > 1.0" + " " * 5000) == ["order.subtotal"]
    assert policy_functions.cron_zone("0 3 * * *" + " " * 5000) == "UTC"
    assert before == (policy_functions._paths.cache_info().currsize, policy_functions._zone.cache_info().currsize)


PROBLEMS = [
    ("[self.cron].all(now__, cron.runs(now__, 1) == [])",
     '4:19-24 "now__" may be a name of ours; write one without __'),
    ("cron.rusn(self.cron, 2) == []", '4:8-12 there is no function cron.rusn(); did you mean "runs"?'),
    ("cron.runs(self.cron) == []",
     "4:8-12 cron.runs() is not called with 1 argument; write cron.runs(self.cron, 10)"),
    ("cron.runs(self.cron, '2') == []",
     "4:8-12 runs() does not take (string, string); check the types of its arguments"),
    ("texts(self.cron) == []",
     "4:9-18 texts() takes a message, not string; call it on self, root or a part of them"),
    ("texts() == []", "4:3-8 texts() is not called with no arguments; write texts(self)"),
    ("language.matches(self.cron, 'de_AT')",
     "4:31-38 'de_AT' is not a language range; write one such as de, de-AT or *-Latn"),
    ("text(self) == []", '4:3-7 there is no function text(); did you mean "texts"?'),
    ("now > '2026'", "4:7-8 \">\" cannot compare timestamp with string; write timestamp('…')"),
    ("documents('SyncConfig').size() > 1",
     "4:3-12 documents() reads other documents; add scope: workspace to the policy"),
]  # fmt: skip


@each_of(PROBLEMS)
def test_errors_have_their_exact_characters(check: str, problem: str) -> None:
    assert problems(f"id: p\non: SyncConfig\ncheck: |-\n  {check}\nmessage: m\n") == [problem]


def test_a_condition_of_a_config_has_no_functions_of_policies() -> None:
    from trialrun.values.cel import check_expression

    assert [problem.message for problem in check_expression("cron.zone('a') == session.store").problems][:1] == [
        'there is no "cron"; the names are order, session'
    ]


PARAMETERS = """\
id: p
on: FeatureView
parameters:
  max: {type: int, default: 1, description: how many labels}
  share: {type: double, default: 1}
  keys: {type: list(string), default: [owner]}
  age: {type: duration, default: 36h}
  on: {type: bool, default: true}
  since: {type: string, default: "2026-11-19T00:00:00Z"}
check: >-
  self.labels.size() <= parameters.max && parameters.share == 1.0 && parameters.keys.all(k, k in self.labels)
  && parameters.on && now - timestamp(parameters.since) < parameters.age
message: m
messageExpression: "'at most ' + string(parameters.max)"
"""


def test_parameters_have_their_defaults() -> None:
    assert told(read(PARAMETERS), "kind: FeatureView\nlabels: {owner: a}\n") == []
    assert told(read(PARAMETERS), "kind: FeatureView\nlabels: {a: b, owner: a}\n") == ["1:1 p at most 1"]


@each_of(
    [
        ("{max: {type: int, default: a}}", "3:40-41 the default must be a whole number"),
        ("{max: {type: int, default: true}}", "3:40-44 the default must be a whole number"),
        ("{max: {type: list(int), default: [a]}}", "3:46-49 the default must be a list of whole numbers"),
        ("{max: {type: duration, default: 5}}",
         "3:45-46 the default must be a duration, such as 90s, 15m, 24h or 1h30m"),
        ("{max: {type: number, default: 5}}",
         '3:26-32 there is no type "number" of parameters; write one of int, double, bool, string, list(string), '
         "list(int), duration"),
        ("{max: {typ: int, default: 5}}", '3:20-23 a parameter has no "typ"; did you mean "type"?'),
        ("{max: {type: int}}", '3:14-17 "max" has no default; add the value where no setting gives another'),
        ("{max: {type: [int], default: 5}}",
         '3:26-31 "type" must be a string; write one of int, double, bool, string, list(string), list(int), duration'),
        ("{max: {type: duration, default: 9999999d}}",
         "3:45-53 the default must be a duration, such as 90s, 15m, 24h or 1h30m"),
        ("{a: {type: bool, default: true}, a__set: {type: int, default: 1}}",
         '3:46-52 "a__set" is not a name of a parameter; write one such as maxViews'),
        ("{max: 4}", '3:14-17 "max" must be a mapping with a type and a default'),
        ("{max-a: {type: int, default: 5}}",
         '3:14-19 "max-a" is not a name of a parameter; write one such as maxViews'),
        ("[max]", '3:1-11 "parameters" must be a mapping; write a name and its content below it'),
    ],
)  # fmt: skip
def test_what_is_wrong_with_parameters(parameters: str, problem: str) -> None:
    text = f"id: p\non: FeatureView\nparameters: {parameters}\ncheck: has(self.labels)\nmessage: m\n"
    assert problems(text) == [problem]


def test_the_editor_passes_over_a_parameter_with_a_wrong_type() -> None:
    schema = lenient_schema("FeatureView", {"a": {"type": ["int"]}, "b": {"type": "int"}}, "parameters.b")
    assert [*schema.fields["Parameters"]] == ["b"]


def test_a_parameter_that_does_not_exist() -> None:
    text = "id: p\non: FeatureView\nparameters: {max: {type: int, default: 1}}\ncheck: parameters.mx > 0\nmessage: m\n"
    assert problems(text) == ['4:19-21 Parameters has no field "mx"; did you mean "max"?']


@each_of(
    [
        ("now.getFullYear() == 2026", True),
        ("cron.runs(self.syncConfig.cron, 1) == []", True),
        ("cron.zone(self.syncConfig.cron) == 'UTC'", False),
        ("has(self.labels)", False),
    ]
)
def test_a_result_that_depends_on_the_day_says_so(check: str, uses_date: bool) -> None:
    assert linter_of(policy(check)).lint(b"kind: FeatureView\n", "a.yaml").uses_date is uses_date


def test_the_day_begins_at_midnight() -> None:
    linter = linter_of(policy("now == timestamp('2026-11-20T00:00:00Z')"), now=EXAMPLE_TIME.replace(hour=22, minute=5))
    assert linter.lint(b"kind: FeatureView\n", "a.yaml").diagnostics == []
