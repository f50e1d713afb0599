"""The words of schedules and conditions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import opened, words
from tests.program import VIEW
from trialrun.lsp.features.semantic_tokens import semantic_tokens

CONFIG = """\
kind: ChannelConfig
type: UPSELL_STRATEGY
operationsConfig:
  upsellStrategy:
    upsells:
      - priority: 1
        celUpsell:
          conditionExpression: {condition}
          suggestedMenuItems: [Fries]
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def _told(folder: Path, text: str) -> list[str]:
    live = opened(folder, one=text)
    return [
        f"{semantic_token.kind} {words(live, 'one.yaml', semantic_token.range)}"
        for semantic_token in semantic_tokens(live, "one.yaml")
    ]


def _cron(folder: Path, cron: str) -> list[str]:
    return _told(folder, VIEW.format(name="v", cron=cron))


def _condition(folder: Path, condition: str) -> list[str]:
    return _told(folder, CONFIG.format(condition=condition))


def test_a_schedule_with_its_zone(tmp_path: Path) -> None:
    assert _cron(tmp_path, '"CRON_TZ=America/New_York */15 6-8,12 * JAN MON"') == [
        "keyword CRON_TZ",
        "operator =",
        "string America/New_York",
        "operator *",
        "operator /",
        "number 15",
        "number 6",
        "operator -",
        "number 8",
        "operator ,",
        "number 12",
        "operator *",
        "enumMember JAN",
        "enumMember MON",
    ]


def test_a_macro_is_a_keyword(tmp_path: Path) -> None:
    assert _cron(tmp_path, '"@daily"') == ["keyword @daily"]


def test_a_condition(tmp_path: Path) -> None:
    text = "\"order.items.exists(i, i.quantity >= 2u) && !(1.5 in session.x) || true // 'why'\""
    assert _condition(tmp_path, text) == [
        "variable order",
        "operator .",
        "property items",
        "operator .",
        "function exists",
        "operator (",
        "variable i",
        "operator ,",
        "variable i",
        "operator .",
        "property quantity",
        "operator >=",
        "number 2u",
        "operator )",
        "operator &&",
        "operator !",
        "operator (",
        "number 1.5",
        "keyword in",
        "variable session",
        "operator .",
        "property x",
        "operator )",
        "operator ||",
        "keyword true",
        "comment // 'why'",
    ]


@pytest.mark.parametrize(
    "style",
    [
        "order.subtotal > 8 && vip",
        "'order.subtotal > 8 && vip'",
        '"order.subtotal \\x3e 8 && vip"',
        "|-\n            order.subtotal\n              > 8 && vip",
        ">-\n            order.subtotal\n            > 8 && vip",
        '"order.subtotal\n            > 8 && vip"',
    ],
)
def test_the_same_in_every_style(tmp_path: Path, style: str) -> None:
    found = [token.replace("\\x3e", ">") for token in _condition(tmp_path, style)]
    plain = ["variable order", "operator .", "property subtotal", "operator >", "number 8", "operator &&"]
    assert found == [*plain, "variable vip"]


def test_a_word_over_several_lines_is_one_in_each(tmp_path: Path) -> None:
    assert _condition(tmp_path, "|-\n            x == '''Fries\n            and Cola'''") == [
        "variable x",
        "operator ==",
        "string '''Fries",
        "string and Cola'''",
    ]


def test_what_stands_at_an_anchor_is_reported_once(tmp_path: Path) -> None:
    text = CONFIG.format(condition="&c vip") + (
        "      - {priority: 2, celUpsell: {conditionExpression: *c, suggestedMenuItems: [Cola]}}\n"
    )
    assert _told(tmp_path, text) == ["variable vip"]


def test_also_where_the_condition_is_wrong(tmp_path: Path) -> None:
    assert _condition(tmp_path, '"order. && ("') == ["variable order", "operator .", "operator &&", "operator ("]


def test_nothing_elsewhere(tmp_path: Path) -> None:
    assert _told(tmp_path, "kind: Menu\nname: order.subtotal > 8\n") == []


def test_also_where_only_a_repair_made_the_text_readable(tmp_path: Path) -> None:
    assert _cron(tmp_path, "*/5 * * * *")[:3] == ["operator *", "operator /", "number 5"]
