"""Addresses of clients and the paths of files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.cases import each_of
from trialrun.lsp.uris import UNTITLED_FOLDER, UriMapper, file_of_uri


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
    ],
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
    ],
)
def test_what_is_no_file_of_this_machine_has_none(uri: str) -> None:
    assert file_of_uri(uri) is None


@pytest.mark.parametrize(
    ("uri", "language", "name"),
    [
        ("untitled:Untitled-1", "yaml", "Untitled-1.yaml"),
        ("untitled:Untitled-1", "jsonc", "Untitled-1.json"),
        ("untitled:/home/me/new%20view.yaml", "yaml", "%2Fhome%2Fme%2Fnew%20view.yaml.yaml"),
        ("untitled:..", "yaml", "...yaml"),
        ("untitled:", "yaml", "draft.yaml"),
    ],
)
def test_a_text_that_was_never_saved_lies_outside_of_every_workspace(uri: str, language: str, name: str) -> None:
    assert UriMapper().file(uri, language) == os.path.join(UNTITLED_FOLDER, name)


def test_a_text_in_another_language_that_was_never_saved_is_none_of_ours() -> None:
    assert UriMapper().file("untitled:Untitled-1", "python") is None


@pytest.mark.parametrize("name", ["a b.yaml", "ä🍔.yaml", "a%20b.yaml", "a#b?c;d.yaml", os.fsdecode(b"\xff.yaml")])
def test_an_address_leads_back_to_its_file(tmp_path: Path, name: str) -> None:
    addresses = UriMapper()
    file = str(tmp_path / name)
    assert addresses.file(addresses.uri(file)) == file


def test_a_folder_that_is_a_link_is_followed_and_named_as_the_client_has_it(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    os.symlink(tmp_path / "real", tmp_path / "link")
    addresses = UriMapper()
    assert addresses.folder((tmp_path / "link").as_uri()) == str(tmp_path / "real")
    assert addresses.file((tmp_path / "link" / "a.yaml").as_uri()) == str(tmp_path / "real" / "a.yaml")
    assert addresses.uri(str(tmp_path / "real" / "a.yaml")) == (tmp_path / "link" / "a.yaml").as_uri()
