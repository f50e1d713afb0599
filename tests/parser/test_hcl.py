"""HCL: what is valid, the values and places of its parts, what an error costs, and the limits."""

from typing import Any

import pytest

from tests.cases import each_of
from trialrun.parser.hcl import read_hcl
from trialrun.parser.hcl_syntax import (
    Block,
    Body,
    Call,
    Conditional,
    Expression,
    ListExpression,
    Literal,
    ObjectExpression,
    Operation,
    Template,
    TemplateSequence,
    Traversal,
)
from trialrun.parser.nodes import MAX_BROKEN, Node
from trialrun.parser.scalar_source_map import scalar_span

VALID = [
    "",  # nothing
    "# c",  # a comment without a line break
    "# c\r",
    "/* a\nb */ v = /* c */ 1 // d\n",  # comments wherever blanks may be
    "\tv\t=\t1\r\n",  # tabs, and a line break of two characters
    "_v-1 = 1\nе́ = 2\n",  # identifiers with a dash, an underscore and a combining mark
    "for = 1\nif = 2\nnull = 3\n",  # keywords are names of arguments
    'b {}\nc x "y" {\n}\n',  # blocks without content, labels with and without quotes
    "b { v = 1 } # c\n",  # one argument on the line of its block
    "b { # c\n  v = 1\n}\n",  # a comment ends the line of the brace
    "b { v = [\n1] }\n",  # brackets go on over lines in a block of one line
    "v = [1, # c\n  2,\n]\n",  # line breaks in brackets, and a comma at the end
    "v = (1 +\n 2)\n",
    'v = { a = 1, "b" : 2\n (c) = 3\n 4 = 5\n "${d}" = 6 }\n',  # all forms of keys
    "v = { k==l = 1 }\n",  # an expression is a key
    "v = {\n# c\n}\n",
    "v = f(1, [2]...)\n",
    "v = f (\n1,\n)\n",  # blanks before the bracket, and a comma at the end
    "v = a::b(1)\n",  # a function of a provider
    'v = a.b[0]["c"].*.d[*] . e.0\n',  # every step
    "v = -a ? !b : c ? 1 : 2\n",
    "v = 1 + 2 * 3 >= 4 && 5 != 6 || !(7 == 8) && 9 < - -1 % 2\n",
    "v = [for a in b : a]\nw = {for a, b in c : a => b... if b}\n",
    "v = [for a in b : 1if true]\n",  # no blank is needed behind a number
    'v = "${~ a ~}%{ if b }x%{ else }y%{ endif }%{ for c, d in e }${c}%{ endfor ~}"\n',
    'v = "${"${a}"}${{ b = 1 }}${\na # c\n}"\n',  # quotes, braces, line breaks and comments in a sequence
    'v = "$ % $$ $${ %%{ $$${ \\u00e9\\U0001f354\\"\\\\"\n',  # what only looks like a sequence
    "v = <<A\nx\nA\n",
    "v = <<-A-1\n  x\n  A-1  \n",  # the marker has blanks around it
    "v = [<<A\nx\nA\n, <<-B\nB\n]\n",  # several heredocs in one expression
    "v = <<A\n${\nA}A\nA\n",  # the marker inside of a sequence, and behind one
]
INVALID = {
    "v = 1 w = 2\n": "a new line is missing here",
    "v == 1\n": "v is neither an argument nor a block; write = or { behind it",
    "v : 1\n": "v is neither an argument nor a block; write = or { behind it",
    "v =\n1\n": "a value is missing; write a value",
    "v = 'x'\n": 'unexpected "\'"; write a value',
    "v = 1_000\n": "a new line is missing here",
    "v = 0x1F\n": "a new line is missing here",
    "v = a.0.1\n": "two indexes with dots; write them in brackets",
    "v = a.\n": "a name is missing behind the dot",
    "v = [1 2]\n": "a comma or ] is missing",
    "v = [,]\n": "unexpected ','; write a value",
    "v = f(a..., b)\n": ") is missing",
    "v = { a => 1 }\n": "= is missing behind the key",
    "v = { a = 1 b = 2 }\n": "a comma, a new line or } is missing",
    "v = [for a b : a]\n": "in is missing",
    "v = { for a in b : a }\n": "=> is missing",
    "v = a::b\n": "a::b is the name of a function; call it",
    'v = "\\d"\n': "\\d is not an escape; write \\\\ for a backslash",
    'v = "\\ud800"\n': "\\ud800 is not an escape; write \\\\ for a backslash",
    'v = "x\n': "the quote is not closed on its line",
    'v = "${a b}"\n': "the sequence is not closed; add a }",
    'v = "%{ if a }"\n': "a %{if} has no end",
    'v = "%{ else }"\n': "else has no if before it",
    'v = "%{ while }"\n': "a directive starts with if, else, endif, for or endfor",
    "v = <<A\nx\nA": "the heredoc is not closed; add a line A",
    "v = << A\nx\nA\n": "unexpected '<'; write a value",
    "/* x": "the comment is not closed; add */",
    "b { v = 1, w = 2 }\n": "a block on one line has one argument and a }; give each its own line",
    "b { c {} }\n": "a block on one line has one argument; give each its own line",
    'b "${v}" {}\n': "a label is a text without ${}",
    "b {\n": "the block is not closed; add a }",
    "v = 1\n}\n": "the } closes no block; remove it",
    "²v = 1\n": "unexpected '²'; write an argument or a block",
    "v = 1\nv = 2\n": "v is set twice; remove one",
    'v = { "a b" = 1, "a b" = 2 }\n': '"a b" is set twice; remove one',
    f"v = {{ {'a' * 99} = 1, {'a' * 99} = 2 }}\n": f'"{"a" * 59}…" is set twice; remove one',
}


@each_of(VALID)
def test_valid_texts_have_no_errors(text: str) -> None:
    assert [(error.start, error.message) for error in read_hcl(text).errors] == []


@each_of(INVALID.items())
def test_an_invalid_text_has_one_error_that_says_what_to_do(text: str, message: str) -> None:
    (error,) = read_hcl(text).errors
    assert error.message == message
    assert 0 <= error.start < error.end


def shown(text: str, expression: Expression) -> Any:
    """The kind of an expression with its source, and those in it."""
    source = text[expression.start : expression.end]
    match expression:
        case Literal(value=value) | Template(text=str() as value):
            return value
        case Template(parts=parts):
            inner = [part.expression for part in parts if isinstance(part, TemplateSequence)]
        case Traversal(steps=steps):
            return steps
        case ListExpression(items=inner) | Call(arguments=inner) | Operation(operands=inner):
            pass
        case ObjectExpression(items=pairs):
            return {shown(text, key): shown(text, value) for key, value in pairs}
        case Conditional():
            inner = [expression.condition, expression.if_true, expression.if_false]
    return (type(expression).__name__, source, *(shown(text, part) for part in inner if part is not None))


VALUES: dict[str, Any] = {
    "-1.50": -1.5,
    "1e3": 1000,
    "1e999": "1e999",  # no float holds it
    "9" * 400: "9" * 400,
    '("x")': "x",
    '"\\u00e9 $${a} %%{b} \\n"': "é ${a} %{b} \n",
    '"e\u0301"': "é",  # in NFC, as in Terraform
    '"a${b.c}d"': ("Template", '"a${b.c}d"', ("b", "c")),
    'a["b"].c[0].1': ("a", "b", "c", 0, 1),
    "a[b]": ("Operation", "a[b]", ("a",), ("b",)),
    "a.*.b": ("Operation", "a.*.b", ("a",)),
    "(a) + (b) # c": ("Operation", "(a) + (b)", ("a",), ("b",)),
    "f(a, [1])": ("Call", "f(a, [1])", ("a",), ("ListExpression", "[1]", 1)),
    "a ? 1 : 2": ("Conditional", "a ? 1 : 2", ("a",), 1, 2),
    "{ a = 1, (b) = 2 }": {"a": 1, ("b",): 2},
    "<<A\n  \\n $${a}\nA": "  \\n ${a}\n",  # no escapes, but of sequences
    "<<-A\n    a\n\n   \n      b\n    A": "a\n\n   \n  b\n",  # lines of blanks alone keep theirs
    "<<-A\n  a\n\tb\n A": " a\nb\n",  # a tab is one character
}


@each_of(VALUES.items())
def test_values_and_expressions(expression: str, value: Any) -> None:
    text = f"v = {expression}\n"
    file = read_hcl(text)
    assert file.errors == []
    assert shown(text, file.body.attributes["v"].expression) == value


PLACES = [
    ('"abc"', "b", "b"),
    ('"x\\u00e9y"', "é", "\\u00e9"),  # an escape
    ('"a$${b}c"', "${", "$${"),  # both characters are of the escape
    ('"ae\u0301b"', "é", "e\u0301"),  # two characters that are one in NFC
    ('"🍔e\u0301\u0301b"', "b", "b"),
    ("<<A\na\n🍔 bc\nA", "bc", "bc"),
    ("<<-A\n  a\n    bc\n  A", "bc", "bc"),  # behind the indentation that is taken away
    ("<<-A\r\n  a\r\n  $${bc\r\n  A", "${b", "$${b"),
]


@each_of(PLACES)
def test_every_character_of_a_text_has_its_place(expression: str, part: str, source: str) -> None:
    text = f"# 🍔\nv = {expression}\n"
    template = read_hcl(text).body.attributes["v"].expression
    assert isinstance(template, Template)
    assert template.text is not None
    start = template.text.index(part)
    span = scalar_span(text, Node(template.start, template.end, "hcl", template.text), start, start + len(part))
    assert text[span.start : span.end] == source


def summary(body: Body) -> list[Any]:
    """The names of the arguments and, with their content, of the blocks of a body."""
    return [*body.attributes, *((block.type, summary(block.body)) for block in body.blocks)]


RECOVERED: dict[str, tuple[list[Any], list[str]]] = {
    # an open quote costs its own line
    'r {\n  a = "x\n  b = 1\n}\nc = 2\n': (["c", ("r", ["a", "b"])], ['"x']),
    # half of a name
    "r {\n  na\n  b = 1\n}\n": ([("r", ["b"])], ["na"]),
    # an argument without a value
    "r {\n  a =\n  b = 1\n}\n": ([("r", ["a", "b"])], ["\n"]),
    # a mistake in brackets costs the lines up to the closing one
    "r {\n  a = {\n    x = @\n    y = 2\n  }\n  b = 1\n}\n": ([("r", ["a", "b"])], ["@"]),
    # a bracket that is not closed
    "r {\n  a = [\n  b = 1\n}\nc = 2\n": (["c", ("r", ["a", "b"])], ["="]),
    # a block that is not closed ends where the next resource starts
    'resource "a" {\nb {\nv = 1\n}\nresource "c" {\n}\n': (
        [("resource", [("b", ["v"])]), ("resource", [])],
        ["resource"],
    ),
    # a nested one ends where the indentation says so
    'resource "a" {\n  b {\n    v = 1\n}\nresource "c" {\n}\n': (
        [("resource", [("b", ["v"])]), ("resource", [])],
        ["b"],
    ),
    'resource "a" {\n  b {\n    v = 1\n\n  # c\n  c {\n    v = 2\n  }\n}\nd = 3\n': (
        ["d", ("resource", [("b", ["v"]), ("c", ["v"])])],
        ["b"],
    ),
    # a brace too many
    "r {\n}\n}\nc = 1\n": (["c", ("r", [])], ["}"]),
    # content on the line of the brace
    "r { a = 1\n  b = 2\n}\nc = 3\n": (["c", ("r", ["a", "b"])], ["a"]),
    # a heredoc without an end costs its line alone
    "a = <<E\nb = 1\n": (["a", "b"], ["<<E"]),
    # what is behind a block
    "r {\n  a = 1\n} x\nb = 2\n": (["b", ("r", ["a"])], ["x"]),
}


@each_of(RECOVERED.items())
def test_an_error_costs_its_own_lines(text: str, read: tuple[list[Any], list[str]]) -> None:
    file = read_hcl(text)
    assert (summary(file.body), [text[error.start : error.end] for error in file.errors]) == read


def test_blocks_labels_and_comments_have_their_places() -> None:
    text = '# a 🍔\nr "t" n { # b\n  v = "# no" // c\n  w = "x\n  # d\n} /* e\n */\n'
    file = read_hcl(text)
    (block,) = file.body.blocks
    assert isinstance(block, Block)
    assert text[block.start : block.end] == "r"
    assert [(label.text, text[label.start : label.end]) for label in block.labels] == [("t", '"t"'), ("n", "n")]
    assert (text[block.open], text[block.stop - 1]) == ("{", "}")
    comments = [text[comment.start : comment.end] for comment in file.comments]
    assert comments == ["# a 🍔", "# b", "// c", "# d", "/* e\n */"]
    repeated = read_hcl("v = 1\nv = 2\n").errors[0]
    assert (repeated.rule, repeated.start, repeated.related) == ("duplicate-key", 6, (0, 1))


@pytest.mark.parametrize("unit", ["[", "(", "{a=", "f(", "a ? ", "a[", '"${', "[for a in ", "b {\n", "a ? b : "])
def test_depth_is_limited(unit: str) -> None:
    start = "" if unit.startswith("b") else "v = "
    assert read_hcl(start + unit * 20_000).errors[0].rule == "resource-limit"
    assert all(error.rule == "syntax-error" for error in read_hcl(start + unit * 40).errors)


@pytest.mark.parametrize(
    "unit", ["!", "-", "1 + ", "<<A\n", "v = <<A\n", 'v = "\n', "a.b", "[0]", "a::", "/* ", "}\n", "x "]
)
def test_repetition_gives_errors_but_no_exception(unit: str) -> None:
    assert len(read_hcl("v = " + unit * 20_000).errors) <= MAX_BROKEN
