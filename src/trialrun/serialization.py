"""What classes of results say of their fields besides the types: how JSON has them, and what its schema tells."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, GetPydanticSchema, WrapSerializer
from pydantic_core import core_schema

FilePath = Annotated[str, Field(description="relative to the working directory, with /")]
LineNumber = Annotated[int, Field(ge=1, description="counted from 1")]

Hidden = Field(exclude=True)
"""Marks a field that JSON does not show."""
Opaque = GetPydanticSchema(lambda source, handler: core_schema.any_schema())
"""Marks a field whose type JSON does not have: it is hidden, or a serializer says what is shown of it."""


def omits(*keys: str) -> WrapSerializer:
    """Marks a class of which JSON has some keys only where they have a value."""
    return WrapSerializer(
        lambda result, dump: {key: value for key, value in dump(result).items() if value or key not in keys}
    )
