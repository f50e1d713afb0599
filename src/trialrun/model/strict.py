"""One pass for a value that has nothing wrong: the plain validator, and pydantic's where that one refuses."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from trialrun.diagnostic import Path
from trialrun.model.node import Node
from trialrun.model.plain_validator import validate_plainly
from trialrun.model.unions import has_union_conflict

if TYPE_CHECKING:
    from pydantic_core import ValidationError


def validate_strictly(
    value: Any, model: type[Node], *, refused: set[Path] | None = None, path: Path = ()
) -> Node | None:
    """The model of a value that has nothing wrong; None for any other value.

    Then `refused` takes in the paths of what is wrong, and of all that holds it, as pydantic's compiled validator says
    it; `path` is that of the value.
    """
    if (node := validate_plainly(value, model)) is not None:
        assert isinstance(node, model)
        return node
    from pydantic_core import ValidationError

    from trialrun.model.pydantic_models import compiled_validator

    try:
        node = compiled_validator(model)(value)
    except ValidationError as error:
        if refused is not None:
            refused.update(_error_paths(error, path))
        return None
    assert isinstance(node, model)
    if not has_union_conflict(node):
        return node
    if refused is not None:
        refused.add(path)
    return None


def _error_paths(error: ValidationError, path: Path) -> Iterator[Path]:
    """The paths at which the validator refused something, from the root of the document, with all above them."""
    yield path
    for detail in error.errors(include_url=False, include_context=False, include_input=False):
        location = detail["loc"]
        for length in range(1, len(location) + 1):
            yield (*path, *location[:length])
