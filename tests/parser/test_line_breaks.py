"""Characters that YAML 1.1 takes for line breaks: a warning at each, and a fix that keeps the value for all readers."""

from __future__ import annotations

import pytest
import yaml

from tests.cases import each_of
from trialrun.parser import ParseError, parse

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
