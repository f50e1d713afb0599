"""pydantic's plugins: disabled, and not even looked for."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests.program import SOURCE

BUILT = (
    "from trialrun.model.pydantic_models import compiled_validator; "
    "from trialrun.model.feature_view import FeatureView; compiled_validator(FeatureView)({})\n"
)


def printed(code: str, **environment: str) -> str:
    """What a process of its own prints; the model is built in it before."""
    kept = {key: value for key, value in os.environ.items() if key != "PYDANTIC_DISABLE_PLUGINS"}
    whole = kept | {"PYTHONPATH": SOURCE} | environment
    return subprocess.run(
        [sys.executable, "-c", BUILT + code], env=whole, capture_output=True, text=True, check=True
    ).stdout.strip()


LOOKED = "import sys; print('importlib.metadata' in sys.modules)"


@pytest.mark.parametrize(("said", "looked"), [({}, "False"), ({"PYDANTIC_DISABLE_PLUGINS": "one,other"}, "True")])
def test_plugins_are_looked_for_only_where_the_environment_wants_some(said: dict[str, str], looked: str) -> None:
    assert printed(LOOKED, **said) == looked


def test_there_are_no_plugins() -> None:
    assert printed("from pydantic.plugin._loader import get_plugins; print(list(get_plugins()))") == "[]"


def test_who_wants_more_of_the_loader_gets_the_real_one() -> None:
    code = (
        "from pydantic.plugin._loader import PYDANTIC_ENTRY_POINT_GROUP as group\n"
        "from pydantic.plugin._loader import get_plugins\n"
        "print(group, get_plugins.__module__, list(get_plugins()))"
    )
    assert printed(code) == "pydantic pydantic.plugin._loader []"
