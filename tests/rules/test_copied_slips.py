"""Slips of copying: blanks in ids, uris and columns, web addresses, names twice but for capitals, unread fields."""

from tests.cases import each_of
from tests.lint.workspace_findings import told
from tests.rules.test_one_mistake_one_finding import findings

VIEW = """\
kind: FeatureView
name: {name}
warehouseSource:
  uri: {uri}
  entityIdColumns: [{column}]
"""
NAME = "projects/p/locations/l/featureOnlineStores/s/featureViews/v"
CONFIG = """\
kind: ChannelConfig
name: projects/p/locations/l/brands/b/channelConfigs/c
type: AGENT_CUSTOMIZATION
operationsConfig:
  disambiguationStrategy:
    mappings:
      - {{type: SINGLE_TARGET, customerTerms: {terms}, targets: [{{itemName: Coke}}]}}
"""


def view(*, name: str = NAME, uri: str = "bq://p.d.t", column: str = "id") -> str:
    return VIEW.format(name=name, uri=uri, column=column)


PAGE = "https://console.cloud.google.com/bigquery"
NO_TABLE = "the uri is the address of a web page, not of a table; write the uri of the table, such as"


@each_of(
    [
        (view(), []),
        (view(uri="gs://bucket/table"), []),
        (
            view(uri="projectless"),
            [("suspicious-uri", '"projectless" has no scheme; write a uri such as bq://project')],
        ),
        (view(uri="p-1.d.t"), [("suspicious-uri", '"p-1.d.t" has no scheme; write "bq://p-1.d.t"')]),
        (view(uri="p:d.t"), [("suspicious-uri", '"p:d.t" has no scheme; write "bq://p.d.t"')]),
        (view(uri="bq:/p.d.t"), [("suspicious-uri", '"bq:/p.d.t" has no scheme; write "bq://p.d.t"')]),
        (view(uri=f"{PAGE}?p=a&d=b&t=c"), [("suspicious-uri", 'not of a table; write "bq://a.b.c"')]),
        (view(uri=f"{PAGE}?project=a"), [("suspicious-uri", NO_TABLE)]),
        (view(uri=f"'{PAGE}?p=a b&d=c&t=d'"), [("suspicious-uri", "the uri contains a space")]),
        (view(uri="'http://[bad'"), [("suspicious-uri", NO_TABLE)]),
        (view(uri="' bq://p.d.t'"), [("suspicious-uri", 'the uri begins or ends with a space; write "bq://p.d.t"')]),
        (view(uri='"bq://p.d.t\\n"'), [("suspicious-uri", 'the uri begins or ends with a space; write "bq://p.d.t"')]),
        (view(uri="bq://p.d.my table"), [("suspicious-uri", "the uri contains a space")]),
        (view(uri="' '"), [("blank-text", "uri contains only spaces")]),
        (view(uri='"${TABLE}"'), [("unfilled-placeholder", "${TABLE} is a placeholder")]),
        (view(column="' id'"), [("blank-text", 'the column " id" begins or ends with a space; write "id"')]),
        (view(column='"id\\u00a0"'), [("blank-text", 'begins or ends with a space; write "id"')]),
        (view(column="order id"), [("blank-text", 'the column "order id" contains a space')]),
        (view(column="<your id>"), [("unfilled-placeholder", "<your id> is a placeholder")]),
        (view(column="' '"), [("blank-text", "an item of entityIdColumns contains only spaces")]),
        (view(name=f"'{NAME} '"), [("blank-text", 'the id "v " begins or ends with a space; write "v"')]),
        (view(name=NAME.replace("/s/", "/my store/")), [("blank-text", 'the id "my store" contains a space')]),
        (CONFIG.format(terms="[coke, a coke, cokes]"), []),
        (
            CONFIG.format(terms="[coke, Coke, ' coke']"),
            [
                ("duplicate-item", '"Coke" and "coke" differ only in case and spaces; remove one of the two'),
                ("duplicate-item", '" coke" and "coke" differ only in case and spaces; remove one of the two'),
            ],
        ),
        (
            CONFIG.format(terms="[coke, Coke, Coke]"),
            [
                ("duplicate-item", '"Coke" and "coke" differ only in case'),
                ("duplicate-item", 'duplicate customer term "Coke"'),
            ],
        ),
    ]
)
def test_a_slip_of_copying_is_one_finding(text: str, expected: list[tuple[str, str]]) -> None:
    given = findings(text)
    assert [rule for rule, _ in given] == [rule for rule, _ in expected]
    assert [message for (_, message), (_, part) in zip(given, expected, strict=True) if part not in message] == []


SCHEMA = """\
kind: SessionSchema
types:
  Session: {turn: int, laneId: string, partySize: int, tier: string}
variables: {session: Session, weather: string}
"""
UPSELL = """\
kind: ChannelConfig
name: c
operationsConfig: {{upsellStrategy: {{upsells: [{{priority: 1, celUpsell: {{conditionExpression: {text}}}}}]}}}}
"""
TIER = 'schema.yaml:3 no condition reads "tier" of Session; use it in a condition, or remove it'
PARTY = 'schema.yaml:3 no condition reads "partySize" of Session; use it in a condition, or remove it'
WEATHER = 'schema.yaml:4 no condition reads the variable "weather"; use it in a condition, or remove it'


@each_of(
    [
        (["session.partySize > 3", "weather == 'sun' && session.tier == 'gold'"], []),
        (["session.partySize > 3"], [TIER, WEATHER]),
        (["session.turn > 3", "weather == 'sun'"], [PARTY, TIER]),
        (["session['tier'] == 'a' && weather == '' && has(session.partySize)"], []),
        (["'tier partySize weather' == ''"], []),
        ([], []),
        (["true", "7"], []),
        (["session.partySize > 3", '"unclosed'], []),
    ]
)
def test_what_a_schema_adds_is_read_by_a_condition(conditions: list[str], expected: list[str]) -> None:
    configs = [(f"config-{at}.yaml", UPSELL.format(text=text)) for at, text in enumerate(conditions)]
    assert told("unused-session-field", [("schema.yaml", SCHEMA), *configs]) == expected
