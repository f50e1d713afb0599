"""Kinds of changes: what the catalogue says of each id, and the page that is made of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trialrun.changes.change import Level, Operation
from trialrun.lazy_dataclass import dataclass

MARKS: dict[str, Operation] = {"+": "added", "-": "removed", "~": "reordered", "=": "renamed"}
"""How an entry of `fields` names an operation; one without a mark stands for all that have no entry of their own."""
OPERATION_TEXTS: dict[Operation, str] = {
    "added": "added",
    "removed": "removed",
    "reordered": "in another order",
    "renamed": "renamed",
    "changed": "changed",
}
EXPLANATIONS = {
    Level.BREAKING: "Something that is served, or that customers rely on, is lost.",
    Level.RISKY: "Behavior differs after the change.",
    Level.SAFE: "Nothing that is served or said differs, or nobody uses it yet.",
}


@dataclass(frozen=True, slots=True)
class ChangeType:
    """A kind of change: its id, its default level, what it is in one sentence, and why it has the level.

    `fields` are what it is about: `Message.field`, or the name of a kind, with a mark for one operation (`MARKS`).
    `mirror` is the id of the same change made backwards, where that is another one.
    """

    id: str
    level: Level
    summary: str
    why: str
    fields: tuple[str, ...]
    mirror: str = ""

    @property
    def subjects(self) -> Iterator[tuple[str, Operation | None]]:
        """The fields and kinds that it is about, each with its operation, None for every one."""
        for field in self.fields:
            operation = MARKS.get(field[-1])
            yield (field[:-1], operation) if operation else (field, None)

    def page(self) -> str:
        """The page of the id: what it is, why it has its level, what is compared, and how to set another level."""
        compared = "\n".join(f"- {_subject(name, operation)}" for name, operation in self.subjects)
        backwards = f"\nMade backwards, it is `{self.mirror}`.\n" if self.mirror and self.mirror != self.id else ""
        return (
            f"{self.summary}\n\nLevel: {self.level.word}. {self.why}\n\nWhat is compared:\n\n{compared}\n{backwards}\n"
            f'Another level, in trialrun.toml:\n\n    [change-levels]\n    {self.id} = "{_other_level(self.level)}"\n'
        )


def _subject(name: str, operation: Operation | None) -> str:
    return f"`{name}`" if operation is None else f"`{name}`, {OPERATION_TEXTS[operation]}"


def _other_level(level: Level) -> str:
    return {Level.BREAKING: "risky", Level.RISKY: "breaking", Level.SAFE: "risky"}[level]


def by_subject(types: Sequence[ChangeType]) -> dict[tuple[str, Operation | None], ChangeType]:
    """The types by what they are about. Raises ValueError where two are about the same."""
    subjects: dict[tuple[str, Operation | None], ChangeType] = {}
    for change_type in types:
        for subject in change_type.subjects:
            if subject in subjects:
                raise ValueError(f"{subject} is in {subjects[subject].id} and in {change_type.id}")
            subjects[subject] = change_type
    return subjects
