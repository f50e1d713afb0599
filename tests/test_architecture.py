"""The rules of the architecture that a program can check: layers, libraries of one layer, types and style.

Each rule is one test, which lists all modules that break it.
"""

import ast
import builtins
import gc
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from scripts import architecture_picture
from scripts.architecture_picture import import_nodes, syntax_nodes

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "trialrun"
ABOVE = {
    "text",
    "errors",
    "values",
    "parser",
    "diagnostic",
    "fix",
    "model",
    "lint",
    "report",
    "runtime",
    "prove",
    "service",
    "workspace",
    "importers",
    "outputs",
    "templates",
    "changes",
    "page",
}
"""What the edges may import."""
BELOW = {
    "text": set(),
    "errors": set(),
    "values": set(),
    "parser": {"text", "values"},
    "diagnostic": {"text"},
    "fix": {"text", "parser", "diagnostic"},
    "model": {"diagnostic", "values"},
    "lint": {"text", "errors", "values", "parser", "diagnostic", "fix", "model"},
    "report": {"text", "diagnostic", "values"},
    "runtime": {"errors", "diagnostic", "model", "values"},
    "prove": {"model", "values", "runtime"},
    "service": {"text", "errors", "values", "diagnostic", "model", "lint", "runtime"},
    "workspace": {"text", "errors", "values", "parser", "diagnostic", "fix", "model", "lint", "runtime"},
    "templates": {"text", "errors", "values", "parser", "diagnostic", "fix", "model", "lint", "workspace"},
    "importers": {"text", "errors", "values", "parser", "diagnostic", "fix", "model", "lint", "workspace"},
    "outputs": {"diagnostic", "model", "values", "lint", "report", "runtime", "prove", "workspace", "importers"},
    "changes": ABOVE - {"service", "fix", "importers", "templates", "page"},
    "page": ABOVE - {"service", "fix", "importers", "templates"},
    "api": ABOVE,
    "lsp": ABOVE,
    "server": ABOVE,
    "cli": ABOVE | {"lsp", "server"},
    "testing": set(),
    "rules": {"diagnostic", "lint", "model", "values", "parser", "runtime"},
}
"""What each layer may import beside itself and what is below all of them."""
BELOW_ALL = {
    "cache_dir",
    "user_state",
    "interrupts",
    "documentation",
    "extras",
    "git",
    "git_process",
    "repository",
    "guarded_path",
    "version",
    "cores",
    "working_folder",
    "terraform",
    "serialization",
}
ONE_DOOR = {
    "yaml": "parser",
    "click": "cli",
    "pathspec": "workspace",
    "cel_expr_python": "values",
    "duckdb": "runtime",
    "numpy": "runtime",
    "faiss": "runtime",
    "redis": "runtime",
    "pyiceberg": "runtime",
    "z3": "prove",
    "starlette": "server",
    "uvicorn": "server",
    "uvloop": "server",
    "prometheus_client": "server",
    "grpc": "server",
    "pytest": "testing",
    "grpc_status": "server",
}
"""The layer that alone imports a third-party library."""
PROTOBUF = ("values", "server")
"""The layers that import protobuf: for the values of CEL, and for the messages of gRPC."""


MAX_LINES_OF_A_RULE = 150
"""Its page included. More than what a rule says and listens to belongs in `lint/rule_support`, or in the runtime."""


def layer(path: Path) -> str:
    if path.is_relative_to(ROOT / "rules"):
        return "rules"
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


@cache
def sources() -> tuple[Path, ...]:
    return *sorted(SOURCE.rglob("*.py")), *sorted((ROOT / "rules").rglob("*.py"))


@pytest.fixture(autouse=True, scope="module")
def kept_syntax_nodes() -> Iterator[None]:
    """Parse each module once for all tests, without garbage collections, which would look at a million nodes."""
    gc.disable()
    yield
    for nodes in (syntax_nodes, import_nodes, documented_nodes):
        nodes.cache_clear()
    gc.enable()


def syntax_tree(path: Path) -> ast.Module:
    """The node of a whole module."""
    module = syntax_nodes(path)[0]
    assert isinstance(module, ast.Module)
    return module


def shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def imported(path: Path) -> frozenset[str]:
    """The modules that a module imports, at its top or in a function."""
    nodes = import_nodes(path)
    plain = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    return frozenset(plain | {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module})


COMPARES_TEXTS = {
    "src/trialrun/values/suggest.py",
    "src/trialrun/report/diff.py",
    "src/trialrun/lsp/features/code_action.py",
}
"""Which name was meant is found in one place; the others show differences, and rank what completion offers."""


def test_one_module_finds_the_name_that_was_meant() -> None:
    assert {shown(path) for path in sources() if "difflib" in imported(path)} == COMPARES_TEXTS


def upward_imports(path: Path) -> list[str]:
    here = layer(path)
    if here in {"__init__", "__main__"} | BELOW_ALL:
        return []
    allowed = BELOW[here] | {here} | BELOW_ALL
    return sorted(n for n in imported(path) if n.startswith("trialrun.") and n.split(".")[1] not in allowed)


def test_the_sources_are_read() -> None:
    assert len(sources()) > 400
    assert "trialrun.lint" in {name.rpartition(".")[0] for path in sources() for name in imported(path)}


def test_imports_look_down() -> None:
    assert {shown(path): upward for path in sources() if (upward := upward_imports(path))} == {}


def test_the_picture_of_the_packages_is_made_from_the_imports() -> None:
    assert architecture_picture.PICTURE.read_text(encoding="utf-8") == architecture_picture.picture(), (
        "run python scripts/architecture_picture.py"
    )


def test_every_package_has_a_role_in_the_picture() -> None:
    assert set(architecture_picture.ROLES) == set(architecture_picture.package_files())


@cache
def modules() -> dict[str, Path]:
    """Every module of the package by its dotted name."""
    names = {
        path: ".".join(("trialrun", *path.relative_to(SOURCE).with_suffix("").parts)) for path in SOURCE.rglob("*.py")
    }
    return {name.removesuffix(".__init__"): path for path, name in names.items()}


def imported_modules(name: str) -> set[str]:
    """The modules of the package that one imports: at its top, in functions and for types alone."""
    found = set()
    for node in import_nodes(modules()[name]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif node.module:
            inner = {alias.name: f"{node.module}.{alias.name}" for alias in node.names}
            found |= {module if module in modules() else node.module for module in inner.values()}
    return (found & modules().keys()) - {name}


def test_there_is_no_import_circle() -> None:
    """Imports inside of functions and for types alone count as well."""
    left = {name: imported_modules(name) for name in modules()}
    while leaves := [name for name, needed in left.items() if not needed & left.keys()]:
        for name in leaves:
            del left[name]
    assert left == {}


COMMON_NAMES = {"__init__", "__main__", "interface", "messages"}
MAX_SAME_NAME = 3


def command_names() -> set[str]:
    """The names of commands, which many parts have a module for."""
    return {path.stem for path in (SOURCE / "cli").iterdir()}


def test_few_modules_share_a_name() -> None:
    stems = Counter(path.stem for path in modules().values())
    exempt = COMMON_NAMES | command_names()
    assert {stem: count for stem, count in stems.items() if count > MAX_SAME_NAME and stem not in exempt} == {}


def part_of(path: Path) -> str:
    """The folder in which public classes have names of their own: one below the package, two in the largest parts."""
    parts = path.relative_to(SOURCE).parts
    depth = 2 if parts[0] in {"runtime", "lsp"} and len(parts) > 2 else 1
    return "/".join(parts[:depth])


def test_public_classes_of_a_part_have_names_of_their_own() -> None:
    homes: dict[tuple[str, str], list[str]] = {}
    for path in modules().values():
        for node in syntax_tree(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault((part_of(path), node.name), []).append(shown(path))
    assert {name: paths for name, paths in homes.items() if len(paths) > 1} == {}


MIN_LINES = 60
ROLES = {
    "cli/": "a command",
    "report/": "a format of a report",
    "lsp/features/": "a request of an editor",
    "importers/run.py": "the door of all imports",
    "lint/examples.py": "what `rules test` runs",
    "lint/rule_support/texts.py": "what a rule knows beside its page",
}
"""Where a module may be small and have one reader, and what it is there."""


def test_a_small_module_with_one_reader_is_a_role() -> None:
    readers = Counter(found for name in modules() for found in imported_modules(name))
    readers.update(found for path in sources() if layer(path) == "rules" for found in imported(path))
    small = [
        path.relative_to(SOURCE).as_posix()
        for name, path in modules().items()
        if not path.stem.startswith("__") and readers[name] <= 1 and len(path.read_text().splitlines()) < MIN_LINES
    ]
    assert [path for path in small if not path.startswith(tuple(ROLES))] == []


MAX_FOLDERS = 4


Documented = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


@cache
def documented_nodes(path: Path) -> tuple[Documented, ...]:
    """The nodes of a module that may have a docstring."""
    return tuple(node for node in syntax_nodes(path) if isinstance(node, Documented))


def documented_errors(path: Path) -> Iterator[str]:
    """The classes that docstrings of a module name after "Raises"; status codes of the service are in capitals."""
    for node in documented_nodes(path):
        for sentence in re.findall(r"\bRaises?\s+([^.:]+)", ast.get_docstring(node, clean=False) or ""):
            yield from re.findall(r"\b[A-Z]\w*[a-z]\w*", sentence)


def test_docstrings_name_errors_that_exist() -> None:
    classes = {node.name for path in sources() for node in documented_nodes(path) if isinstance(node, ast.ClassDef)}
    elsewhere = {*dir(builtins), "TimeoutExpired", "DuckDB", "SQLite"}
    wrong = [(shown(path), name) for path in sources() for name in documented_errors(path)]
    assert [culprit for culprit in wrong if culprit[1] not in classes | elsewhere] == []


def test_nothing_lies_deeper_than_four_folders() -> None:
    paths = [path.relative_to(SOURCE) for path in modules().values()]
    assert [str(path) for path in paths if len(path.parts) - 1 > MAX_FOLDERS] == []


def test_one_command_alone_asks_the_editor_server() -> None:
    asking = [
        path.name for path in sources() if layer(path) == "cli" and any("trialrun.lsp" in n for n in imported(path))
    ]
    assert asking == ["lsp.py"]


def room(name: str) -> str:
    """The room of the editor server that a module is in: guard, protocol, analysis, or what is known."""
    inner = name.split(".")[2:3]
    return inner[0] if inner and inner[0] in BESIDE else "known"


BESIDE = {
    "guard": {"guard", "conversation", "known"},
    "conversation": {"server", "known"},
    "server": {"server", "analysis", "known"},
    "analysis": {"analysis", "known"},
    "known": {"known"},
}
"""What each room of the editor server may import of the others."""


def room_of_file(path: Path) -> str:
    return room(".".join(("trialrun", *path.relative_to(SOURCE).with_suffix("").parts)))


def imports_across_rooms(path: Path) -> list[str]:
    beside = BESIDE[room_of_file(path)]
    return sorted(name for name in imported(path) if name.startswith("trialrun.lsp.") and room(name) not in beside)


def test_the_rooms_of_the_editor_server_look_down() -> None:
    paths = sorted((SOURCE / "lsp").rglob("*.py"))
    assert {room_of_file(path) for path in paths} == set(BESIDE)
    assert {shown(path): names for path in paths if (names := imports_across_rooms(path))} == {}


def foreign_libraries(path: Path) -> list[str]:
    libraries = {name.split(".")[0] for name in imported(path)}
    foreign = {name for name in libraries & set(ONE_DOOR) if ONE_DOOR[name] != layer(path)}
    return sorted(foreign | (libraries & {"google"} if layer(path) not in PROTOBUF else set()))


def test_a_library_has_one_door() -> None:
    assert {shown(path): names for path in sources() if (names := foreign_libraries(path))} == {}


STARTS_PROCESSES = {
    "git_process.py": "the one module that starts git",
    "lsp/guard.py": "the server that it guards",
    "runtime/feature_view/source/confined.py": "the process that reads sources, under limits",
    "runtime/feature_view/source/spark_session.py": "Spark's driver, where the user named a cluster",
    "testing/server.py": "the server that a test asks for",
}
"""The modules that start a program; what a repository names is never one."""
OPENS_FILES = {
    "guarded_path.py": "the one way to files that a document, a setting or a link names",
    "repository.py": "`.git` files, regular ones, a line of each",
    "runtime/feature_view/source/spark_session.py": "settings and log of Spark, in a temporary folder of ours",
    "user_state.py": "the folder of the user's own state",
    "workspace/write_files.py": "new files, which no link can stand for",
    "templates/starter.py": "our own files",
    "workspace/since.py": "new files in a temporary folder of ours",
    "lint/settings/loader.py": "the user's own settings, never inside of the workspace",
    "lint/registry.py": "our own rules",
    "cores.py": "what Linux says of processes, in /proc",
    "documentation.py": "our own pages",
    "page/html.py": "our own style and script",
    "lsp/features/completion/__init__.py": "our own rules",
    "lsp/server/language_server.py": "the null device",
    "lsp/server/diagnostics.py": "the folder of the user's own cache",
    "cli/output.py": "the null device",
    "values/language_tag/tag.py": "our own data",
    "values/language_tag/check.py": "our own data",
    "values/time_zone/__init__.py": "our own data",
    "runtime/feature_view/source/resource_limits.py": "our own memory, as the system counts it",
    "values/cel/batch.py": "our own memory, as the system counts it",
    "runtime/feature_view/index/vector_index.py": "the store, whose mark and digests are checked before",
    "runtime/feature_view/store/redis/view_lock.py": "what Linux says of processes, in /proc",
    "runtime/feature_view/store/database.py": "a new file of ours, so that the disk keeps it",
    "runtime/feature_view/store/guard.py": "the store, whose mark is what it checks",
    "cli/search.py": "a file of the command line, after a check of links that lead out",
    "cli/rules.py": "a new file in a folder of the command line, after the same check",
    "server/grpc/messages.py": "our own data",
    "testing/server.py": "files of the server that it has started, in a temporary folder of its own",
    "server/addresses.py": "the ready file that the command line names",
    "cli/serve.py": "the token file of the command line",
    "cli/session_repl.py": "a script of the command line, after the same check",
    "cli/files.py": "a device of the command line, or whether its file is a report of ours",
    "runtime/feature_view/source/text_files.py": "both ends of files of a source, as the engine that reads them does",
}
"""The modules that open files themselves, each with what they open; all others read by `trialrun.guarded_path`."""
OPENING = {"read_text", "read_bytes", "write_text", "write_bytes", "iglob", "rglob"}


def opens_files(path: Path) -> bool:
    """Whether a module opens files without the guarded path."""
    for node in syntax_nodes(path):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "open":
            return True
        if isinstance(node, ast.Attribute):
            of_os = isinstance(node.value, ast.Name) and node.value.id == "os"
            if node.attr in OPENING or (node.attr == "open" and of_os):
                return True
            of_path = isinstance(node.value, ast.Call) and ast.unparse(node.value.func).endswith(("Path", "joinpath"))
            if node.attr == "open" and of_path:
                return True
    return False


def in_package() -> dict[str, Path]:
    return {path.relative_to(SOURCE).as_posix(): path for path in sorted(SOURCE.rglob("*.py"))}


def test_few_modules_start_programs() -> None:
    starting = {"subprocess", "multiprocessing", "pty"}
    named = {
        name for name, path in in_package().items() if starting & {module.split(".")[0] for module in imported(path)}
    }
    assert named == set(STARTS_PROCESSES)


def test_few_modules_open_files() -> None:
    assert {name for name, path in in_package().items() if opens_files(path)} == set(OPENS_FILES)


def test_a_file_of_a_rule_is_read_at_a_glance() -> None:
    lengths = {shown(path): path.read_text(encoding="utf-8").count("\n") for path in (ROOT / "rules").rglob("*.py")}
    assert {path: length for path, length in lengths.items() if length > MAX_LINES_OF_A_RULE} == {}


def test_rules_open_no_files() -> None:
    rules = sorted((ROOT / "rules").rglob("*.py"))
    assert [path.name for path in rules if opens_files(path) or "subprocess" in imported(path)] == []


@pytest.mark.parametrize(
    "command",
    [
        pytest.param(["mypy", "--strict", "src"], marks=pytest.mark.exhaustive),
        ["ruff", "check", "."],
        ["ruff", "format", "--check", "."],
    ],
    ids=" ".join,
)
def test_the_tools_are_content(command: list[str]) -> None:
    done = subprocess.run([sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.exhaustive
def test_the_types_of_rules_are_sound(tmp_path: Path) -> None:
    """A rule's file is named for its id, which is no name of a module; so copies with other names are checked."""
    for path in (ROOT / "rules").rglob("*.py"):
        copy = tmp_path / f"rules_{path.parent.name}" / path.name.replace("-", "_")
        copy.parent.mkdir(exist_ok=True)
        copy.write_text(path.read_text(encoding="utf-8"), encoding="utf-8")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "mypy",
            "--strict",
            "--cache-dir=.mypy_cache/rules",
            *map(str, sorted(tmp_path.rglob("*.py"))),
        ],
        cwd=ROOT,
        env={**os.environ, "MYPYPATH": str(ROOT / "src")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_version_needs_no_library() -> None:
    code = (
        "import os, sys; sys.argv = ['trialrun', '--version']\n"
        "os._exit = lambda code: (print(sorted(sys.modules)), sys.exit(code))\n"
        "from trialrun.cli import run\n"
        "run()"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert not {"click", "pydantic", "yaml", "cel_expr_python"} & set(ast.literal_eval(done.stdout.split("\n")[1]))


MODULE_STATE = {
    "src/trialrun/guarded_path.py": ["_allowed"],  # what the user of the process allowed
    "src/trialrun/lint/rule_support/strategies.py": ["_last"],  # the last analysis, found by equal facts
}
"""The only containers of a module that are filled later."""


def module_state(path: Path) -> list[str]:
    """The names of empty containers at the top of a module that are not declared as read-only."""
    found = []
    for node in syntax_tree(path).body:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        made = isinstance(value, ast.Call) and ast.unparse(value.func) in CONTAINERS and not value.args
        empty = (isinstance(value, ast.Dict) and not value.keys) or (isinstance(value, ast.List) and not value.elts)
        is_read_only = isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).startswith(("Mapping", "Any"))
        if (made or empty) and not is_read_only:
            found.append(ast.unparse(node.target if isinstance(node, ast.AnnAssign) else node.targets[0]))
    return found


CONTAINERS = {"dict", "list", "set", "defaultdict", "WeakKeyDictionary", "WeakValueDictionary", "WeakSet"}


def test_no_module_keeps_state() -> None:
    assert {shown(path): names for path in sources() if (names := module_state(path))} == MODULE_STATE


def test_no_pattern_repeats_a_group_possessively() -> None:
    """Python 3.11.2 keeps what a failed repetition of the group took; an atomic group does not."""
    written = re.compile(r"\)[*+?]\+")
    files = [file for folder in ("src", "rules") for file in (ROOT / folder).rglob("*.py")]
    assert [file.name for file in files if written.search(file.read_text(encoding="utf-8"))] == []
