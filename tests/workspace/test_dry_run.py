"""A workspace as its trial runs need it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

from tests.cases import each_of
from tests.program import Run
from trialrun.lint.settings.model import TABLES
from trialrun.runtime.options import ALIASES, Options, runtime_options

CHOSEN = """\
[runtime]
vanished-entities = "keep"
threads = 1
"""


KEYS = {key: known for key, known in TABLES["runtime"].fields_by_key().items() if key not in ALIASES}
OF_THE_PROGRAM = ("confined", "bounded", "engine")
"""Options that no setting has: the command chooses them."""


def test_the_settings_are_the_options_of_the_runtime() -> None:
    assert [key.replace("-", "_") for key in KEYS] == [
        name for name in Options.__annotations__ if name not in OF_THE_PROGRAM
    ]
    assert runtime_options({"vanished-entities": "drop", "memory-limit": "4GB"}) == Options("drop", memory_limit="4GB")


def test_the_defaults_of_the_settings_are_those_of_the_runtime() -> None:
    assert {key: known.default for key, known in KEYS.items()} == {
        key: getattr(Options(), key.replace("-", "_")) for key in KEYS
    }


@each_of([key for key, known in KEYS.items() if get_origin(known.annotation) is Literal])
def test_a_choice_has_the_words_of_the_runtime(key: str) -> None:
    allowed = get_type_hints(Options)[key.replace("-", "_")]
    words = [word for arg in get_args(allowed) for word in (get_args(arg) or (arg,))]
    assert {*get_args(KEYS[key].annotation)} == set(words) - {type(None)}


def test_the_settings_command_shows_every_choice_and_where_it_came_from(run: Run, tmp_path: Path) -> None:
    (tmp_path / "trialrun.toml").write_text(CHOSEN)
    shown = json.loads(run("settings", "--output-format", "json").out)["settings"]
    assert shown["runtime.vanished-entities"] == {"value": "keep", "from": "trialrun.toml", "default": None}
    assert shown["runtime.threads"] == {"value": 1, "from": "trialrun.toml", "default": 0}
    assert shown["runtime.memory-limit"] == {"value": "2GB", "from": "default", "default": "2GB"}
