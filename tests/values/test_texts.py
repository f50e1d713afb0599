"""Texts that look like others, labels, and words as they are compared."""

import sys
import unicodedata
from itertools import pairwise
from pathlib import Path
from unicodedata import normalize

import pytest
import yaml
from hypothesis import example, given
from hypothesis import strategies as st

from tests.cases import each_of
from trialrun.values import label
from trialrun.values.deceptive import BIDI, HIDDEN, SCRIPTS, SUSPECT, WORD, check, may_deceive, script
from trialrun.values.normalize import APOSTROPHES, normalize_words, tokenize

ORDINARY = [
    "أهلاً وسهلاً، ماذا تريد أن تطلب؟",
    "שלום, מה תרצו להזמין? \u200fABC\u200f",
    "می\u200cخواهم یک نوشابه سفارش بدهم",
    "کیا آپ چائے پسند کریں گے؟",
    "क्या आप चाय चाहेंगे? क्\u200dष",
    "আপনি কি চা চান? র\u200d্যা",
    "ਕੀ ਤੁਸੀਂ ਚਾਹ ਚਾਹੁੰਦੇ ਹੋ?",
    "શું તમને ચા જોઈએ છે?",
    "உங்களுக்கு தேநீர் வேண்டுமா?",
    "మీకు టీ కావాలా? న్\u200cడ్",
    "ನಿಮಗೆ ಚಹಾ ಬೇಕೇ? ರ\u200d್ಯ",
    "നിങ്ങൾക്ക് ചായ വേണോ? ന്\u200d",
    "ඔබට තේ අවශ්\u200dයද? ශ්\u200dරී",
    "คุณต้องการ\u200bชาไหม",
    "ທ່ານຕ້ອງການ\u200bຊາບໍ",
    "តើអ្នក\u200bចង់បានតែទេ?",
    "လက်ဖက်ရည်\u200bသောက်မလား",
    "ཇ་འཐུང་གི་ཡིན་ནམ།",
    "Tシャツとポテトはいかがですか",
    "ビッグMセット",
    "ＡＢＣセット",
    "请问您要薯条吗？KFC套餐",
    "請問您要薯條嗎？",
    "葛\U000e0100",
    "감자튀김 드릴까요? A세트",
    "Bạn có muốn khoai tây chiên không?",
    "Хотите картошку фри? Wi-Fi и USB-кабель",
    "IT-отдел",
    "Чи хочете ви картоплю?",
    "Da li želite pomfrit? Да ли желите помфрит?",
    "Искате ли картофки?",
    "Дали сакате помфрит?",
    "Хочаце бульбу?",
    "Картоп қалайсыз ба? Ңғүұқөһі",
    "Θέλετε πατάτες; Wi-Fi",
    "Կցանկանա՞ք ֆրի",
    "გსურთ ფრი?",
    "Pommes, größer? Straße",
    "Des frites ? Ça coûte 3 €",
    "¿Patatas? ¡Sí!",
    "Batatas fritas? Não",
    "Vill du ha pommes? Åäö",
    "Vilde du have pomfritter? Æøå",
    "Haluatko ranskalaisia?",
    "Kartöflur? Þð",
    "Czy podać frytki? Żółć",
    "Dáte si hranolky? Ř",
    "Sült krumplit? Ű",
    "Cartofi prăjiți? Ș",
    "Patates ister misiniz? İıŞ",
    "Friikartulid? Õ",
    "Frī kartupeļus? Ķ",
    "Keptų bulvyčių? Ė",
    "ጥብስ ይፈልጋሉ?",
    "Та шарсан төмс авах уу? ᠮᠣᠩᠭᠣᠯ\u180e",
    "Ṣé ẹ fẹ́ ọ̀dùnkún?",
    "Kei te hiahia koe? Ā",
    "ʻOkina Hawaiʻi",
    "👩\u200d👩\u200d👧 family",
    "👩🏽\u200d🍳 cook",
    "❤\ufe0f\u200d🔥 hot",
    "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "1\ufe0f\u20e3 and ©\ufe0f",
    "🏳\ufe0f\u200d🌈 flag",
    "5 µm, 5 μm, 10 kΩ, ΔT, ΔE, πr², μA, λx, α-Tocopherol",
    "°C № ™ ½ — “quoted”",
    "SMSка",
    "naïve café e\u0301",
]


@each_of(ORDINARY)
def test_ordinary_text_is_silent(text: str) -> None:
    assert check(text) == ()


@each_of(
    [
        ("a\u202eb", "bidi", (1, 2), "U+202E RIGHT-TO-LEFT OVERRIDE "),
        ("a\u2066\u2067b", "bidi", (1, 3), "U+2066 LEFT-TO-RIGHT ISOLATE (and 1 more) "),
        ("שלום\u202a", "bidi", (4, 5), "U+202A LEFT-TO-RIGHT EMBEDDING "),
        ("Fri\u200bes", "hidden", (3, 4), "U+200B ZERO WIDTH SPACE "),
        ("\u200bFries", "hidden", (0, 1), "U+200B "),
        ("Fri\u200des", "hidden", (3, 4), "U+200D ZERO WIDTH JOINER "),
        ("Fries\ufeff", "hidden", (5, 6), "U+FEFF ZERO WIDTH NO-BREAK SPACE "),
        ("Fr\u00adies", "hidden", (2, 3), "U+00AD SOFT HYPHEN "),
        ("a\u200fb", "hidden", (1, 2), "U+200F RIGHT-TO-LEFT MARK "),
        ("a\ufe0f", "hidden", (1, 2), "U+FE0F VARIATION SELECTOR-16 "),
        ("😀\U000e0041", "hidden", (1, 2), "U+E0041 TAG LATIN CAPITAL LETTER A "),
        ("a\u3164", "hidden", (1, 2), "U+3164 HANGUL FILLER "),
        ("pаypal", "mixed", (1, 2), "U+0430 CYRILLIC SMALL LETTER A "),
        ("Аpple", "mixed", (0, 1), "U+0410 CYRILLIC CAPITAL LETTER A "),
        ("картoшка", "mixed", (4, 5), "U+006F LATIN SMALL LETTER O "),
        ("friеs", "mixed", (3, 4), "U+0435 "),
        ("Ελλαδa", "mixed", (5, 6), "U+0061 "),
        ("СA", "mixed", (0, 1), "U+0421 "),
        ("ｐaypal", "mixed", (0, 1), "U+FF50 FULLWIDTH LATIN SMALL LETTER P "),
        ("𝐚dmin", "mixed", (0, 1), "U+1D41A MATHEMATICAL BOLD SMALL A "),
    ]
)
def test_what_deceives_is_named_by_its_code_point(text: str, code: str, chars: tuple[int, int], begin: str) -> None:
    problem = check(text)[0]
    assert (problem.code, (problem.start, problem.end)) == (code, chars)
    assert problem.message.startswith(begin)
    assert problem.message.isascii()


def test_of_very_many_the_first_are_told() -> None:
    assert len(check("a\u202e" * 1000)) == 20


EVERY_CHARACTER = "".join(map(chr, range(0x110000)))


def test_every_letter_that_may_be_mixed_gets_a_closer_look() -> None:
    letters = "".join(WORD.findall(EVERY_CHARACTER))
    others = [letter for letter in letters if script(letter) in SCRIPTS - {"LATIN"}]
    assert [hex(ord(letter)) for letter in others if not SUSPECT.match(letter)] == []


def test_what_is_hidden_or_reorders_gets_a_closer_look() -> None:
    marks = "".join([*BIDI.findall(EVERY_CHARACTER), *HIDDEN.findall(EVERY_CHARACTER)])
    assert [hex(ord(mark)) for mark in marks if not SUSPECT.match(mark)] == []


@each_of(
    [
        ("name: Fries", False),
        ("name: Café 🍟 日本", False),
        (r'{"name": "\u00e9\ud83c\udf5f\x41\U0001f354"}', False),
        (r'{"name": "\ud83d\udc00"}', False),
        ("name: Fri\u202ees", True),
        (r'{"name": "\u202e"}', True),
        (r'{"name": "\U0000200b"}', True),
        (r'{"name": "\xad"}', True),
        (r'{"name": "\udb40\udc41"}', True),
        (r'{"name": "\ud835\udc00"}', True),
        (r'{"name": "\UFFFFFFFF"}', False),
        ("name: Привет", True),
    ]
)
def test_a_file_needs_a_closer_look_where_it_has_such_a_character(source: str, expected: bool) -> None:
    assert may_deceive(source) is expected


CASES = yaml.safe_load((Path(__file__).parent.parent / "cases/label_cases.yaml").read_text(encoding="utf-8"))["cases"]
SHORT = [case for case in CASES if case["code_points"] <= 64]
TOO_LONG = [case for case in CASES if case["code_points"] > 64]
CODES = {"accept": set(), "warn": {"unportable"}}


def say(text, *, what="value", system_prefix=None):
    """The problems of a text: code, the characters, what replaces them."""
    problems = label.check(text, what=what, system_prefix=system_prefix)
    return [(p.code, text[p.start : p.end], p.replacement) for p in problems]


@each_of([c for c in SHORT if c["verdict"] != "reject"])
def test_accepted_and_warned_about_as_the_cases_say(case):
    assert {code for code, _, _ in say(case["text"])} == CODES[case["verdict"]]


@each_of([c for c in SHORT if c["verdict"] == "reject"])
def test_rejected_as_the_cases_say(case):
    assert "invalid" in {code for code, _, _ in say(case["text"])}


@pytest.mark.parametrize("case", TOO_LONG, ids=lambda c: ascii(c["text"])[:12])
def test_length_is_judged_elsewhere(case):
    assert say(case["text"]) == []


@each_of(
    [
        ("Env", [("invalid", "E", "e")]),
        ("ENV-Prod", [("invalid", "ENV", "env"), ("invalid", "P", "p")]),
        ("a/b", [("invalid", "/", None)]),
        ("a b", [("invalid", " ", None)]),
        ("a!?b.c", [("invalid", "!?", None), ("invalid", ".", None)]),
        ("A!", [("invalid", "A", "a"), ("invalid", "!", None)]),
        ("ÉTÉ", [("invalid", "ÉTÉ", "été")]),
        ("Ⅷ", [("invalid", "Ⅷ", "ⅷ")]),  # category Nl, and still a capital
        ("𝐀", [("invalid", "𝐀", None)]),  # category Lu, and no lower case
        ("ǅ", [("invalid", "ǅ", "ǆ")]),
        ("İ", [("invalid", "İ", None)]),  # its lower case has a combining mark
        ("a\u200db", [("invalid", "\u200d", None)]),
        ("a\n", [("invalid", "\n", None)]),
        ("a_b-ç1", []),
        ("½٣", []),
        ("ที่", [("unportable", "ี่", None)]),
        ("e\u0301te\u0301", [("unportable", "e\u0301", "é"), ("unportable", "e\u0301", "é")]),
        ("\u1100\u1161", [("unportable", "\u1100\u1161", "가")]),
        ("人々", [("unportable", "々", None)]),
        ("E\u0301", [("invalid", "E", "e"), ("unportable", "\u0301", None)]),
    ]
)
def test_characters(text, problems):
    assert say(text) == problems


@each_of(["É", "Ⅷ", "𝐀", "ǅ"])
def test_a_capital_is_called_one(text):
    assert label.check(text, what="value")[0].message.startswith("capital ")


@each_of(
    [
        ("team", []),
        ("été", []),
        ("", [("unportable", "", None)]),
        ("1a", [("unportable", "1", None)]),
        ("-a", [("unportable", "-", None)]),
        ("_", [("unportable", "_", None)]),
        ("Env", [("invalid", "E", "e")]),
        ("ʰa", [("unportable", "ʰ", None)]),
        ("!a", [("invalid", "!", None)]),
    ]
)
def test_a_key_begins_with_a_letter(text, problems):
    assert say(text, what="key") == problems


@each_of(
    [
        ("service.example/team", [("system", "service.example/", None)]),
        ("service.example/", [("system", "service.example/", None)]),
        ("service.example", [("invalid", ".", None)]),
        ("other/team", [("invalid", "/", None)]),
    ]
)
def test_a_key_with_the_system_prefix(text, problems):
    assert say(text, what="key", system_prefix="service.example") == problems


def test_the_system_prefix_is_of_keys_alone():
    assert say("sys/team", system_prefix="sys") == [("invalid", "/", None)]


@given(st.text(), st.sampled_from(["key", "value"]))
def test_any_text_is_judged_within_its_bounds(text, what):
    assert all(0 <= p.start <= p.end <= len(text) for p in label.check(text, what=what, system_prefix="sys"))


@given(st.text())
def test_what_is_not_in_nfc_is_never_silent(text):
    assert unicodedata.is_normalized("NFC", text) or label.check(text, what="value")


@given(st.text(st.characters(categories=["Lu", "Lt", "Ll", "Nl", "Mn"])))
def test_replacing_cures(text):
    problems = label.check(text, what="value")
    cured = text
    for p in reversed([p for p in problems if p.replacement is not None]):
        cured = cured[: p.start] + p.replacement + cured[p.end :]
    left = [p for p in label.check(cured, what="value") if p.code == "invalid"]
    assert len(left) == len([p for p in problems if p.code == "invalid" and p.replacement is None])


@each_of(
    [
        ("\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645", ["unportable"]),
        ("\u0915\u094d\u200d\u0937", ["unportable"]),
        ("a\u200cb", ["invalid"]),
        ("\u200c", ["invalid"]),
    ]
)
def test_a_joiner_may_stand_where_its_script_is_spelled_with_it(text: str, codes: list[str]) -> None:
    assert [problem.code for problem in label.check(text, what="value")] == codes


def test_no_character_that_is_never_composed_is_called_decomposed():
    """Normalization replaces them wherever they stand: those excluded from composition, and doubles."""
    replaced = [char for char in map(chr, range(sys.maxunicode + 1)) if unicodedata.normalize("NFC", char) != char]
    assert len(replaced) > 1000
    said = {char: [problem.message for problem in label.check("a" + char, what="value")] for char in replaced}
    assert [char for char, messages in said.items() if not messages or "decomposed" in " ".join(messages)] == []


@each_of(
    [
        ("\ufb33", "excluded from composition", "U+05D3 U+05BC"),
        ("\u0958", "excluded from composition", "U+0915 U+093C"),
        ("\uf900", "another code point of a character", "U+8C48"),
        ("\u1f71", "another code point of a character", "U+03AC"),
    ]
)
def test_what_normalization_makes_of_a_character(char, why, points):
    (problem, *_) = label.check(char, what="value")
    assert (problem.code, problem.replacement) == ("unportable", unicodedata.normalize("NFC", char))
    assert why in problem.message
    assert problem.message.endswith(f"and normalization replaces it; write its normal form (NFC), {points}")


@given(st.text("aHz09 \t.'#", max_size=12))
def test_plain_terms_are_split_as_all_others_are(text: str) -> None:
    assert normalize_words(text) == tuple(word.text for word in tokenize(text))


@each_of(
    [
        ("A  Number\tONE!", "a number one"),
        ("what's, what\u2019s", "whats whats"),
        ("l'eau, qu\u2019une eau", "l eau qu une eau"),
        ("aujourd'hui", "aujourdhui"),
        ("Cre\u0300me Bru\u0302le\u0301e", "crème brûlée"),
        ("STRASSE straße", "strasse strasse"),
        ("ｂｉｇ ＃１", "big #1"),
        ("#1 or # 1", "#1 or 1"),
        ("7-Up 7up", "7 up 7up"),
        ("1.5, 2,5. 3", "1.5 2,5 3"),
        ("mac & cheese", "mac cheese"),
        ("Fizz® Fizz™", "fizz fizz"),
        ("🍔🍔 ❤️", "🍔 🍔 ❤"),
        ("soft\u00adhyphen", "softhyphen"),
        ("ポテト ﾎﾟﾃﾄ", "ポ テ ト ポ テ ト"),
        ("2个汉堡", "2 个 汉 堡"),
        ("...", ""),
    ]
)
def test_words_are_compared_without_what_customers_leave_out(said: str, compared: str) -> None:
    assert " ".join(normalize_words(said)) == compared


def test_a_word_knows_its_place() -> None:
    text = "l'eau, s'il vous plaît"
    assert [text[word.start : word.end] for word in tokenize(text)] == ["l'", "eau", "s'", "il", "vous", "plaît"]


TEXT = st.text(st.characters(exclude_characters=APOSTROPHES), max_size=12)


@given(TEXT)
@example("l'e\u0301au")
@example("A`\uac00")
@example("qu'i\u0302le")
def test_how_characters_are_composed_makes_no_difference(text: str) -> None:
    assert normalize_words(normalize("NFD", text)) == normalize_words(normalize("NFC", text))


@given(TEXT)
@example("\u0149a")
def test_case_makes_no_difference(text: str) -> None:
    assert normalize_words(text.casefold()) == normalize_words(text)
    assert normalize_words(text.upper()) == normalize_words(text)


@given(TEXT)
def test_words_stand_one_after_the_other(text: str) -> None:
    found = tokenize(text)
    assert all(before.start < before.end <= after.start for before, after in pairwise(found))
    assert all(word.text for word in found)
