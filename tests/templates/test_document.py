"""A first document of every kind: sound, and every commented field can be used."""

import re
from collections.abc import Iterator
from itertools import product
from pathlib import Path

from tests.cases import each_of
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule import session_types
from trialrun.lint.selection import default_selection
from trialrun.model.kinds import KINDS, model_of
from trialrun.model.misfit import MissingField, UnionConflict
from trialrun.model.node import Node, Resource, field_spec, message_fields
from trialrun.model.validate import validate
from trialrun.model.wrapper import resources
from trialrun.parser import parse, read_source
from trialrun.templates.document import MAX_WIDTH, copy_document, document_template
from trialrun.values.resource_name import last_id

COMMENT = re.compile(r"^( *)# ?(.*)$")
KEY = re.compile(r"^( *(?:- )?)([A-Za-z]+):(?: |$)")
TEMPLATES = {kind: document_template(kind, "my_name") for kind in KINDS}


def uncommented(line: str) -> str:
    """A line without its mark, as an editor takes it off; one that is no comment stays."""
    match = COMMENT.match(line)
    return match[1] + match[2] if match else line


def depth(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def is_meaning(line: str) -> bool:
    return line.lstrip(" ").startswith("#")


def commented_fields(text: str) -> Iterator[tuple[str, str]]:
    """The template with one commented field in use at a time: it, all that is in it, and what it is in."""
    lines = text.splitlines()
    bare = [uncommented(line) for line in lines]
    for number, line in enumerate(lines):
        if not COMMENT.match(line) or not KEY.match(bare[number]):
            continue
        used = {number}
        below = number + 1
        while below < len(lines) and (depth(bare[below]) > depth(bare[number]) or is_meaning(bare[below])):
            used.add(below)
            below += 1
        level = depth(bare[number])
        for above in range(number - 1, -1, -1):
            if depth(bare[above]) < level and not is_meaning(bare[above]):
                used.add(above)
                level = depth(bare[above])
        yield bare[number].strip(), "\n".join(bare[at] if at in used else lines[at] for at in range(len(lines))) + "\n"


def misfits(text: str, kind: str) -> list[str]:
    """What the model refuses of a text, other than required fields that are still comments, and two of a union."""
    tree = parse(text.encode(), "new.yaml")
    assert [error.message for error in tree.errors] == []
    (document,) = tree.documents
    fitted = validate(document.value, model_of(kind))
    return [
        f"{misfit.path}: {misfit}" for misfit in fitted.misfits if not isinstance(misfit, MissingField | UnionConflict)
    ]


def messages(model: type[Node]) -> Iterator[type[Node]]:
    yield model
    for _, _, part in message_fields(model):
        yield from messages(part)


@each_of(product(KINDS, [True, False]))
def test_it_is_sound(kind: str, with_comments: bool) -> None:
    linter = Linter(default_selection(), now=EXAMPLE_TIME, session_types=lambda: session_types(()))
    text = document_template(kind, "my_name", with_comments=with_comments)
    assert linter.lint(text.encode(), "new.yaml", is_explicit=True).diagnostics == []


@each_of(KINDS)
def test_every_commented_field_can_be_used(kind: str) -> None:
    tried = [name for name, text in commented_fields(TEMPLATES[kind]) if misfits(text, kind) == []]
    assert tried == [name for name, _ in commented_fields(TEMPLATES[kind])]


def test_fields_are_commented() -> None:
    assert len([*commented_fields(TEMPLATES["FeatureView"])]) > 15


@each_of(KINDS)
def test_all_comments_can_be_used_together(kind: str) -> None:
    assert misfits("\n".join(map(uncommented, TEMPLATES[kind].splitlines())), kind) == []


@each_of(KINDS)
def test_every_field_that_a_person_may_set_is_there(kind: str) -> None:
    named = {match[2] for line in TEMPLATES[kind].splitlines() if (match := KEY.match(uncommented(line)))}
    for model in messages(model_of(kind)):
        specs = {name: field_spec(model, name) for name in model.model_fields}
        usable = {name for name, spec in specs.items() if spec.mode != "output only" and not spec.replaced_by}
        assert usable - named - ({"kind"} if issubclass(model, Resource) else set()) == set()


@each_of(KINDS)
def test_what_the_service_sets_is_not_there(kind: str) -> None:
    top = {match[2] for line in TEMPLATES[kind].splitlines() if (match := re.match(r"^(#? ?)([A-Za-z]+):", line))}
    model = model_of(kind)
    assert not {name for name in top if field_spec(model, name).mode == "output only"}


@each_of(KINDS)
def test_every_commented_field_has_its_meaning(kind: str) -> None:
    lines = TEMPLATES[kind].splitlines()
    fields = [at for at, line in enumerate(lines) if line.lstrip().startswith("#") and KEY.match(uncommented(line))]
    without = [at for at in fields if "  # " not in lines[at] and not is_meaning(uncommented(lines[at - 1]))]
    assert [lines[at] for at in without] == []
    assert max(map(len, lines)) <= MAX_WIDTH


@each_of(KINDS)
def test_without_comments_there_are_none(kind: str) -> None:
    text = document_template(kind, "my_name", with_comments=False)
    assert "#" not in text
    assert (
        parse(text.encode(), "a.yaml").documents[0].value
        == parse(TEMPLATES[kind].encode(), "a.yaml").documents[0].value
    )


def test_the_other_member_of_a_union_says_so() -> None:
    assert "# continuous: true  # instead of cron: When true" in TEMPLATES["FeatureView"]
    assert "# closingOffer:  # instead of celUpsell: Upsell of" in TEMPLATES["ChannelConfig"]


FIXTURES = Path(__file__).parent.parent.parent / "fixtures"
FILES = [path for path in sorted(FIXTURES.rglob("*")) if path.suffix in (".yaml", ".json")]
SOUND = [path for path in FILES if not parse(path.read_bytes(), path.name).errors]


def documents_in(path: Path) -> list[tuple[str, str]]:
    """The kind and the name of each document of a file; the name is empty where there is none."""
    found = [each for document in parse(path.read_bytes(), path.name).documents for each in resources(document.value)]
    names = [value.get("name") for _, _, value in found]
    return [(kind, name if isinstance(name, str) else "") for (kind, _, _), name in zip(found, names, strict=True)]


NAMED = [path for path in SOUND if any(name for _, name in documents_in(path))]
ALONE = [path for path in NAMED if len(documents_in(path)) == 1]


@each_of(NAMED)
def test_every_document_can_be_copied(path: Path) -> None:
    documents = documents_in(path)
    ends = [last_id(name) for _, name in documents]
    for kind, name in documents:
        if name and ends.count(last_id(name)) == 1:
            copied = copy_document(path.read_bytes(), path.name, kind, "renamed", original=name)
            (document,) = parse(copied.encode("utf-8", "surrogatepass"), path.name).documents
            assert document.value["name"] == name[: len(name) - len(last_id(name))] + "renamed"


@each_of(ALONE)
def test_a_file_of_one_document_keeps_every_other_line(path: Path) -> None:
    ((kind, _),) = documents_in(path)
    value = parse(path.read_bytes(), path.name).documents[0].value
    if isinstance(value, dict) and "name" in value:
        copied = copy_document(path.read_bytes(), path.name, kind, "renamed").splitlines()
        before = read_source(path.read_bytes(), path.name).text.splitlines()
        assert len(copied) == len(before)
        assert all(new == old or "renamed" in new for old, new in zip(before, copied, strict=True))
