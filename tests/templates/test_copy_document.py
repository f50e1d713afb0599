"""Copies of all documents of the fixtures: only names change, and comments stay."""

from __future__ import annotations

from pathlib import Path

from tests.cases import each_of
from trialrun.model.wrapper import resources
from trialrun.parser import parse, read_source
from trialrun.templates.copy_document import copy_document
from trialrun.values.resource_name import last_id

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
