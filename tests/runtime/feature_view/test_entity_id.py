"""Entity ids as they are written, and as the entity id columns have them."""

from __future__ import annotations

import pytest

from tests.cases import each_of
from trialrun.runtime.feature_view.column import Column
from trialrun.runtime.feature_view.entity_id import InvalidEntityId, entity_id_from_parts

NUMBER, TEXT = Column("user_id", "INT64"), Column("region", "STRING")


@each_of(
    [
        (["7"], (NUMBER,), (7,)),
        ([7], (NUMBER,), (7,)),
        (["-9223372036854775808"], (NUMBER,), (-(2**63),)),
        (["007"], (NUMBER,), (7,)),
        ([7], (TEXT,), ("7",)),
        (["007"], (TEXT,), ("007",)),
        ([""], (TEXT,), ("",)),
        (["7", "eu"], (NUMBER, TEXT), (7, "eu")),
    ],
)
def test_parts_become_what_their_columns_are(
    parts: list[object], keys: tuple[Column, ...], id: tuple[int | str, ...]
) -> None:
    assert entity_id_from_parts(parts, keys) == id


@each_of(
    [
        (
            ["7.0"],
            (NUMBER,),
            "'7.0' is not an INT64, the type of the entity id column user_id; write a 64-bit integer",
        ),
        (["٧"], (NUMBER,), "'٧' is not an INT64"),
        ([" 7"], (NUMBER,), "' 7' is not an INT64"),
        ([True], (NUMBER,), "True is not an INT64"),
        ([2**63], (NUMBER,), "9223372036854775808 is not an INT64"),
        (["9" * 5000], (NUMBER,), "'999"),
        (["a\ud800"], (TEXT,), "'a\\ud800' has half of a surrogate pair"),
        ([None], (TEXT,), "None is not a STRING, the type of the entity id column region; write text"),
        (["7"], (NUMBER, TEXT), "the entity id has 1 part; write one for each of its columns: user_id, region"),
        ([], (TEXT,), "the entity id has 0 parts"),
    ],
)
def test_parts_that_do_not_fit_are_told(parts: list[object], keys: tuple[Column, ...], message: str) -> None:
    with pytest.raises(InvalidEntityId) as told:
        entity_id_from_parts(parts, keys)
    assert str(told.value).startswith(message)
