"""A column of a table as documents declare it."""

from typing import ClassVar, Literal

from trialrun.model.node import Node, field


class Column(Node):
    """A declared column of a source."""

    item_key: ClassVar = ("name",)

    name: str | None = field("Name of the column.", mode="required", declares="column")
    type: str | None = field("Type of the column.", mode="required", format="column-type")
    mode: Literal["NULLABLE", "REQUIRED", "REPEATED"] | None = field("Mode of the column; NULLABLE when unset.")
