"""One mistake is one finding, and its message has the words to write instead."""

from tests.cases import each_of
from trialrun.lint.engine import Linter
from trialrun.lint.examples import EXAMPLE_TIME
from trialrun.lint.rule import session_types
from trialrun.lint.settings import Profiles, Settings

VIEW = "kind: FeatureView\nname: projects/p/locations/l/featureOnlineStores/s/featureViews/v\n"
SOURCE = "warehouseSource: {uri: bq://a.b.c, entityIdColumns: [id]}\n"
CONFIG = "kind: ChannelConfig\nname: projects/p/locations/l/brands/b/channelConfigs/c\n"
UPSELLS = (
    CONFIG + "type: UPSELL_STRATEGY\noperationsConfig:\n  defaultLanguageCode: en\n  upsellStrategy:\n    upsells:\n"
)
VOICE = CONFIG + "type: AGENT_CUSTOMIZATION\noperationsConfig:\n  defaultLanguageCode: en\n"
TEXTS = "upsoldItems: [Fries], messageConfigs: [{languageCode: en, messageText: Fries?}]"


SCENARIO = """\
kind: Scenario
name: s
clock: {}
steps:
  - schedule: {{view: guests, expect: {{runs: [2026-01-02T03:00:00Z]}}}}
"""


def greeting(*messages: str) -> str:
    """A strategy with one greeting offer of these messages."""
    items = "".join(f"            - {{{message}}}\n" for message in messages)
    return f"{UPSELLS}      - displayName: A\n        priority: 1\n        greetingOffer:\n          messages:\n{items}"


def condition(text: str) -> str:
    """A strategy with one upsell of this condition, as it stands in the file."""
    upsell = "      - displayName: A\n        priority: 1\n        celUpsell:\n          suggestedMenuItems: [Fries]\n"
    return f"{UPSELLS}{upsell}          conditionExpression: {text}\n"


def findings(text: str) -> list[tuple[str, str]]:
    """The rule and the message of each finding under the default rules."""
    linter = Linter(Profiles(Settings()).whole, now=EXAMPLE_TIME, session_types=lambda: session_types([]))
    return [
        (diagnostic.rule, diagnostic.message)
        for diagnostic in linter.lint(text.encode(), "file.yaml", is_explicit=True).diagnostics
    ]


# a file · the rule that alone reports it · what the message says
CASES = {
    "an output-only time": (VIEW + SOURCE + "createTime: 2026-01-01\n", "output-only-field", "createTime is set by"),
    "an output-only number": (VIEW + SOURCE + "satisfiesPzs: 012\n", "output-only-field", "satisfiesPzs is set by"),
    "an output-only mapping": (
        VIEW + SOURCE + "kvStoreMetadata: {readAppProfil: 5}\n",
        "output-only-field",
        "kvStoreMetadata is set by",
    ),
    "an output-only state": (VOICE.replace("type", "state: DRAFTT\ntype", 1), "output-only-field", "state is set by"),
    "two index configs": (
        VIEW + SOURCE + "indexConfig: {embeddingColumn: v}\nvectorSearchConfig: {embeddingColumn: v}\n",
        "union-conflict",
        '"vectorSearchConfig" conflicts with "indexConfig": both configure the index; keep indexConfig',
    ),
    "two index configs, the old one first": (
        VIEW + SOURCE + "vectorSearchConfig: {embeddingColumn: v}\nindexConfig: {embeddingColumn: v}\n",
        "union-conflict",
        "keep indexConfig, the other is its deprecated name",
    ),
    "a null name": ("kind: FeatureView\nname: null\n" + SOURCE, "null-value", "name is null and counts as unset"),
    "a null default language": (
        (VOICE + "  greetings: [{languageCode: en, greetingPhrases: [Hi]}]\n").replace("Code: en", "Code: null", 1),
        "null-value",
        "defaultLanguageCode is null",
    ),
    "a null source": (VIEW + "ragSource: null\n", "null-value", "ragSource is null"),
    "a null language of a greeting": (
        VOICE + "  greetings:\n    - {languageCode: null, greetingPhrases: [Hi]}\n"
        "    - {languageCode: en, greetingPhrases: [Hi]}\n",
        "null-value",
        "languageCode is null",
    ),
    "null items": (
        greeting("upsoldItems: null, messageConfigs: [{languageCode: en, messageText: Fries?}]"),
        "null-value",
        "upsoldItems is null",
    ),
    "a message without a frequency": (
        greeting(f"messageFrequency: 0.5, {TEXTS}", TEXTS),
        "frequency-never-used",
        "this message is never used: it has no messageFrequency",
    ),
    "texts in a list of messages": (
        VOICE + "  disambiguationStrategy:\n    mappings:\n      - type: SINGLE_TARGET\n"
        "        customerTerms: [the usual]\n"
        "        targets: [{itemName: Burger, modifiers: [Pickles, Cheese]}]\n",
        "wrong-type",
        "modifiers must be a list of mappings with the fields modifierName, modifierGroupName, modifierId, "
        "modifierGroupId, not a list of texts; write {modifierName: Pickles} for each",
    ),
    "a text for a list of messages": (
        VIEW + "featureRegistrySource: {featureGroups: users}\n",
        "wrong-type",
        'with the fields featureGroupId, featureIds, not the text "users"; write {featureGroupId: users} for each',
    ),
    "a mapping for a list": (
        VIEW + "featureRegistrySource: {featureGroups: {users: [age]}}\n",
        "wrong-type",
        "a list of mappings with the fields featureGroupId, featureIds, not a mapping; begin each item with a dash",
    ),
    "a list for a mapping": (
        VIEW + "warehouseSource: [uri, bq://a.b.c]\n",
        "wrong-type",
        "a mapping with the fields uri, entityIdColumns, not a list of texts",
    ),
    "a percentage as a number": (
        greeting(f"messageFrequency: 20, {TEXTS}"),
        "out-of-range",
        "messageFrequency is out of range: 20; write 0.2 for 20%",
    ),
    "a percentage as text": (greeting(f"messageFrequency: 60%, {TEXTS}"), "wrong-type", 'the text "60%"; write 0.6'),
    "a percentage with a blank": (greeting(f'messageFrequency: "12.5 %", {TEXTS}'), "wrong-type", "write 0.125"),
    "a number that is no percentage": (
        greeting(f"messageFrequency: 1.5, {TEXTS}"),
        "out-of-range",
        "1.5; use a value from 0 to 1 (20 % is 0.2)",
    ),
    "an unknown field": (
        VIEW + "warehouseSource: {uri: bq://a.b.c, entityIdColumns: [id], zzz: 1}\n",
        "unknown-field",
        'WarehouseSource has no field "zzz"; its fields are uri, entityIdColumns',
    ),
    "an unknown field of a message without fields": (
        VOICE + "  featuresConfig: {orderPickup: {zzz: 1}}\n",
        "unknown-field",
        'has no field "zzz"; it has no fields: write {} to set it, or remove the key',
    ),
    "two items of one id": (
        "kind: Menu\nitems: [{name: Fries, id: F1}, {name: Cola, id: F1}]\n",
        "duplicate-item",
        'duplicate item id "F1"; the first is "Fries", give each its own id',
    ),
    "braces in plain text": (
        VOICE.replace("  default", "  displayName: {brand}\n  default"),
        "wrong-type",
        'displayName must be text, not a mapping; quote it if these are characters of the text: "{brand}"',
    ),
    "brackets in plain text": (
        VOICE.replace("  default", "  displayName: [Fries]\n  default"),
        "wrong-type",
        'not a list of texts; write its item alone, or quote it if these are characters of the text: "[Fries]"',
    ),
    "a placeholder in a condition": (
        condition("order.subtotal > ${LIMIT}"),
        "unfilled-placeholder",
        "${LIMIT} is a placeholder; fill it in",
    ),
    "a template in a condition": (condition("'{{ condition }}'"), "unfilled-placeholder", "{{ condition }} is a"),
    "a placeholder in a text of a condition": (
        condition("1 > 0 && '${ITEM}' == 'Fries'"),
        "unfilled-placeholder",
        "${ITEM} is a placeholder; fill it in",
    ),
    "a placeholder among constants": (condition("true || '$(A)' == 'b'"), "unfilled-placeholder", "$(A) is a"),
    "a question for null": (condition("order.subtotal is not null"), "cel-syntax", "write has(order.subtotal)"),
    "a list asked as a text": (condition("order.items.contains('Fries')"), "cel-type", "write exists(x, x.… == …)"),
    "a greeting without a language": (
        VOICE + "  greetings: [{greetingPhrases: [Hi]}, {languageCode: en, greetingPhrases: [Hi]}]\n",
        "empty-greeting",
        "greets only where no greeting has the customer's language or the default one; add its languageCode",
    ),
    "a null embedding column": (
        VIEW + SOURCE + "indexConfig: {embeddingColumn: null}\n",
        "missing-embedding-column",
        "indexConfig has no embeddingColumn; name the column",
    ),
    "a null offer": (
        UPSELLS + "      - {displayName: A, priority: 1, celUpsell: null}\n",
        "missing-union-member",
        '"A" has no offer; add one of',
    ),
    "a null location": ("kind: Source\nuri: bq://a.b.c\nfiles: null\n", "invalid-source-place", "set `files`, or"),
    "a null strategy": (
        CONFIG + "type: UPSELL_STRATEGY\noperationsConfig: {upsellStrategy: null}\n",
        "null-value",
        "upsellStrategy is null",
    ),
    "a table alone": (
        "kind: Source\nuri: bq://a.b.c\ntable: rows\n",
        "invalid-source-place",
        "a table without a database; set `database`, or `files`",
    ),
    "a list of files": (
        "kind: Source\nuri: bq://a.b.c\nfiles: [a.csv, b.csv]\n",
        "wrong-type",
        "files must be text, not a list of texts",
    ),
    "a time without an offset": (
        SCENARIO.format("2026-11-20 12:00:00"),
        "invalid-timestamp",
        "no offset from UTC; add Z",
    ),
    "a date for a time": (SCENARIO.format("2026-11-20"), "invalid-timestamp", "a full timestamp is required"),
    "an infinite frequency": (
        greeting(f"messageFrequency: 1e400, {TEXTS}"),
        "out-of-range",
        "messageFrequency is out of range: 1e400; use a value from 0 to 1",
    ),
    "a decimal comma": (
        greeting(TEXTS)
        .replace("{upsoldItems", "messageFrequency: 0,2\n              upsoldItems")
        .replace(
            ", messageConfigs: [{languageCode: en, messageText: Fries?}]}",
            "\n              messageConfigs: [{languageCode: en, messageText: Fries?}]",
        ),
        "wrong-type",
        'messageFrequency must be a number, not the text "0,2"; write 0.2',
    ),
    "a decimal comma between braces": (
        greeting(f"messageFrequency: 0,2, {TEXTS}"),
        "unknown-field",
        "between brackets a comma ends a value, write a number with a point",
    ),
    "a comma between thousands": (
        "kind: Menu\nname: m\nitems:\n  - {name: Fries, price: 1,250.50}\n",
        "unknown-field",
        "between brackets a comma ends a value, write a number with a point",
    ),
    "a greeting that is no mapping": (
        VOICE + "  greetings: [Hi]\n",
        "wrong-type",
        "greetings must be a list of mappings",
    ),
    "two letters that changed places": (
        "kind: FeatureGroupTable\nfeatureGroupdI: g\nuri: bq://a.b.c\nentityIdColumns: [id]\nfeatures: [{id: x}]\n",
        "unknown-field",
        'did you mean "featureGroupId"?',
    ),
    "an apostrophe in a condition": (
        condition("order.items.exists(i, i.displayName == 'Ben's Fries') && order.orderType == 'x'"),
        "cel-syntax",
        "this apostrophe ends the text 'Ben'; write \"Ben's Fries\"",
    ),
    "two apostrophes in a condition": (
        condition("order.orderType == 'Ben's and Al's'"),
        "cel-syntax",
        "write \"Ben's and Al's\"",
    ),
    "an apostrophe that is doubled": (condition("order.orderType == 'Ben''s'"), "cel-syntax", 'write "Ben\'s"'),
    "a key that is asked for as a field": (
        condition("has(session.metadata['loyalty-tier'])"),
        "cel-type",
        "has() takes a field, not an index; write 'loyalty-tier' in session.metadata",
    ),
    "a zone of Windows": (
        VIEW + SOURCE + "syncConfig: {cron: CRON_TZ=W. Europe Standard Time 0 3 * * *}\n",
        "cron-syntax",
        '"W. Europe Standard Time" is not an IANA time zone name; write "Europe/Berlin"',
    ),
    "a zone that nobody knows": (
        VIEW + SOURCE + "syncConfig: {cron: CRON_TZ=Foo Bar Time 0 3 * * *}\n",
        "cron-syntax",
        "write a name such as Europe/Paris or UTC",
    ),
    "a no-break space behind the only colon": (
        VIEW + SOURCE + 'syncConfig:\n  cron:\u00a0"0 3 * * *"\n',
        "wrong-type",
        "U+00A0 is not a space to YAML, write cron: and a space",
    ),
    "a wide colon that is the only one": (
        VIEW + SOURCE + "syncConfig:\n  cron\uff1a 0 3 * * *\n",
        "wrong-type",
        "\uff1a is no colon, write cron: and a space",
    ),
    "no space behind the only colon": (
        VIEW + SOURCE + "syncConfig:\n  cron:0 3 * * *\n",
        "wrong-type",
        "no space follows its colon, write cron: and a space",
    ),
    "an item without a space behind its colon": (
        UPSELLS + "      - displayName:Fries\n",
        "wrong-type",
        "no space follows its colon, write displayName: and a space",
    ),
    "no entry, but a text that looks like one": (
        VIEW + SOURCE + "syncConfig: '0 3 * * *'\n",
        "wrong-type",
        'not the text "0 3 * * *"',
    ),
    "a key that no-break spaces indent": (
        VIEW + SOURCE + "syncConfig:\n\u00a0\u00a0cron: 0 3 * * *\n",
        "unknown-field",
        "it has a U+00A0, which is not a space to YAML, write plain spaces",
    ),
    "a key that a space and a no-break space indent": (
        VIEW + "warehouseSource:\n \u00a0uri: bq://a.b.c\n  entityIdColumns: [id]\n",
        "syntax-error",
        "U+00A0 at the beginning of a line is not a space to YAML; write plain spaces",
    ),
    "a line of a no-break space": (
        VIEW + "\u00a0\n" + SOURCE,
        "syntax-error",
        "U+00A0 at the beginning of a line is not a space to YAML; write plain spaces",
    ),
    "a no-break space behind quotes": (
        VIEW + SOURCE + 'syncConfig:\n  cron: "0 3 * * *"\u00a0\n',
        "syntax-error",
        "U+00A0 after a quote is not a space to YAML; remove it",
    ),
    "a no-break space before a comment": (
        VIEW + SOURCE + 'syncConfig:\n  cron: "0 3 * * *"\u00a0# at night\n',
        "syntax-error",
        "U+00A0 after a quote is not a space to YAML; write a space",
    ),
    "a no-break space behind an item in quotes": (
        VIEW + "warehouseSource: {uri: bq://a.b.c, entityIdColumns: ['id'\u00a0]}\n",
        "syntax-error",
        "U+00A0 after a quote is not a space to YAML; remove it",
    ),
    "a no-break space behind a key in quotes": (
        VIEW + 'warehouseSource:\n  "uri"\u00a0: bq://a.b.c\n  entityIdColumns: [id]\n',
        "syntax-error",
        "U+00A0 after a quote is not a space to YAML; remove it",
    ),
    "a no-break space behind the colon of a mapping": (
        VIEW + SOURCE + "syncConfig:\u00a0\n  cron: 0 3 * * *\n",
        "syntax-error",
        "U+00A0 is not a space to YAML; write syncConfig:",
    ),
    "a wide colon before a mapping": (
        VIEW + SOURCE + "syncConfig\uff1a\n  cron: 0 3 * * *\n",
        "syntax-error",
        "U+FF1A is no colon; write syncConfig:",
    ),
    "a no-break space behind a dash": (
        VIEW + "warehouseSource:\n  uri: bq://a.b.c\n  entityIdColumns:\n  -\u00a0id\n",
        "syntax-error",
        "U+00A0 at the beginning of a line is not a space to YAML; write plain spaces",
    ),
    "a key below an empty line that no-break spaces indent": (
        VIEW + SOURCE + "syncConfig:  # when\n\n\u00a0\u00a0cron: 0 3 * * *\n",
        "unknown-field",
        "it has a U+00A0, which is not a space to YAML, write plain spaces",
    ),
    "the schema for an editor": (
        VIEW + SOURCE + "$schema: ./trialrun.schema.json\n",
        "unknown-field",
        "the service refuses it, name the schema in the settings of the editor (trialrun docs editors)",
    ),
    "a line of a form feed": (VIEW + "\x0c\n" + SOURCE, "encoding-error", "the character U+000C is not printable"),
}


@each_of([*CASES])
def test_one_mistake_is_one_finding(name: str) -> None:
    text, rule, message = CASES[name]
    assert [(found, said if message not in said else message) for found, said in findings(text)] == [(rule, message)]


@each_of(["|\n      a\n      \u00a0\n", "|\n      \u00a0b: c\n", '"a\n      \u00a0b: c"\n'])
def test_a_no_break_space_in_a_text_is_no_cause_of_a_mistake_below(value: str) -> None:
    text = f"{VIEW}{SOURCE}syncConfig:\n    cron: {value}    continuous: a: b\n"
    messages = [message for rule, message in findings(text) if rule == "syntax-error"]
    assert messages == ["a: b has a colon followed by a space; quote it"]


def test_each_item_behind_a_no_break_space_is_one_finding() -> None:
    text = f"{VIEW}warehouseSource:\n  uri: bq://a.b.c\n  entityIdColumns:\n  \u00a0- id\n  \u00a0- other\n"
    message = "U+00A0 at the beginning of a line is not a space to YAML; write plain spaces"
    assert findings(text) == [("syntax-error", message)] * 2


@each_of(["labels: null\n\u00a0foo: 1\n", "labels:\n\u3000syncConfig: {cron: 0 3 * * *}\n"])
def test_a_null_above_an_odd_space_is_a_mistake_of_its_own(text: str) -> None:
    assert [rule for rule, _ in findings(VIEW + SOURCE + text)] == ["null-value", "unknown-field"]


@each_of(["http://x.y", "C:\\x", "'cron:'", "a==b"])
def test_a_text_that_is_no_entry_has_no_advice_for_one(text: str) -> None:
    ((_, message),) = findings(f"{VIEW}{SOURCE}labels: {text}\n")
    assert message.endswith('"') and "write" not in message
