"""Broken documents: the likely cause at the exact characters, and everything else still read."""

from typing import Any

from tests.cases import each_of
from trialrun.parser import parse

QUOTED = {
    "cron: */5 * * * *": ("*/5 * * * *", "begins with *, which names an anchor"),
    "cron: * * * * *   # note": ("* * * * *", "begins with *, which names an anchor"),
    "cron: @daily": ("@daily", "begins with @, which is reserved in YAML"),
    "text: `code`": ("`code`", "begins with `, which is reserved in YAML"),
    "text: %y": ("%y", "begins with %, which is reserved in YAML"),
    "text: & more": ("& more", "begins with &, which sets an anchor"),
    "text: *name": ("*name", "names an anchor that nothing above in this document sets; set it, or quote it"),
    "text: *name and more": ("*name and more", "begins with *, which names an anchor"),
    "cond: !order.closed && x": ("!order.closed && x", "begins with !, which is a tag"),
    "cond: > 5": ("> 5", "begins with >, which starts a block of text"),
    "cond: a ? b : c": ("a ? b : c", "has a colon followed by a space"),
    "text: note: this": ("note: this", "has a colon followed by a space"),
    "text: 2for1: this": ("2for1: this", "has a colon followed by a space"),
    "uri: {{ x }}": ("{{ x }}", "begins with {, which opens a mapping"),
    "uri: {{ x }}/y": ("{{ x }}/y", "begins with {, which opens a mapping"),
    "uri: {A}/y": ("{A}/y", "begins with {, which opens a mapping"),
    "text: [a] b": ("[a] b", "begins with [, which opens a list"),
}


@each_of(QUOTED.items())
def test_values_that_lack_quotes_keep_their_text(line: str, expected: tuple[str, str]) -> None:
    text = f"before: 1\n{line}\nafter: 2\n"
    tree = parse(text.encode(), "a.yaml")
    (trouble,) = tree.errors
    value, why = expected
    assert tree.documents[0].value == {"before": 1, line.partition(":")[0]: value, "after": 2}
    assert (trouble.rule, text[trouble.span.start : trouble.span.end]) == ("syntax-error", value)
    assert trouble.message in (f"{value} {why}; quote it", f"{value} {why}")
    assert (trouble.replacement, trouble.safe) == (f'"{value}"', False)


@each_of([*QUOTED])
def test_a_replacement_fixes(line: str) -> None:
    text = f"before: 1\n{line}\nafter: 2\n"
    tree = parse(text.encode(), "a.yaml")
    span = tree.errors[0].span
    cured = parse((text[: span.start] + (tree.errors[0].replacement or "") + text[span.end :]).encode(), "a.yaml")
    assert (cured.errors, cured.documents[0].value) == ([], tree.documents[0].value)


@each_of([*QUOTED])
def test_places_in_a_repaired_value(line: str) -> None:
    text = f"before: 1\n{line}\nafter: 2\n"
    document = parse(text.encode(), "a.yaml").documents[0]
    path = (line.partition(":")[0],)
    value = document.value[path[0]]
    inside = [document.scalar_span(path, at, at + 1) for at in range(len(value))]
    assert "".join(text[span.start : span.end] for span in inside) == value
    assert text[document.span(("after",)).start] == "2"


TOLD: dict[str, tuple[list[Any], list[tuple[str, str]]]] = {
    'a: "open\nb: 2\nc: "x"\nd: 4\n': (
        [{"a": "open", "b": 2, "c": "x", "d": 4}],
        [('"', 'the quote " is not closed; close it')],
    ),
    "a: 'open\nb: 2\n": ([{"a": "open", "b": 2}], [("'", "the quote ' is not closed; close it")]),
    "a: [1, two\nb: 2\n": ([{"a": [1, "two"], "b": 2}], [("[", "the bracket [ is not closed; close it with ]")]),
    "a: [\n  one,\n  two\nb: 2\n": (
        [{"a": ["one", "two"], "b": 2}],
        [("[", "the bracket [ is not closed; close it with ]")],
    ),
    "a: [1, two,\nb: 2\n": ([{"a": [1, "two"], "b": 2}], [("[", "the bracket [ is not closed; close it with ]")]),
    "a: [1, two\n": ([{"a": [1, "two"]}], [("[", "the bracket [ is not closed; close it with ]")]),
    "a: one\nb: {c: 2, d: [\n": ([{"a": "one"}], [("[", "the bracket [ is not closed; close it with ]")]),
    "a: one\nb: {c: {d: {\n    e: 2\n    }\n# f\n": (
        [{"a": "one"}],
        [("{", "the bracket { is not closed; close it with }")],
    ),
    "a: {x: 1\nb: 2\n": ([{"a": {}, "b": 2}], [("{", "the bracket { is not closed; close it with }")]),
    "x: 1\ncron:0 5 * * *\nb: 2\n": (
        [{"x": 1, "cron": "0 5 * * *", "b": 2}],
        [(":", 'no space follows the colon of "cron"; write cron: 0 5 * * *')],
    ),
    "cron:0 5 * * *\nb: 2\n": (
        [{"cron": "0 5 * * *", "b": 2}],
        [(":", 'no space follows the colon of "cron"; write cron: 0 5 * * *')],
    ),
    "q: 1\nsync\n  x: 1\nb: 2\n": (
        [{"q": 1, "sync": {"x": 1}, "b": 2}],
        [("sync", 'the key "sync" has no colon; write sync:')],
    ),
    "sync\n  x: 1\nb: 2\n": ([{"sync": {"x": 1}, "b": 2}], [("sync", 'the key "sync" has no colon; write sync:')]),
    "q: 1\nfoo\nb: 2\n": ([{"q": 1, "b": 2}], [("foo", "foo is not a key with a value; add the missing colon")]),
    "a: 'it's'\nb: 2\n": (
        [{"a": "it's", "b": 2}],
        [("'it's'", "text follows the closing quote; quote the whole value")],
    ),
    'a: "x "y""\nb: ["x "y" z", \'it\'s, it\'s\' , "v" w]\nc: "d" == "e"\n': (
        [{"a": 'x "y"', "b": ['x "y" z', "it's, it's", '"v" w'], "c": '"d" == "e"'}],
        [
            ('"x "y""', "text follows the closing quote; quote the whole value"),
            ('"x "y" z"', "text follows the closing quote; quote the whole value"),
            ("'it's, it's'", "text follows the closing quote; quote the whole value"),
            ('"v" w', "text follows the closing quote; quote the whole value"),
            ('"d" == "e"', "text follows the closing quote; quote the whole value"),
        ],
    ),
    'a: ["x" \'y\']\nb: {"c": "d" e: 1}\nf: [\n  "g" # h\n  "i",\n  \'j\'s\']\n': (
        [{"a": ["x", "y"], "b": {"c": "d", "e": 1}, "f": ["g", "i", "j's"]}],
        [
            ('"', "a comma is missing after this; write one"),
            ('"', "a comma is missing after this; write one"),
            ('"', "a comma is missing after this; write one"),
            ("'j's'", "text follows the closing quote; quote the whole value"),
        ],
    ),
    "q: 1\ncron\uff1a x\nname:\u00a0y\nzone = z\nb: 2\n": (
        [{"q": 1, "cron": "x", "name": "y", "zone": "z", "b": 2}],
        [
            ("\uff1a ", "U+FF1A is no colon; write cron: and a space"),
            (":\u00a0", "U+00A0 is not a space to YAML; write name: and a space"),
            (" = ", "= is no colon; write zone: and a space"),
        ],
    ),
    "cron\uff1a x\nb: 2\n": ([{"cron": "x", "b": 2}], [("\uff1a ", "U+FF1A is no colon; write cron: and a space")]),
    "a: {b: [c]}}\nd: [e] ]}  # f\n": (
        [{"a": {"b": ["c"]}, "d": ["e"]}],
        [("}", "} closes nothing; remove it"), (" ]}", "]} closes nothing; remove it")],
    ),
    "a:\n-\tb\n-\tc\n": (
        [{"a": ["b", "c"]}],
        [("\t", "a tab follows the dash; use a space"), ("\t", "a tab follows the dash; use a space")],
    ),
    "a:\n  <<: *base\n  b: 1\n": (
        [{"a": {"b": 1}}],
        [("*base", "*base names an anchor that nothing above in this document sets; set it")],
    ),
    "a: b && # c\n  d # e\n  && f\ng:\n- h #1\n  i\n- j\n": (
        [{"a": "b && d && f", "g": ["h i", "j"]}],
        [
            ("# c", "a comment ends the text, which goes on below; move it, or quote the text"),
            ("# e", "a comment ends the text, which goes on below; move it, or quote the text"),
            ("#1", "a comment ends the text, which goes on below; move it, or quote the text"),
        ],
    ),
    "a: 'x',\nb: [1],\nc: {d: 2}  ,  # note\ne:\n  - [\n    3\n  ],\n": (
        [{"a": "x", "b": [1], "c": {"d": 2}, "e": [[3]]}],
        [(",", "a comma follows the value; remove it")] * 4,
    ),
    'r: "\\d+\\w"\nb: 2\n': (
        [{"r": "\\d+\\w", "b": 2}],
        [
            ("\\d", "\\d is not an escape in double quotes; write \\\\d, or use single quotes"),
            ("\\w", "\\w is not an escape in double quotes; write \\\\w, or use single quotes"),
        ],
    ),
    'r: "\\U00110000"\nb: 2\n': (
        [{"r": "\\U00110000", "b": 2}],
        [("\\U", "\\U is not an escape in double quotes; write \\\\U, or use single quotes")],
    ),
    'r: "\\ud83c\\udf54"\n': (
        [{"r": "🍔"}],
        [("\\ud83c\\udf54", "\\ud83c\\udf54 is a surrogate, which YAML does not allow; write the character itself")],
    ),
    "a:\n\tb: 1\n\tc: 2\nd: 3\n": ([{"a": {"b": 1, "c": 2}, "d": 3}], [("\t", "a tab indents this line; use spaces")]),
    "q: 1\n x: 2\nb: 3\n": (
        [{"q": 1, "b": 3}],
        [("x", "the indentation matches no line above; align it with its neighbors")],
    ),
    "q:\n  x: 1\n y: 2\nb: 3\n": (
        [{"q": {"x": 1}, "b": 3}],
        [("y", "the indentation matches no line above; align it with its neighbors")],
    ),
    "q: 1\n x: 2\n   y: 3\n z: 4\nb: 5\n": (
        [{"q": 1, "b": 5}],
        [("x", "the indentation matches no line above; align it with its neighbors")],
    ),
    "l:\n- k: one\n   m: 2\n # note\n     - v\n  n: 3\n- k: two\n": (
        [{"l": [{"k": "one", "n": 3}, {"k": "two"}]}],
        [("m", "the indentation matches no line above; align it with its neighbors")],
    ),
    "q:\n    x: 1\n  y: 2\n    z: 3\nb: 4\n": (
        [{"q": {"x": 1, "z": 3}, "b": 4}],
        [("y", "the indentation matches no line above; align it with its neighbors")],
    ),
    "q:\n    x:\n  y: 2\n      - z\nb: 4\n": (
        [{"q": {"x": ["z"]}, "b": 4}],
        [("y", "the indentation matches no line above; align it with its neighbors")],
    ),
    "a: - x\nb: 2\n": ([{"b": 2}], [("-", "a list item on the line of its key; put it on its own line")]),
    "a: [*/5, @x]\nb: 2\n": (
        [{"a": ["*/5", "@x"], "b": 2}],
        [
            ("*/5", "*/5 begins with *, which names an anchor; quote it"),
            ("@x", "@x begins with @, which is reserved in YAML; quote it"),
        ],
    ),
    "a: &x 1\n---\nb: *x\nc: [*x, *y]\n": (
        [{"a": 1}, {"b": "*x", "c": ["*x", "*y"]}],
        [
            (x, f"{x} names an anchor that nothing above in this document sets; set it, or quote it")
            for x in ("*x", "*x", "*y")
        ],
    ),
    "a: {\n  b: > 4, c: [| d]\n}\n": (
        [{"a": {"b": "> 4", "c": ["| d"]}}],
        [
            ("> 4", "> 4 begins with >, which starts a block of text; quote it"),
            ("| d", "| d begins with |, which starts a block of text; quote it"),
        ],
    ),
    "[a]: 3\nb: 2\n": ([{"[a]": 3, "b": 2}], [("[a]", "[a] cannot be a key; quote it")]),
    "a: 1\n---\nb: @x\n---\nc: 3\n": (
        [{"a": 1}, {"b": "@x"}, {"c": 3}],
        [("@x", "@x begins with @, which is reserved in YAML; quote it")],
    ),
    **{
        f"a: [1]\n{marker}\n\nb: @x\n": (
            [{"a": [1]}, {"b": "@x"}],
            [
                (
                    marker.strip(),
                    f"{marker.strip()} does not separate documents; write --- at the beginning of the line",
                ),
                ("@x", "@x begins with @, which is reserved in YAML; quote it"),
            ],
        )
        for marker in ("----", "--", "- - -", "\u2014", "=====", " ---")
    },
    "a: x\n ---\na: y\nb: z\n ---\n\na: z\nb: |\n  ---\n": (
        [{"a": "x"}, {"a": "y", "b": "z"}, {"a": "z", "b": "---\n"}],
        [("---", "--- does not separate documents; write --- at the beginning of the line")] * 2,
    ),
    'a: {b: "c, d: [e]}\nf: 1\ng: "h"\n': (
        [{"a": {"b": "c", "d": ["e"]}, "f": 1, "g": "h"}],
        [('"', 'the quote " is not closed; close it')],
    ),
    'a: [\'b, "c"]\nd: [\n  "e,\n  f\n]\n': (
        [{"a": ["b", "c"], "d": ["e", "f"]}],
        [("'", "the quote ' is not closed; close it"), ('"', 'the quote " is not closed; close it')],
    ),
    "a: [b #1, c]\nd: {e: f #2}\ng: 1\n": (
        [{"a": ["b #1", "c"], "d": {"e": "f #2"}, "g": 1}],
        [
            ("b #1", "the # of b #1 begins a comment, which hides the closing bracket; quote it"),
            ("f #2", "the # of f #2 begins a comment, which hides the closing bracket; quote it"),
        ],
    ),
    "\"a: b\nc:\n  - \"d: e\n    f: 'g'\n": (
        [{"a": "b", "c": [{"d": "e", "f": "g"}]}],
        [('"', 'the quote " is not closed; close it')] * 2,
    ),
    "a: [b]\"\nc: 'd';\ne: \"f\" // note\ng: {}'\n": (
        [{"a": ["b"], "c": "d", "e": "f", "g": {}}],
        [
            ('"', 'a quote " follows the value; remove it'),
            (";", "a semicolon follows the value; remove it"),
            ("//", "// begins no comment in YAML; write #"),
            ("'", "a quote ' follows the value; remove it"),
        ],
    ),
    "a =\n  b: 1\nc;\n  - d\nef\n  - f\n": (
        [{"a": {"b": 1}, "c": ["d"], "ef": ["f"]}],
        [
            ("a =", 'the key "a" has no colon; write a:'),
            ("c;", 'the key "c" has no colon; write c:'),
            ("ef", 'the key "ef" has no colon; write ef:'),
        ],
    ),
    "bc = {d: {e: 1}}\nfg {h: {i: 2}}\n": (
        [{"bc": {"d": {"e": 1}}, "fg": {"h": {"i": 2}}}],
        [("bc =", 'the key "bc" has no colon; write bc:'), ("fg", 'the key "fg" has no colon; write fg:')],
    ),
    "a:\n  * b: 1\n    c: 2\n  \u2022 b: 3\n    c: 4\n  -bc: 5\n    c: 6\n": (
        [{"a": [{"b": 1, "c": 2}, {"b": 3, "c": 4}, {"bc": 5, "c": 6}]}],
        [
            ("*", "* does not begin an item of a list; write -"),
            ("\u2022", "\u2022 does not begin an item of a list; write -"),
            ("-", "no space follows the dash; write one"),
        ],
    ),
    "a:\n    b: 1\n  c: 2\n  d:\n    e: 3\n  f: 4\ng: 5\n": (
        [{"a": {"b": 1}, "g": 5}],
        [("c", "the indentation matches no line above; align it with its neighbors")],
    ),
    "a:\n  - b: 1\n   c:\n    - d: 2\n      e: 3\n  - b: 4\n": (
        [{"a": [{"b": 1}, {"b": 4}]}],
        [("c", "the indentation matches no line above; align it with its neighbors")],
    ),
    "a:\n  - bcd: 1\n    c: 2\n  bcd: 3\n    c: 4\n  - bcd: 5\ne: 6\n": (
        [{"a": [{"bcd": 1, "c": 2}, {"bcd": 3, "c": 4}, {"bcd": 5}], "e": 6}],
        [("bcd", "no dash begins this item of the list; write - bcd")],
    ),
    "bcd: 1\n  c: 2\n- bcd: 3\n  c: 4\nbcd: 5\n": (
        [[{"bcd": 1, "c": 2}, {"bcd": 3, "c": 4}, {"bcd": 5}]],
        [("bcd", "no dash begins this item of the list; write - bcd")] * 2,
    ),
    "a:\n  - bcd: 1\n    c: 2\n  bcd: 3\n  c: 4\n": (
        [{"a": [{"bcd": 1, "c": 2}]}],
        [("bcd", "the indentation matches no line above; align it with its neighbors")],
    ),
    "a:\n  - b: 1\n    c: 2\n   - d: 3\n     e: >-\n       f g\n       h\n  - b: 4\n": (
        [{"a": [{"b": 1, "c": 2}, {"b": 4}]}],
        [("- d", "the indentation matches no line above; align it with its neighbors")],
    ),
    "a: 1\n\tb: 2\nc: |\n  d\ne:\n  f: 3\n\tg: 4\n  h: 5\n": (
        [{"a": 1, "c": "d\n", "e": {"f": 3, "h": 5}}],
        [("\t", "a tab indents this line; use spaces")] * 2,
    ),
    "a: |\n  b\n  ===\nc: @x\n": (
        [{"a": "b\n===\n", "c": "@x"}],
        [("@x", "@x begins with @, which is reserved in YAML; quote it")],
    ),
    "d:\n- a: |\n    * b: 1\n\n    -ef: 2\n  c: 'it's'\n": (
        [{"d": [{"a": "* b: 1\n\n-ef: 2\n", "c": "it's"}]}],
        [("'it's'", "text follows the closing quote; quote the whole value")],
    ),
    "a: x\nb: |\n  c\n  ---\n  d: e\nf: 'g\n  ---\n  h: i'\na: y\n": (
        [{"a": "y", "b": "c\n---\nd: e\n", "f": "g --- h: i"}],
        [("a", 'duplicate key "a"; remove one of the two')],
    ),
    "a: [b #1, 'c #2', d #3]\ne: 1\n": (
        [{"a": ["b #1", "c #2", "d #3"], "e": 1}],
        [
            ("b #1", "the # of b #1 begins a comment, which hides the closing bracket; quote it"),
            ("d #3", "the # of d #3 begins a comment, which hides the closing bracket; quote it"),
        ],
    ),
    "a:\n  - b\n - c\n  - d\ne:\n  - {f: 1}\n - {f: 2}\n  - {f: 3}\n": (
        [{"a": ["b", "d"], "e": [{"f": 1}, {"f": 3}]}],
        [
            ("- c", "the indentation matches no line above; align it with its neighbors"),
            ("- {f: 2}", "the indentation matches no line above; align it with its neighbors"),
        ],
    ),
    "a:\n\tb: 1\n  c: 2\n  d: 3\ne: 4\n": ([{"a": {"b": 1}, "e": 4}], [("\t", "a tab indents this line; use spaces")]),
    "kind: FeatureViewname: x\na: 1uri: y\nb: 2\n": (
        [{"kind": "FeatureView", "a": 1, "b": 2}],
        [
            ("name", "name is a key of its own; begin a new line with it"),
            ("uri", "uri is a key of its own; begin a new line with it"),
        ],
    ),
    "%FOO\n---\na: 1\n": ([{"a": 1}], [("%FOO", "a line that begins with % is an unknown YAML directive; remove it")]),
}


@each_of(TOLD.items())
def test_each_slip_is_reported_once(text: str, expected: tuple[list[Any], list[tuple[str, str]]]) -> None:
    tree = parse(text.encode(), "a.yaml")
    told = [(text[trouble.span.start : trouble.span.end], trouble.message) for trouble in tree.errors]
    assert ([document.value for document in tree.documents], told) == expected


def test_a_document_that_cannot_be_read_is_left_out_and_counted() -> None:
    tree = parse(b"a: 1\n---\n}\n---\nc: 3\n", "a.yaml")
    assert [(document.index, document.value) for document in tree.documents] == [(0, {"a": 1}), (2, {"c": 3})]
    assert [(trouble.rule, trouble.document) for trouble in tree.errors] == [("syntax-error", 1)]


def test_places_behind_a_broken_document() -> None:
    text = "a: @x\n---\n  b: no\n  c: *y\n"
    tree = parse(text.encode(), "a.yaml")
    assert [
        (trouble.rule, trouble.document, text[trouble.span.start : trouble.span.end]) for trouble in tree.errors
    ] == [("syntax-error", 0, "@x"), ("ambiguous-scalar", 1, "no"), ("syntax-error", 1, "*y")]
    spans = [tree.documents[1].span((key,)) for key in "bc"]
    assert [text[span.start : span.end] for span in spans] == ["no", "*y"]


def test_crlf_and_cr() -> None:
    for line_break in ("\r\n", "\r"):
        text = line_break.join(["a: 1", "cron: @daily", "b: 2", ""])
        tree = parse(text.encode(), "a.yaml")
        assert tree.documents[0].value == {"a": 1, "cron": "@daily", "b": 2}
        assert [text[trouble.span.start : trouble.span.end] for trouble in tree.errors] == ["@daily"]


def test_a_tag_that_only_a_repair_made_readable_has_its_path() -> None:
    tree = parse(b"a: 1\n---\nb: 1\nc: {d: !order.closed}\n", "a.yaml")
    assert [(error.rule, error.path, error.document) for error in tree.errors] == [("tagged-value", ("c", "d"), 1)]


def test_a_fault_that_stays_is_reported_once() -> None:
    text = "a: 1\nb:\n  - c: 2\n  - d\n    e: {f: # g\n'', h: 3}\n  - i: {j: 4}\n"
    spans = [error.span for error in parse(text.encode(), "a.yaml").errors]
    assert len(spans) == len(set(spans))


CUT = {
    "a: Combo #1\nb: 2\n": ("#1", 'a: "Combo #1"\nb: 2\n'),
    "- Combo  #1 x  # note\n- y # 1\n": ("#1 x", '- "Combo  #1 x"  # note\n- y # 1\n'),
    "a: &b Combo #1\nc: *b\n": ("#1", 'a: &b "Combo #1"\nc: *b\n'),
}


COMMENTS = [
    "type: UPSELL_STRATEGY #2",
    "state: ACTIVE #12 says why",
    "kind: FeatureView #1 of two",
    "cron: 0 5 * * MON #5",
    "uri: bq://p.d.t #2",
    "team: agents #1",
    "a: Fries #2nd",
]


@each_of(CUT.items())
def test_a_comment_that_is_rather_a_part_of_the_text(text: str, expected: tuple[str, str]) -> None:
    (trouble,) = parse(text.encode(), "a.yaml").errors
    replaced = trouble.replaced or trouble.span
    fixed = text[: replaced.start] + (trouble.replacement or "") + text[replaced.end :]
    assert (trouble.rule, trouble.safe, trouble.message[: len(expected[0])]) == ("ambiguous-scalar", False, expected[0])
    assert (text[trouble.span.start : trouble.span.end], fixed) == expected


@each_of(
    [
        *(*COMMENTS, "priority: 1 #2", "a: true #1"),
        *("a: 3 #1\n", "a: x # 1\n", "a: x\n#1\n", 'a: "x" #1\n', "a: x #b\n", "a: |\n  x #1\n", "a: {b: c} #1\n"),
    ]
)
def test_other_comments_cut_nothing_and_are_silent(text: str) -> None:
    assert parse(text.encode(), "a.yaml").errors == []
