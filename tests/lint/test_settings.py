"""What a settings file may say, and the rules that then hold for each path."""

import re
import subprocess
import tomllib
from pathlib import Path

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.diagnostic import Severity
from trialrun.errors import UsageError
from trialrun.lint.file_result import ALWAYS_REPORTED
from trialrun.lint.settings import IgnoreTable, Profiles, Settings, lines, read_settings
from trialrun.lint.settings.globs import glob_of, matches
from trialrun.lint.settings.loader import settings_of, validate_by_model
from trialrun.working_folder import display_path
from trialrun.workspace.check_request import validate_once

ROOT = Path(__file__).parent.parent.parent


def settings(text: str, folder: Path = Path()) -> Settings:
    return settings_of(tomllib.loads(text), str(folder.absolute() / "trialrun.toml"))


WRONG = [
    ("ingore = []", 'there is no setting "ingore"; did you mean "ignore"?'),
    ('options.cel-extensions = "strings"', "cel-extensions must be a list of strings"),
    ('options.cel-extensions = ["string"]', 'CEL has no extension "string"; did you mean "strings"?'),
    ("options.cel-extensions = [1]", "cel-extensions must be a list of strings"),
    ('edition = "1999"', 'there is no edition "1999"; use one of 2026.1, 2026.2, 2026.3, 2026.4, 2026.5'),
    ("ignore = [1]", "ignore must be a list of strings"),
    ("overrides = 1", "overrides must be a list of tables; write [[overrides]]"),
    ("[[overrides]]\nignore = ['cron-dst']", "overrides[0]: paths is missing"),
    ("[[overrides]]\npaths = ['a']\nexclude = ['b']", 'overrides[0]: there is no setting "exclude"'),
    ("[[overrides]]\npaths = ['a']\n[overrides.options]\nmin = 1", 'overrides[0].options: there is no option "min"'),
    ("session-schema = 'none.yaml'", "session-schema: there is no file none.yaml"),
    ("session-schema = 'pyproject.toml'", "session-schema: pyproject.toml has no SessionSchema document"),
    ("session-schema = 'docs'", "session-schema: docs cannot be read: "),
    ('baseline = "a\\u0000b"', "baseline contains a NUL character; remove it"),
    ("[runtime]\nthread = 1", 'runtime: there is no setting "thread"; did you mean "threads"?'),
    ("[runtime]\nthreads = true", "runtime: threads must be a number of threads; 0 means all cores"),
    ("[runtime]\nmemory-limit = '4'", 'runtime: memory-limit must be an amount of memory, such as "4GB"'),
    ("[runtime]\nmemory-limit = '0GB'", 'memory-limit must be from 64MB to 16TB, such as "4GB", not "0GB"'),
    ("[runtime]\nmemory-limit = '1KB'", 'memory-limit must be from 64MB to 16TB, such as "4GB", not "1KB"'),
    ("[runtime]\nmemory-limit = '999999999999TB'", 'from 64MB to 16TB, such as "4GB", not "999999999999TB"'),
    ("[runtime]\nthreads = 100000", "runtime: threads must be at most 1024, or 0 for all cores, not 100000"),
    ("[runtime]\nvanished-entities = 'kept'", 'must be one of keep, drop, not "kept"; did you mean "keep"?'),
    ("[runtime]\ncron-semantics = 1", "runtime: cron-semantics must be one of wall-clock, vixie"),
    ("[[ignore]]\npath = 'a.json'", "ignore[0]: path and rule are required"),
    ("[[ignore]]\npath = 'a.json'\nrule = 'cron-dst'\npointer = 'a'", "ignore[0]: pointer must be a JSON Pointer"),
    ("[[suppress]]\npath = 'a.json'", "suppress[0]: path and rule are required"),
    (
        "[[suppress]]\npath = 'a.json'\nrule = 'cron-dst'\nreason = 'x'\nuntil = ''",
        "suppress[0]: until must be a string or a date",
    ),
    ("[options]\nsync-herd-size = -1", "options: sync-herd-size must be 1 or more, not -1"),
    (
        "[options]\nsystem-label-prefix = ''",
        'system-label-prefix must be the text before the slash of such keys, not ""',
    ),
    ("[options]\nsystem-label-prefix = ' a'", "system-label-prefix must be the text before the slash of such keys"),
    ("[options]\nmin-sync-interval = -5", 'options: min-sync-interval: "-5" is not a duration'),
    ("sync-herd-size = 3", 'there is no setting "sync-herd-size"; it belongs in [options]'),
    ("[runtime]\nsync-herd-size = 3", 'runtime: there is no setting "sync-herd-size"; it belongs in [options]'),
    ("[options]\nthreads = 3", 'options: there is no option "threads"; it belongs in [runtime]'),
    ("[options]\nexclude = []", 'options: there is no option "exclude"; it belongs at the top of the settings'),
    ("threads = 3", 'there is no setting "threads"; it belongs in [runtime]'),
    ("cron-dst = 'off'", 'there is no setting "cron-dst"; it belongs in [severity]'),
    ("[severity]\nsync-herd-size = 3", "severity: sync-herd-size is not a rule; it belongs in [options]"),
    ("[[overrides]]\npaths = ['a']\nbaseline = 'b'", 'there is no setting "baseline"; it belongs at the top'),
    ("paths = ['a']", 'there is no setting "paths"; it belongs in [[overrides]]'),
    ("until = 2030-01-01", 'there is no setting "until"; it belongs in [[suppress]]'),
]


@each_of(WRONG)
def test_what_is_wrong_is_told(text: str, told: str) -> None:
    with pytest.raises(UsageError, match=r"trialrun\.toml: ") as raised:
        settings(text, ROOT)
    assert told in str(raised.value)


@each_of(
    [
        (
            "[[suppress]]\npaht = 'a.json'\nrule = 'cron-dst'",
            'suppress[0]: there is no setting "paht"; did you mean "path"?',
        ),
        ("[[overrides]]\npath = ['a']", 'overrides[0]: there is no setting "path"; did you mean "paths"?'),
    ]
)
def test_what_is_misspelt_is_not_missing_too(text: str, told: str) -> None:
    with pytest.raises(UsageError) as raised:
        settings(text, ROOT)
    assert str(raised.value) == f"trialrun.toml: {told}"


MANY_ERRORS = """\
edition = "1999"
ignore = [
  "cron-syntax",
  "cron-sintax",  # a comment
]
[severity]
cron-dst = "grave"
[options]
# sync-herd-size = 1
sync-herd-size = -1

[[overrides]]
paths = ["a"]
[[overrides]]
paths = ["b"]
exclude = ['''
x = 1
''']
[overrides.options]
"threads" = 1

[[suppress]]
path = "a.json"
rule = ["cron-dst", "cron-sintax"]
"""
LINES = [
    (1, 'there is no edition "1999"'),
    (4, 'ignore: there is no rule "cron-sintax"'),
    (7, 'severity: cron-dst must be one of note, warning, error, off, not "grave"'),
    (10, "options: sync-herd-size must be 1 or more, not -1"),
    (16, 'overrides[1]: there is no setting "exclude"; it belongs at the top'),
    (20, 'overrides[1].options: there is no option "threads"; it belongs in [runtime]'),
    (24, 'suppress[0]: there is no rule "cron-sintax"'),
]


@pytest.mark.parametrize("name", ["trialrun.toml", "pyproject.toml"])
def test_all_errors_are_reported_at_once_each_with_its_line(tmp_path: Path, name: str) -> None:
    text = MANY_ERRORS
    if name == "pyproject.toml":
        text = re.sub(r"^(\[+)", r"\1tool.trialrun.", "[tool.trialrun]\n" + text, flags=re.M)
        text = text.replace("[tool.trialrun.tool.trialrun]", "[tool.trialrun]")
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError) as raised:
        Profiles(read_settings(str(tmp_path)))
    added = 1 if name == "pyproject.toml" else 0
    starts = [f"{display_path(str(tmp_path / name))}:{line + added}: {message}" for line, message in LINES]
    messages = list(raised.value.messages)
    assert len(messages) == len(starts)
    assert [one[: len(start)] for one, start in zip(messages, starts, strict=True)] == starts


@pytest.mark.parametrize("text", ["exclude = [", "[[suppress]]\nuntil = 2026-11-28T10:00Z", 'baseline = "\\e"'])
def test_what_is_no_toml_1_0_says_so(tmp_path: Path, text: str) -> None:
    (tmp_path / "trialrun.toml").write_text(text)
    with pytest.raises(UsageError, match=r"; settings are TOML 1\.0$"):
        read_settings(str(tmp_path))


def test_names_of_rules_are_all_reported(tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text('select = ["cron-sintax", "all"]\nignore = ["emtpy-greeting"]\n')
    with pytest.raises(UsageError) as raised:
        Profiles(read_settings(str(tmp_path)))
    assert [message.split(": ")[0] for message in raised.value.messages] == [
        f"{display_path(str(tmp_path))}/trialrun.toml:1",
        f"{display_path(str(tmp_path))}/trialrun.toml:2",
    ]


def test_thousands_of_errors_are_told_by_reading_the_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []
    entries = lines._entries
    monkeypatch.setattr(lines, "_entries", lambda text: reads.append(text) or entries(text))
    text = "".join(f'[[overrides]]\npaths = ["{at}"]\nx = 1\n' for at in range(1000))
    with pytest.raises(UsageError) as error:
        settings_of(tomllib.loads(text), "trialrun.toml", text)
    assert error.value.messages[-1].startswith("trialrun.toml:3000: overrides[999]: ")
    assert len(reads) == 1


@pytest.mark.timeout(30)
def test_the_lines_of_very_many_texts_of_a_list_are_found_in_time() -> None:
    names = [f"no-{number}" for number in range(100_000)]
    text = "select = [\n" + "".join(f"  '{name}', # or \"{name}x\"\n" for name in names) + "]\n"
    assert [lines.line_of(text, ("select",), name) for name in names] == list(range(2, 100_002))


@each_of(
    [
        "[severity]\ncron-sintax = 'note'",
        "ignore = ['cron-sintax']",
        "[[overrides]]\npaths = ['a']\nselect = ['cron-sintax']",
        "[[overrides]]\npaths = ['a']\nseverity.cron-sintax = 'off'",
        "[[ignore]]\npath = 'a.json'\nrule = 'cron-sintax'",
    ]
)
def test_a_rule_that_does_not_exist_is_told_before_any_file_is_read(text: str) -> None:
    with pytest.raises(UsageError, match=r'no rule "cron-sintax"; did you mean "cron-syntax"'):
        Profiles(settings(text))


@each_of(["document", "feature-view", "all"])
def test_the_severity_of_a_group_is_that_of_its_rules(name: str) -> None:
    with pytest.raises(
        UsageError, match=rf'severity: "{name}" is a group; name its rules, which trialrun rules lists$'
    ):
        Profiles(settings(f'[severity]\n{name} = "off"'))


def test_a_setting_that_is_like_no_other_names_the_page_of_all() -> None:
    with pytest.raises(UsageError, match=r'there is no setting "rules"; trialrun docs settings lists all$'):
        Profiles(settings("[rules]\ncron-dst = 'off'"))


@pytest.mark.parametrize("key", ["suppress", "ignore"])
def test_a_suppression_in_the_settings(key: str) -> None:
    text = (
        f"[[{key}]]\npath = 'a/*.json'\nrule = 'cron-dst'\npointer = '/syncConfig'\nreason = 'old'\nuntil = 2027-01-31"
    )
    table = IgnoreTable("a/*.json", ("cron-dst",), "/syncConfig", "old", "2027-01-31", key)
    assert settings(text).ignore_tables == (table,)


def test_suppressions_stand_beside_a_list_of_ignored_rules() -> None:
    read = settings("ignore = ['cron-rare']\n[[suppress]]\npath = 'a.json'\nrule = 'cron-dst'")
    assert (read.ignore, len(read.ignore_tables), read.hints) == (("cron-rare",), 1, ())


def test_the_former_name_of_the_tables_is_read_with_a_hint(tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text("\n[[ignore]]\npath = 'a.json'\nrule = 'cron-dst'\n")
    read = read_settings(str(tmp_path))
    assert len(read.ignore_tables) == 1
    assert read.hints == (
        f"{display_path(str(tmp_path))}/trialrun.toml:2: [[ignore]] is called [[suppress]] now; rename it",
    )


def test_settings_that_were_valid_are_so_until_something_changes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIALRUN_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "sessions.yaml").write_text("kind: SessionSchema\nname: s\nvariables: {}\n")
    file = tmp_path / "trialrun.toml"
    file.write_text("session-schema = 'sessions.yaml'\noptions.sync-herd-size = 7.0\nsuppress = []\n")
    expected = read_settings(str(tmp_path))
    assert [read_settings(str(tmp_path), validate_once) for _ in range(2)] == [expected] * 2
    assert repr(expected.options) == "{'sync-herd-size': 7}"
    (tmp_path / "sessions.yaml").unlink()
    with pytest.raises(UsageError, match=r"there is no file sessions\.yaml"):
        read_settings(str(tmp_path), validate_once)
    file.write_text("options.sync-herd-size = 0\n")
    for _ in range(2):
        with pytest.raises(UsageError, match="sync-herd-size must be 1 or more, not 0"):
            read_settings(str(tmp_path), validate_once)


NESTED = ".".join(["a"] * 2000)


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        (NESTED, 'there is no setting "a"'),
        (f"kinds.{NESTED}", '"a" must be a kind of document in quotes, such as "FeatureView"'),
        (f"severity.{NESTED}", "a must be one of note, warning, error, off"),
        (f"runtime.memory-limit.{NESTED}", "memory-limit must be an amount of memory"),
        (f"options.min-sync-interval.{NESTED}", "min-sync-interval must be a number or a string"),
    ],
    ids=lambda text: text[:20].partition(".")[0],
)
def test_tables_may_nest_deeply(table: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIALRUN_CACHE_DIR", str(tmp_path / "cache"))
    (tmp_path / "trialrun.toml").write_text(f"[{table}]")
    for validate in (validate_by_model, validate_once):
        with pytest.raises(UsageError, match=re.escape(problem)):
            read_settings(str(tmp_path), validate)


GLOBS = [
    ("legacy/**", "legacy/a/b.yaml", True),
    ("legacy/**", "old/legacy/b.yaml", False),
    ("**/legacy/*.yaml", "legacy/b.yaml", True),
    ("legacy", "legacy/a/b.yaml", True),
    ("legacy", "old/legacy/b.yaml", True),
    ("/legacy", "old/legacy/b.yaml", False),
    ("legacy/", "legacy/a/b.yaml", True),
    ("b.yaml/", "legacy/b.yaml", False),
    ("legacy", "legacy2/b.yaml", False),
    ("./a.yaml", "a.yaml", True),
    ("a?c.yaml", "abc.yaml", True),
    ("*.yaml", "sub/a.yaml", True),
    ("/*.yaml", "sub/a.yaml", False),
    ("a[0-9].yaml", "a1.yaml", True),
    ("a[!0-9].yaml", "a1.yaml", False),
    (r"a\[1].yaml", "a[1].yaml", True),
    ("a[1.yaml", "a[1.yaml", False),
    ("**/**/a.yaml", "a.yaml", True),
    ("a/**/b", "a/x/y/b", True),
    ("a/**/b", "a/b/c.yaml", True),
    ("a/**", "a", False),
    ("a/*", "a/b/c.yaml", True),
    ("***.yaml", "b/a.yaml", True),
    ("a*b**/c", "abxbc/c", True),
    ("*ab*?c", "aabxabc", True),
    ("*ab*/c*d", "abab/ccd", True),
    ("*a" * 30 + "b", "a" * 200, False),
    ("*" * 30 + "b", "a/" * 100, False),
    ("**/a/" * 20 + "b", "a/" * 100, False),
]


@each_of(GLOBS)
def test_globs(glob: str, path: str, matched: bool) -> None:
    assert matches([glob], path) is matched


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository that git is asked about: other readers of its patterns differ from it where some are negated."""
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    return folder


@given(st.text("ab*?/!.", min_size=1, max_size=9), st.text("ab/.", min_size=1, max_size=9))
@example("a/**", "a/b")
@example("!a", "a")
@example("!a", "a/b")
@example("!a/**", "a/a/b")
@example("!**/a", "a/b/a")
@example("**/", "a")
@example("a/**/", "a/a/a")
def test_globs_are_those_of_git(repository: Path, glob: str, path: str) -> None:
    names = [name for name in path.split("/") if name.strip(".")]
    means_else = re.search(r"^!?/*$|!!|\*\*/?\*|[^!/]\*\*|//|\./", glob)
    assume(names and glob_of(glob) and not means_else)
    asked = "/".join(names)
    (repository / ".gitignore").write_text(f"b\n{glob}\n")
    words = ["git", "check-ignore", "--quiet", "--no-index", asked]
    assert matches(["b", glob], asked) is (subprocess.run(words, cwd=repository, check=False).returncode == 0)


@pytest.mark.parametrize(
    "text", ["exclude = ['a.{yaml,json}']", "[[overrides]]\npaths = ['{a,b}/']", "kinds.'{a,b}' = 'Menu'"]
)
def test_braces_are_refused_by_name(text: str) -> None:
    with pytest.raises(UsageError, match=r"has braces, which \.gitignore patterns do not support; write one"):
        settings(text)


OVERRIDES = """
[severity]
cron-dst = "note"
[options]
min-sync-interval = "15m"

[[overrides]]
paths = ["legacy/**"]
ignore = ["cron-syntax"]
severity.cron-dst = "error"
options.system-label-prefix = "acme"

[[overrides]]
paths = ["legacy/kept/**"]
select = ["cron-syntax"]
severity.cron-dst = "off"
"""


def test_later_overrides_stand_on_earlier_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    profiles = Profiles(settings(OVERRIDES, tmp_path))
    new, old, kept = (profiles.of(path) for path in ("a.yaml", "legacy/a.yaml", "legacy/kept/a.yaml"))
    assert [("cron-syntax" in one.rules, "cron-dst" in one.rules) for one in (new, old, kept)] == [
        (True, True),
        (False, True),
        (True, False),
    ]
    assert (new.severity_overrides["cron-dst"], old.severity_overrides["cron-dst"]) == (Severity.NOTE, Severity.ERROR)
    assert old.option_values == {"min-sync-interval": "15m", "system-label-prefix": "acme"}
    assert profiles.of("legacy/b.yaml") is old


def test_globs_speak_of_paths_from_the_settings_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "legacy").mkdir()
    monkeypatch.chdir(tmp_path / "legacy")
    assert "cron-syntax" not in Profiles(settings(OVERRIDES, tmp_path)).of("a.yaml").rules


def test_the_command_line_selects_for_every_path() -> None:
    profiles = Profiles(settings(OVERRIDES), select=["cron-syntax"])
    assert profiles.of("legacy/a.yaml").rules == {"cron-syntax", *ALWAYS_REPORTED}


def test_the_command_line_ignores_for_every_path() -> None:
    profiles = Profiles(settings(OVERRIDES), ignore=["cron-syntax"])
    assert "cron-syntax" not in profiles.of("legacy/kept/a.yaml").rules


def test_facts_are_gathered_where_a_rule_is_off() -> None:
    text = "[[overrides]]\npaths = ['a/**']\nignore = ['duplicate-resource-name']"
    off = Profiles(settings(text)).of("a/b.yaml")
    assert "duplicate-resource-name" not in off.rules
    assert "duplicate-resource-name" in off.gathered_rules


def test_an_edition_holds_the_default_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    from trialrun.lint import selection

    monkeypatch.setattr(selection, "ADDED", {"2026.1": frozenset(), "2099.1": frozenset({"cron-dst"})})
    assert "cron-dst" not in Profiles(settings('edition = "2026.1"')).whole.rules
    assert "cron-dst" in Profiles(settings('edition = "2099.1"')).whole.rules
    assert "cron-dst" in Profiles(settings('edition = "2026.1"\nselect = ["cron-dst"]')).whole.rules
