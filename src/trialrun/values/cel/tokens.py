"""The tokens of a CEL text with their places, what is no token, and the values of literals."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from trialrun.values import Problem

NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")

RESERVED = frozenset([
    "as", "break", "const", "continue", "else", "false", "for", "function", "if", "import", "in", "let", "loop",
    "package", "namespace", "null", "return", "true", "var", "void", "while",
])  # fmt: skip


# what is written in other languages, and what CEL writes; none of these can be in a text that parses
_OPERATOR_TYPOS = {
    "=": "==", "<>": "!=", "=>": ">=", "=<": "<=", "&": "&&", "|": "||", "≠": "!=", "≥": ">=", "≤": "<=", "->": ".",
    "::": ".", ":=": "==", "~=": "!=", **dict.fromkeys(("+=", "-=", "*=", "/=", "%="), "=="),
}  # fmt: skip
_OPERATORS_WITHOUT_ONE = {
    "=~": ("==", "write a.matches(b)"),
    "??": ("||", "write has(a.b) ? a.b : other"),
    "**": ("*", "multiply instead"),
}
"""Operators that CEL has none for: what they are read on as, and what to do."""

MAX_TYPOS = 200
"""After so many of them a text is not read on."""
_TOKEN = re.compile(
    r"""
    # most names and operators come first, since they are most of the tokens; those that begin a string or a number do
    # not; blanks are given back to nothing, and the end matches, so that many of them are read once
    [\t\n\f\r ]*+
  (?: (?P<plain_name>[AC-QS-Zac-qs-z_][A-Za-z0-9_]*)
  | (?P<plain_operator>[()\[\]{},]|\?(?!\?)|\.(?![0-9]))
  | //[^\n]*
  | (?P<string>
      [bB]?[rR](?:\"{3}[\s\S]*?\"{3}|'{3}[\s\S]*?'{3}|"[^"\r\n]*"|'[^'\r\n]*')
    | [bB]?(?:\"{3}(?:\\[\s\S]|[^\\])*?\"{3}|'{3}(?:\\[\s\S]|[^\\])*?'{3}
            |"(?:\\[^\r\n]|[^"\\\r\n])*"|'(?:\\[^\r\n]|[^'\\\r\n])*')
    )
  | (?P<float>[0-9]*\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)
  | (?P<uint>(?:0x[0-9a-fA-F]+|[0-9]+)[uU])
  | (?P<int>0x[0-9a-fA-F]+|[0-9]+)
  | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
  | (?P<quoted>`[A-Za-z0-9_.\-/ ]+`)
  | (?P<slip>=~|\?\?|\*\*|[=!<>]={2,}|[=!<>][ \t]+=(?!=)|<>|=>|=<|->|::|[:~+\-*/%]=(?!=)|=(?!=)|[≠≥≤]
      |&{3,}|&[ \t]+&(?!&)|&(?!&)|\|{3,}|\|[ \t]+\|(?!\|)|\|(?!\|))
  | (?P<operator>[=!<>]=|&&|\|\||[\[\]{}().,\-!?:+*/%<>])
  | (?P<curly>[“”„][^“”„"\r\n]*[“”"]|[‘’‚][^‘’‚'\r\n]*[‘’'])
  | (?P<stray>[\s\S])
  | \Z)
    """,
    re.VERBOSE,
)


class Token(NamedTuple):
    """A piece of the text, or what it stands for.

    `kind` is string, float, uint, int, name, quoted, operator, or stray for a character of no token; after the last
    comes end, or cut where a quote is not closed and nobody knows what follows.
    """

    kind: str
    text: str
    start: int
    end: int


_KINDS = ("", *(name.removeprefix("plain_") for name in _TOKEN.groupindex))
_TYPOS = frozenset({"slip", "curly", "stray"})
_new_token = tuple.__new__


def tokenize(text: str, problems: list[Problem]) -> list[Token]:
    """The tokens of a text; slips from other languages are corrected and added to `problems`."""
    tokens: list[Token] = []
    for match in _TOKEN.finditer(text):
        group = match.lastindex
        if group is None:
            continue
        kind = _KINDS[group]
        # as Token(…) does, in half of the time
        token = _new_token(Token, (kind, match[group], *match.span(group)))
        if kind in _TYPOS:
            problem, token = _correct_token(token, tokens)
            problems.append(problem)
            if token.text in _QUOTES or len(problems) >= MAX_TYPOS:
                # two of them, so that every token but the last has one after it
                return [*tokens, *2 * [Token("cut", "", len(text), len(text))]]
        tokens.append(token)
    return [*tokens, *2 * [Token("end", "", len(text), len(text))]]


_QUOTES = ('"', "'", "`", "“", "”", "‘", "’")


def _correct_token(token: Token, before: list[Token]) -> tuple[Problem, Token]:
    """What is wrong with characters that are no token, and the token that they stand for."""
    kind, text, start, end = token
    if text in ("=>", "->") and len(before) >= 4:
        dot, name, opening, variable = before[-4:]
        # in `items.exists(i => …)`, a name follows the parenthesis of a function that is called on a value
        if (dot.text, name.kind, opening.text, variable.kind) == (".", "name", "(", "name"):
            message = f'"{text}" is not an operator of CEL; write a comma, as in exists(x, …)'
            return Problem("syntax", start, end, message, ","), Token("operator", ",", start, end)
    if text in _OPERATORS_WITHOUT_ONE:
        right, advice = _OPERATORS_WITHOUT_ONE[text]
        message = f'"{text}" is not an operator of CEL; {advice}'
        return Problem("syntax", start, end, message), Token("operator", right, start, end)
    if kind == "slip":
        plain = "".join(text.split())
        right = _OPERATOR_TYPOS.get(plain) or plain[:2]
        message = f'"{text}" is not an operator of CEL; write {"a dot" if right == "." else right}'
        return Problem("syntax", start, end, message, right), Token("operator", right, start, end)
    if kind == "curly":
        quote = "'" if '"' in text[1:-1] else '"'
        right = f"{quote}{text[1:-1]}{quote}"
        message = f"{text[0]} is not a quote of CEL; write {right}"
        return Problem("syntax", start, end, message, right), Token("string", right, start, end)
    return _stray_problem(token), token


def _stray_problem(token: Token) -> Problem:
    _, text, start, end = token
    if text in _QUOTES:
        return Problem("syntax", start, end, f"the text that {text} opens is not closed; add the closing quote")
    if text == ";":
        return Problem("syntax", start, end, '";" does not end a condition; remove it', "")
    if "\ud800" <= text <= "\udfff":
        return next(surrogate_problems(text, start))
    shown_text = text if text.isprintable() else f"U+{ord(text):04X}"
    return Problem("syntax", start, end, f'"{shown_text}" is not a character of CEL; remove it or quote it')


def surrogate_problems(text: str, start: int = 0) -> Iterator[Problem]:
    """The halves of surrogate pairs, which are no characters wherever they stand; `start` is the text's own place."""
    for match in re.finditer("[\ud800-\udfff]", text):
        message = f"U+{ord(match[0]):04X} is half of a surrogate pair, not a character; remove it"
        yield Problem("syntax", start + match.start(), start + match.end(), message)


_ESCAPE = re.compile(
    r"""\\(?:(?P<letter>[abfnrtv"'\\?`])|[xX](?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})|U(?P<U>[0-9a-fA-F]{8})"""
    r"""|(?P<octal>[0-3][0-7]{2})|(?P<bad>[\s\S]))"""
)
_LETTERS = dict(zip("abfnrtv", "\a\b\f\n\r\t\v", strict=True))


def literal_value(token: Token, sign: int, problems: list[Problem]) -> tuple[str, str | bytes | int | float]:
    """The type and the value of a literal; what is wrong with it is added to `problems`."""
    if token.kind == "string":
        wrong = list(_escape_problems(token))
        problems.extend(wrong)
        value = _literal_text(token) if not wrong else token.text
        return "string" if isinstance(value, str) else "bytes", value
    if token.kind == "float":
        return "double", sign * float(token.text)
    digits = token.text.rstrip("uU")
    # Python refuses to read thousands of digits, and 20 are too many already
    number = sign * int(digits[:40], 16 if digits.startswith("0x") else 10)
    lowest, highest = (0, 2**64) if token.kind == "uint" else (-(2**63), 2**63)
    if not lowest <= number < highest:
        shortened = digits if len(digits) <= 40 else digits[:40] + "…"
        zero = (token.start, token.end, "0u" if token.kind == "uint" else "0")
        message = f"{shortened} is out of the 64-bit range of {token.kind}; write a smaller number"
        problems.append(Problem("syntax", token.start, token.end, message, None, None, zero))
    return token.kind, number


def _literal_text(token: Token) -> str | bytes:
    """The value of a string or bytes literal in which `_escape_problems` finds nothing."""
    body, prefix, _ = _body(token)
    is_bytes, is_raw = "b" in prefix, "r" in prefix
    if not is_bytes:
        return body if is_raw or "\\" not in body else _ESCAPE.sub(_character, body)
    if is_raw:
        return body.encode(errors="replace")
    pieces = re.split(r"(\\(?:[xX][0-9a-fA-F]{2}|[0-3][0-7]{2}|[\s\S]))", body)
    return b"".join(_byte(piece) if piece[:1] == "\\" else piece.encode(errors="replace") for piece in pieces)


def _byte(escape: str) -> bytes:
    if escape[1] in "xX":
        return bytes([int(escape[2:], 16)])
    return bytes([int(escape[1:], 8)]) if escape[1] in "0123" else _LETTERS.get(escape[1], escape[1]).encode()


def _character(match: re.Match[str]) -> str:
    letter, number = match["letter"], match["x"] or match["u"] or match["U"]
    if letter:
        return _LETTERS.get(letter, letter)
    return chr(int(number, 16) if number else int(match["octal"], 8))


def _body(token: Token) -> tuple[str, str, int]:
    """What is between the quotes, the prefix in lower case, and where the body starts."""
    text = token.text
    prefix = len(text) - len(text.lstrip("bBrR"))
    quotes = 3 if text[prefix : prefix + 3] in ('"""', "'''") and len(text) >= prefix + 6 else 1
    return text[prefix + quotes : -quotes], text[:prefix].lower(), token.start + prefix + quotes


def _escape_problems(token: Token) -> Iterator[Problem]:
    """The escapes of a string or bytes literal that CEL does not have."""
    if "\\" not in token.text:
        return
    body, prefix, start = _body(token)
    if "r" in prefix:
        if (len(body) - len(body.rstrip("\\"))) % 2:
            place = (start + len(body) - 1, start + len(body))
            yield Problem("syntax", *place, "a raw string cannot end in a backslash; write '\\\\' without the r")
        return
    for match in _ESCAPE.finditer(body):
        place = (start + match.start(), start + match.end())
        number = match["u"] or match["U"]
        if match["bad"]:
            yield _bad_escape(match[0], *place)
        elif number and ("b" in prefix or not (int(number, 16) < 0xD800 or 0xE000 <= int(number, 16) < 0x110000)):
            yield Problem("syntax", *place, f"{match[0]} is not a character; write another escape")


def _bad_escape(escape: str, start: int, end: int) -> Problem:
    if escape[1] in "xXuU01234567":
        return Problem("syntax", start, end, f"{escape} has too few digits for an escape; write \\\\ for a backslash")
    message = f"{escape} is not an escape of CEL; write \\{escape}, or a raw string r'…'"
    return Problem("syntax", start, end, message, f"\\{escape}")


def ended_by_quote(text: str, literal: Token) -> Problem:
    """An apostrophe such as that of 'Ben's Fries', after which nothing is read as it was meant."""
    quote, end = literal.text[-1], literal.end
    message = f"this {'apostrophe' if quote == chr(39) else 'quote'} ends the text {literal.text}; write "
    closing = re.compile(rf"{quote}(?=[\s)\]}},&|=!<>?:+]|\Z)").search(text, end)
    if closing is None or literal.text[0] != quote:
        return Problem("syntax", end - 1, end, f"{message}\\{quote} inside of it")
    inner = text[literal.start + 1 : closing.start()].replace(2 * quote, quote)
    other = '"' if quote == "'" else "'"
    escaped = quote + inner.replace(quote, f"\\{quote}") + quote
    intended = escaped if other in inner else other + inner + other
    place = (literal.start, closing.end())
    return Problem("syntax", end - 1, end, message + intended, intended, place)


CLOSING = {"(": ")", "[": "]", "{": "}"}


class ParseStopped(Exception):
    """Parsing ends here and the problem is reported; it never leaves `parse`."""


class TokenReader:
    """The tokens of a text one after the other, and the problems that are found on the way."""

    def __init__(self, text: str, tokens: list[Token], problems: list[Problem]) -> None:
        self.text, self.tokens, self.problems = text, tokens, problems
        self.place = 0

    @property
    def next(self) -> Token:
        """The token that is read next."""
        return self.tokens[self.place]

    def is_next(self, word: str) -> bool:
        """Whether an operator or a bracket is read next."""
        kind, text, _, _ = self.tokens[self.place]
        return text == word and kind == "operator"

    def take(self) -> Token:
        """The next token, which is read by that."""
        token = self.tokens[self.place]
        self.place += 1
        return token

    def stop(
        self, token: Token, message: str, replacement: str | None = None, stand_in: tuple[int, int, str] | None = None
    ) -> ParseStopped:
        """The end of the parsing, with a problem at a token."""
        # an open quote swallows the rest: what is cut off there is not missing
        is_reported = any(problem.end == token.end > token.start for problem in self.problems)
        if self.next.kind not in ("cut", "stray") and not is_reported:
            self.report(token, message, replacement, stand_in)
        return ParseStopped()

    def report(
        self, token: Token, message: str, replacement: str | None = None, stand_in: tuple[int, int, str] | None = None
    ) -> int:
        """Report a problem at a token; the place of it among the problems."""
        self.problems.append(Problem("syntax", token.start, token.end, message, replacement, None, stand_in))
        return len(self.problems) - 1

    def set_replacement(self, problem_index: int, replacement: str, replaces: tuple[int, int]) -> None:
        """Set the replacement of a reported problem, once its range is known."""
        problem = self.problems[problem_index]
        self.problems[problem_index] = replace(problem, replacement=replacement, replaced_range=replaces)

    def corrected_text(self, start: int, end: int) -> str:
        """The text between two places with the slips in it put right."""
        pieces, position = [], start
        for problem in sorted(self.problems, key=lambda problem: problem.start):
            first, last = problem.replaced_range or (problem.start, problem.end)
            if problem.replacement is not None and position <= first and last <= end:
                pieces += [self.text[position:first], problem.replacement]
                position = last
        return "".join([*pieces, self.text[position:end]])

    def unclosed(self, opening: Token) -> ParseStopped:
        """A bracket that nothing closes; reading goes on as if all that are open were closed at the end."""
        open_ones: list[str] = []
        for token in self.tokens:
            if token.kind == "operator" and token.text in CLOSING:
                open_ones.append(CLOSING[token.text])
            elif token.kind == "operator" and token.text in open_ones[-1:]:
                open_ones.pop()
        end = len(self.text)
        message = f'"{opening.text}" is not closed; add "{CLOSING[opening.text]}"'
        return self.stop(opening, message, stand_in=(end, end, "".join(reversed(open_ones))))
