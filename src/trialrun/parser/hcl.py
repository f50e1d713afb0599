"""Read a text of HCL, the native syntax of Terraform: its bodies, with recovery line by line.

What is broken costs its own line, or the lines in its brackets; the rest is read. A block that is not closed ends where
the next resource starts, and a nested one where the indentation says so, which is trusted only in a text with an open
block.
"""

from __future__ import annotations

import re

from trialrun.parser.hcl_expressions import ExpressionReader
from trialrun.parser.hcl_syntax import (
    Attribute,
    Block,
    Body,
    Expression,
    HclError,
    HclFile,
    Label,
    ObjectExpression,
    Operation,
    Template,
)
from trialrun.parser.nodes import MAX_BROKEN, MAX_DEPTH
from trialrun.parser.parse_error import shorten
from trialrun.text import Span

_statement_line = re.compile(
    r'[ \t]*(?:[^\W\d][\w-]*(?:[ \t]+(?:"[^"\n]*"|[\w-]+))*[ \t]*(?:=(?![=>])|\{)'
    r"|(\})[ \t]*(?:(?:#|/[/*]).*)?\r?$)",
    re.M,
).match
_resource_line = re.compile(
    r'(?:resource|data|ephemeral|variable|locals|module|provider|terraform|output|moved|import|removed|check)[ \t]*["{]'
).match
_opens = re.compile(r"[\[{(,][ \t\r]*$", re.M).search
_comment_in_line = re.compile(r'"(?:[^"\\\n]|\\.)*"|((?:#|//)[^\r\n]*)').finditer


def read_hcl(text: str) -> HclFile:
    """The syntax tree of a text without a byte order mark, what is wrong in it, and its comments; it never raises."""
    reader = _BodyReader(text)
    body = reader.file()
    if reader.has_open_block:
        reader = _BodyReader(text, trusts_margin=True)
        body = reader.file()
    errors = sorted(reader.errors, key=lambda error: (error.start, error.end))
    return HclFile(body, errors, [Span(start, end) for start, end in sorted(reader.comments.items())])


class _BodyReader(ExpressionReader):
    """Reads bodies; `statement` is where the statement starts whose lines an error costs."""

    def __init__(self, text: str, *, trusts_margin: bool = False) -> None:
        super().__init__(text)
        self.trusts_margin = trusts_margin
        self.has_open_block = False
        self.is_unwinding = False
        self.statement = 0
        self.errors: list[HclError] = []

    def file(self) -> Body:
        """The body of the whole text."""
        body = Body()
        self._body(body, None)
        return body

    def _body(self, body: Body, block: Block | None) -> None:
        """Read statements up to the end of the block, or of the text."""
        depth = self.depth
        while True:
            self.in_brackets = False
            self.statement = self.at
            try:
                if self._at_end(block) or self.is_unwinding:
                    return
                self._statement(body)
            except HclError as error:
                self._report(error)
                self._resume(error)
            self.is_unwinding = self.is_unwinding and block is not None
            self.depth = depth

    def _at_end(self, block: Block | None) -> bool:
        """Go to the next statement; whether the block, or the text, ends before it."""
        self.in_brackets = True
        sign = self.skip()
        self.in_brackets = False
        self.statement = self.at
        if sign == "}" and block is None:
            raise HclError(self.at, "the } closes no block; remove it")
        if block is None:
            return not sign
        if self._is_outside(block, sign):
            self._report(HclError(block.start, "the block is not closed; add a }", block.end))
            self.at = self.text.rfind("\n", 0, self.at)
            return True
        if sign == "}":
            self.at += 1
            return True
        at_margin = (
            self.trusts_margin and self.text[self.at - 1 : self.at] == "\n" and _resource_line(self.text, self.at)
        )
        if sign and not at_margin:
            return False
        self.is_unwinding = self.has_open_block = True
        self._report(HclError(block.start, "the block is not closed; add a }", block.end))
        return True

    def _is_outside(self, block: Block, sign: str) -> bool:
        """Whether the indentation says that a nested block has ended before a statement, or before a `}`."""
        indent, own = (at - self.text.rfind("\n", 0, at) - 1 for at in (self.at, block.start))
        before = self.text[self.at - indent : self.at] + self.text[block.start - own : block.start]
        is_left = indent < own or (indent == own and sign not in ("}", ""))
        return self.trusts_margin and own > 0 and sign != "" and is_left and not before.strip(" \t")

    def _statement(self, body: Body) -> None:
        start = self.at
        name = self.word()
        if not name:
            raise HclError(start, f"unexpected {self.text[start]!r}; write an argument or a block")
        end = self.at
        if self.skip() == "=" and not self.text.startswith("==", self.at):
            self._attribute(body, name, start, end)
        else:
            self._block(body, name, start, end)
        if self.is_unwinding:
            return
        if self.skip() not in ("\n", ""):
            self.statement = self.at
            raise HclError(self.at, "a new line is missing here")

    def _attribute(self, body: Body, name: str, start: int, end: int) -> None:
        """Read what follows a name, from `=` on."""
        self.at += 1
        attribute = Attribute(name, start, end, Operation(self.at, self.at))
        self._add(body, attribute)
        self.skip()
        attribute.expression = self.expression()

    def _add(self, body: Body, attribute: Attribute) -> None:
        earlier = body.attributes.setdefault(attribute.name, attribute)
        if earlier is not attribute:
            message = f"{attribute.name} is set twice; remove one"
            error = HclError(attribute.start, message, attribute.end, "duplicate-key")
            error.related = earlier.start, earlier.end
            self._report(error)

    def _block(self, body: Body, name: str, start: int, end: int) -> None:
        """Read what follows the type of a block, from its labels on."""
        labels: list[Label] = []
        while self.skip() != "{":
            at = self.at
            label = self._label()
            if label is None:
                raise HclError(start, f"{name} is neither an argument nor a block; write = or {{ behind it", end)
            labels.append(Label(label, at, self.at))
        block = Block(name, start, end, labels, Body(), self.at, self.at)
        self.at += 1
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise HclError(start, f"nested deeper than {MAX_DEPTH} levels; flatten it", end, "resource-limit")
        body.blocks.append(block)
        if self.skip() in ("\n", "") or not self._one_line(block):
            self._body(block.body, block)
        self.depth -= 1
        block.stop = self.at

    def _label(self) -> str | None:
        """Read a label: a word, or a text without sequences; None where neither is."""
        if not self.text.startswith('"', self.at):
            return self.word() or None
        start = self.at
        label = self._term()
        if not isinstance(label, Template) or label.text is None:
            raise HclError(start, "a label is a text without ${}", self.end)
        return label.text

    def _one_line(self, block: Block) -> bool:
        """Read the only argument of a block on one line; False where the block goes on below."""
        start = self.statement = self.at
        if self.text.startswith("}", start):
            self.at += 1
            return True
        name = self.word()
        end = self.at
        if not name or self.skip() != "=":
            raise HclError(start, "a block on one line has one argument; give each its own line", max(end, start + 1))
        self._attribute(block.body, name, start, end)
        sign = self.skip()
        if sign == "}":
            self.at += 1
            return True
        message = "a block on one line has one argument and a }; give each its own line"
        if sign == "\n":
            self._report(HclError(start, message, end))
            return False
        raise HclError(self.at, message)

    def _object(self, start: int) -> Expression:
        """Read an object, and report its keys that are there twice, of which the last counts."""
        found = super()._object(start)
        earlier: dict[str, Template] = {}
        for key, _ in found.items if isinstance(found, ObjectExpression) else ():
            if isinstance(key, Template) and key.text is not None:
                first = earlier.setdefault(key.text, key)
                if first is not key and len(self.errors) < MAX_BROKEN - 1:  # so that these alone end no reading
                    message = f'"{shorten(key.text)}" is set twice; remove one'
                    error = HclError(key.start, message, key.end, "duplicate-key")
                    error.related, error.is_accepted = (first.start, first.end), True
                    self.errors.append(error)
        return found

    def _report(self, error: HclError) -> None:
        """Keep an error; after many the rest is not read."""
        if len(self.errors) < MAX_BROKEN:
            self.errors.append(error)
        if len(self.errors) == MAX_BROKEN:
            self.at = len(self.text)

    def _resume(self, error: HclError) -> None:
        """Go to the next line that may start a statement or close a block.

        Where the first line of the broken statement opens brackets, deeper lines belong to it, and so does the bracket
        that closes them.
        """
        text, start = self.text, self.statement
        is_open = _opens(text, start, _line_end(text, start)) is not None
        indent = start - (text.rfind("\n", 0, start) + 1)
        at = _line_end(text, start) + 1
        while at < len(text):
            line = _statement_line(text, at)
            deeper = text[at : _line_end(text, at)].lstrip(" \t")
            if line and not (is_open and _line_end(text, at) - len(deeper) - at > indent):
                if not (is_open and line[1] and line.end(1) - 1 - at == indent):
                    break
                is_open = False
            at = _line_end(text, at) + 1
        for comment in _comment_in_line(text, min(error.start, len(text)), at):
            if comment[1]:
                self.comments.setdefault(comment.start(1), comment.end(1))
        self.at = max(min(at, len(text)), self.at if len(self.errors) == MAX_BROKEN else 0)


def _line_end(text: str, at: int) -> int:
    """The offset of the line break of a line, or the end of the text."""
    end = text.find("\n", at)
    return end if end >= 0 else len(text)
