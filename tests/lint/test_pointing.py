"""The exact characters that findings about channel configurations point at, in every style of scalar."""

from __future__ import annotations

from datetime import UTC, datetime

from tests.cases import each_of
from trialrun.lint.engine import Linter
from trialrun.lint.rule_support.session_types import session_types
from trialrun.lint.selection import default_selection
from trialrun.text import Source

STRATEGY = """\
kind: ChannelConfig
name: projects/acme/locations/us/brands/acme/channelConfigs/summer
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - priority: 1
        celUpsell:
          suggestedMenuItems: [Fries]
          conditionExpression: """

CONDITIONS = [
    ("sesion.turn = 1", ["sesion", "="]),
    ("'''😀'' == session.store && sesion.turn = 1'", ["sesion", "="]),
    ('"\\"\\U0001F600\\" == session.store \\\n            && \\x73esion.turn > 1"', [r"\x73esion"]),
    ("|\n            // 😀\n            session.turn > 1\n              && order.itms.size() > 2\n", ["itms"]),
    (">\n            session.turn > 1\n\n            and\n              order.itms.size() > 2\n", ["and", "itms"]),
    (">-\n            order.items.size()\n", ["order.items.size()"]),
    ("|\n            order.items.size()\n", ["order.items.size()"]),
    ("session.turn > 1\n            && order.itms.size() > 2\n            && session.trn > 3", ["itms", "trn"]),
    ("not session.turn > 1", ["not"]),
    ('""', ['""']),
]


@each_of([(scalar, tokens, ends) for ends in ["\n", "\r\n"] for scalar, tokens in CONDITIONS])
def test_the_tokens_of_a_condition(scalar: str, tokens: list[str], ends: str) -> None:
    assert pointed_at((STRATEGY + scalar + "\n").replace("\n", ends)) == tokens


CUSTOMIZATION = """\
kind: ChannelConfig
name: projects/acme/locations/us/brands/acme/channelConfigs/winter
type: AGENT_CUSTOMIZATION
operationsConfig:
  defaultLanguageCode: """


@each_of(
    [
        ("en-UK", ["UK"]),
        ('"\\x65n-UK"', ["UK"]),
        ("'en_US'", ["_"]),
        ("|-\n    en-UK", ["UK"]),
        ('""', ['""']),
        ("''", ["''"]),
    ]
)
def test_the_subtag_of_a_language(scalar: str, tokens: list[str]) -> None:
    assert pointed_at(CUSTOMIZATION + scalar + "\n") == tokens


def test_a_condition_in_json() -> None:
    condition = r"\"\ud83d\ude00\" == session.store \u0026\u0026 sesion.turn = 1\n\tand \u006frder.itms.length > 2"
    text = (
        '{"type": "UPSELL_STRATEGY", "name": "projects/a/locations/b/brands/c/channelConfigs/d"'
        ', "operationsConfig": {"upsellStrategy": {"upsells": [{"priority": 1, "celUpsell": {'
        f'"suggestedMenuItems": ["A"], "conditionExpression": "{condition}"}}}}]}}}}}}'
    )
    assert pointed_at(text, "config.json") == ["sesion", "=", "and", "itms"]


def pointed_at(text: str, path: str = "config.yaml") -> list[str]:
    now = datetime(2026, 11, 20, tzinfo=UTC)
    linter = Linter(default_selection(), now=now, session_types=lambda: session_types([]))
    found = sorted(
        linter.lint(text.encode(), path, is_explicit=True).diagnostics, key=lambda diagnostic: diagnostic.sort_key
    )
    source = Source(path, text)
    return [text[source.offset(one.range.start) : source.offset(one.range.end)] for one in found]
