"""Addresses of files, and places in texts as clients count them, in three encodings."""

import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.diagnostic import Range
from trialrun.lsp.server.text_documents import Encoding, ProtocolPosition, TextDocument, TextDocuments, source_of
from trialrun.lsp.uris import UNTITLED_FOLDER, file_of_uri
from trialrun.text import Position

ENCODINGS: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")
TEXTS = st.text(st.sampled_from("ab \n\r\u2028\x0b\x85é漢🍔\ufeff"), max_size=30)


def at(line: int, character: int) -> ProtocolPosition:
    return {"line": line, "character": character}


@pytest.mark.parametrize(("encoding", "character"), [("utf-8", 8), ("utf-16", 6), ("utf-32", 5)])
def test_a_character_is_counted_in_the_units_of_the_client(encoding: Encoding, character: int) -> None:
    mapper = TextDocument(source_of("a: 🍔 b: c", "a.yaml"), encoding)
    assert mapper.to_protocol(Position(1, 6)) == at(0, character)
    assert mapper.position(at(0, character)) == Position(1, 6)


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_place_inside_a_character_is_the_one_before_it(encoding: Encoding) -> None:
    mapper = TextDocument(source_of("🍔🍔", "a.yaml"), encoding)
    assert mapper.offset(at(0, {"utf-8": 6, "utf-16": 3, "utf-32": 1}[encoding])) == 1


@pytest.mark.parametrize("place", [(0, 99), (9, 0), (1, 0)])
def test_a_place_beyond_the_text_is_its_end(place: tuple[int, int]) -> None:
    assert TextDocument(source_of("abc", "a.yaml"), "utf-16").offset(at(*place)) == 3


def test_a_range_of_an_older_text_ends_with_the_text() -> None:
    mapper = TextDocument(source_of("abc", "a.yaml"), "utf-16")
    assert mapper.range_to_protocol(Range(Position(1, 2), Position(7, 40))) == {"start": at(0, 1), "end": at(0, 3)}


def test_only_breaks_that_the_protocol_has_end_a_line() -> None:
    mapper = TextDocument(source_of("a\u2028b\x0bc\x85d\r\ne\rf", "a.yaml"), "utf-16")
    assert mapper.offset(at(1, 1)) == 10
    assert mapper.offset(at(2, 0)) == 11


def test_a_byte_order_mark_that_the_client_counts_is_passed_over() -> None:
    mapper = TextDocument(source_of("\ufeffab", "a.yaml"), "utf-16")
    assert mapper.to_protocol(Position(1, 2)) == at(0, 2)
    assert mapper.offset(at(0, 2)) == 1


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXTS, data=st.data())
def test_every_position_comes_back(encoding: Encoding, text: str, data: Any) -> None:
    source = source_of(text, "a.yaml")
    mapper = TextDocument(source, encoding)
    position = source.position(data.draw(st.integers(0, len(source.text))))
    if position.column <= len(source.line(position.line)) + 1:
        assert mapper.position(mapper.to_protocol(position)) == position


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=TEXTS, new=TEXTS, data=st.data())
def test_an_edit_puts_a_text_in_place_of_another(encoding: Encoding, text: str, new: str, data: Any) -> None:
    source = source_of(text.replace("\ufeff", ""), "a.yaml")
    ends = [
        end for end in range(len(source.text) + 1) if not 0 < end < len(source.text) or source.text[end - 1] != "\r"
    ]
    first, last = sorted((data.draw(st.sampled_from(ends)), data.draw(st.sampled_from(ends))))
    mapper = TextDocument(source, encoding)
    edited = mapper.replace(
        mapper.to_protocol(source.position(first)), mapper.to_protocol(source.position(last)), new.replace("\ufeff", "")
    )
    assert edited.text == source.text[:first] + new.replace("\ufeff", "") + source.text[last:]


@each_of(
    [
        ("file:///a/b.yaml", "/a/b.yaml"),
        ("FILE:///a/b.yaml", "/a/b.yaml"),
        ("file:/a/b.yaml", "/a/b.yaml"),
        ("file:///a%20b/%C3%A4%F0%9F%8D%94.yaml", "/a b/ä🍔.yaml"),
        ("file:///a b/ä🍔.yaml", "/a b/ä🍔.yaml"),
        ("file:///a%2Fb/%2e%2e/c.yaml", "/a/c.yaml"),
        ("file:///a%23b%3Fc.yaml", "/a#b?c.yaml"),
        ("file:///a;b=c.yaml", "/a;b=c.yaml"),
        ("file:///a//b/./c/../d.yaml", "/a/b/d.yaml"),
        ("file://localhost/a.yaml", "/a.yaml"),
        ("file:///c:/a.yaml", "/c:/a.yaml"),
        ("file:///a%FF.yaml", os.fsdecode(b"/a\xff.yaml")),
    ]
)
def test_a_file_has_a_path(uri: str, file: str) -> None:
    assert file_of_uri(uri) == file


@each_of(
    [
        "file://server/share/a.yaml",
        "file:a.yaml",
        "file:///a%00.yaml",
        "file://[/a.yaml",
        "vscode-notebook-cell:/a.ipynb#W0",
        "vscode-notebook:/a.ipynb",
        "git:/a.yaml?{}",
        "http://a/b.yaml",
        "a.yaml",
        "",
    ]
)
def test_what_is_no_file_of_this_machine_has_none(uri: str) -> None:
    assert file_of_uri(uri) is None


@pytest.mark.parametrize(
    ("uri", "language", "name"),
    [
        ("untitled:Untitled-1", "yaml", "Untitled-1.yaml"),
        ("untitled:Untitled-1", "jsonc", "Untitled-1.json"),
        ("untitled:Untitled-1", "terraform", "Untitled-1.tf"),
        ("untitled:Untitled-1", "opentofu", "Untitled-1.tofu"),
        ("untitled:/home/me/new%20view.yaml", "yaml", "%2Fhome%2Fme%2Fnew%20view.yaml.yaml"),
        ("untitled:..", "yaml", "...yaml"),
        ("untitled:", "yaml", "draft.yaml"),
    ],
)
def test_a_text_that_was_never_saved_lies_outside_of_every_workspace(uri: str, language: str, name: str) -> None:
    assert TextDocuments().file(uri, language) == os.path.join(UNTITLED_FOLDER, name)


def test_a_text_in_another_language_that_was_never_saved_is_none_of_ours() -> None:
    assert TextDocuments().file("untitled:Untitled-1", "python") is None


@pytest.mark.parametrize("name", ["a b.yaml", "ä🍔.yaml", "a%20b.yaml", "a#b?c;d.yaml", os.fsdecode(b"\xff.yaml")])
def test_an_address_leads_back_to_its_file(tmp_path: Path, name: str) -> None:
    addresses = TextDocuments()
    file = str(tmp_path / name)
    assert addresses.file(addresses.uri(file)) == file


def test_a_folder_that_is_a_link_is_followed_and_named_as_the_client_has_it(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    os.symlink(tmp_path / "real", tmp_path / "link")
    addresses = TextDocuments()
    assert addresses.folder((tmp_path / "link").as_uri()) == str(tmp_path / "real")
    assert addresses.file((tmp_path / "link" / "a.yaml").as_uri()) == str(tmp_path / "real" / "a.yaml")
    assert addresses.uri(str(tmp_path / "real" / "a.yaml")) == (tmp_path / "link" / "a.yaml").as_uri()
