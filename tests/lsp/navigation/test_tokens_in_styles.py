"""Words are told at their characters whatever the style of the scalar, and none where there are none."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cases import number_of_cases
from tests.lsp.navigation.open_workspace import live, opened, words
from tests.lsp.navigation.test_text_references import CITY
from trialrun.lint.settings import Profiles, read_settings
from trialrun.lsp.features.semantic_tokens import semantic_tokens
from trialrun.workspace import CheckRequest
from trialrun.workspace.open_workspace import OpenWorkspace

HEAD = (
    "kind: ChannelConfig\ntype: UPSELL_STRATEGY\noperationsConfig:\n  upsellStrategy:\n    upsells:\n"
    "      - priority: 1\n        celUpsell:\n          suggestedMenuItems: [Fries]\n          conditionExpression: "
)
PARTS = ["order", ".", "items", "size", "(", ")", ">=", "2u", "'🥤π'", "&&", "session", "daypartId", "==", "'it\\'s'",
         "||", "true", "1.5", "// why 🍟\n", "[", "]", "in"]  # fmt: skip
CONDITIONS = st.lists(st.sampled_from(PARTS), min_size=1, max_size=12).map(" ".join).map(str.strip)


def _indented(text: str, indent: int) -> str:
    return "\n".join(" " * indent + line if line else "" for line in text.split("\n"))


def _styles(text: str) -> list[str]:
    """A text in each style that can hold it."""
    escaped = "".join(f"\\U{ord(token):08x}" if ord(token) > 126 or token in '"\\\n' else token for token in text)
    quoted = json.dumps(text, ensure_ascii=False)
    styles = [f'"{escaped}"', quoted, "|-\n" + _indented(text, 12), "|2-\n" + _indented(text, 12)]
    if "\n" not in text:
        styles.append(f"'{text.replace(chr(39), chr(39) * 2)}'")
    if "//" not in text:  # a comment over two lines is two
        styles.append(">-\n" + _indented(text.replace(" ", "\n"), 14))
    return styles


def _told(live: OpenWorkspace, text: str) -> list[tuple[str, str]]:
    live.set_overlay(str(Path("one.yaml").resolve()), text.encode())
    found = semantic_tokens(live, "one.yaml")
    ends = [(token.range.start, token.range.end) for token in found]
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(ends))
    assert all(start < end and start.line == end.line for start, end in ends)
    return [(token.kind, words(live, "one.yaml", token.range)) for token in found]


def _read(found: list[tuple[str, str]], *, is_escaped: bool) -> list[tuple[str, str]]:
    """The words as they are without the escapes of double quotes."""
    return [(kind, json.loads(f'"{_json(text)}"') if is_escaped else text) for kind, text in found]


def _json(text: str) -> str:
    import re

    return re.sub(r"\\U([0-9a-f]{8})", lambda match: json.dumps(chr(int(match[1], 16)))[1:-1], text)


@settings(max_examples=number_of_cases(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(CONDITIONS, st.booleans())
def test_the_same_words_in_every_style(tmp_path_factory: pytest.TempPathFactory, text: str, windows: bool) -> None:
    import os

    folder = tmp_path_factory.mktemp("styles")
    before = Path.cwd()
    os.chdir(folder)
    try:
        open_ = live(folder)
        told = []
        for style in _styles(text):
            document = HEAD + style + "\n"
            found = _told(open_, document.replace("\n", "\r\n") if windows else document)
            told.append(_read(found, is_escaped=style.startswith('"')))
        plain = [[(kind, one.replace("''", "'")) for kind, one in each] for each in told]
        assert all(token == plain[0] for token in plain)
    finally:
        os.chdir(before)


def test_plain_over_lines_with_characters_beyond_the_first_plane(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    text = HEAD + "order.orderType == '🍔'\n            || vip # 🍟 && x\n"
    assert _told(opened(tmp_path), text)[-4:] == [
        ("operator", "=="),
        ("string", "'🍔'"),
        ("operator", "||"),
        ("variable", "vip"),
    ]


def test_types_scripts_and_tables(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    city = opened(tmp_path, **CITY)
    types = [
        (semantic_token.kind, words(city, "schema.yaml", semantic_token.range))
        for semantic_token in semantic_tokens(city, "schema.yaml")
    ]
    assert types[:5] == [
        ("keyword", "list"),
        ("operator", "("),
        ("type", "Item"),
        ("operator", ")"),
        ("keyword", "double"),
    ]
    played = [
        (semantic_token.kind, words(city, "played.yaml", semantic_token.range))
        for semantic_token in semantic_tokens(city, "played.yaml")
    ]
    assert played[:12] == [
        ("enumMember", "Sauce"),
        ("variable", "session"),
        ("property", "tier"),
        ("property", "rank"),
        ("keyword", "add"),
        ("number", "2"),
        ("variable", "shake"),
        ("variable", "Hot"),
        ("operator", ";"),
        ("keyword", "set"),
        ("variable", "session"),
        ("property", "tier"),
    ]
    assert ("operator", ">") in played


def test_the_expressions_of_policies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "trialrun.toml").write_text('policies = ["own.yaml"]\n', encoding="utf-8")
    policy = "id: has-a-name\non: FeatureView\ncheck: has(self.name)\nmessage: name it\ndoc: A view has a name.\n"
    (tmp_path / "own.yaml").write_text(policy, encoding="utf-8")
    request = CheckRequest(
        str(tmp_path), live(tmp_path).request.now, Profiles(read_settings(str(tmp_path))), cache=False
    )
    open_ = OpenWorkspace(request)
    told = [
        (semantic_token.kind, words(open_, "own.yaml", semantic_token.range))
        for semantic_token in semantic_tokens(open_, "own.yaml")
    ]
    assert told == [
        ("function", "has"),
        ("operator", "("),
        ("variable", "self"),
        ("operator", "."),
        ("property", "name"),
        ("operator", ")"),
    ]
