"""At every key of the example workspaces its own name is offered, in the whole text and in one that ends there."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of, some_of
from tests.lsp.navigation.open_workspace import live as opened
from trialrun.lsp.features.completion import completion
from trialrun.model.node import Node, field_spec
from trialrun.workspace.open_workspace.workspace_file import ResourceInFile, WorkspaceFile

WORKSPACES = Path(__file__).parents[3] / "fixtures" / "workspaces"
FILES = sorted(
    path
    for path in WORKSPACES.rglob("*")
    if path.suffix in (".yaml", ".json") and not {"broken", "data"} & set(path.parts)
)
TEXT = FILES[0].read_text(encoding="utf-8")


def keys(reading: WorkspaceFile) -> Iterator[tuple[str, int]]:
    """The fields of a text that a person may write, with the offset of each."""
    for part in reading.resources:
        yield from _keys(part, part.model.node)


def _keys(part: ResourceInFile, node: Node) -> Iterator[tuple[str, int]]:
    path = part.model.path(node.location())
    for name in node.model_fields_set:
        span = part.document.key_span((*path, name))
        if (
            span is not None
            and field_spec(type(node), name).mode != "output only"
            and not _is_elsewhere(part, path, name)
        ):
            yield name, span.start
        value = getattr(node, name)
        for inner in value if isinstance(value, list) else [value]:
            if isinstance(inner, Node):
                yield from _keys(part, inner)


def _is_elsewhere(part: ResourceInFile, path: tuple[str | int, ...], name: str) -> bool:
    """Whether an anchor has it, or a merge key, so that it does not stand here."""
    return part.document.is_aliased((*path, name))


@pytest.mark.parametrize("file", some_of(FILES), ids=lambda path: str(path.relative_to(WORKSPACES)))
def test_every_key_is_offered_where_it_stands(file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    live, text, name = opened(tmp_path), file.read_text(encoding="utf-8"), f"edited{file.suffix}"
    found = list(keys(WorkspaceFile(text.encode(), name, lambda path: None)))
    missing = []
    for key, offset in found:
        start = offset + (text[offset] == '"')
        for shown in (text, text[:start]):
            live.set_overlay(str(tmp_path / name), shown.encode())
            if key not in {item.label for item in completion(live, name, start)["items"]}:
                missing.append((key, text.count("\n", 0, offset) + 1, shown is text))
    assert found
    assert missing == [], str(missing)


@given(st.data())
def test_no_text_makes_it_fail(data: st.DataObject) -> None:
    """Pieces of texts one after another, as nobody writes them."""
    pieces = st.sampled_from(
        ["{", "[", "- ", "'", '"', ": ", "\n", "  ", "#", "|\n", "cron", "kind", "&a ", "---\n", TEXT[:80]]
    )
    text = "kind: FeatureView\n" + "".join(data.draw(st.lists(pieces, max_size=30)))
    offset = data.draw(st.integers(0, len(text)))
    live = opened(Path("/nowhere"))
    live.set_overlay("/nowhere/edited.yaml", text.encode())
    for item in completion(live, "/nowhere/edited.yaml", offset)["items"]:
        assert item.range.start.line == item.range.end.line


@each_of(["{", "[", "{a: ", "- ", "#", "'", "&a ", "!a ", "a:", "a: b\n", "---\n", "a.map(x, "])
def test_a_hostile_text_has_its_answer(piece: str) -> None:
    text = "kind: FeatureView\na: " + piece * (100_000 // len(piece))
    live = opened(Path("/nowhere"))
    live.set_overlay("/nowhere/edited.yaml", text.encode())
    assert len(completion(live, "/nowhere/edited.yaml", len(text))["items"]) < 20
