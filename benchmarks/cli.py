"""Measures the commands, most of them beside another program: `python -m benchmarks.cli [GROUP…] [--only TEXT]`.

Every figure is of whole processes that took turns in this very run. A ratio is ours divided by the other's: below 1,
ours is faster or smaller. It prints a Markdown table and judges nothing.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import configs
from benchmarks.brands import brand, store_name
from benchmarks.configs import conditions
from benchmarks.corpus import Written, corpus, write
from benchmarks.measure import HEAD, Command, Comparison, compare, interleaved, run

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "fixtures/workspaces/burger-brand"
SEED = 1
CHECK = ("check", "--isolated", "--output-format", "concise")
READ = (
    "import pathlib; [f.read_bytes() for f in pathlib.Path({!r}).rglob('*') if f.suffix in ('.yaml', '.yml', '.json')]"
)
PLACES = {"FeatureView": "/featureOnlineStores/", "ChannelConfig": "/channelConfigs/"}
CHANGED = 5


@dataclass(frozen=True)
class Bench:
    """A folder in which programs run, and how large its corpora are."""

    folder: Path
    options: argparse.Namespace

    def python(self, *words: str) -> Command:
        """A run of this Python, with a cache of its own."""
        own = {"PYTHONPATH": os.pathsep.join((str(ROOT / "src"), str(ROOT)))}
        cache = {"TRIALRUN_CACHE_DIR": str(self.folder.parent / f"cache-{self.folder.name}")}
        return Command((sys.executable, *words), self.folder, os.environ | own | cache)

    def ours(self, *words: str) -> Command:
        """A run of the program."""
        return self.python("-m", "trialrun", *words)

    def check(self, *words: str, cache: bool = False) -> Command:
        """A run of `trialrun check`."""
        return self.ours(*CHECK, *(() if cache else ("--no-cache",)), *words)

    def write(self, name: str, files: Iterator[Written] | Sequence[Written]) -> None:
        """Write files into a folder in the folder."""
        write(self.folder / name, iter(files))

    def commit(self) -> None:
        """Make the folder a repository of one commit."""
        identity = ("-c", "user.name=n", "-c", "user.email=e@example.com")
        for words in (("init", "--quiet"), ("add", "--all"), (*identity, "commit", "--quiet", "--message", "files")):
            subprocess.run(["git", "-C", str(self.folder), *words], check=True)

    def beside(self, title: str, ours: Command, words: Sequence[str], must: float, aim: float) -> Comparison:
        """Ours beside a program of this Python's environment, or else of the path, by the clock."""
        name, *rest = words
        own = Path(sys.executable).with_name(name)
        program = str(own) if own.exists() else shutil.which(name)
        if program is None:
            return Comparison(title, "wall", ours, reason=f"{name} is not installed")
        return Comparison(title, "wall", ours, Command((program, *rest), self.folder, os.environ), must, aim)


def files(bench: Bench) -> Iterator[Comparison]:
    """Check of many files beside validators and linters, many conditions, a busy core, and ten times as many."""
    count = f"{bench.options.files:,} files"
    written = list(corpus(bench.options.files, seed=SEED))
    bench.write("ours", written)
    schemas = {}
    for kind in PLACES:
        words, environment = bench.ours("schema", kind).words, bench.ours().environment
        schemas[kind] = json.loads(subprocess.run(words, env=environment, capture_output=True, check=True).stdout)
    (bench.folder / "schema.json").write_text(json.dumps(combined(schemas)))
    ours = bench.check("ours")
    bench.write("plain", [file for file in written if _is_plain(file)])
    paths = sorted(f"ours/{file.path}" for file in written)
    jsonschema = ("check-jsonschema", "--schemafile", "schema.json", *paths)
    ajv = ("ajv", "validate", "--spec=draft2020", "--strict=false", "-s", "schema.json", "-d", "plain/**/*.yaml")
    yield bench.beside(f"{count}, check-jsonschema", ours, jsonschema, 1 / 12, 1 / 25)
    yield bench.beside(f"{count}, yamllint", ours, ("yamllint", "-d", "relaxed", "-f", "parsable", "ours"), 0.04, 0.02)
    yield bench.beside("the files that ajv-cli can read, ajv-cli", bench.check("plain"), ajv, 1.0, 1 / 1.5)
    bench.write("many", corpus(10 * bench.options.files, seed=SEED))
    yield Comparison(f"{10 * bench.options.files:,} files, {count}", "peak", bench.check("many"), ours, 1.3, 1.05)
    busy = subprocess.Popen((sys.executable, "-c", "while True: pass"))
    yield Comparison(f"{count}, a core busy, one job", "wall", ours, bench.check("--jobs=1", "ours"), 1.0, 0.95)
    busy.kill()
    for configs.COUNT in (5000, 500):
        conditions.cache_clear()
        bench.write(f"with-{configs.COUNT}", corpus(bench.options.files, seed=SEED))
    few, many = bench.check("with-500"), bench.check("with-5000")
    yield Comparison(f"{count} with 5,000 different conditions, with 500", "cpu", many, few, 1.5, 1.3)
    still = Bench(bench.folder / "still", bench.options)
    still.write(".", [file for file in corpus(10 * bench.options.files, seed=SEED) if not file.rules])
    still.commit()
    kept = still.check("--ignore=frequency-never-used,frequency-over-one", ".", cache=True)
    interleaved([kept], times=2)  # the first one may have read files that had just changed
    status = Command(("git", "status", "--porcelain"), still.folder, os.environ)
    yield Comparison(f"{10 * bench.options.files:,} files, nothing changed, git status", "cpu", kept, status, 6, 3)


def one(bench: Bench) -> Iterator[Comparison]:
    """A fresh process on one file: mostly what a program costs to start."""
    sound = [file for file in corpus(1000, seed=SEED) if not file.rules]
    for name, part, lines, goals in (
        ("view", b"FeatureView", range(90, 111), (1.6, 1.3)),
        ("config", b"conditionExpression", range(120, 181), (2.4, 1.9)),
    ):
        found = next(file for file in sound if part in file.content and file.content.count(b"\n") in lines)
        (bench.folder / f"{name}.yaml").write_bytes(found.content)
        yamllint = ("yamllint", "-d", "relaxed", f"{name}.yaml")
        yield bench.beside(f"one {name}, yamllint", bench.check(f"{name}.yaml"), yamllint, *goals)
        run(known := bench.check(f"{name}.yaml", cache=True))
        yield bench.beside(f"one {name} that the cache knows, yamllint", known, yamllint, 0.8, 0.6)


def since(bench: Bench) -> Iterator[Comparison]:
    """`check --since` and `plan` in a repository with few changes, beside the changed files alone."""
    bench.write(".", written := list(corpus(bench.options.files, seed=SEED)))
    bench.commit()
    title = f"plan of no change, {bench.options.files:,} files"
    yield Comparison(title, "wall", bench.ours("plan", "HEAD"), None, 1.0, 0.5)
    sound = [file for file in written if not file.rules and b"\nname: projects/" in file.content]
    changed = sound[:: len(sound) // CHANGED][:CHANGED]
    for file in changed:
        text = file.content.replace(b"\nname: projects/", b"\nname: projects/x", 1)
        (bench.folder / file.path).write_bytes(text + b"\nnoSuchField: 1\n")
    alone = bench.check("--ignore", "workspace", *(file.path for file in changed))
    yield Comparison(f"--since, {CHANGED} files changed, these alone", "wall", bench.check("--since", "HEAD"), alone)
    read = bench.python("-c", READ.format("."))
    yield Comparison("the same, reading all files", "wall", bench.check("--since", "HEAD"), read)


def brands(bench: Bench) -> Iterator[Comparison]:
    """A brand of many configs and stores: check, resolve, report, and a plan of some changed configs."""
    written = list(brand(bench.options.configs, bench.options.stores, seed=SEED))
    bench.write(".", written)
    bench.commit()
    cold, warm = bench.check("."), bench.check(".", cache=True)
    interleaved([warm], times=2)
    size = f"{bench.options.configs:,} configs, {bench.options.stores:,} stores"
    yield Comparison(f"check, {size}, cache warm, without cache", "cpu", warm, cold, 0.15, 0.08)
    yield Comparison("the same", "peak", warm, cold, 1.0, 1.0)
    own = next(file for file in written if "/store-sells/" in file.path)
    edit = partial(_renumber, bench.folder / own.path, own.content, itertools.count(5000))
    yield Comparison("the same, one config changed", "cpu", replace(warm, prepare=edit), cold, 0.3, 0.15)
    bench.write(".", [own])
    store, everywhere = store_name(bench.options.stores // 2), bench.ours("resolve", "--all-stores")
    yield Comparison("resolve of one store, check", "wall", bench.ours("resolve", store), cold, 2.0, 0.5)
    yield Comparison("resolve of all stores, check", "wall", everywhere, cold, 4.0, 2.0)
    report = bench.ours("report", "-o", "page.html", "--force", "--at", "2026-11-20")
    for title, command in (("report", report), ("resolve", everywhere)):
        yield Comparison(f"{title} of all stores", "peak", command, None, 300, 200)
    by_sort = {file.path.split("/")[1]: file for file in written if file.path.startswith("channels/")}
    for file in (file for sort, file in by_sort.items() if sort.endswith("sells")):
        (bench.folder / file.path).write_bytes(file.content.replace(b"Suggestion 1 of", b"Recommendation 1 of"))
    plan, title = bench.ours("plan", "HEAD", "--fail-on", "never"), f"plan, upsells of {CHANGED} configs renamed"
    yield Comparison(f"{title}, resolve", "cpu", plan, everywhere, 1.5, 1.0)
    yield Comparison(title, "peak", plan, None, 300, 200)


def sessions(bench: Bench) -> Iterator[Comparison]:
    """Random sessions at stores of the example workspace, and as many on both sides of a plan."""
    shutil.copytree(EXAMPLE, bench.folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns(".trialrun"))
    bench.commit()
    for store in ("austin-lamar", "montreal-plateau"):
        words = ("explore", store, f"--sessions={bench.options.sessions}")
        one, two = (bench.ours(*words, f"--jobs={jobs}") for jobs in (1, 2))
        yield Comparison(f"explore, {bench.options.sessions:,} sessions, {store}, one process", "cpu", one, None)
        yield Comparison("the same in two processes, in one", "wall", two, one)
    file = bench.folder / "channels/drive-thru-speed.yaml"
    file.write_text(file.read_text(encoding="utf-8").replace("order.subtotal < 9.0", "order.subtotal < 7.0"))
    plan = bench.ours("plan", "HEAD", "--sessions", "200", "--fail-on", "never")
    yield Comparison("plan of a changed condition, 200 sessions at each store", "cpu", plan, None)


def sync(bench: Bench) -> Iterator[Comparison]:
    """A whole sync of the latest value of each entity, beside the statement that a person writes for DuckDB."""
    import duckdb

    count, entities = bench.options.rows, bench.options.rows // 10
    numbers = ", ".join(f"(hash(i * 13 + {at}) % 1000000) / 7.0 AS n{at}" for at in range(8))
    duckdb.execute(
        f"COPY (SELECT (hash(i * 7 + 1) % {entities})::BIGINT AS entity, TIMESTAMP '2026-01-01' + "
        f"to_microseconds((hash(i * 3 + 2) % 20000000000000)::BIGINT) AS feature_timestamp, {numbers}, "
        f"'city-' || (hash(i + 78) % 50) AS city FROM range({count}) AS t (i)) TO '{bench.folder}/rows.parquet'"
    )
    view = "projects/p/locations/l/featureOnlineStores/s/featureViews/v"
    source = {"uri": "bq://p.d.rows", "entityIdColumns": ["entity"]}
    documents = [
        {"kind": "FeatureOnlineStore", "name": view.partition("/featureViews")[0], "type": "KEY_VALUE"},
        {"kind": "Source", "uri": source["uri"], "files": "rows.parquet", "format": "PARQUET"},
        {"kind": "FeatureView", "name": view, "warehouseSource": source},
    ]
    (bench.folder / "views.yaml").write_text("".join(f"---\n{json.dumps(document)}\n" for document in documents))
    latest = "ROW_NUMBER() OVER (PARTITION BY entity ORDER BY feature_timestamp DESC) = 1"
    statement = f"SELECT * FROM 'rows.parquet' QUALIFY {latest}"
    bare = bench.python("-c", f"import duckdb; duckdb.execute('''COPY ({statement}) TO 'latest.parquet' ''')")
    ours = bench.ours("sync", view, "--at", "2027-01-01")
    first = replace(ours, prepare=partial(shutil.rmtree, bench.folder / ".trialrun", ignore_errors=True))
    for measure in ("cpu", "wall", "peak"):
        yield Comparison(
            f"sync, {count:,} rows, {entities:,} entities, DuckDB to Parquet", measure, first, bare, 2.2, 1.8
        )


GROUPS: dict[str, Callable[[Bench], Iterator[Comparison]]] = {
    group.__name__: group for group in (files, one, since, brands, sessions, sync)
}


def combined(schemas: dict[str, Any]) -> dict[str, Any]:
    """The schemas by kind in one: the resource name tells which holds; a list holds resources of either kind."""
    definitions: dict[str, Any] = {}
    choices = []
    for kind, schema in schemas.items():
        own = json.loads(json.dumps(schema).replace('"#/$defs/', f'"#/$defs/{kind}.'))
        definitions |= {f"{kind}.{name}": part for name, part in own.pop("$defs", {}).items()}
        definitions[kind] = {key: part for key, part in own.items() if key not in ("$schema", "$id")}
        named = {"properties": {"name": {"pattern": PLACES[kind]}}, "required": ["name"]}
        choices.append({"if": named, "then": {"$ref": f"#/$defs/{kind}"}})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$defs": definitions | {"resource": {"allOf": choices}},
        "if": {"type": "array"},
        "then": {"items": {"$ref": "#/$defs/resource"}},
        "else": {"$ref": "#/$defs/resource"},
    }


def _is_plain(file: Written) -> bool:
    """Whether a reader of single documents can read the file, so that it does its work on all it is given."""
    marked = file.content.startswith(b"\xef\xbb\xbf") or b"\n---" in file.content
    return not marked and not {"syntax-error", "duplicate-key"} & set(file.rules)


def _renumber(file: Path, content: bytes, numbers: Iterator[int]) -> None:
    """Give the first upsell of a config another priority than ever."""
    file.write_bytes(re.sub(rb"priority: \d+", b"priority: %d" % next(numbers), content, count=1))


def main() -> None:
    """Measure as the command line asks."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("groups", nargs="*", choices=[*GROUPS, []], help="default: all")
    parser.add_argument("--only", default="", metavar="TEXT", help="only comparisons with a text in their title")
    parser.add_argument("--times", type=int, default=5, help="runs of each program (default 5)")
    sizes = {"files": 2000, "configs": 1000, "stores": 5000, "sessions": 2000, "rows": 1_000_000}
    for name, size in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=size, help=f"default {size:,}")
    options = parser.parse_args()
    print(HEAD, flush=True)
    for name in options.groups or GROUPS:
        with tempfile.TemporaryDirectory(prefix="trialrun-benchmark-") as temporary:
            folder = Path(temporary) / name
            folder.mkdir()
            for comparison in GROUPS[name](Bench(folder, options)):
                if options.only in comparison.title:
                    print(compare(comparison, times=options.times), flush=True)


if __name__ == "__main__":
    main()
