"""Texts that are not what they look like; ordinary text of many languages is silent."""

from __future__ import annotations

from tests.cases import each_of
from trialrun.values.deceptive import BIDI, HIDDEN, SCRIPTS, SUSPECT, WORD, check, may_deceive, script

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
    ],
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
    ],
)
def test_a_file_needs_a_closer_look_where_it_has_such_a_character(source: str, expected: bool) -> None:
    assert may_deceive(source) is expected
