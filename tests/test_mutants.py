"""The mutants that measure the tests: which there are, which tests they meet, and what is said of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from scripts import mutants
from scripts.mutants import is_other_code, mutants_of
from scripts.mutants import test_stages as stages_of
from tests.cases import each_of

ROOT = Path(__file__).parent.parent

MUTATIONS = [
    ("if a < b: go()", ["if a < b: pass", "if a <= b: go()", "if not a < b: go()"]),
    ("a == b != c", ["a != b != c", "a == b == c"]),
    ("a in b", ["a not in b"]),
    ("a is not b", ["a is b"]),
    ("(a) and (b) or c", ["(a and b) and c", "a or b or c"]),
    ("not a", ["a"]),
    ("a if b else c", ["a if not b else c"]),
    ("[a for a in b if a]", ["[a for a in b if not a]"]),
    ("while a: continue", ["while a: pass", "while not a: continue"]),
    ("a = True", ["a = False"]),
    ("a = 1", ["a = 2"]),
    ("a = 'b'", ["a = ''"]),
    ("a = ''", ["a = 'mutant'"]),
    ("a = b'b'", ["a = b''"]),
    ("a + b * c", ["a + b / c", "a - b * c"]),
    ("a[b:]", ["a[b + 1:]"]),
    ("a[:2]", ["a[1:2]", "a[:3]"]),
    ("def f(): return a", ["def f(): return None"]),
    ("def f(): yield a", ["def f(): pass"]),
    ("a.b = c", ["pass"]),
    ("del a", ["pass"]),
    ("raise E('b')", ["pass"]),
    ("ä = 'ö' == b", ["ä = '' == b", "ä = 'ö' != b"]),
    ("a + 'b'", ["a + ''"]),
    ("a / 'b'", ["a / ''"]),
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
    found = mutants_of("a.py", text)
    assert sorted(mutant.mutated for mutant in found) == sorted(expected)
    assert all(is_other_code(mutant, text) for mutant in found)


@each_of(NO_MUTATIONS)
def test_texts_types_and_assertions_stay(text: str) -> None:
    assert mutants_of("a.py", text) == []


def test_what_is_on_several_lines_stays() -> None:
    assert [mutant.mutated for mutant in mutants_of("a.py", "go(\n    a\n    == b, 1\n)")] == ["    == b, 2"]


SIGN = "src/trialrun/values/sign.py"
FILES = {
    "src/trialrun/__init__.py": "",
    "src/trialrun/values/__init__.py": "",
    SIGN: "LIMIT = 1\n\n\ndef opposite(number):\n    return -number\n",
    "tests/values/test_sign.py": "from trialrun.values.sign import opposite\n\n"
    "def test_right():\n    assert opposite(2) == -2\n",
    "pyproject.toml": '[tool.pytest.ini_options]\npythonpath = ["src"]\n',
}


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a constant that no test knows.

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


@pytest.mark.exhaustive
def test_survivors_are_listed_and_the_files_stay(repository: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert mutants.main(["--only", SIGN], repository) == 1
    assert capfd.readouterr().out.splitlines() == [
        f"{SIGN}:1: LIMIT = 1 -> LIMIT = 2",
        "1 of 2 mutants killed (50.0%), 1 survived, 0 equivalent",
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


@pytest.mark.parametrize(("least", "code"), [("0", 0), ("0.1", 1)])
def test_equivalent_mutants_are_not_run_and_not_killed(
    repository: Path, capfd: pytest.CaptureFixture[str], least: str, code: int
) -> None:
    page = repository / mutants.EQUIVALENT
    page.parent.mkdir(parents=True)
    listed = [mutant.listed for mutant in mutants.sample(repository, "", 1, 200)]
    page.write_text("\n".join(f"- {name}: it is the same" for name in listed))
    assert mutants.main(["--at-least", least], repository) == code
    assert capfd.readouterr().out == f"0 of {len(listed)} mutants killed (0.0%), 0 survived, {len(listed)} equivalent\n"


@pytest.mark.exhaustive
def test_a_smaller_sample_is_the_start_of_a_larger_one() -> None:
    larger = mutants.sample(ROOT, "src/trialrun/values/cron", 1, 20)
    assert mutants.sample(ROOT, "src/trialrun/values/cron", 1, 5) == larger[:5]
    assert mutants.sample(ROOT, "src/trialrun/values/cron", 2, 5) != larger[:5]


def test_equivalent_mutants_exist() -> None:
    """A line that changed needs a new look."""
    for line in mutants.equivalent_mutants(ROOT).splitlines():
        if line.startswith("- `"):
            path = line.split("`")[1]
            assert any(
                line.startswith(f"- {mutant.listed}:")
                for mutant in mutants_of(path, (ROOT / path).read_text(encoding="utf-8"))
            ), line


@each_of(
    [
        ("src/trialrun/values/int64.py", "tests/values/test_int64.py"),
        ("src/trialrun/lsp/text_diff.py", "tests/lsp/"),
        ("rules/feature_view/cron-dst.py", "tests/rules/test_catalogue.py"),
    ]
)
def test_the_nearest_tests_run_first(path: str, nearest: str) -> None:
    assert stages_of(ROOT, path)[0][0].startswith(nearest)


def test_no_test_runs_twice() -> None:
    words = [word for stage in stages_of(ROOT, "src/trialrun/values/cron/grammar.py") for word in stage]
    assert len(words) == len(set(words)) > 20
