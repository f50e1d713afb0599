"""The text of a page: what its script finds in it, of which what occurs twice is written once, and nothing is lost."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.page.test_report_command import unpacked
from trialrun.page.html import content_security_policy, embedded_json, pack, page_html

TEXTS = st.text() | st.sampled_from(["$", "$$", "$1", "$$1", "a text that is long"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXTS,
    lambda inner: st.lists(inner) | st.dictionaries(TEXTS, inner),
)


@pytest.mark.parametrize(("live", "mode"), [(False, "file"), (True, "live")])
def test_a_page_says_whether_a_server_answers_it(live: bool, mode: str) -> None:
    page = page_html("Acme & Sons", [], live=live)
    assert f'data-mode="{mode}"' in page
    assert "<title>Acme &amp; Sons" in page
    assert content_security_policy(live=live) in page


@given(JSON)
def test_what_was_packed_comes_back(value: Any) -> None:
    assert json.dumps(unpacked(json.loads(embedded_json(pack(value))))) == json.dumps(value)


def test_equal_parts_are_written_once() -> None:
    part = {"text": "a long text of a config", "line": 7, "column": 12}
    packed = pack([part, dict(part), {"other": part}])
    assert packed == {"table": [part], "root": ["$0", "$0", {"other": "$0"}]}


def test_one_is_not_true_and_not_a_fraction() -> None:
    rows = [[1, 1, 1, 1, 1, 1, 1, 1], [True] * 8, [1.0] * 8] * 2
    assert json.dumps(unpacked(pack(rows))) == json.dumps(rows)


def test_nothing_in_it_ends_a_script() -> None:
    text = embedded_json(["</script>", "<!--", "&amp;", "\u2028\u202e"])
    assert not set("<>&\u2028\u202e") & set(text)
    assert json.loads(text) == ["</script>", "<!--", "&amp;", "\u2028\u202e"]
