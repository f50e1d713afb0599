"""Writes the corpus of the benchmarks: `python -m benchmarks.corpus OUT --files 2000 --seed 1`.

The same arguments write the same bytes on every machine. `OUT/truth.jsonl` has a line for each file: its path and the
rules that must find something in it; notes are not counted. About 95 % of the files have nothing to find.
"""

from __future__ import annotations

import argparse
import copy
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.configs import channel_config
from benchmarks.mistakes import CONFIG_MISTAKES, VIEW_MISTAKES, DoesNotApply, Mistake
from benchmarks.random_source import Dice
from benchmarks.text_pool import ENTITIES, FEATURES, SENTENCES, TEAMS
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


def foreign(files: int, *, seed: int) -> Iterator[tuple[str, bytes]]:
    """Paths and bytes of so many files that are not ours: what else lies in a repository of configuration."""
    for number in range(files):
        dice = Dice(f"foreign/{seed}/{number}")
        folder, make = dice.pick(KINDS)
        name = f"{dice.pick(TEAMS)}-{dice.pick(ENTITIES)}"
        hand = a_hand(dice, merge=False)
        text = "---\n".join(document(value, hand) for value in make(dice, name))
        yield f"foreign/{folder}/{number % 100:02d}/{name}-{number:05d}.yaml", text.encode()


def _manifests(dice: Dice, name: str) -> list[Resource]:
    labels = {"app": name, "team": dice.pick(TEAMS)}
    meta = {"name": name, "namespace": dice.pick(TEAMS), "labels": labels}
    containers = [_container(dice, f"{name}-{number}") for number in range(dice.number(1, 3))]
    pod = {"metadata": {"labels": labels}, "spec": {"containers": containers, "restartPolicy": "Always"}}
    spec = {"replicas": dice.number(1, 9), "selector": {"matchLabels": labels}, "template": pod}
    ports = [{"name": "http", "port": 80, "targetPort": dice.number(3000, 9000)}]
    settings = {feature.upper(): str(dice.number(1, 99)) for feature in dice.some(FEATURES, dice.number(3, 12))}
    return [
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": meta, "spec": spec},
        {"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": {"type": "ClusterIP", "ports": ports}},
        {"apiVersion": "v1", "kind": "ConfigMap", "metadata": meta, "data": settings},
    ][: dice.number(1, 3)]


def _container(dice: Dice, name: str) -> Resource:
    return {
        "name": name,
        "image": f"registry.example/{name}:{dice.number(1, 9)}.{dice.number(0, 30)}",
        "args": ["--verbose", f"--workers={dice.number(1, 16)}"],
        "env": [{"name": key.upper(), "value": str(dice.number(1, 500))} for key in dice.some(FEATURES, 5)],
        "resources": {"limits": {"cpu": f"{dice.number(1, 9) * 100}m", "memory": f"{dice.number(1, 32) * 128}Mi"}},
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": dice.number(5, 60)},
    }


def _workflow(dice: Dice, name: str) -> list[Resource]:
    steps = [{"uses": "actions/checkout@v4"}, {"run": f"make {name}\nmake test\n"}]
    jobs = {
        job: {"runs-on": "ubuntu-latest", "timeout-minutes": dice.number(5, 60), "steps": steps}
        for job in dice.some(("lint", "test", "build", "publish", "docs"), dice.number(1, 4))
    }
    triggers = {"push": {"branches": ["main"]}, "schedule": [{"cron": f"{dice.number(0, 59)} 4 * * *"}]}
    return [{"name": name, "on": triggers, "permissions": {"contents": "read"}, "jobs": jobs}]


def _compose(dice: Dice, name: str) -> list[Resource]:
    services = {
        f"{name}-{part}": {
            "image": f"registry.example/{part}:{dice.number(1, 20)}",
            "environment": {key.upper(): dice.number(1, 99) for key in dice.some(FEATURES, dice.number(2, 6))},
            "ports": [f"{dice.number(3000, 9000)}:8080"],
            "depends_on": ["database"],
        }
        for part in dice.some(("web", "worker", "cache", "queue", "admin"), dice.number(1, 4))
    }
    return [{"services": services | {"database": {"image": "postgres:17", "volumes": ["rows:/var/lib/rows"]}}}]


def _values(dice: Dice, name: str) -> list[Resource]:
    return [
        {
            "replicaCount": dice.number(1, 9),
            "image": {
                "repository": f"registry.example/{name}",
                "tag": f"{dice.number(1, 9)}.0",
                "pullPolicy": "Always",
            },
            "service": {"type": "LoadBalancer", "port": 443},
            "ingress": {"enabled": dice.chance(0.5), "hosts": [f"{name}.example", f"www.{name}.example"]},
            "config": {feature: dice.number(0, 1000) for feature in dice.some(FEATURES, dice.number(4, 14))},
            "description": f"Everything that {name} needs, kept by {dice.pick(TEAMS)}.",
        }
    ]


def _api(dice: Dice, name: str) -> list[Resource]:
    schema = {"type": "object", "properties": {key: {"type": "number"} for key in dice.some(FEATURES, 6)}}
    answer = {"description": "The answer.", "content": {"application/json": {"schema": schema}}}
    paths = {
        f"/{entity}s/{{id}}": {"get": {"operationId": f"get_{entity}", "responses": {"200": answer}}}
        for entity in dice.some(ENTITIES, dice.number(1, 5))
    }
    about = {"title": f"The interface of {name}", "version": f"{dice.number(1, 9)}.{dice.number(0, 9)}.0"}
    return [{"openapi": "3.1.0", "info": about, "paths": paths, "components": {"schemas": {"Row": schema}}}]


KINDS: tuple[tuple[str, Callable[[Dice, str], list[Resource]]], ...] = (
    ("manifests", _manifests),
    ("manifests", _manifests),
    ("workflows", _workflow),
    ("compose", _compose),
    ("charts", _values),
    ("interfaces", _api),
)


def main() -> None:
    """Write a corpus as the command line asks."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.corpus", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("out", type=Path, help="folder to write to; it is made when it is not there")
    parser.add_argument("--files", type=int, default=2000, help="files of our two kinds (default 2000)")
    parser.add_argument("--seed", type=int, default=1, help="another seed, another corpus (default 1)")
    parser.add_argument("--foreign", type=int, default=0, help="files of other kinds, in OUT/foreign (default 0)")
    parser.add_argument("--json", action="store_true", help="the same values as JSON files")
    options = parser.parse_args()
    written = write(options.out, corpus(options.files, seed=options.seed, as_json=options.json))
    write(options.out, (Written(*file) for file in foreign(options.foreign, seed=options.seed)))
    lines = [json.dumps({"path": file.path, "rules": file.rules}) + "\n" for file in written]
    (options.out / "truth.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
