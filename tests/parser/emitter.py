"""Writes documents in every style that YAML has, and knows where it put each character: the truth for the places."""

import json
import random
import re
from dataclasses import dataclass, field
from typing import Any

Path = tuple[str | int, ...]
Place = tuple[int, int]

_plain = re.compile(r"[A-Za-zéß漢][A-Za-z0-9éß漢🍔/_.'\"-]*(?: [A-Za-z0-9éß漢🍔/_.'\"-]+)*\Z").match
_block = re.compile(
    r"(?!(?:.|\n)*(?:^|\n)[ ]+(?:\n|\Z))[^ \n\x00-\x1f\x7f-\x9f\u2028\ufeff\ufffe\uffff]"
    r"[^\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\ufeff\ufffe\uffff]*\Z"
).match
_words = {"true", "false", "null", "yes", "no", "on", "off"}
_named = {"\n": "\\n", "\t": "\\t", '"': '\\"', "\\": "\\\\", "\xa0": "\\_", "\0": "\\0", "\x1b": "\\e"}


@dataclass
class Written:
    """What was written: the values, and by path the place of the value, of its key, and of its characters."""

    text: str = ""
    values: list[Any] = field(default_factory=list)
    spans: list[dict[Path, Place]] = field(default_factory=list)
    keys: list[dict[Path, Place]] = field(default_factory=list)
    characters: list[dict[Path, list[Place]]] = field(default_factory=list)
    key_characters: list[dict[Path, list[Place]]] = field(default_factory=list)


class Emitter:
    """One file; every choice of style is the random generator's."""

    def __init__(self, rnd: random.Random, line_break: str) -> None:
        self.rnd = rnd
        self.line_break = line_break
        self.written = Written()
        self.end = 0
        self.after_block_scalar = False

    @property
    def at(self) -> int:
        return len(self.written.text)

    def put(self, text: str) -> Place:
        start = self.at
        self.written.text += text
        return start, self.at

    def chance(self, share: float) -> bool:
        return self.rnd.random() < share

    def line(self, indent: int) -> None:
        if self.after_block_scalar:
            self.after_block_scalar = False
            self.put(self.line_break + " " * indent)
            return
        if self.chance(0.15):
            self.put("   # a comment: with 'quotes")
        self.put(self.line_break)
        while self.chance(0.1):
            self.put(self.rnd.choice(["", "  ", "# note", "    # - x: y"]) + self.line_break)
        self.put(" " * indent)

    def document(self, value: Any, *, first: bool) -> None:
        written = self.written
        for places in (written.spans, written.keys, written.characters, written.key_characters):
            places.append({})
        written.values.append(value)
        if not first or self.chance(0.3):
            self.put("---")
            self.line(0)
        elif self.chance(0.3):
            self.put("# first" + self.line_break)
        self.block(value, (), 0)
        self.put(self.line_break)
        self.after_block_scalar = False

    # ---- collections

    def block(self, value: Any, path: Path, indent: int) -> None:
        """A value at the present place; its further lines are indented by `indent`."""
        start = self.at
        if isinstance(value, dict) and value and not self.chance(0.15):
            self.block_mapping(value, path, indent)
        elif isinstance(value, list) and value and not self.chance(0.15):
            self.block_list(value, path, indent)
        else:
            self.leaf(value, path, indent)
            return
        self.written.spans[-1][path] = (start, self.end)

    def block_mapping(self, value: dict[str, Any], path: Path, indent: int) -> None:
        for number, (key, child) in enumerate(value.items()):
            if number:
                self.line(indent)
            self.key(key, (*path, key))
            self.put(":")
            self.end = self.at
            self.child(child, (*path, key), indent)

    def child(self, value: Any, path: Path, indent: int) -> None:
        if isinstance(value, dict | list) and value and self.chance(0.85):
            deeper = indent + (0 if isinstance(value, list) and self.chance(0.4) else self.rnd.choice([1, 2, 4]))
            self.line(deeper)
            self.block_only(value, path, deeper)
        elif value is None and self.chance(0.5):
            self.written.spans[-1][path] = (self.at, self.at)
        else:
            self.put(" " * self.rnd.choice([1, 1, 3]))
            self.leaf(value, path, indent + 1)

    def block_only(self, value: Any, path: Path, indent: int) -> None:
        start = self.at
        if isinstance(value, dict):
            self.block_mapping(value, path, indent)
        else:
            self.block_list(value, path, indent)
        self.written.spans[-1][path] = (start, self.end)

    def block_list(self, value: list[Any], path: Path, indent: int) -> None:
        for number, child in enumerate(value):
            if number:
                self.line(indent)
            self.put("- ")
            if isinstance(child, dict) and child and self.chance(0.8):
                self.block_only(child, (*path, number), indent + 2)
            else:
                self.leaf(child, (*path, number), indent + 1)

    def leaf(self, value: Any, path: Path, indent: int) -> None:
        """A scalar or a flow collection."""
        start = self.at
        if isinstance(value, dict | list):
            self.flow(value, path, indent)
            self.end = self.at
        else:
            self.written.characters[-1][path] = self.scalar(value, indent, flow=False)
        self.written.spans[-1][path] = (start, self.end)

    def flow(self, value: Any, path: Path, indent: int) -> None:
        opening, closing = "{}" if isinstance(value, dict) else "[]"
        start = self.at
        self.put(opening)
        children = list(value.items()) if isinstance(value, dict) else list(enumerate(value))
        for number, (step, child) in enumerate(children):
            self.put("," if number else "")
            self.flow_gap(indent)
            if isinstance(value, dict):
                self.key(step, (*path, step), flow=True)
                self.put(": ")
            begin = self.at
            if isinstance(child, dict | list):
                self.flow(child, (*path, step), indent)
            else:
                self.written.characters[-1][(*path, step)] = self.scalar(child, indent, flow=True)
            self.written.spans[-1][(*path, step)] = (begin, self.at)
        self.flow_gap(indent)
        self.put(closing)
        self.written.spans[-1][path] = (start, self.at)

    def flow_gap(self, indent: int) -> None:
        if self.chance(0.2):
            self.line(indent + self.rnd.choice([0, 3]))
        elif self.chance(0.5):
            self.put(" ")

    # ---- scalars

    def key(self, key: str, path: Path, *, flow: bool = False) -> None:
        start = self.at
        places = self.scalar(key, 0, flow=flow, one_line=True)
        self.written.keys[-1][path] = (start, self.at)
        self.written.key_characters[-1][path] = places

    def scalar(self, value: Any, indent: int, *, flow: bool, one_line: bool = False) -> list[Place]:
        """Write it in a style that can hold it; the place of each of its characters."""
        if not isinstance(value, str):
            return self.each(json.dumps(value) if value is None or isinstance(value, bool) else str(value))
        styles = [self.double]
        if _plain(value) and value.lower() not in _words:
            styles += [self.plain] * 3
        if re.fullmatch(r"[^\n\t\x00-\x1f\x7f-\x9f\xa0\u2028\ufeff\ufffe\uffff]*", value):
            styles += [self.single]
        if not flow and not one_line and _block(value):
            styles += [self.literal, self.folded]
        return self.rnd.choice(styles)(value, indent, one_line)

    def each(self, text: str) -> list[Place]:
        places = [self.put(character) for character in text]
        self.end = self.at
        return places

    def fold(self, indent: int) -> Place:
        return self.put(self.line_break + " " * (indent + self.rnd.choice([0, 2])))

    def foldable(self, value: str, at: int, one_line: bool) -> bool:
        """A single blank between two visible characters, where a line may break."""
        if one_line or value[at] != " " or not 0 < at < len(value) - 1 or not self.chance(0.3):
            return False
        return not value[at - 1].isspace() and not value[at + 1].isspace() and value[at + 1] not in "#-?:'\"."

    def plain(self, value: str, indent: int, one_line: bool) -> list[Place]:
        places = [
            self.fold(indent) if self.foldable(value, at, one_line) else self.put(character)
            for at, character in enumerate(value)
        ]
        self.end = self.at
        return places

    def single(self, value: str, indent: int, one_line: bool) -> list[Place]:
        self.put("'")
        places = []
        for at, character in enumerate(value):
            if self.foldable(value, at, one_line):
                places.append(self.fold(indent))
            else:
                places.append(self.put("''" if character == "'" else character))
        self.put("'")
        self.end = self.at
        return places

    def double(self, value: str, indent: int, one_line: bool) -> list[Place]:
        self.put('"')
        places = []
        for at, character in enumerate(value):
            if self.foldable(value, at, one_line):
                places.append(self.fold(indent))
                continue
            if not one_line and self.chance(0.05):
                self.put("\\" + self.line_break + " " * indent)
                character_may_stand = character not in " \t"
            else:
                character_may_stand = True
            places.append(self.put(self.escaped(character, character_may_stand)))
        self.put('"')
        self.end = self.at
        return places

    def escaped(self, character: str, may_stand: bool) -> str:
        if character in _named and (character != "\xa0" or self.chance(0.5)):
            return _named[character]
        if character.isprintable() and may_stand and self.chance(0.9):
            return character
        code = ord(character)
        if code < 0x100 and self.chance(0.5):
            return f"\\x{code:02x}"
        return f"\\u{code:04X}" if code < 0x10000 and self.chance(0.7) else f"\\U{code:08x}"

    def literal(self, value: str, indent: int, one_line: bool) -> list[Place]:
        return self.lines("|", value, indent)

    def folded(self, value: str, indent: int, one_line: bool) -> list[Place]:
        return self.lines(">", value, indent)

    def lines(self, style: str, value: str, indent: int) -> list[Place]:
        body = value.rstrip("\n")
        breaks = len(value) - len(body)
        margin = " " * (indent + self.rnd.choice([1, 2]))
        self.put(style + ("-" if not breaks else "" if breaks == 1 else "+"))
        self.put(("  # why" if self.chance(0.2) else "") + self.line_break + margin)
        places: list[Place] = []
        for at, character in enumerate(body):
            places.append(self.line_character(style, body, at, character, margin))
        self.end = self.at
        self.after_block_scalar = True
        for number in range(breaks):
            last = number == breaks - 1
            places.append((self.at, self.at + len(self.line_break)) if last else self.put(self.line_break))
        return places

    def line_character(self, style: str, body: str, at: int, character: str, margin: str) -> Place:
        if style == ">" and self.foldable(body, at, False) and body[body.rfind("\n", 0, at) + 1] != " ":
            return self.put(self.line_break + margin)
        if character != "\n":
            return self.put(character)
        if style == ">" and self.needs_blank_line(body, at):
            self.put(self.line_break)
        place = self.put(self.line_break)
        if body[at + 1] != "\n":
            self.put(margin)
        return place

    def needs_blank_line(self, body: str, at: int) -> bool:
        """Between two lines that begin with no blank, one break would be a space."""
        if body[at - 1] == "\n":
            return False
        following = body[at:].lstrip("\n")[:1]
        return body[body.rfind("\n", 0, at) + 1] not in " \t" and following not in (" ", "\t")
