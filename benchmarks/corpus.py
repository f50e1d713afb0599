"""Writes the corpus of the benchmarks: `python -m benchmarks.corpus OUT --files 2000 --seed 1`.

The same arguments write the same bytes on every machine. `OUT/truth.jsonl` has a line for each file: its path and the
rules that must find something in it; notes are not counted. About 95 % of the files have nothing to find.
"""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.configs import channel_config
from benchmarks.mistakes import CONFIG_MISTAKES, VIEW_MISTAKES, DoesNotApply, Mistake
from benchmarks.random_source import Dice
from benchmarks.text_pool import SENTENCES, TEAMS
from benchmarks.views import Resource, feature_view
from benchmarks.yaml_writer import Raw, Twice, a_hand, document

VIEWS, SMALL_CONFIGS = 0.60, 0.34
SPOILED = 0.05
BOM = "\ufeff"


@dataclass(frozen=True)
class Written:
    """A file of the corpus: where it goes, its bytes, and the rules that must find something in it."""

    path: str
    content: bytes
    rules: tuple[str, ...] = ()


def corpus(files: int, *, seed: int, as_json: bool = False) -> Iterator[Written]:
    """So many files, each drawn from the seed and its own number alone."""
    for number in range(files):
        yield _file(Dice(f"corpus/{seed}/{number}"), number, as_json=as_json)


def _file(dice: Dice, number: int, *, as_json: bool) -> Written:
    folder, mistakes, resources = _resources(dice, number)
    spoiled = dice.chance(SPOILED)
    made = _spoil(resources[0], mistakes, dice, dice.number(1, 3)) if spoiled else []
    path = f"{folder}/{dice.pick(TEAMS)}/{number:05d}.{'json' if as_json else 'yaml'}"
    rules = sorted({mistake.rule for mistake in made if not (as_json and mistake.yaml_only)})
    content = _json(resources) if as_json else _yaml(resources, dice, merge=not spoiled and dice.chance(0.05))
    return Written(path, content, tuple(rules))


def _resources(dice: Dice, number: int) -> tuple[str, list[Mistake], list[Resource]]:
    draw = dice.draw()
    if draw < VIEWS:
        count = dice.number(2, 3) if dice.chance(0.03) else 1
        lines = dice.skewed(34, 125, 14)
        return "views", VIEW_MISTAKES, [feature_view(dice, 10 * number + i, lines=lines) for i in range(count)]
    small = draw < VIEWS + SMALL_CONFIGS
    lines = dice.skewed(100, 680, 1.8) if small else dice.skewed(600, 3000, 1.6)
    count = 2 if small and dice.chance(0.03) else 1
    configs = [channel_config(dice, 10 * number + i, lines=lines // count) for i in range(count)]
    return "channels", CONFIG_MISTAKES, configs


def _spoil(resource: Resource, mistakes: list[Mistake], dice: Dice, most: int) -> list[Mistake]:
    """Make up to so many mistakes, each in another part of the resource."""
    made: list[Mistake] = []
    for mistake in dice.shuffled(mistakes):
        if len(made) == most:
            break
        if mistake.part not in {other.part for other in made} and _applies(mistake, resource):
            mistake.make(resource)
            made.append(mistake)
    return made


def _applies(mistake: Mistake, resource: Resource) -> bool:
    try:
        mistake.make(copy.deepcopy(resource))
    except DoesNotApply:
        return False
    return True


def _json(resources: list[Resource]) -> bytes:
    value: Any = resources[0] if len(resources) == 1 else resources
    return (json.dumps(value, ensure_ascii=False, indent=2, default=_meant) + "\n").encode()


def _meant(value: Raw | Twice) -> Any:
    return value.value


def _yaml(resources: list[Resource], dice: Dice, *, merge: bool) -> bytes:
    hand = a_hand(dice, merge=merge)
    header = "".join(f"# {dice.pick(SENTENCES)}\n" for _ in range(dice.number(0, 3)))
    if len(resources) > 1 and dice.chance(0.3):
        text = header + document(resources, hand)
    else:
        text = header + "---\n".join(document(resource, hand) for resource in resources)
    draw = dice.draw()
    if draw < 0.01:
        text = BOM + text
    elif draw < 0.02:
        text = text.replace("\n", "\r\n")
    return text.encode()


def write(out: Path, files: Iterator[Written]) -> list[Written]:
    """Write the files; without their bytes, what was written."""
    written = []
    folders: set[Path] = set()
    for file in files:
        path = out / file.path
        if path.parent not in folders:
            path.parent.mkdir(parents=True, exist_ok=True)
            folders.add(path.parent)
        path.write_bytes(file.content)
        written.append(Written(file.path, b"", file.rules))
    return written


def main() -> None:
    """Write a corpus as the command line asks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path, help="folder to write to; it is made when it is not there")
    parser.add_argument("--files", type=int, default=2000, help="files of our two kinds (default 2000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another corpus (default 1)")
    parser.add_argument("--json", action="store_true", help="the same values as JSON files")
    options = parser.parse_args()
    written = write(options.out, corpus(options.files, seed=options.seed, as_json=options.json))
    lines = [json.dumps({"path": file.path, "rules": file.rules}) + "\n" for file in written]
    (options.out / "truth.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
