"""The model of the settings, what it says of content, and what is made from it: their JSON Schema and their page."""

import json
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from scripts import settings_page
from tests.cases import each_of, number_of_cases
from tests.lint.test_settings import MANY_ERRORS, OVERRIDES, WRONG
from tests.program import Run
from trialrun.errors import UsageError
from trialrun.lint import registry
from trialrun.lint.settings.json_schema import RULE_ID, RULE_OR_GROUP, settings_schema
from trialrun.lint.settings.loader import settings_of
from trialrun.lint.settings.model import SETTINGS, TABLES, SettingsTable, WorkspaceSettings
from trialrun.lint.settings.resolver import rule_problems
from trialrun.lint.settings.validate import validate

ROOT = Path(__file__).parent.parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
VALID = [
    "",
    (ROOT / "fixtures" / "workspaces" / "burger-brand" / "trialrun.toml").read_text(encoding="utf-8"),
    *re.findall(r"```toml\n(.*?)```", README, re.DOTALL),
    *(
        block
        for page in (ROOT / "docs").glob("*.md")
        for block in re.findall(r"```toml trialrun\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    ),
    OVERRIDES,
    "ignore = ['cron-rare']\n[[suppress]]\npath = 'a.json'\nrule = ['cron-dst', 'a-policy']\nuntil = 2027-01-31",
    "[[ignore]]\npath = 'a/*.json'\nrule = 'cron-dst'\npointer = '/syncConfig'\nreason = 'old'\nuntil = '2027-01-31'",
    "[options]\nmin-sync-interval = 15\nsystem-label-prefix = 'acme/'\ncel-extensions = ['strings']",
    "[runtime]\nvanished-entities = 'keep'\nmemory-limit = '1.5 GiB'\nthreads = 0",
    "edition = '2026.4'\nselect = ['all', 'feature-view', 'a-policy']\npolicies = ['cost', 'policies/']",
]
OF_FILES = ("session-schema", "memory-limit = '0GB'", "memory-limit = '1KB'", "memory-limit = '999", "\\u0000")
"""What is wrong for reasons that no schema can know: other files, sums, characters that TOML has no word for."""


def schema_of(name: str = "settings") -> Draft202012Validator:
    schema = settings_schema(name)
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


SCHEMA = schema_of()


def plain(value: Any) -> Any:
    """A value of TOML as an editor holds it against a schema: its dates are texts."""
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value


def test_the_schema_of_the_extension_is_that_of_the_command(run: Run) -> None:
    printed = run("schema", "settings").out
    assert settings_page.EDITOR_SCHEMA.read_text(encoding="utf-8") == printed, "run python scripts/settings_page.py"
    assert json.loads(run("schema", "user-settings").out) == settings_schema("user-settings")


def test_every_option_of_a_rule_has_its_default() -> None:
    defaults = {name: value for rule in registry.everything() for name, value in rule.options.items()}
    for name, default in TABLES["options"].defaults().items():
        assert (defaults.get(name) or None) == (default or None), name


def test_every_key_has_a_description() -> None:
    for name in SETTINGS:
        schema = settings_schema(name)
        for table in (schema, *schema["$defs"].values()):
            keys = {key: one for key, one in table.get("properties", {}).items() if "$ref" not in one}
            assert [key for key, one in keys.items() if not one.get("description")] == []


@each_of(VALID)
def test_the_schema_allows_valid_settings(text: str) -> None:
    assert [error.message for error in SCHEMA.iter_errors(plain(tomllib.loads(text)))] == []


@each_of([text for text, _ in WRONG if not any(word in text for word in OF_FILES)])
def test_the_schema_refuses_what_the_program_refuses(text: str) -> None:
    assert not SCHEMA.is_valid(plain(tomllib.loads(text)))


@pytest.mark.parametrize(("text", "valid"), [("ignore = []", True), ("ingore = []", False)])
def test_the_schema_of_a_project_leaves_other_tables_alone(text: str, valid: bool) -> None:
    project = tomllib.loads(f'[project]\nname = "x"\n[tool.ruff]\nline-length = 9\n[tool.trialrun]\n{text}')
    assert schema_of("pyproject").is_valid(project) is valid


def test_the_schema_has_the_rules_with_their_summaries() -> None:
    severity = settings_schema("settings")["$defs"]["Severity"]["properties"]
    assert list(severity) == registry.ids()
    assert severity["cron-dst"]["enum"] == ["note", "warning", "error", "off"]
    assert severity["cron-dst"]["description"] == registry.load("cron-dst").doc.partition("\n")[0]


@each_of(
    [
        ("allow-paths = ['/srv', '~/schemas']\n[limits]\nthreads = 2\nmemory-limit = '1GB'", True),
        ("allow-path = []", False),
        ("allow-paths = ['x']", False),
        ("[limits]\nthreads = -1", False),
    ]
)
def test_the_schema_of_the_settings_of_a_user(text: str, valid: bool) -> None:
    assert schema_of("user-settings").is_valid(tomllib.loads(text)) is valid


WORDS = ("", "a", "all", "note", "off", "keep", "offer", "2GB", "15m", "/a", "{a,b}", "2026.5", "Menu", "strings")
ODD_WORDS = (
    "a_b",
    "/",
    "a/",
    "./",
    "!",
    "!#a",
    "a\\",
    "a\\ ",
    "a\\  ",
    "\\{a,b}",
    "1h 30m",
    "1.5 GiB",
    "acme//",
    "٣m",
    "é",
)
AROUND = ("\n", " ", "\t", "\x0b", "\x1c", "\x85", "\xa0", "\u2028", "\u200b", "\u3000", "\ufeff")
"""Blanks, line breaks, and characters that only some regular expressions take for one."""
TEXTS = (
    *WORDS,
    *ODD_WORDS,
    "٣m",
    "é",
    *(f"{word}{odd}" for word in WORDS for odd in AROUND),
    *(f"{odd}a" for odd in AROUND),
)
NUMBERS = (0, 1, -1, 2000, 10**7, True, 1.5, 5.0, 1e300)
SCALARS = st.sampled_from([*TEXTS, *NUMBERS])
UNTIL = st.one_of(SCALARS, st.just(date(2027, 1, 31)))
"""Dates are drawn here alone: JSON has none, so that a schema accepts one wherever it accepts a text."""
SUPPRESSION = st.fixed_dictionaries(
    {},
    optional={
        "path": SCALARS,
        "rule": st.one_of(SCALARS, st.lists(SCALARS, max_size=1)),
        "until": UNTIL,
        "pointer": SCALARS,
    },
)
VALUES = st.one_of(
    SCALARS,
    st.lists(SCALARS, max_size=2),
    st.lists(SUPPRESSION, max_size=1),
    st.dictionaries(st.sampled_from(["cron-dst", "view-added", *TEXTS]), SCALARS, max_size=1),
    st.dictionaries(st.sampled_from(["cost", *TEXTS]), st.dictionaries(st.just("a"), SCALARS), max_size=1),
)


def table(model: type[SettingsTable]) -> st.SearchStrategy[dict[str, Any]]:
    keys = [key for key in model.fields_by_key() if key != "session-schema"]
    return st.dictionaries(st.sampled_from([*keys, "unknown"]), VALUES, max_size=2)


HOMES: list[tuple[type[SettingsTable], Callable[[dict[str, Any]], dict[str, Any]]]] = [
    (WorkspaceSettings, lambda table: table),
    (TABLES["options"], lambda table: {"options": table}),
    (TABLES["runtime"], lambda table: {"runtime": table}),
    (TABLES["overrides"], lambda table: {"overrides": [{"paths": ["a"], **table}]}),
    (TABLES["suppress"], lambda table: {"suppress": [{"path": "a", "rule": "b-c", **table}]}),
]
"""Where the tables stand in a file."""
CONTENT = st.one_of(*(table(model).map(home) for model, home in HOMES))


def is_accepted(content: dict[str, Any]) -> bool:
    """Whether the reader accepts settings in which every name of a rule could be that of a policy."""
    try:
        settings = settings_of(content, "trialrun.toml")
    except UsageError:
        return False
    return all(
        re.search(RULE_OR_GROUP if {"select", "ignore"} & {*problem.path} else RULE_ID, str(problem.value))
        for problem in rule_problems(replace(settings, policies=()))
    )


@given(CONTENT)
@example({"options": {"min-sync-interval": "1h 30m"}})
@example({"runtime": {"memory-limit": "1.5 gib"}})
def test_reader_model_and_schema_agree(content: dict[str, Any]) -> None:
    assert SCHEMA.is_valid(plain(content)) == is_accepted(content)
    if is_accepted(content):
        WorkspaceSettings.model_validate(content)


def drawn_content(seed: int) -> dict[str, Any]:
    """One more content of a settings file, for validators that ask for many at once."""
    draw = Random(seed)
    model, home = draw.choice(HOMES)
    scalars = [*TEXTS, *NUMBERS]
    values = {
        0: lambda: draw.choice(scalars),
        1: lambda: draw.choices(scalars, k=draw.randrange(3)),
        2: lambda: {draw.choice(["cron-dst", *TEXTS]): draw.choice(scalars)},
        3: lambda: {draw.choice(["cost", *TEXTS]): {"a": draw.choice(scalars)}},
    }
    keys = [key for key in model.fields_by_key() if key != "session-schema"]
    return home({draw.choice(keys): values[draw.randrange(4)]()})


@pytest.mark.generated
def test_jsonschema_judges_settings_as_the_program_does() -> None:
    contents = [drawn_content(seed) for seed in range(number_of_cases(3000))]
    assert [one for one in contents if SCHEMA.is_valid(one) != is_accepted(one)] == []


def test_jsonschema_rs_judges_settings_as_the_program_does() -> None:
    jsonschema_rs = pytest.importorskip("jsonschema_rs", reason="needs jsonschema_rs; run pip install jsonschema-rs")
    validator = jsonschema_rs.Draft202012Validator(settings_schema("settings"))
    contents = [drawn_content(seed) for seed in range(3000)]
    assert [one for one in contents if validator.is_valid(one) != is_accepted(one)] == []


@each_of([text for text, _ in WRONG if "session-schema" not in text] + [MANY_ERRORS])
def test_what_is_right_of_wrong_settings_is_right(text: str) -> None:
    valid, problems = validate(tomllib.loads(text), "settings")
    assert problems
    _, again = validate(valid, "settings")
    assert [problem for problem in again if "paths" not in problem.text and "path and rule" not in problem.text] == []
