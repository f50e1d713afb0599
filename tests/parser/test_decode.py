"""Encodings, and bytes that are no text."""

from __future__ import annotations

import codecs

from tests.cases import each_of
from trialrun.parser import parse

TEXT = "a: é🍔\n"
ENCODED = [
    ("utf-8", b"", TEXT.encode()),
    ("utf-8", codecs.BOM_UTF8, TEXT.encode()),
    ("utf-16-le", codecs.BOM_UTF16_LE, TEXT.encode("utf-16-le")),
    ("utf-16-be", codecs.BOM_UTF16_BE, TEXT.encode("utf-16-be")),
    ("utf-16-le", b"", TEXT.encode("utf-16-le")),
    ("utf-16-be", b"", TEXT.encode("utf-16-be")),
]


@each_of([(encoding, mark, data, name) for encoding, mark, data in ENCODED for name in ["a.yaml", "a.json"]])
def test_encodings(encoding: str, mark: bytes, data: bytes, name: str) -> None:
    if name == "a.json":
        data = data.decode(encoding).replace(TEXT, '{"a": "é🍔"}').encode(encoding)
    tree = parse(mark + data, name)
    assert [document.value for document in tree.documents] == [{"a": "é🍔"}]
    assert (tree.source.encoding, tree.source.bom, tree.errors) == (encoding, bool(mark), [])


WRONG = [
    (b"a: caf\xe9\nb: 1\n", 6, 7, "caf\ufffd", "the bytes 0xe9 are not UTF-8; save the file as UTF-8"),
    (
        b"\xef\xbb\xbfa: \xc3\xa9\xff\xfe\n",
        4,
        6,
        "é\ufffd\ufffd",
        "the bytes 0xff 0xfe are not UTF-8; save the file as UTF-8",
    ),
    (
        b"a: \xed\xa0\x80\n",
        3,
        6,
        "\ufffd\ufffd\ufffd",
        "the bytes 0xed 0xa0 0x80 are not UTF-8; save the file as UTF-8",
    ),
    (b"a: x\0y\n", 4, 5, "x\ufffdy", "a NUL character; remove it"),
    (
        b"a: x\x01\n",
        4,
        5,
        "x\ufffd",
        "the character U+0001 is not printable; remove it or write it as an escape in double quotes",
    ),
    (
        "a: é\x7f\n".encode(),
        4,
        5,
        "é\ufffd",
        "the character U+007F is not printable; remove it or write it as an escape in double quotes",
    ),
    (
        "a: é\x80\n".encode(),
        4,
        5,
        "é\ufffd",
        "the character U+0080 is not printable; remove it or write it as an escape in double quotes",
    ),
    (
        "a: \uffff\n".encode(),
        3,
        4,
        "\ufffd",
        "the character U+FFFF is not printable; remove it or write it as an escape in double quotes",
    ),
    ("a: b\ufeffc\n".encode(), 4, 5, "b\ufffdc", "a byte order mark inside the file; remove it"),
    (
        codecs.BOM_UTF16_LE + "a: ".encode("utf-16-le") + b"\x00\xd8",
        3,
        4,
        "\ufffd",
        "half of a surrogate pair, U+D800; save the file as UTF-8",
    ),
    (
        codecs.BOM_UTF16_BE + "a: b".encode("utf-16-be") + b"\x00",
        4,
        5,
        "b\ufffd",
        "half of a surrogate pair, U+DC00; save the file as UTF-8",
    ),
]


@each_of(WRONG)
def test_wrong_places(data: bytes, start: int, end: int, value: str, message: str) -> None:
    tree = parse(data, "a.yaml")
    (trouble,) = tree.errors
    assert (trouble.rule, trouble.span.start, trouble.span.end, trouble.message) == (
        "encoding-error",
        start,
        end,
        message,
    )
    assert tree.documents[0].value["a"] == value
    tree.source.text.encode()


def test_printable_neighbors_are_left_alone() -> None:
    text = "a: \x85\xa0\u2028\ud7ff\ue000\ufdd0\ufffd\U0010ffff"
    tree = parse(text.encode(), "a.yaml")
    assert tree.documents[0].value == {"a": text[3:]}
    assert [trouble.rule for trouble in tree.errors] == ["ambiguous-scalar"]


def test_utf_32_is_read_and_told() -> None:
    tree = parse("a: é".encode("utf-32"), "a.yaml")
    assert tree.documents[0].value == {"a": "é"}
    assert [(trouble.rule, trouble.message) for trouble in tree.errors] == [
        ("encoding-error", "the file is UTF-32; save it as UTF-8")
    ]


def test_files_that_are_pasted_together_with_their_byte_order_marks() -> None:
    tree = parse("a: 1\n\ufeff---\nb: 2\n".encode(), "a.yaml")
    assert [document.value for document in tree.documents] == [{"a": 1}, {"b": 2}]
    assert [trouble.rule for trouble in tree.errors] == ["encoding-error"]


def test_a_file_of_another_kind_is_not_listed_byte_by_byte() -> None:
    troubles = [trouble for trouble in parse(b"\x01a" * 1000, "a.yaml").errors if trouble.rule == "encoding-error"]
    assert len(troubles) == 21
    assert troubles[-1].message == "980 more places are not text; save the file as UTF-8"
