"""Policy files: what they may say, and that everything wrong in them is told at once, at the exact characters."""

import pytest

from tests.cases import each_of
from tests.lint.policy.parse_policies import problems, read
from trialrun.diagnostic import Severity
from trialrun.lint.policy.packs import MAX_POLICIES
from trialrun.lint.policy.parse_policy import MAX_LENGTH
from trialrun.lint.policy.policy_document import KEYS

WHOLE = """\
id: few-replicas
on: AutomaticResources
scope: workspace
once: root.name
parameters:
  max: {type: int, default: 5}
at: maxReplicaCount
severity: error
check: self.maxReplicaCount < parameters.max
message: at most
  four replicas
messageExpression: "'not ' + string(self.maxReplicaCount)"
doc: Few replicas.
"""


def test_a_whole_policy() -> None:
    (policy,) = read(WHOLE).all
    assert (policy.id, policy.on, policy.at) == ("few-replicas", "AutomaticResources", ("maxReplicaCount",))
    assert (policy.severity, policy.message, policy.doc) == (Severity.ERROR, "at most four replicas", "Few replicas.")
    assert (policy.path, policy.line) == ("0.yaml", 1)


def test_what_may_be_left_out() -> None:
    (policy,) = read("id: p\non: FeatureView\ncheck: has(self.etag)\nmessage: m\n").all
    assert (policy.at, policy.severity, policy.message_expression, policy.doc) == ((), Severity.WARNING, None, "")


def test_several_policies_of_one_file() -> None:
    text = "id: {0}\non: FeatureView\ncheck: has(self.etag)\nmessage: m\n"
    policies = read("---\n".join(text.format(name) for name in "ab"))
    assert [(policy.id, policy.line) for policy in policies.all] == [("a", 1), ("b", 6)]


FRAME = "id: {id}\non: {on}\nat: {at}\nseverity: {severity}\ncheck: {check}\nmessage: {message}\n"
SOUND = {
    "id": "p",
    "on": "UpsellConfig",
    "at": "priority",
    "severity": "note",
    "check": "has(self.celUpsell)",
    "message": "m",
}
WRONG = [
    ("id", "Big", '1:5-8 "Big" is not a valid id; write lower-case words joined by hyphens'),
    ("id", "cron-dst", '1:5-13 "cron-dst" is a rule already; rename the policy'),
    ("id", "feature-view", '1:5-17 "feature-view" is a group of rules already; rename the policy'),
    ("id", "policies", '1:5-13 "policies" is a group of rules already; rename the policy'),
    ("on", "UpselConfig", '2:5-16 there is no message "UpselConfig"; did you mean "UpsellConfig"?'),
    ("at", "priorty", '3:5-12 UpsellConfig has no field "priorty"; did you mean "priority"?'),
    ("at", "celUpsell.priorty", '3:15-22 CelUpsell has no field "priorty"; did you mean "priority"?'),
    ("at", "priority.x", '3:14-15 "priority" has no fields; end the path there'),
    ("severity", "warn", '4:11-15 there is no severity "warn"; did you mean "warning"?'),
    ("severity", "2", '4:1-9 "severity" must be a string; put it in quotes'),
    ("check", "self.priorty > 1", '5:13-20 UpsellConfig has no field "priorty"; did you mean "priority"?'),
    ("check", "self.priority", "5:8-21 the expression gives int, not bool; compare it with something"),
    ("check", "slef.priority > 1", '5:8-12 there is no "slef"; did you mean "self"?'),
    ("check", "root.typ == 'a'", '5:13-16 ChannelConfig has no field "typ"; did you mean "type"?'),
    ("check", "root.tone == 'FRENDLY'", '5:21-30 "FRENDLY" is never a value here'),
    ("check", "document.file == 'a'", '5:17-21 Document has no field "file"; its fields are'),
    ("check", "self.celUpsell != null", "5:8-30 a message is never null; check that it is set with has(…)"),
    ("check", "self.?priority.hasValue()", "5:14-22 an unset field reads as its default; write has(…)"),
    ("check", "dyn(self).priority == 1", "5:8-11 dyn() hides which message this is"),
    ("check", "1 < 2", "5:8-13 this is always true; check a field of self"),
    ("check", "lists.range(self.priority).size() < 9", "5:8-34 the value may grow to 256 times its input"),
    ("check", "self.displayName.matches('[a-')", "5:33-38 '[a-' is not a regular expression"),
    ("check", "!has(self.celUpsell)", "5:8-28 !has(self.celUpsell) begins with a YAML tag"),
    ("check", "", '5:1-6 "check" must be a string'),
    ("message", "' '", '6:10-13 "message" is empty; say what is wrong'),
]


@each_of(WRONG)
def test_what_is_wrong_is_told_at_its_characters(key: str, value: str, message: str) -> None:
    (problem,) = problems(FRAME.format(**SOUND | {key: value}))
    assert problem.startswith(message)


def test_the_frame_is_sound() -> None:
    assert problems(FRAME.format(**SOUND)) == []


@each_of(
    [
        ("", "1:1-1 the file has no policy; write one, or remove the file"),
        ("- id: p\n", "1:1-8 a policy is a mapping; write one policy per document, with --- between them"),
        ("policies\n", "1:1-9 a policy is a mapping; write its keys"),
        ("id: p\nid: q\non: FeatureView\ncheck: has(self.etag)\nmessage: m\n", "2:1-3 "),
        ("id: p\non: FeatureView\ncheck: has(self.etag)\n", '1:1-3 "message" is missing; say what is wrong'),
        ("id: p\non: FeatureView\nchek: has(self.etag)\nmessage: m\n", '3:1-5 a policy has no "chek"; did you mean'),
        ("id: p\non: FeatureView\ncheck: [\n", "3:"),
    ]
)
def test_a_document_that_is_no_policy(text: str, told: str) -> None:
    (problem,) = problems(text)
    assert problem.startswith(told)


def test_an_expression_over_several_lines_is_pointed_into() -> None:
    text = "id: p\non: FeatureView\nmessage: m\ncheck: |\n  has(self.etag)\n  && has(self.lables)\n"
    assert problems(text) == ['6:15-21 FeatureView has no field "lables"; did you mean "labels"?']


def test_a_message_expression_gives_a_text() -> None:
    text = FRAME.format(**SOUND) + "messageExpression: self.priority\n"
    assert problems(text) == ["7:20-33 the expression gives int, not string; make it string"]


def test_all_that_is_wrong_in_all_files_is_told_at_once() -> None:
    first = FRAME.format(**SOUND | {"at": "priorty", "check": "self.priorty > 1"})
    second = FRAME.format(**SOUND | {"severity": "grave"})
    assert [problem.partition(" ")[0] for problem in problems(first, second)] == [
        "3:5-12",
        "5:13-20",
        "1:5-6",
        "4:11-16",
    ]


def test_a_repeated_id_names_the_other_policy() -> None:
    text = FRAME.format(**SOUND)
    assert problems(text, text) == ['1:5-6 "p" is the policy of 0.yaml:1 already; rename the policy']


def test_policies_are_bounded() -> None:
    long = " || ".join(["has(self.celUpsell)"] * (MAX_LENGTH // 20))
    (problem,) = problems(FRAME.format(**SOUND | {"check": long}))
    assert problem.endswith(f'"check" is longer than {MAX_LENGTH} characters; split the policy up')
    many = "---\n".join(FRAME.format(**SOUND | {"id": f"p{number}"}) for number in range(MAX_POLICIES + 1))
    assert problems(many) == [f"1:1-1 a run has at most {MAX_POLICIES} policies; leave some out"]
    (problem,) = problems("# " + "x" * 2**20)
    assert "1:1" in problem


def test_the_keys_are_those_that_a_whole_policy_has() -> None:
    assert {line.partition(":")[0] for line in WHOLE.splitlines() if line[0] != " "} == set(KEYS)


@pytest.mark.parametrize(
    "change",
    [
        ("few-", "some-"),
        ("< parameters.max", "< 6"),
        ("default: 5", "default: 6"),
        ("severity: error", "severity: note"),
        ("at most", "not above"),
    ],
)
def test_another_policy_has_another_digest(change: tuple[str, str]) -> None:
    assert read(WHOLE).digest != read(WHOLE.replace(*change)).digest
