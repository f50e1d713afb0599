"""Paths for other programs."""

from __future__ import annotations

from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.report.paths import normalize_path, path_to_uri


@each_of(
    [
        ("views/a.yaml", "views/a.yaml"),
        ("with blank.yaml", "with%20blank.yaml"),
        ("ü/日本.yaml", "%C3%BC/%E6%97%A5%E6%9C%AC.yaml"),
        ("100%/a#b?c.yaml", "100%25/a%23b%3Fc.yaml"),
        ("a:b.yaml", "a%3Ab.yaml"),
        ("back\\slash.yaml", "back%5Cslash.yaml"),
        ("./a.yaml", "a.yaml"),
        ("a//b/./c.yaml", "a/b/c.yaml"),
        ("../a.yaml", "../a.yaml"),
        ("/srv/a b.yaml", "file:///srv/a%20b.yaml"),
        ("C:/my files/a.yaml", "file:///C:/my%20files/a.yaml"),
        ("no-utf8-\udcff.yaml", "no-utf8-%FF.yaml"),
        ("half-\ud83c.yaml", "half-%ED%A0%BC.yaml"),
    ]
)
def test_a_path_as_a_uri(path: str, address: str) -> None:
    assert path_to_uri(path) == address


@pytest.mark.parametrize(
    ("path", "short"), [("./a.yaml", "a.yaml"), ("a/./b.yaml", "a/b.yaml"), ("../a.yaml", "../a.yaml")]
)
def test_a_tidy_path(path: str, short: str) -> None:
    assert normalize_path(path) == short


@given(
    st.lists(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1), min_size=1).map(
        "/".join
    )
)
def test_a_uri_leads_back_to_its_path(path: str) -> None:
    address = path_to_uri(path)
    assert address.isascii()
    assert urlsplit(address).scheme in ("", "file")
    assert unquote_to_bytes(address.removeprefix("file:///")) == normalize_path(path).encode("utf-8", "surrogateescape")
