"""Made-up YAML files that are not ours: what else lies in a repository of configuration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from benchmarks.random_source import Dice
from benchmarks.text_pool import ENTITIES, FEATURES, TEAMS
from benchmarks.yaml_writer import a_hand, document

Value = dict[str, Any]


def foreign(files: int, *, seed: int) -> Iterator[tuple[str, bytes]]:
    """Paths and bytes of so many files."""
    for number in range(files):
        dice = Dice(f"foreign/{seed}/{number}")
        folder, make = dice.pick(KINDS)
        name = f"{dice.pick(TEAMS)}-{dice.pick(ENTITIES)}"
        hand = a_hand(dice, merge=False)
        text = "---\n".join(document(value, hand) for value in make(dice, name))
        yield f"foreign/{folder}/{number % 100:02d}/{name}-{number:05d}.yaml", text.encode()


def _manifests(dice: Dice, name: str) -> list[Value]:
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


def _container(dice: Dice, name: str) -> Value:
    return {
        "name": name,
        "image": f"registry.example/{name}:{dice.number(1, 9)}.{dice.number(0, 30)}",
        "args": ["--verbose", f"--workers={dice.number(1, 16)}"],
        "env": [{"name": key.upper(), "value": str(dice.number(1, 500))} for key in dice.some(FEATURES, 5)],
        "resources": {"limits": {"cpu": f"{dice.number(1, 9) * 100}m", "memory": f"{dice.number(1, 32) * 128}Mi"}},
        "livenessProbe": {"httpGet": {"path": "/healthz", "port": 8080}, "periodSeconds": dice.number(5, 60)},
    }


def _workflow(dice: Dice, name: str) -> list[Value]:
    steps = [{"uses": "actions/checkout@v4"}, {"run": f"make {name}\nmake test\n"}]
    jobs = {
        job: {"runs-on": "ubuntu-latest", "timeout-minutes": dice.number(5, 60), "steps": steps}
        for job in dice.some(("lint", "test", "build", "publish", "docs"), dice.number(1, 4))
    }
    triggers = {"push": {"branches": ["main"]}, "schedule": [{"cron": f"{dice.number(0, 59)} 4 * * *"}]}
    return [{"name": name, "on": triggers, "permissions": {"contents": "read"}, "jobs": jobs}]


def _compose(dice: Dice, name: str) -> list[Value]:
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


def _values(dice: Dice, name: str) -> list[Value]:
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


def _api(dice: Dice, name: str) -> list[Value]:
    schema = {"type": "object", "properties": {key: {"type": "number"} for key in dice.some(FEATURES, 6)}}
    answer = {"description": "The answer.", "content": {"application/json": {"schema": schema}}}
    paths = {
        f"/{entity}s/{{id}}": {"get": {"operationId": f"get_{entity}", "responses": {"200": answer}}}
        for entity in dice.some(ENTITIES, dice.number(1, 5))
    }
    about = {"title": f"The interface of {name}", "version": f"{dice.number(1, 9)}.{dice.number(0, 9)}.0"}
    return [{"openapi": "3.1.0", "info": about, "paths": paths, "components": {"schemas": {"Row": schema}}}]


KINDS: tuple[tuple[str, Callable[[Dice, str], list[Value]]], ...] = (
    ("manifests", _manifests),
    ("manifests", _manifests),
    ("workflows", _workflow),
    ("compose", _compose),
    ("charts", _values),
    ("interfaces", _api),
)
