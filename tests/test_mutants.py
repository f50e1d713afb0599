"""The mutants that measure the tests: which there are, which tests they meet, and what is said of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scripts import mutants
from scripts.mutations import changes_code, mutate, mutations
from scripts.nearest_tests import test_stages as stages_of
from tests.cases import each_of

ROOT = Path(__file__).parent.parent

MUTATIONS = [
    ("if a < b: go()", ["if a < b: pass", "if a <= b: go()", "if not (a < b): go()"]),
    ("a == b != c", ["a != b != c", "a == b == c"]),
    ("a in b", ["a not in b"]),
    ("a is not b", ["a is b"]),
    ("(a) and (b) or c", ["(a) and (b) and c", "(a) or (b) or c"]),
    ("not a", ["a"]),
    ("a if b else c", ["a if not (b) else c"]),
    ("[a for a in b if a]", ["[a for a in b if not (a)]"]),
    ("while a: continue", ["while a: pass", "while not (a): continue"]),
    ("a = True", ["a = False"]),
    ("a = 1", ["a = 2"]),
    ("a = 'b'", ['a = ""']),
    ("a = ''", ['a = "mutant"']),
    ("a = b'b'", ['a = b""']),
    ("a + b * c", ["a + b / c", "a - b * c"]),
    ("a[b:]", ["a[(b) + 1:]"]),
    ("a[:2]", ["a[1:2]", "a[:3]"]),
    ("def f(): return a", ["def f(): return None"]),
    ("def f(): yield a", ["def f(): pass"]),
    ("a.b = c", ["pass"]),
    ("del a", ["pass"]),
    ("raise E('b')", ["pass"]),
    ("ä = 'ö' == b", ['ä = "" == b', "ä = 'ö' != b"]),
    ("a + 'b'", ['a + ""']),
    ("a / 'b'", ['a / ""']),
]
NO_MUTATIONS = [
    "'''What it is.'''",
    "a = 'text for people'",
    "a: Literal['b'] = c",
    "a = Literal['b']",
    "def f(a: 'b') -> 'c': ...",
    "@cache(1)\ndef f(): ...",
    "__all__ = ['a']",
    "if TYPE_CHECKING: a()",
    "if __name__ == '__main__': a()",
    "assert a == b",
    "f'{a + b}'",
    "a = cast('b', c)",
    "a = b(help='c')",
    "def f(): return",
]


@each_of(MUTATIONS)
def test_a_line_has_these_mutations(text: str, expected: list[str]) -> None:
    assert [mutate(text, mutation) for mutation in mutations(text)] == expected
    assert all(changes_code(text, mutation) for mutation in mutations(text))


@each_of(NO_MUTATIONS)
def test_texts_types_and_assertions_stay(text: str) -> None:
    assert [mutate(text, mutation) for mutation in mutations(text)] == []


def test_what_is_on_several_lines_stays() -> None:
    assert [mutation.mutated for mutation in mutations("go(\n    a\n    == b, 1\n)")] == ["    == b, 2"]


SIGN = "src/trialrun/values/sign.py"
FILES = {
    "src/trialrun/__init__.py": "",
    "src/trialrun/values/__init__.py": "",
    SIGN: "LIMIT = 1\n\n\ndef opposite(number):\n    return -number\n",
    "tests/values/test_import.py": "import nothing_of_this_name, trialrun.values.sign",
    "tests/values/test_sign.py": "from trialrun.values.sign import opposite\n\n"
    "def test_wrong():\n    assert opposite(2) == 2\n\n"
    "def test_right():\n    assert opposite(2) == -2\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a constant that no test knows, and with tests that fail without a mutant.

    Its runs of pytest load only the plugins that they use, since the others take most of their time.
    """
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.setenv("PYTEST_PLUGINS", "xdist.plugin,pytest_timeout")
    folder = tmp_path / "repository"
    for name, text in FILES.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


@each_of(
    [
        ("FAILED tests/a/test_b.py::test_c - assert 1 == 2", "tests/a/test_b.py::test_c"),
        ("FAILED tests/test_b.py::test_c[d-e] - assert ['f'] == []", "tests/test_b.py::test_c[d-e]"),
        ("FAILED tests/test_b.py::test_c[a[0] b] - KeyError: [1]", "tests/test_b.py::test_c[a[0] b]"),
        ("FAILED tests/test_b.py::test_c[a - b]", "tests/test_b.py::test_c[a - b]"),
        ("ERROR tests/test_b.py - ImportError", "tests/test_b.py"),
    ],
)
def test_the_failed_test_is_read_from_what_pytest_prints(line: str, test: str) -> None:
    assert mutants.CULPRIT.findall(f".F\n{line}\n  and more - [a]\n") == [test]


@pytest.mark.exhaustive
def test_survivors_are_listed_and_the_files_stay(repository: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert mutants.main(["--only", SIGN], repository) == 1
    assert capfd.readouterr().out.splitlines() == [
        f"{SIGN}:1: LIMIT = 1 -> LIMIT = 2",
        "1 of 2 mutants killed (50.0%), 1 survived, 0 equivalent (docs/decisions/tests.md)",
    ]
    assert (repository / SIGN).read_text() == FILES[SIGN]


UNSTEADY = """
from pathlib import Path

from trialrun.values.sign import LIMIT

def test_of_the_first_run():
    Path("run").open("a").write(".")
    assert Path("run").read_text() != "."
"""


@pytest.mark.exhaustive
def test_a_test_that_fails_once_kills_nothing(repository: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (repository / "tests/values/test_sign.py").write_text(UNSTEADY)
    assert mutants.main(["--matching", "LIMIT"], repository) == 1
    assert capfd.readouterr().out.startswith(f"{SIGN}:1: LIMIT = 1 -> LIMIT = 2\n0 of 1 mutants killed")


@pytest.mark.exhaustive
def test_only_the_nearest_groups_of_tests_are_run(repository: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert mutants.main(["--only", SIGN, "--matching", "None", "--stages", "0"], repository) == 1
    assert "0 of 1 mutants killed" in capfd.readouterr().out
    assert mutants.main(["--only", SIGN, "--matching", "None", "--stages", "1"], repository) == 0


@pytest.mark.exhaustive
def test_a_stopped_sample_goes_on_at_a_number(repository: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert mutants.main(["--from", "2"], repository) == 0
    assert capfd.readouterr().err == "2 of 2: killed\n"


@pytest.mark.parametrize(("least", "code"), [("0", 0), ("0.1", 1)])
def test_equivalent_mutants_are_not_run_and_not_killed(
    repository: Path, capfd: pytest.CaptureFixture[str], least: str, code: int
) -> None:
    page = repository / mutants.EQUIVALENT
    page.parent.mkdir(parents=True)
    listed = [mutant.listed for mutant in mutants.sample(repository, "", 1, 200)]
    page.write_text("\n".join(f"- {name}: it is the same" for name in listed))
    assert mutants.main(["--at-least", least], repository) == code
    assert capfd.readouterr().out == mutants.summary(len(listed), 0, len(listed)) + "\n"


@pytest.mark.exhaustive
def test_a_smaller_sample_is_the_start_of_a_larger_one() -> None:
    larger = mutants.sample(ROOT, "src/trialrun/values/cron", 1, 20)
    assert mutants.sample(ROOT, "src/trialrun/values/cron", 1, 5) == larger[:5]
    assert mutants.sample(ROOT, "src/trialrun/values/cron", 2, 5) != larger[:5]


def test_equivalent_mutants_exist() -> None:
    """A line that changed needs a new look."""
    page = mutants.equivalent_mutants(ROOT)
    for line in page.splitlines():
        if line.startswith("- `"):
            path = line.split("`")[1]
            assert any(
                line.startswith(f"- {mutants.Mutant(path, mutation).listed}:")
                for mutation in mutations((ROOT / path).read_text(encoding="utf-8"))
            ), line


@pytest.mark.parametrize(
    ("path", "nearest"),
    [
        ("rules/feature_view/cron-dst.py", ("tests/rules/test_catalogue.py", "-k", "cron-dst")),
        ("src/trialrun/lsp/symbols/text_references.py", ("tests/lsp/navigation/test_text_references.py",)),
        ("src/trialrun/lsp/features/code_action.py", ("tests/lsp/test_code_action.py",)),
        ("src/trialrun/values/resource_name.py", ("tests/values/test_names.py",)),
    ],
)
def test_the_nearest_tests_run_first(path: str, nearest: tuple[str, ...]) -> None:
    assert stages_of(ROOT, path)[0][: len(nearest)] == nearest


def test_no_test_runs_twice() -> None:
    words = [word for stage in stages_of(ROOT, "src/trialrun/values/cron/grammar.py") for word in stage]
    assert len(words) == len(set(words)) > 20


def test_tests_of_a_command_are_those_that_run_it() -> None:
    assert "tests/runtime/test_limits.py" in stages_of(ROOT, "src/trialrun/cli/sync.py")[-1]
