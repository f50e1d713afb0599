"""Measure how many small mistakes in the program the tests notice: run them against mutants of `src` and `rules`.

python scripts/mutants.py --seed 1 --count 200

A mutant is the program with one line changed. It is killed when a test of its part fails or hangs; the tests that are
nearest to the changed file run first. Everything happens in a copy of the repository. The same seed gives the same
sample, as far as the lines are the same; a smaller count gives its beginning. Mutants that change nothing a test could
notice are listed in docs/decisions/tests.md, each with the reason, and are not run. Left alone are texts for people
(docstrings, messages, anything with a space), types, decorators and assertions.
"""

from __future__ import annotations

import argparse
import ast
import copy
import hashlib
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath
from typing import Any

ROOT = Path(__file__).parent.parent
EQUIVALENT = Path("docs/decisions/tests.md")
TEST_TIMEOUT, STAGE_TIMEOUT = 60, 900
"""Seconds that a test may take, and all tests of a stage, for a mutant that hangs where no test runs yet."""
NO_TESTS = 5
"""The exit code of pytest when no test is selected."""
OPTIONS = ("-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no", f"--timeout={TEST_TIMEOUT}")
RULE_TESTS = ("tests/test_fixtures.py", "tests/rules/test_catalogue.py")

PAIRS: Sequence[tuple[type[Any], type[Any]]] = (
    (ast.Eq, ast.NotEq), (ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Is, ast.IsNot), (ast.In, ast.NotIn),
    (ast.And, ast.Or), (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.LShift, ast.RShift),
)  # fmt: skip
OPERATORS = {ast.FloorDiv: ast.Mult, ast.Mod: ast.Mult, **dict(PAIRS), **{other: one for one, other in PAIRS}}
ORDERINGS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
NOT_NUMBERS = (ast.JoinedStr, ast.List, ast.Tuple, ast.ListComp, ast.Set, ast.Dict)
SKIPPED_FIELDS = ("annotation", "returns", "decorator_list", "bases")
SKIPPED_NAMES = ("__all__", "__slots__", "__match_args__")
TYPE_CALLS = ("cast", "TypeVar", "ParamSpec", "NewType", "NamedTuple", "TypedDict")
TEXT_KEYWORDS = ("help", "short_help", "description", "metavar", "title", "doc")
REMOVED = (ast.AugAssign, ast.Continue, ast.Break, ast.Raise, ast.Delete)


@dataclass(frozen=True)
class Mutant:
    """A file below the root, and one of its lines, counted from 1, before and after."""

    path: str
    line: int
    original: str
    mutated: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.original.strip()} -> {self.mutated.strip()}"

    @property
    def listed(self) -> str:
        """How the page of equivalent mutants names it: without the line number, which changes often."""
        return f"`{self.path}`: `{self.original.strip()}` -> `{self.mutated.strip()}`"

    def text(self, text: str) -> str:
        """The text of the file with the mutant."""
        lines = text.split("\n")
        lines[self.line - 1] = self.mutated
        return "\n".join(lines)


def mutants_of(path: str, text: str) -> list[Mutant]:
    """All mutants of a text, from its first line to its last."""
    lines, found = text.split("\n"), set()
    for node in _mutable_nodes(ast.parse(text)):
        for old, new in _replacements(node):
            if old.lineno == old.end_lineno:
                line = lines[old.lineno - 1].encode()
                mutated = line[: old.col_offset] + ast.unparse(new).encode() + line[old.end_col_offset :]
                found.add(Mutant(path, old.lineno, line.decode(), mutated.decode()))
    return sorted(found, key=lambda mutant: (mutant.line, mutant.mutated))


def is_other_code(mutant: Mutant, text: str) -> bool:
    """Whether the mutant compiles, and is another program: brackets and quotes alone make none."""
    try:
        return ast.dump(ast.parse(mutant.text(text))) != ast.dump(ast.parse(text))
    except SyntaxError:
        return False


def _mutable_nodes(node: ast.AST) -> Iterator[ast.AST]:
    """The node and what is in it, without what has no behavior or is a text for people."""
    match node:
        case ast.JoinedStr() | ast.Assert() | ast.Expr(value=ast.Constant()):
            return
        case ast.If(test=ast.Name("TYPE_CHECKING")) | ast.If(test=ast.Compare(left=ast.Name("__name__"))):
            return
        case ast.Assign(targets=[ast.Name(name)]) if name in SKIPPED_NAMES:
            return
        case ast.AnnAssign(annotation=ast.Name("TypeAlias")) | ast.Subscript(value=ast.Name("Literal")):
            return
        case ast.Call(func=ast.Name(name)) if name in TYPE_CALLS:
            return
        case ast.keyword(arg=name) if name in TEXT_KEYWORDS:
            return
    yield node
    if isinstance(node, ast.Raise):
        return
    for name, value in ast.iter_fields(node):
        if name not in SKIPPED_FIELDS:
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST):
                    yield from _mutable_nodes(child)


def _replacements(node: Any) -> Iterator[tuple[Any, ast.AST]]:
    """Nodes on which a mistake may be made, and what comes in their place; `Any`, since not all know their place."""
    match node:
        case ast.Compare(ops=ops):
            for at, operator in enumerate(ops):
                yield node, _with(node, ops=[*ops[:at], OPERATORS[type(operator)](), *ops[at + 1 :]])
        case ast.BoolOp(op=operator):
            yield node, _with(node, op=OPERATORS[type(operator)]())
        case ast.BinOp(left, operator, right) if type(operator) in OPERATORS and not any(
            map(_is_joined, (left, right))
        ):
            yield node, _with(node, op=OPERATORS[type(operator)]())
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield node, operand
        case ast.Constant(value=bool(value)):
            yield node, ast.Constant(not value)
        case ast.Constant(value=int(value) | float(value)):
            yield node, ast.Constant(value + 1)
        case ast.Constant(value=str(value)) if not any(map(str.isspace, value)):
            yield node, ast.Constant("" if value else "mutant")
        case ast.Constant(value=bytes(value)):
            yield node, ast.Constant(b"" if value else b"mutant")
        case ast.Slice(lower, upper):
            for bound in (lower, upper):
                if bound and not isinstance(bound, ast.Constant):
                    yield bound, ast.BinOp(bound, ast.Add(), ast.Constant(1))
            if lower is None:
                yield node, _with(node, lower=ast.Constant(1))
        case ast.Return(value=value) if value and not isinstance(value, ast.Constant):
            yield node, ast.Return(ast.Constant(None))
        case ast.Expr(value=ast.Call() | ast.Yield() | ast.YieldFrom() | ast.Await()):
            yield node, ast.Pass()
        case ast.Assign(targets=targets) if all(isinstance(one, ast.Attribute | ast.Subscript) for one in targets):
            yield node, ast.Pass()
        case _ if isinstance(node, REMOVED):
            yield node, ast.Pass()
    tests = [node.test] if isinstance(node, ast.If | ast.While | ast.IfExp) else getattr(node, "ifs", [])
    for test in tests:
        if not _has_opposite(test):
            yield test, ast.UnaryOp(ast.Not(), test)


def _with(node: Any, **fields: object) -> Any:
    other = copy.copy(node)
    for name, value in fields.items():
        setattr(other, name, value)
    return other


def _is_joined(operand: ast.expr) -> bool:
    """Whether an operand is no number: a text or a list is joined, and a path gets a name."""
    is_text = isinstance(operand, ast.Constant) and isinstance(operand.value, str | bytes)
    return is_text or isinstance(operand, NOT_NUMBERS)


def _has_opposite(condition: ast.expr) -> bool:
    """Whether a condition changes in another way that is its negation."""
    match condition:
        case ast.UnaryOp(op=ast.Not()) | ast.Constant():
            return True
        case ast.Compare(ops=[operator]):
            return not isinstance(operator, ORDERINGS)
    return False


def sample(root: Path, only: str, seed: int, count: int, matching: str = "") -> list[Mutant]:
    """The mutants of a seed: the order depends on each line alone, so that other changes leave most of the sample."""
    files = (file.relative_to(root).as_posix() for top in ("src", "rules") for file in (root / top).rglob("*.py"))
    chosen = sorted(file for file in files if f"{file}/".startswith(f"{only.rstrip('/')}/" if only else ""))
    texts = {path: (root / path).read_text(encoding="utf-8") for path in chosen}
    found = [mutant for path, text in texts.items() for mutant in mutants_of(path, text) if matching in str(mutant)]
    found.sort(key=lambda one: hashlib.sha256(f"{seed}\0{one.listed}".encode()).digest())
    return list(islice((mutant for mutant in found if is_other_code(mutant, texts[mutant.path])), count))


def test_stages(root: Path, path: str) -> list[list[str]]:
    """Groups of tests of a file of `src` or `rules`, which run one after the other until one fails."""
    tests = sorted(file.relative_to(root).as_posix() for file in (root / "tests").rglob("test_*.py"))
    name, parts = PurePosixPath(path).stem, PurePosixPath(path).with_suffix("").parts
    if parts[0] == "rules":
        near = [file for file in tests if name in (root / file).read_text(encoding="utf-8")]
        stages = [_below(tests, *RULE_TESTS), near, _below(tests, "tests/rules/", "tests/lint/")]
    else:
        module = ".".join(parts[1:]).removesuffix(".__init__")
        package, _, last = module.rpartition(".")
        names = rf"(from|import) {re.escape(module)}\b|from {re.escape(package)} import [^\n]*\b{last}\b"
        imported = re.compile(rf"^\s*({names})", re.MULTILINE)
        near = [file for file in tests if imported.search((root / file).read_text(encoding="utf-8"))]
        near.sort(key=lambda file: (f"test_{name}.py" not in file, file))
        folders = ["/".join(("tests", *parts[2:at], "")) for at in range(len(parts) - 1, 2, -1)]
        stages = [near, *(_below(tests, folder) for folder in folders), _below(tests, "tests/cli/", *RULE_TESTS)]
    first = {file: at for at, stage in reversed(list(enumerate(stages))) for file in stage}
    kept = [[file for file in stage if first[file] == at] for at, stage in enumerate(stages)]
    return [stage for stage in kept if stage]


def _below(tests: Sequence[str], *starts: str) -> list[str]:
    return [file for file in tests if file.startswith(starts)]


class Copy:
    """A copy of the repository, which is the boundary of what a check may read, in which mutants are tested."""

    def __init__(self, root: Path, folder: Path) -> None:
        self.root, self.scratch, self.changes = folder / "repository", folder / "scratch", 0
        self.passing: dict[tuple[str, ...], bool] = {}
        words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
        names = subprocess.run(words, cwd=root, capture_output=True, check=True).stdout.decode().split("\0")
        for name in filter(None, names):
            if (root / name).is_symlink() or (root / name).is_file():
                (self.root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(root / name, self.root / name, follow_symlinks=False)
        for words in (["git", "init", "-q"], ["git", "add", "-A"]):
            subprocess.run(words, cwd=self.root, check=True)

    def is_killed(self, mutant: Mutant) -> bool:
        """Whether tests that pass without the mutant fail with it, and do so a second time."""
        file = self.root / mutant.path
        text = file.read_text(encoding="utf-8")
        for stage in test_stages(self.root, mutant.path):
            tests = tuple(stage)
            if tests not in self.passing:
                self.passing[tests] = self._pass(tests)
                if not self.passing[tests]:
                    print(f"fail without a mutant: {' '.join(tests)}", file=sys.stderr, flush=True)
            if self.passing[tests]:
                self._write(file, mutant.text(text))
                killed = not self._pass(tests) and not self._pass(tests)
                self._write(file, text)
                if killed:
                    return True
        return False

    def _write(self, file: Path, text: str) -> None:
        """Write a file with a time of its own: Python knows compiled files by time and size, and has seen others."""
        self.changes += 1
        file.write_text(text, encoding="utf-8")
        time = file.stat().st_mtime + self.changes
        os.utime(file, (time, time))

    def _pass(self, tests: Sequence[str]) -> bool:
        """Whether tests pass: generated cases are always the same, and the user's folders are left alone."""
        shutil.rmtree(self.scratch, ignore_errors=True)
        self.scratch.mkdir()
        own = dict.fromkeys(("HOME", "TMPDIR", "XDG_CACHE_HOME", "XDG_STATE_HOME"), str(self.scratch))
        process = subprocess.Popen(
            [sys.executable, "-m", "pytest", *OPTIONS, *tests],
            cwd=self.root,
            env=os.environ | own | {"CI": "true", "PYTHONPATH": str(self.root / "src")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            return process.wait(STAGE_TIMEOUT) in (0, NO_TESTS)
        except subprocess.TimeoutExpired:
            return False
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # with all that it has started
            process.wait()


def equivalent_mutants(root: Path) -> str:
    """The text of the page that lists mutants no test can notice."""
    page = root / EQUIVALENT
    return page.read_text(encoding="utf-8") if page.exists() else ""


def main(arguments: list[str] | None = None, root: Path = ROOT) -> int:
    """Run the command and return its exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seed", type=int, default=1, help="which sample to take (default: 1)")
    parser.add_argument("--count", type=int, default=200, help="how many mutants (default: 200)")
    parser.add_argument("--only", default="", metavar="PATH", help="of this file or folder, such as src/trialrun/fix")
    parser.add_argument("--matching", default="", metavar="TEXT", help="with this text in their line, as '-> pass'")
    parser.add_argument("--list", action="store_true", help="show the mutants without running tests")
    parser.add_argument("--at-least", type=float, default=0.9, metavar="SHARE", help="exit with 1 below (default: 0.9)")
    options = parser.parse_args(arguments)
    mutants, page = sample(root, options.only, options.seed, options.count, options.matching), equivalent_mutants(root)
    if options.list:
        print(*mutants, sep="\n")
        return 0
    killed = survived = 0
    with tempfile.TemporaryDirectory(prefix="trialrun-mutants-") as folder:
        repository = Copy(root, Path(folder))
        for mutant in mutants:
            if mutant.listed not in page:
                is_killed = repository.is_killed(mutant)
                killed, survived = killed + is_killed, survived + (not is_killed)
                if not is_killed:
                    print(mutant, flush=True)
    equivalent = len(mutants) - killed - survived
    share = killed / len(mutants) if mutants else 1.0
    print(f"{killed} of {len(mutants)} mutants killed ({share:.1%}), {survived} survived, {equivalent} equivalent")
    return 0 if killed >= options.at_least * len(mutants) else 1


if __name__ == "__main__":
    sys.exit(main())
