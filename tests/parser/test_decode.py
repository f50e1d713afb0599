"""Encodings, bytes that are no text, and line breaks of every kind."""

import codecs

import pytest
import yaml

from tests.cases import each_of
from trialrun.parser import ParseError, parse

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


# the text, in which % is the character · the same after the fixes
TEXTS = [
    ("a: x%y\nb: 1\n", 'a: "x{0}y"\nb: 1\n'),
    ("a: x %\n  y\nb: 1\n", 'a: "x {0} y"\nb: 1\n'),
    ("a: x%#y\n", 'a: "x{0}#y"\n'),
    ("a: 'it''s%'\n", 'a: "it\'s{0}"\n'),
    ('a: "x%\\ty"\n', 'a: "x{0}\\ty"\n'),
    ("a: |\n  x%y\n  z\nb: 1\n", 'a: "x{0}y\\nz\\n"\nb: 1\n'),
    ("a: >-\n  x%y\n  z\nb: 1\n", 'a: "x{0}y z"\nb: 1\n'),
    ("x%y: 1\n", '"x{0}y": 1\n'),
    ("a: [x%, {b: y%}]\n", 'a: ["x{0}", {b: "y{0}"}]\n'),
    ("- &n x%\n- *n\n", '- &n "x{0}"\n- *n\n'),
    ("a: !!str x%\n", 'a: !!str "x{0}"\n'),
    ("a: 1 # x%y%\n", "a: 1 # x{0}y{0}\n"),
    ("# x%y: 2\na: 1\n", "# x{0}y: 2\na: 1\n"),
    ("a: 1\n# %", "a: 1\n# {0}"),
    ("a: 1\n---\n# %\nb: x%\n...\n# %\n", 'a: 1\n---\n# {0}\nb: "x{0}"\n...\n# {0}\n'),
]
CHARACTERS = ["\u0085", "\u2028", "\u2029"]


def warnings(text: str, path: str = "a.yaml") -> list[ParseError]:
    return [error for error in parse(text.encode(), path).errors if error.rule == "ambiguous-scalar"]


def fixed(text: str) -> str:
    for error in reversed(warnings(text)):
        assert error.replaced is not None
        assert error.replacement is not None
        text = text[: error.replaced.start] + error.replacement + text[error.replaced.end :]
    return text


def values(text: str) -> list[object]:
    return [document.value for document in parse(text.encode(), "a.yaml").documents]


@each_of([(text, escaped, character) for text, escaped in TEXTS for character in CHARACTERS])
def test_every_reader_reads_the_fixed_text(text: str, escaped: str, character: str) -> None:
    written = text.replace("%", character)
    assert fixed(written) == escaped.replace("{0}", f"\\u{ord(character):04x}")
    assert {written[error.span.start] for error in warnings(written)} == {character}
    assert all(error.safe for error in warnings(written))
    assert warnings(fixed(written)) == []
    assert list(yaml.safe_load_all(fixed(written))) == values(written)


@pytest.mark.parametrize("text", ["a: x%y\n", "a: 1 # x%y\n", "x%y: 1\n"])
def test_readers_of_yaml_1_1_refuse_what_is_fixed(text: str) -> None:
    with pytest.raises(yaml.YAMLError):
        yaml.safe_load(text.replace("%", "\u0085"))


def test_the_warning_names_the_character_and_the_escape() -> None:
    (warning,) = warnings("a: x\u2028y\u0085\n")
    assert warning.path == ("a",)
    assert warning.message == (
        "U+2028 is a line break to YAML 1.1 readers, which refuse the file or read another text; "
        "write \\u2028 in double quotes"
    )


@pytest.mark.parametrize("text", ['{"a": "x\u2028y"}', '{"\u0085": 1}'])
def test_json_has_these_characters(text: str) -> None:
    assert warnings(text, "a.json") == []
    assert [warning.path for warning in warnings(text)] in ([("a",)], [("\u0085",)])


def test_nothing_is_rewritten_where_a_comment_would_be_lost() -> None:
    assert [warning.replacement for warning in warnings("a: | # why\n  x\u2028y\n")] == [None]


def test_escapes_are_no_line_breaks() -> None:
    assert warnings('a: "x\\u2028y\\Lz\\Nö"\n') == []
