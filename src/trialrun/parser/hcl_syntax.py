"""The syntax tree of HCL: bodies, attributes, blocks and expressions, each with its characters in the text.

Offsets are code points of the text that was read; ends are exclusive. Nothing is evaluated.
The words are those of the HCL native syntax specification.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from trialrun.text import Span


@dataclass(slots=True)
class Literal:
    """A number, `true`, `false` or `null`; a number that no float holds is its text.

    A number without a fraction is an int, also as `1.0` and `1e3`; a minus belongs to it.
    """

    start: int
    end: int
    value: int | float | bool | str | None


@dataclass(slots=True)
class TemplateText:
    """Characters of a template between its sequences, escapes resolved and in NFC; one for each line of a heredoc."""

    start: int
    end: int
    text: str


@dataclass(slots=True)
class TemplateSequence:
    """`${…}` with its expression; without one, a directive `%{…}`."""

    start: int
    end: int
    expression: Expression | None


@dataclass(slots=True)
class Template:
    """A text in quotes or a heredoc, from its first quote or `<<` to its last quote or marker.

    `text` is the whole text where it has no sequences, else None; `parts` are empty for a plain text in quotes. The
    bare word that is a key of an object is one too, without quotes.
    """

    start: int
    end: int
    text: str | None
    parts: list[TemplateText | TemplateSequence] = field(default_factory=list)
    is_heredoc: bool = False


@dataclass(slots=True)
class ListExpression:
    """`[…]`, from bracket to bracket; a tuple in the specification."""

    start: int
    end: int
    items: list[Expression]


@dataclass(slots=True)
class ObjectExpression:
    """`{…}`, from brace to brace: keys and values; a bare word is a key of that text, `(word)` is a reference."""

    start: int
    end: int
    items: list[tuple[Expression, Expression]]


@dataclass(slots=True)
class Traversal:
    """A reference, such as `var.x` or `local.views["a"].cron[0]`: the name and the constant steps that follow it."""

    start: int
    end: int
    steps: tuple[str | int, ...]


@dataclass(slots=True)
class Call:
    """A call of a function; a final `...` makes the last argument a list of arguments."""

    start: int
    end: int
    name: str
    arguments: list[Expression]
    expands_last: bool = False


@dataclass(slots=True)
class Conditional:
    """`condition ? if_true : if_false`."""

    start: int
    end: int
    condition: Expression
    if_true: Expression
    if_false: Expression


@dataclass(slots=True)
class Operation:
    """Any other expression with those in it: operators, splats, computed steps, `for`.

    Without operands it stands for a value that could not be read; `HclFile.errors` says why.
    """

    start: int
    end: int
    operands: list[Expression] = field(default_factory=list)


Expression = Literal | Template | ListExpression | ObjectExpression | Traversal | Call | Conditional | Operation


@dataclass(slots=True)
class Attribute:
    """`name = expression`; `start` and `end` are those of the name."""

    name: str
    start: int
    end: int
    expression: Expression


@dataclass(slots=True)
class Label:
    """A label of a block; quotes are in its characters."""

    text: str
    start: int
    end: int


@dataclass(slots=True)
class Block:
    """`type "label" {…}`: `start` and `end` are those of the type, `open` of the brace, `stop` follows the last brace.

    A block that is not closed stops where what follows it starts.
    """

    type: str
    start: int
    end: int
    labels: list[Label]
    body: Body
    open: int = 0
    stop: int = 0


@dataclass(slots=True)
class Body:
    """The attributes by name, of which the first counts, and the blocks in their order."""

    attributes: dict[str, Attribute] = field(default_factory=dict)
    blocks: list[Block] = field(default_factory=list)


class HclError(Exception):
    """What is wrong in a text, at its characters; `rule` is syntax-error, duplicate-key or resource-limit."""

    def __init__(self, start: int, message: str, end: int = 0, rule: str = "syntax-error") -> None:
        super().__init__(message)
        self.start = start
        self.end = end or start + 1
        self.message = message
        self.rule = rule
        self.related: tuple[int, int] | None = None
        self.is_accepted = False
        """Whether Terraform reads it nevertheless, so that it is no error in what is not ours."""


@dataclass(slots=True)
class HclFile:
    """A text as it was read: what is broken is left out, and is in `errors`, in their order.

    `comments` begin with their `#`, `//` or `/*`, and end before the line break.
    """

    body: Body
    errors: list[HclError]
    comments: list[Span]
