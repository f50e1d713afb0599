"""At every place of the example workspaces, and of texts that somebody broke, there is an answer and never a fault."""

import os
import shutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

import pytest

from tests.cases import number_of_cases, seeds, some_of
from tests.lsp.navigation.open_workspace import live as opened_in
from trialrun.lsp.features.code_lens import code_lens
from trialrun.lsp.features.hover import hover
from trialrun.lsp.features.inlay_hint import inlay_hint
from trialrun.parser import read_source
from trialrun.text import Source
from trialrun.workspace.open_workspace import OpenWorkspace

WORKSPACES = Path(__file__).parents[3] / "fixtures" / "workspaces"
TYPED = (
    *("{", "[", '"', "'", ":", "\n", "\t", "*x", "&a ", "<<: *pie\n", "#", "|", ">-\n", "\u2028", "😀"),
    *("- ", "---\n"),
)
FEW = 25
MANY = number_of_cases(600)
"""Places of a longer text that are asked about, evenly spread; of a shorter one all."""


def files(workspace: str) -> Iterator[str]:
    for file in sorted((WORKSPACES / workspace).rglob("*")):
        if file.suffix in (".yaml", ".json") and "data" not in file.parts:
            yield str(file.relative_to(WORKSPACES / workspace))


FILES = [(workspace, path) for workspace in ("burger-brand", "noodle-bars") for path in files(workspace)]


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("every")
    for name in ("burger-brand", "noodle-bars"):
        shutil.copytree(WORKSPACES / name, folder / name)
    return {name: folder / name for name in ("burger-brand", "noodle-bars")}


def text_of(live: OpenWorkspace, path: str) -> Source:
    data = live.files.bytes_of(path)
    assert data is not None
    return read_source(data, path)


def told(live: OpenWorkspace, path: str, offsets: Iterable[int]) -> int:
    """At how many offsets something is shown; what is shown is about characters around the offset."""
    text, found = text_of(live, path), 0
    for offset in offsets:
        shown = hover(live, path, offset)
        if shown is not None:
            found += 1
            assert shown["contents"]["value"].strip()
            assert text.offset(shown["range"].start) <= offset <= text.offset(shown["range"].end)
    return found


def inside(live: OpenWorkspace, path: str) -> None:
    """Hints and lenses stand in the text."""
    text = text_of(live, path)
    for hint in inlay_hint(live, path):
        assert 1 <= hint["position"].column <= len(text.line(hint["position"].line)) + 1
    for lens in code_lens(live, path):
        assert 0 <= text.offset(lens["range"].start) <= text.offset(lens["range"].end) <= len(text.text)


@pytest.mark.generated
@pytest.mark.parametrize(("workspace", "path"), some_of(FILES))
def test_every_place_of_a_file(
    workspaces: dict[str, Path], monkeypatch: pytest.MonkeyPatch, workspace: str, path: str
) -> None:
    monkeypatch.chdir(workspaces[workspace])
    live = opened_in(workspaces[workspace])
    length = len(text_of(live, path).text)
    assert told(live, path, range(0, length + 1, 1 + length // MANY)) > 0
    inside(live, path)


@pytest.mark.parametrize("seed", seeds(40))
def test_places_of_a_text_that_somebody_broke(
    workspaces: dict[str, Path], monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    chance = Random(seed)
    workspace, path = chance.choice(FILES)
    monkeypatch.chdir(workspaces[workspace])
    live = opened_in(workspaces[workspace])
    live.set_overlay(os.path.abspath(path), _broken(text_of(live, path).text, chance).encode())
    length = len(text_of(live, path).text)
    told(live, path, [chance.randrange(length + 1) for _ in range(FEW)])
    inside(live, path)


def _broken(text: str, chance: Random) -> str:
    at = chance.randrange(len(text) + 1)
    match chance.randrange(4):
        case 0:
            return text[:at]
        case 1:
            return text[:at] + text[at + chance.randrange(1, 30) :]
        case 2:
            return text[:at] + chance.choice(TYPED) + text[at:]
    lines = text.split("\n")
    chance.shuffle(lines)
    return "\n".join(lines[: chance.randrange(1, 60)])
