"""The JSON syntax of Terraform: blocks by the names of the outermost level, texts as templates with their places."""

from trialrun.parser.hcl_json import read_hcl_json
from trialrun.parser.hcl_syntax import Operation, Template, TemplateSequence, Traversal

TEXT = """
{"//": "a comment",
 "resource": {"t": {"a": [{"v": "\\u00e9${var.x}", "n": -1.0, "optimized": [{"c": true}, {}], "bigtable": null,
                           "dynamic": {"e": {"content": {}}}}], "z": {}}},
 "variable": {"x": {"default": null}},
 "locals": {"k": "$${v}"}}
"""


def test_blocks_have_the_labels_of_their_kind() -> None:
    file = read_hcl_json(TEXT)
    assert file.errors == []
    assert [(block.type, [label.text for label in block.labels]) for block in file.body.blocks] == [
        ("resource", ["t", "a"]),
        ("resource", ["t", "z"]),
        ("variable", ["x"]),
        ("locals", []),
    ]
    block = file.body.blocks[0]
    assert [TEXT[label.start : label.end] for label in block.labels] == ['"t"', '"a"']
    assert TEXT[block.open : block.stop].startswith('{"v"')
    assert [*block.body.attributes] == ["v", "n"]
    inner = [(part.type, [label.text for label in part.labels], [*part.body.attributes]) for part in block.body.blocks]
    assert inner == [("optimized", [], ["c"]), ("optimized", [], []), ("dynamic", ["e"], [])]
    assert [part.type for part in block.body.blocks[2].body.blocks] == ["content"]


def test_texts_are_templates_at_the_characters_of_the_file() -> None:
    blocks = read_hcl_json(TEXT).body.blocks
    template = blocks[0].body.attributes["v"].expression
    assert isinstance(template, Template)
    assert TEXT[template.start : template.end] == '"\\u00e9${var.x}"'
    assert [TEXT[part.start : part.end] for part in template.parts] == ["\\u00e9", "${var.x}"]
    sequence = template.parts[1]
    assert isinstance(sequence, TemplateSequence)
    assert isinstance(sequence.expression, Traversal)
    assert TEXT[sequence.expression.start : sequence.expression.end] == "var.x"
    plain = blocks[3].body.attributes["k"].expression
    assert isinstance(plain, Template)
    assert plain.text == "${v}"


def test_a_broken_template_costs_its_value_alone() -> None:
    text = ' {"locals": {"a": "x${", "b": "${1}"}}'
    file = read_hcl_json(text)
    assert [(text[error.start : error.end], error.message) for error in file.errors] == [
        ('"x${"', "a value is missing; write a value")
    ]
    attributes = file.body.blocks[0].body.attributes
    assert isinstance(attributes["a"].expression, Operation)
    assert isinstance(attributes["b"].expression, Template)


def test_what_is_no_json_is_told_as_in_other_files() -> None:
    assert [error.message for error in read_hcl_json('{"locals": {"a": 1,}}').errors] == [
        "a comma before the closing }; remove it"
    ]
    assert read_hcl_json("[1]").body.blocks == []
