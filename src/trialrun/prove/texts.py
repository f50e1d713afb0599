"""Conditions over texts as formulas of the solver's strings, and patterns of RE2 as its regular expressions.

They only propose texts: every text is evaluated by the engine, and formulas that disagree with it are not trusted. What
has no formula raises `Unsupported`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import z3

from trialrun.prove.reads import RELATIONS, Unsupported
from trialrun.values.cel import Node
from trialrun.values.cel.syntax_tree import is_has

MAX_CHARACTER = 0x2FF00
"""The solver's alphabet ends at U+2FFFF, that of CEL at U+10FFFF; literals must be well below."""
MAX_REPEAT = 200
_SORT = z3.ReSort(z3.StringSort())
_ANY = z3.AllChar(_SORT)
_ALL = z3.Full(_SORT)
_CLASSES = {"d": "0-9", "w": "0-9A-Za-z_", "s": "\t\n\f\r "}
_REPEATS = {"*": (0, -1), "+": (1, -1), "?": (0, 1)}
"""The least and the most of a repeat; -1 is without end."""
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}

PathTerm = Callable[[Node], z3.SeqRef | None]
"""The variable of the text that a part reads; None if the part is no path."""


def escape(text: str) -> str:
    """A text as the solver writes it. Raises Unsupported for characters that it does not have."""
    if any(ord(character) >= MAX_CHARACTER or 0xD800 <= ord(character) < 0xE000 for character in text):
        raise Unsupported("a character beyond U+2FF00")
    return "".join(each if " " <= each < "\x7f" and each != "\\" else f"\\u{{{ord(each):x}}}" for each in text)


def unescape(text: str) -> str:
    """A text of a model of the solver."""
    return re.sub(r"\\u\{([0-9a-fA-F]+)\}", lambda match: chr(int(match[1], 16)), text)


def text_formula(node: Node, term: PathTerm) -> z3.BoolRef:
    """A condition over texts as a formula. Raises Unsupported."""
    if node.kind == "literal" and isinstance(node.value, bool):
        return z3.BoolVal(node.value)
    if is_has(node):
        return z3.BoolVal(True)  # of what is there
    if node.kind == "operator":
        return _operator(node, term)
    if node.kind == "call" and node.receiver and len(node.children) == 2:
        whole, part = node.children
        if node.name == "matches" and isinstance(part.value, str):
            return z3.InRe(_term(whole, term), search_pattern(part.value))
        functions = {"startsWith": z3.PrefixOf, "endsWith": z3.SuffixOf}
        if node.name in functions:
            return functions[node.name](_term(part, term), _term(whole, term))
        if node.name == "contains":
            return z3.Contains(_term(whole, term), _term(part, term))
    raise Unsupported(f"texts in {node.name or node.kind}")


def _operator(node: Node, term: PathTerm) -> z3.BoolRef:
    children = node.children
    if node.name in ("&&", "||", "!"):
        formulas = [text_formula(child, term) for child in children]
        return {"&&": z3.And, "||": z3.Or, "!": z3.Not}[node.name](*formulas)
    if node.name == "in":
        if children[1].kind == "list":
            first = _term(children[0], term)
            return z3.Or([first == _term(each, term) for each in children[1].children])
        return z3.BoolVal(True)  # the key of what is there
    if node.name not in RELATIONS:
        raise Unsupported(f"texts in {node.name}")
    read = _size if any(map(_is_size, children)) else _term
    left, right = (read(child, term) for child in children)
    return RELATIONS[node.name](left, right)


def _term(node: Node, term: PathTerm) -> z3.SeqRef:
    if node.kind == "literal" and isinstance(node.value, str):
        return z3.StringVal(escape(node.value))
    found = term(node)
    if found is None:
        raise Unsupported(f"a text computed by {node.name or node.kind}")
    return found


def _is_size(node: Node) -> bool:
    return node.kind == "call" and node.name == "size" and node.children[0].type == "string"


def _size(node: Node, term: PathTerm) -> z3.ArithRef:
    if _is_size(node):
        return z3.Length(_term(node.children[0], term))
    if isinstance(node.value, int) and not isinstance(node.value, bool):
        return z3.IntVal(node.value)
    raise Unsupported("arithmetic with the size of a text")


def search_pattern(pattern: str) -> z3.ReRef:
    """The texts in which a pattern of RE2 is found. Raises Unsupported for what is outside of the common part."""
    return _Pattern(pattern).whole()


class _Pattern:
    """A reader of patterns: literals, classes, groups, repeats, and anchors at the ends of alternatives."""

    def __init__(self, text: str) -> None:
        escape(text)
        self.text, self.place = text, 0

    @property
    def next(self) -> str:
        return self.text[self.place : self.place + 1]

    def take(self, text: str) -> bool:
        taken = self.text.startswith(text, self.place)
        self.place += len(text) * taken
        return taken

    def whole(self) -> z3.ReRef:
        found = self.alternatives(anchored=True)
        if self.next:
            raise Unsupported(f"the pattern {self.text}")
        return found

    def alternatives(self, *, anchored: bool) -> z3.ReRef:
        found = [self.sequence(anchored=anchored)]
        while self.take("|"):
            found.append(self.sequence(anchored=anchored))
        return found[0] if len(found) == 1 else z3.Union(*found)

    def sequence(self, *, anchored: bool) -> z3.ReRef:
        starts, ends, parts = anchored and self.take("^"), False, list[z3.ReRef]()
        while self.next not in ("", "|", ")"):
            if anchored and self.take("$"):
                ends = True
                if self.next not in ("", "|"):
                    raise Unsupported("a pattern with $ inside")
            else:
                parts.append(self.repeated(self.single()))
        if anchored:
            parts = [*([] if starts else [_ALL]), *parts, *([] if ends else [_ALL])]
        return z3.Re("") if not parts else parts[0] if len(parts) == 1 else z3.Concat(*parts)

    def repeated(self, part: z3.ReRef) -> z3.ReRef:
        match = re.compile(r"([*+?])|\{(\d{1,3})(,?)(\d{0,3})\}").match(self.text, self.place)
        if match is None:
            return part
        self.place = match.end()
        least, most = _REPEATS.get(match[1]) or (int(match[2]), int(match[4] or (-1 if match[3] else match[2])))
        if max(least, most) > MAX_REPEAT:
            raise Unsupported("a long repeat in a pattern")
        self.take("?")  # fewest first: what is found is the same
        if self.next in tuple("*+?{"):
            raise Unsupported("a repeat of a repeat in a pattern")
        if most < 0:
            return z3.Star(part) if not least else z3.Concat(z3.Loop(part, least, least), z3.Star(part))
        return z3.Loop(part, least, most) if most else z3.Re("")

    def single(self) -> z3.ReRef:
        character = self.next
        self.place += 1
        match character:
            case "(":
                if self.take("?") and not self.take(":"):
                    raise Unsupported("a group with flags in a pattern")
                found = self.alternatives(anchored=False)
                if not self.take(")"):
                    raise Unsupported(f"the pattern {self.text}")
                return found
            case "[":
                return self.character_class()
            case ".":
                return z3.Intersect(_ANY, z3.Complement(z3.Re("\n")))
            case "\\":
                return self.escaped()
            case "^" | "$" | "*" | "+" | "?" | "{" | "}" | "]":
                raise Unsupported(f"{character} at this place of a pattern")
        return _characters(character)

    def escaped(self) -> z3.ReRef:
        character = self.next
        self.place += 1
        if character in _CLASSES:
            return _class(_CLASSES[character])
        if character.lower() in _CLASSES and character:
            return z3.Intersect(_ANY, z3.Complement(_class(_CLASSES[character.lower()])))
        if character in _ESCAPES or (character and not character.isalnum()):
            return _characters(_ESCAPES.get(character, character))
        raise Unsupported(f"\\{character} in a pattern")

    def character_class(self) -> z3.ReRef:
        negative, parts = self.take("^"), list[z3.ReRef]()
        while self.next not in ("]", "") or not parts:
            character = self.next
            self.place += 1
            if character == "[" or (character == "]" and not parts):
                raise Unsupported(f"the pattern {self.text}")
            if character == "\\":
                parts.append(self.escaped())
            elif self.next == "-" and self.text[self.place + 1 : self.place + 2] not in ("]", "", "\\"):
                last = self.text[self.place + 1]
                self.place += 2
                parts.append(z3.Range(z3.StringVal(escape(character)), z3.StringVal(escape(last))))
            elif character:
                parts.append(_characters(character))
        if not self.take("]"):
            raise Unsupported(f"the pattern {self.text}")
        found = parts[0] if len(parts) == 1 else z3.Union(*parts)
        return z3.Intersect(_ANY, z3.Complement(found)) if negative else found


def _characters(text: str) -> z3.ReRef:
    return z3.Re(z3.StringVal(escape(text)))


def _class(ranges: str) -> z3.ReRef:
    parts = [z3.Range(each[0], each[2]) for each in re.findall(r".-.", ranges)]
    parts += [_characters(each) for each in re.sub(r".-.", "", ranges)]
    return parts[0] if len(parts) == 1 else z3.Union(*parts)
