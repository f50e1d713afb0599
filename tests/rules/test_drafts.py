"""Rules that organizations asked for, as policies: what they ask of is found in the bad example and not in the good."""

from textwrap import dedent, indent

from tests.cases import each_of
from tests.lint.policy.parse_policies import read
from trialrun.lint.examples import check_policy_examples

DRAFTS = {
    "at most so many views of a store": """\
        scope: workspace
        on: FeatureOnlineStore
        parameters: {max: {type: int, default: 1}}
        check: documents("FeatureView").filter(v, v.name.startsWith(self.name + "/")).size() <= parameters.max
        doc:
          good: |
            kind: FeatureOnlineStore
            name: projects/p/locations/l/featureOnlineStores/s
            bigtable: {}
            ---
            kind: FeatureView
            name: projects/p/locations/l/featureOnlineStores/s/featureViews/a
            ---
            kind: FeatureView
            name: projects/p/locations/l/featureOnlineStores/s2/featureViews/a
          bad: |
            kind: FeatureOnlineStore  # <- m
            name: projects/p/locations/l/featureOnlineStores/s
            bigtable: {}
            ---
            kind: FeatureView
            name: projects/p/locations/l/featureOnlineStores/s/featureViews/a
            ---
            kind: FeatureView
            name: projects/p/locations/l/featureOnlineStores/s/featureViews/b
        """,
    "every table that is read is declared": """\
        scope: workspace
        on: WarehouseSource
        at: uri
        check: documents("Source").exists(s, s.uri == self.uri)
        doc:
          good: |
            kind: FeatureView
            warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
            ---
            kind: Source
            uri: bq://p.d.t
          bad: |
            kind: FeatureView
            warehouseSource: {uri: bq://p.d.u, entityIdColumns: [id]}  # <- m
            ---
            kind: Source
            uri: bq://p.d.t
        """,
    "every declared table is read": """\
        scope: workspace
        on: Source
        check: documents("FeatureView").exists(v, v.warehouseSource.uri == self.uri)
        doc:
          good: |
            kind: FeatureView
            warehouseSource: {uri: bq://p.d.t, entityIdColumns: [id]}
            ---
            kind: Source
            uri: bq://p.d.t
          bad: |
            kind: Source  # <- m
            uri: bq://p.d.t
        """,
    "a config says the default language of its brand": """\
        scope: workspace
        on: OperationsConfig
        check: >-
          self.defaultLanguageCode == '' || documents("ChannelConfig").all(c,
          c.operationsConfig.defaultLanguageCode in ['', self.defaultLanguageCode])
        doc:
          good: |
            kind: ChannelConfig
            operationsConfig: {defaultLanguageCode: en}
            ---
            kind: ChannelConfig
            operationsConfig: {}
          bad: |
            kind: ChannelConfig
            operationsConfig: {defaultLanguageCode: en}  # <- m
            ---
            kind: ChannelConfig
            operationsConfig: {defaultLanguageCode: de}  # <- m
        """,
    "one display name is used once": """\
        scope: workspace
        on: ChannelConfig
        at: displayName
        once: self.displayName
        check: documents("ChannelConfig").filter(c, c.displayName == self.displayName).size() == 1
        doc:
          good: |
            kind: ChannelConfig
            displayName: a
            ---
            kind: ChannelConfig
            displayName: b
          bad: |
            kind: ChannelConfig
            displayName: a  # <- m
            ---
            kind: ChannelConfig
            displayName: a
        """,
    "a schedule runs outside of lunch": """\
        on: SyncConfig
        at: cron
        check: >-
          cron.runs(self.cron, 50).all(r, r.getHours(cron.zone(self.cron)) < 11
          || r.getHours(cron.zone(self.cron)) >= 14)
        doc:
          good: |
            kind: FeatureView
            syncConfig: {cron: "CRON_TZ=America/Chicago 0 10 * * *"}
          bad: |
            kind: FeatureView
            syncConfig: {cron: "CRON_TZ=America/Chicago 0 12 * * *"}  # <- m
        """,
    "a view syncs within a day": """\
        on: SyncConfig
        at: cron
        parameters: {within: {type: duration, default: 24h}}
        check: self.continuous || cron.runs(self.cron, 1).exists(r, r - now <= parameters.within)
        doc:
          good: |
            kind: FeatureView
            syncConfig: {cron: 0 3 * * *}
          bad: |
            kind: FeatureView
            syncConfig: {cron: 0 3 1 1 *}  # <- m
        """,
    "no two runs are closer than an hour": """\
        on: SyncConfig
        at: cron
        check: >-
          cel.bind(runs, cron.runs(self.cron, 30), runs.size() < 2 || lists.range(runs.size() - 1).all(i,
          runs[i + 1] - runs[i] >= duration('1h')))
        doc:
          good: |
            kind: FeatureView
            syncConfig: {cron: 0 3,4 * * *}
          bad: |
            kind: FeatureView
            syncConfig: {cron: "0,30 3 * * *"}  # <- m
        """,
    "an upsell asks for the daypart": """\
        on: CelUpsell
        at: conditionExpression
        check: "'session.daypartId' in condition.reads(self.conditionExpression)"
        doc:
          good, as CelUpsell: |
            conditionExpression: session.daypartId == 'lunch' && order.subtotal > 5.0
          bad, as CelUpsell: |
            conditionExpression: order.subtotal > 5.0  # <- m
        """,
    "a condition reads no metadata": """\
        on: CelUpsell
        at: conditionExpression
        check: "!condition.reads(self.conditionExpression).exists(p, p.startsWith('session.metadata'))"
        doc:
          good, as CelUpsell: |
            conditionExpression: order.subtotal > 5.0
          bad, as CelUpsell: |
            conditionExpression: session.metadata['club'] == 'gold'  # <- m
        """,
    "no text has a telephone number": """\
        on: ChannelConfig
        check: texts(self).all(t, !t.matches('[0-9]{3}[-. ][0-9]{3}[-. ][0-9]{4}'))
        doc:
          good: |
            kind: ChannelConfig
            operationsConfig: {greetings: [{languageCode: en, greetingPhrases: [Hello]}]}
          bad: |
            kind: ChannelConfig  # <- m
            operationsConfig: {greetings: [{languageCode: en, greetingPhrases: [Call 555-123-4567]}]}
        """,
    "all messages are in languages of the region": """\
        on: MessageConfig
        at: languageCode
        parameters: {languages: {type: list(string), default: [en-US, es-*-US]}}
        check: parameters.languages.exists(r, language.matches(self.languageCode, r))
        doc:
          good, as MessageConfig: |
            languageCode: es-US
          bad, as MessageConfig: |
            languageCode: es-MX  # <- m
        """,
    "a label says until when a view is kept": """\
        on: FeatureView
        at: labels.until
        check: "!('until' in self.labels) || timestamp(self.labels['until'] + 'T00:00:00Z') > now"
        doc:
          good: |
            kind: FeatureView
            labels: {until: 2099-01-01}
          bad: |
            kind: FeatureView
            labels: {until: 2026-01-31}  # <- m
        """,
}


@each_of([*DRAFTS])
def test_what_organizations_ask_for_can_be_written(draft: str) -> None:
    head, _, examples = dedent(DRAFTS[draft]).partition("doc:\n")
    text = dedent(examples).replace(": |\n", ":\n\n")
    page = "".join(f"{line[:1].upper()}{line[1:]}\n" if line[:1] in "gb" else f"{line}\n" for line in text.splitlines())
    policies = read(f"id: p\nmessage: m\n{head}doc: |\n{indent(f'{draft}.' + chr(10) * 2 + page, '  ')}")
    assert check_policy_examples(policies.all[0], policies) == []
