"""JSON: values, duplicates, slips, and several documents in one file."""

from typing import Any

from tests.cases import each_of
from trialrun.parser import parse

TOLD: dict[str, tuple[list[Any], list[tuple[str, str, str]]]] = {
    '{"a": 1, "b": [true, null, 1.5, "x"]}': ([{"a": 1, "b": [True, None, 1.5, "x"]}], []),
    '{"a": 1, "b": {"c": 1, "c": 2}}': (
        [{"a": 1, "b": {"c": 2}}],
        [("duplicate-key", '"c"', 'duplicate key "c"; remove one of the two')],
    ),
    '[{"a": 1, "b": 2, "a": 3, "b": 4}]': (
        [[{"a": 3, "b": 4}]],
        [("duplicate-key", '"a"', 'duplicate key "a"; begin another item with it, or remove one of the two')],
    ),
    '{"a": 1,}': ([{"a": 1}], [("syntax-error", ",", "a comma before the closing }; remove it")]),
    "[1, 2,\n]": ([[1, 2]], [("syntax-error", ",", "a comma before the closing ]; remove it")]),
    '{"a": 1 // x\n}': ([{"a": 1}], [("syntax-error", "// x", "JSON has no comments; remove it")]),
    '/* x */ {"a": 1}': ([{"a": 1}], [("syntax-error", "/* x */", "JSON has no comments; remove it")]),
    '{"a": 1\n "b": 2}': ([{"a": 1, "b": 2}], [("syntax-error", "1", "a comma is missing after this; write one")]),
    '{"a" 1}': ([{"a": 1}], [("syntax-error", '"', "a colon is missing after this; write one")]),
    '{"a": 012, "b": -007}': (
        [{"a": 12, "b": -7}],
        [("syntax-error", "012", "012 is not JSON; write 12"), ("syntax-error", "-007", "-007 is not JSON; write -7")],
    ),
    '{"a": +5}': ([{"a": 5}], [("syntax-error", "+5", "+5 is not JSON; write 5")]),
    '{"a": 1_000}': ([{"a": 1000}], [("syntax-error", "1_000", "1_000 is not JSON; write 1000")]),
    "{'a': 1}": ([{"a": 1}], [("syntax-error", "'a'", 'JSON uses double quotes; write "a"')]),
    '{"a": True}': ([{"a": True}], [("syntax-error", "True", "True is not JSON; write true")]),
    '{"a": "x,\n "b": 1}': ([{"a": "x", "b": 1}], [("syntax-error", '"', 'the quote " is not closed; close it')]),
    '{"a": "x': ([{"a": "x"}], [("syntax-error", '"', 'the quote " is not closed; close it')]),
    '{"a": [1, 2': ([{"a": [1, 2]}], [("syntax-error", "[", "the bracket [ is not closed; close it with ]")]),
    '{"a": {"b": ': ([{"a": {"b": None}}], [("syntax-error", "{", "the bracket { is not closed; close it with }")]),
    '{"a": "\\d"}': ([{"a": "xd"}], [("syntax-error", "\\d", "\\d is not an escape in JSON; write \\\\d")]),
    '{"a": "\\ud800 \\\\ud800 \\ud83c\\udf54"}': (
        [{"a": "\ufffd \\ud800 🍔"}],
        [
            (
                "encoding-error",
                "\\ud800",
                "\\ud800 is half of a surrogate pair; write both halves or the character itself",
            )
        ],
    ),
    '{"a": 1}\n{"b": 2}\n[3]': (
        [{"a": 1}, {"b": 2}, [3]],
        [("syntax-error", "{", "text after the end of the JSON document; put it in its own file")],
    ),
    '{\n"a": 1,\n"b": @,\n"c": 3\n}': (
        [{"a": 1, "c": 3}],
        [("syntax-error", "@", "invalid JSON: expected value; correct the syntax here")],
    ),
    '{\n"a": 1,\n<<<<<<< HEAD\n"b": 2,\n||||||| base\n"b": 4,\n=======\n"b": 3,\n>>>>>>> main\n"c": 3\n}': (
        [{"a": 1, "b": 2, "c": 3}],
        [("syntax-error", "<<<<<<< HEAD", "unresolved merge conflict; keep one side")],
    ),
    '<<<<<<< HEAD\n{"b": 2}\n=======\n{"b": 3}\n>>>>>>> main\n': (
        [{"b": 2}],
        [("syntax-error", "<<<<<<< HEAD", "unresolved merge conflict; keep one side")],
    ),
    "": ([], [("syntax-error", "", "the file is empty; write a JSON document")]),
    " \n": ([], [("syntax-error", "", "the file is empty; write a JSON document")]),
    "@": ([], [("syntax-error", "@", "invalid JSON: expected value; correct the syntax here")]),
}


@each_of(TOLD.items())
def test_json(text: str, expected: tuple[list[Any], list[tuple[str, str, str]]]) -> None:
    tree = parse(text.encode(), "dir/A.JSON")
    told = [(trouble.rule, text[trouble.span.start : trouble.span.end], trouble.message) for trouble in tree.errors]
    assert ([document.value for document in tree.documents], told) == expected


@each_of(["", "---\n", "# bq://a\r\n\r\n  # b\n--- # c\n"])
def test_yaml_in_a_file_named_as_json_is_one_mistake(before: str) -> None:
    text = before + "kind: A # b\nuri: bq://a.b.c\nids: [a, b]\n"
    tree = parse(text.encode(), "a.json")
    assert [document.value for document in tree.documents] == [{"kind": "A", "uri": "bq://a.b.c", "ids": ["a", "b"]}]
    message = "this is YAML in a file named as JSON; give it a name that ends with .yaml, or write JSON"
    assert [(error.message, text[error.span.start : error.span.end]) for error in tree.errors] == [(message, "kind")]


def test_a_slip_behind_another_document_is_reported_where_it_is() -> None:
    text = '{"a": 1}\n{"b": [2,]}'
    tree = parse(text.encode(), "a.json")
    assert [document.value for document in tree.documents] == [{"a": 1}, {"b": [2]}]
    assert [trouble.span.start for trouble in tree.errors] == [9, text.index(",")]
    assert [document.value for document in parse(b'   "k)nd\n{', "a.json").documents] == ["k)nd"]


def test_not_a_number_is_told() -> None:
    (trouble,) = parse(b'{"a": [NaN]}', "a.json").errors
    assert (trouble.rule, trouble.path, trouble.replacement) == ("syntax-error", ("a", 0), '"NaN"')


def test_a_duplicate_names_the_earlier_key() -> None:
    (trouble,) = parse(b'{"a": 1, "a": 2}', "a.json").errors
    assert (trouble.span.start, [span.start for span in trouble.related], trouble.path) == (9, [1], ("a",))


def test_numbers_of_any_length() -> None:
    assert parse(f"[{'9' * 5000}]".encode(), "a.json").documents[0].value == ["9" * 5000]
    assert parse(f"[{'9' * 30}]".encode(), "a.json").documents[0].value == [int("9" * 30)]


def test_first_key_and_styles() -> None:
    document = parse(b' {"a": [{"b": 1}]}', "a.json").documents[0]
    assert (document.first_key_span(()).start, document.first_key_span(("a", 0)).start) == (2, 9)
    assert {document.style(path) for path in ((), ("a",), ("a", 0, "b"))} == {"json"}


VIEW = """{
  // the view
  "kind": "FeatureView", // bq://no
  "labels": {"a": "/* b */ // c", "d": ["e",],}, /* f
     g */ # h
}
"""
VALUE = {"kind": "FeatureView", "labels": {"a": "/* b */ // c", "d": ["e"]}}


@each_of(["a.json", "a.jsonc", "a.JSON5", "a.yaml", "a.yml", "a.txt"])
def test_all_comments_of_a_json_text_are_one_mistake_in_a_file_of_any_name(path: str) -> None:
    tree = parse(VIEW.encode(), path)
    assert [document.value for document in tree.documents] == [VALUE]
    message = "JSON has no comments; remove all 4, or save the file as YAML, where # begins a comment"
    assert [(error.rule, error.message, error.span.start) for error in tree.errors] == [
        ("syntax-error", message, VIEW.index("//"))
    ]


def test_more_comments_than_one_would_repair_are_blanked_at_once() -> None:
    tree = parse(VIEW.replace("  // the view\n", "  // the view\n" * 500).encode(), "a.json")
    assert ([document.value for document in tree.documents], len(tree.errors)) == ([VALUE], 1)


def test_what_json5_has_beyond_json_is_one_mistake() -> None:
    tree = parse(b"{kind: 'FeatureView', labels: {'a': 'b',},}", "a.json5")
    assert [document.value for document in tree.documents] == [{"kind": "FeatureView", "labels": {"a": "b"}}]
    assert [error.message for error in tree.errors] == ['kind has no quotes; write "kind"']


@each_of(["{a: bq://b.c, d: e}", "// a: b", "a: //b\nc: /*d", '{a: "//"}', "[/etc/*, //x]"])
def test_other_slashes_of_yaml_are_no_comments(text: str) -> None:
    assert [document.source_slice.is_json for document in parse(text.encode(), "a.yaml").documents] == [False]


@each_of([*"\x7f\x85\u2028\ufeff\ufffe\uffff"])
def test_every_character_but_controls_may_be_in_a_string(character: str) -> None:
    tree = parse(f'{{"a": "{character}b"}}'.encode(), "a.json")
    assert ([document.value for document in tree.documents], tree.errors) == ([{"a": f"{character}b"}], [])


OPENINGS = ['""a": {', '"a"": {', '"a":: {', '"a" = {', "“a”: {", '"a": {{', '"a: {', 'a": {', '"a": {;']


@each_of(OPENINGS)
def test_a_line_that_opens_a_bracket_wrongly_is_one_error(line: str) -> None:
    tree = parse(f'{{\n  {line}\n    "b": 1\n  }},\n  "c": 2\n}}\n'.encode(), "a.json")
    assert ([document.value for document in tree.documents], len(tree.errors)) == ([{"a": {"b": 1}, "c": 2}], 1)


@each_of(['"ab": bc",', 'ab": "bc",'])
def test_a_quote_that_is_missing_before_a_word_is_one_error(line: str) -> None:
    tree = parse(f'{{\n  {line}\n  "c": "d://e"\n}}\n'.encode(), "a.json")
    assert ([document.value for document in tree.documents], len(tree.errors)) == ([{"ab": "bc", "c": "d://e"}], 1)


@each_of(['"a": "b" cd"\n}, "e": {\n"f": 1', '"a": ["b"\n}, "e": {\n"f": 1', '"a": * [],\n"e": {"f": 1'])
def test_a_line_that_opens_a_bracket_is_not_the_fault_of_another(text: str) -> None:
    tree = parse(f'{{"x": {{\n{text}\n}}}}\n'.encode(), "a.json")
    assert len({(error.message, error.span) for error in tree.errors}) == len(tree.errors)
    assert not any("open a bracket" in error.message for error in tree.errors)
