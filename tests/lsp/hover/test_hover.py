"""What is shown beside a place."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.lsp.navigation.open_workspace import at, marked, opened, put, shown
from trialrun.lsp.features.completion import completion
from trialrun.lsp.features.hover import hover
from trialrun.workspace.open_workspace import OpenWorkspace

CRON = "CRON_TZ=America/New_York 30 1 * * *"
VIEW = f"""\
kind: FeatureView
name: prices
labels: {{Team: search}}  # trialrun: ignore[invalid-label] an old name
syncConfig:
  cron: {CRON}
indexConfig:
  distanceMeasureType: COSINE_DISTANCE
optimizedConfig:
  automaticResources: {{minReplicaCount: 3}}
"""
CONFIG = """\
kind: ChannelConfig
name: shakes
type: UPSELL_STRATEGY
operationsConfig:
  defaultLanguageCode: pt-BR
  upsellStrategy:
    upsells:
      - priority: 1
        celUpsell:
          conditionExpression: >-
            order.items.exists(i, i.quantity > 1)
              && order.subtotal > 8.0
          suggestedMenuItems: [Shake]
"""
BRAND = """\
kind: Brand
name: north
bindings:
  - rule: piers
    channelConfig: shakes
    stores: {tags: [pier]}
stores:
  - name: long-pier
    tags: [pier]
    timeZone: Asia/Kolkata
  - name: hill
"""


@pytest.fixture
def live(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> OpenWorkspace:
    monkeypatch.chdir(tmp_path)
    return opened(tmp_path, view=VIEW, config=CONFIG, brand=BRAND)


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("|minReplicaCount", "**`AutomaticResources.minReplicaCount`**: an integer, from 1 to 1000, optional"),
        ("|minReplicaCount", "Minimum replica count; 2 when unset."),
        ("COSINE|_DISTANCE", "`COSINE_DISTANCE`: 1 minus cosine similarity."),
        ("|distanceMeasureType", "- `DOT_PRODUCT_DISTANCE`: Negative of the dot product."),
        ("|cron", "At most one of this field and `continuous` may be set."),
        ("|optimizedConfig", "Optional: `automaticResources`"),
        ("Feature|View", "**`FeatureView`**: The representation of values that a FeatureOnlineStore serves"),
        ("|labels", "a mapping of texts, at most 64 characters each, optional"),
    ],
)
def test_a_field_is_told_in_the_words_of_the_specification(live: OpenWorkspace, place: str, told: str) -> None:
    assert told in shown(live, "view.yaml", place)


def test_a_schedule_is_told_in_words(live: OpenWorkspace) -> None:
    assert "Runs at 01:30 every day, in the time zone `America/New_York`." in shown(live, "view.yaml", "30 |1 *")


def test_the_next_five_runs_are_by_the_clock_of_the_zone(live: OpenWorkspace) -> None:
    told = shown(live, "view.yaml", "30 |1 *")
    assert "- Sat 21 Nov 01:30 -05:00 (06:30 UTC)\n" in told
    assert told.count("01:30 -05:00 (") == 5


def test_a_run_that_comes_twice_is_told(live: OpenWorkspace) -> None:
    told = "- two runs at Sun  7 Nov 2027 01:30, which occurs twice, at -04:00 and at -05:00"
    assert told in shown(live, "view.yaml", "30 |1 *")


def test_a_run_that_the_clocks_leap_over_is_told(live: OpenWorkspace) -> None:
    put(live, "view.yaml", VIEW.replace("30 1", "30 2"))
    told = "- no run at Sun 14 Mar 2027 02:30, which a clock change skips (02:00 to 03:00)"
    assert told in shown(live, "view.yaml", "30 |2 *")


def test_the_zone_of_a_schedule_is_told_where_its_name_is(live: OpenWorkspace) -> None:
    told = (
        "`America/New_York`: UTC-05:00 (EST) now; "
        "UTC-04:00 from Sun 14 Mar 2027 02:00, when the clocks are put forward to 03:00."
    )
    assert told in shown(live, "view.yaml", "America/|New_York")
    assert told not in shown(live, "view.yaml", "30 |1 *")


def test_a_schedule_that_is_not_carried_out_says_why(live: OpenWorkspace) -> None:
    put(live, "view.yaml", (VIEW + "ragSource: {uri: a}\n"))
    told = shown(live, "view.yaml", "30 |1 *")
    assert "Synced on demand only: its source is a RAG source" in told
    assert "Next runs" not in told


def test_a_schedule_that_never_runs_says_so(live: OpenWorkspace) -> None:
    put(live, "view.yaml", VIEW.replace("30 1 * * *", "0 0 31 2 *"))
    assert "Next run: never: no date matches." in shown(live, "view.yaml", "0 |0 31 2")


def test_a_schedule_that_nobody_means_is_not_read(live: OpenWorkspace) -> None:
    put(live, "view.yaml", VIEW.replace("30 1", "30 " + "1," * 500 + "1"))
    told = shown(live, "view.yaml", "30 |1,1")
    assert "SyncConfig.cron" in told
    assert "Runs " not in told


def test_a_store_has_its_zone_told(live: OpenWorkspace) -> None:
    told = "`Asia/Kolkata`: UTC+05:30 (IST) now; the clocks do not change before the end of 2028."
    assert told in shown(live, "brand.yaml", "Asia/|Kolkata")


def test_a_language_is_told_by_its_name(live: OpenWorkspace) -> None:
    assert "`pt-BR`: Portuguese (Brazil)\n" in shown(live, "config.yaml", "pt|-BR")


def test_a_tag_in_another_form_tells_the_canonical_one(live: OpenWorkspace) -> None:
    put(live, "config.yaml", CONFIG.replace("pt-BR", "pt-br"))
    assert "the canonical form is `pt-BR`" in shown(live, "config.yaml", "pt|-br")


@pytest.mark.parametrize(
    ("place", "part", "type_"),
    [
        ("order.sub|total", "order.subtotal", "`order.subtotal`: `double`"),
        ("i.quan|tity", "i.quantity", "`i.quantity`: `int`"),
        ("order.it|ems", "order.items", "`order.items`: `list(Item)`"),
        ("&& |order.subtotal", "order", "`order`: `Order`"),
        ("ex|ists", "order.items.exists(i, i.quantity > 1)", ": `bool`"),
        ("ex|ists", "order.items.exists(i, i.quantity > 1)", "Whether the condition is true for at least one element."),
        ("(|i, i.q", "i", "`i`: `Item`\n"),
        ("(|i, i.q", "i", "Each element of `order.items` in turn."),
        ("|> 8.0", "order.subtotal > 8.0", "Whether the left value is greater"),
        ("> |8.0", "8.0", "`8.0`: `double`"),
    ],
)
def test_a_part_of_a_condition_has_its_type(live: OpenWorkspace, place: str, part: str, type_: str) -> None:
    assert marked(live, "config.yaml", place) == part
    assert type_ in shown(live, "config.yaml", place)


def test_what_indents_a_condition_is_no_part_of_it(live: OpenWorkspace) -> None:
    told = shown(live, "config.yaml", "  |        order.items.exists")
    assert told.startswith("**`CelUpsell.conditionExpression`**")


def test_a_message_of_a_condition_has_its_fields(live: OpenWorkspace) -> None:
    assert "Fields: `items` list(Item), `subtotal` double" in shown(live, "config.yaml", "ord|er.subtotal")


def test_the_types_are_those_that_the_workspace_declares(live: OpenWorkspace) -> None:
    schema = "kind: SessionSchema\nvariables: {order: Order}\ntypes: {Order: {subtotal: int, items: list(dyn)}}\n"
    put(live, "schema.yaml", schema)
    put(live, "config.yaml", CONFIG.replace("8.0", "8"))
    assert "`order.subtotal`: `int`" in shown(live, "config.yaml", "order.sub|total")


def test_a_condition_with_a_mistake_tells_what_is_known_of_a_word(live: OpenWorkspace) -> None:
    put(live, "config.yaml", CONFIG.replace("subtotal > 8.0", "subTotal >"))
    assert "`order.items`: `list(Item)`" in shown(live, "config.yaml", "order.it|ems")
    assert "`i.quantity`: `int`" in shown(live, "config.yaml", "i.quan|tity")
    assert "Whether the condition is true for at least one element." in shown(live, "config.yaml", "ex|ists")
    assert "True if both are" in shown(live, "config.yaml", "|&& order")
    assert "`order.subTotal`" not in shown(live, "config.yaml", "order.sub|Total")


def test_a_moment_of_a_condition_is_told_in_words(live: OpenWorkspace) -> None:
    text = CONFIG.replace("order.subtotal > 8.0", "session.startTime < timestamp('2026-11-21T12:00:00Z')")
    put(live, "config.yaml", text)
    for place in ("time|stamp('", "'2026|-11"):
        assert "Sat 21 Nov 2026 12:00 UTC, in 1 d 0 h." in shown(live, "config.yaml", place)


@pytest.mark.parametrize(
    ("span", "told"),
    [
        ("5400s", "`5400s`: 1 h 30 min."),
        ("49h", "`49h`: 49 h."),
        ("72h", "`72h`: 3 d."),
        ("1.5s", "`1.5s`: 1.5 seconds."),
    ],
)
def test_a_span_of_time_of_a_condition_is_told_in_words(live: OpenWorkspace, span: str, told: str) -> None:
    put(live, "config.yaml", CONFIG.replace("order.subtotal > 8.0", f"duration('{span}') > duration('1m')"))
    assert told in shown(live, "config.yaml", f"'|{span}")


def test_the_sound_parts_of_a_broken_text_are_told(live: OpenWorkspace) -> None:
    put(live, "view.yaml", VIEW.replace("indexConfig:", 'etag: "not closed\nindexConfig: ]'))
    assert "Runs at 01:30 every day" in shown(live, "view.yaml", "30 |1 *")
    assert "**`AutomaticResources.minReplicaCount`**" in shown(live, "view.yaml", "|minReplicaCount")


@pytest.mark.parametrize(
    ("schedule", "place", "told"),
    [
        ("*/15 1-3 * JAN MON-FRI", "*/|15", "`*/15`: minute 0, 15, 30, 45\n"),
        ("*/15 1-3 * JAN MON-FRI", "1|-3", "`1-3`: hour 1, 2, 3\n"),
        ("*/15 1-3 * JAN MON-FRI", "|* JAN", "`*`: every day of month\n"),
        ("*/15 1-3 * JAN MON-FRI", "JA|N", "`JAN`: month January\n"),
        ("*/15 1-3 * JAN SUN,SAT", "SA|T", "`SUN,SAT`: day of week Sunday, Saturday\n"),
        ("0 0 * * *", "0 |0", "in the time zone `UTC`, the default."),
        ("'@daily'", "@da|ily", "Runs at 00:00 every day, in the time zone `UTC`"),
        ("TZ=Asia/Kolkata 0 0 * * *", "Asia/|Kol", "`Asia/Kolkata`: UTC+05:30 (IST) now"),
    ],
)
def test_a_field_of_a_schedule_is_told(live: OpenWorkspace, schedule: str, place: str, told: str) -> None:
    put(live, "view.yaml", VIEW.replace(CRON, schedule))
    assert told in shown(live, "view.yaml", place)


@pytest.mark.parametrize(
    ("tag", "told"),
    [
        ("zh-Hant-TW", "`zh-Hant-TW`: Chinese (Han (Traditional variant), Taiwan, Province of China)"),
        ("zh-Hant-TW", "language `zh` Chinese, script `Hant`"),
        ("iw", "`iw`: Hebrew; the canonical form is `he`"),
        ("i-klingon", "`i-klingon`: Klingon; the canonical form is `tlh`"),
    ],
)
def test_the_parts_of_a_tag_are_told(live: OpenWorkspace, tag: str, told: str) -> None:
    put(live, "config.yaml", CONFIG.replace("pt-BR", tag))
    assert told in shown(live, "config.yaml", f"{tag[:2]}|{tag[2:]}")


def test_a_config_tells_the_stores_where_it_applies(live: OpenWorkspace) -> None:
    told = shown(live, "config.yaml", "name: |shakes")
    assert told.startswith("`shakes`: UPSELL_STRATEGY, ACTIVE, `config.yaml:2`\n")
    assert "Applies at 1 store of 2.\n\n- brand binding `piers` (`brand.yaml:5`): `long-pier`" in told


def test_a_config_that_is_overwritten_tells_where(live: OpenWorkspace) -> None:
    put(live, "salad.yaml", CONFIG.replace("shakes", "salad").replace("Shake", "Salad"))
    put(live, "brand.yaml", BRAND.replace("tags: [pier]\n", "tags: [pier]\n    defaults: [salad]\n"))
    told = shown(live, "config.yaml", "name: |shakes")
    assert "Applies at 1 store of 2, effective at no store.\n" in told
    assert "(`brand.yaml:5`), all of it overwritten by `salad`: `long-pier`" in told


def test_a_binding_tells_the_stores_of_its_config(live: OpenWorkspace) -> None:
    assert "Applies at 1 store of 2." in shown(live, "brand.yaml", "channelConfig: |shakes")


def test_a_store_tells_its_configs(live: OpenWorkspace) -> None:
    told = "1 config applied at `long-pier`; later ones win:\n\n- `shakes`: brand binding `piers` (`brand.yaml:5`)"
    assert told in shown(live, "brand.yaml", "long|-pier")
    assert "0 configs applied at `hill`." in shown(live, "brand.yaml", "name: |hill")


def test_a_store_tells_what_applies_nothing(live: OpenWorkspace) -> None:
    put(live, "brand.yaml", BRAND.replace("Config: shakes", "Config: shaeks"))
    told = '- nothing by the brand binding `piers` (`brand.yaml:5`): no ChannelConfig is named "shaeks"'
    assert told in shown(live, "brand.yaml", "long|-pier")


def test_the_store_of_a_scenario_tells_its_configs(live: OpenWorkspace) -> None:
    put(live, "pier.yaml", "kind: Scenario\nname: A pier\nsteps: [{session: {store: long-pier, turns: []}}]\n")
    assert "1 config applied at `long-pier`" in shown(live, "pier.yaml", "long|-pier")


def test_stores_follow_the_text_of_another_file(live: OpenWorkspace) -> None:
    shown(live, "config.yaml", "name: |shakes")
    put(live, "brand.yaml", BRAND.replace("- name: hill", "- {name: hill, tags: [pier]}"))
    assert "Applies at 2 stores of 2." in shown(live, "config.yaml", "name: |shakes")


def test_a_finding_shows_the_page_of_its_rule(live: OpenWorkspace) -> None:
    put(live, "view.yaml", VIEW.replace("New_York", "New_Yrok"))
    told = shown(live, "view.yaml", "New_|Yrok")
    assert "\n\n---\n\n**unknown-time-zone**: Time zone that is not in the IANA database" in told
    assert "Specification: feature-view, section 2" in told


def test_a_rule_in_a_comment_shows_its_page(live: OpenWorkspace) -> None:
    told = shown(live, "view.yaml", "ignore[invalid|-label]")
    assert told.startswith("**invalid-label**: Label with")
    assert told.count("**Bad, as FeatureView**") == told.count("**Fixed, as FeatureView**") == 1
    assert marked(live, "view.yaml", "ignore[invalid|-label]") == "invalid-label"


def test_a_key_that_no_field_has_shows_only_its_finding(live: OpenWorkspace) -> None:
    put(live, "view.yaml", VIEW.replace("cron:", "corn:"))
    assert shown(live, "view.yaml", "|corn").startswith("**unknown-field**: ")


def test_where_nothing_stands_nothing_is_shown(live: OpenWorkspace) -> None:
    assert hover(live, "view.yaml", len(VIEW)) is None
    assert hover(live, "nowhere.yaml", 0) is None


def test_the_runs_are_those_after_the_clock(live: OpenWorkspace) -> None:
    live.request = replace(live.request, now=datetime(2027, 1, 1, tzinfo=UTC))
    assert "- Fri  1 Jan 01:30 -05:00 (06:30 UTC)" in shown(live, "view.yaml", "30 |1 *")


@pytest.mark.parametrize("text", ["", "\n", "kind: [", "- - -", "kind: FeatureView\nsyncConfig: {cron: 5}\n", "\t: {"])
def test_no_place_of_a_broken_text_is_a_fault(live: OpenWorkspace, text: str) -> None:
    put(live, "view.yaml", text)
    for offset in range(len(text) + 1):
        hover(live, "view.yaml", offset)


TERRAFORM = """\
resource "google_bigquery_table" "guests" {
  project    = "acme"
  dataset_id = "serving"
  table_id   = "guests"
  schema     = jsonencode([{ name = "id", type = "STRING" }])
}
resource "google_vertex_ai_feature_online_store_featureview" "guests" {
  name   = "guests"
  labels = var.labels
  sync_config {
    cron = "CRON_TZ=Europe/Rome 30 4 * * *"
  }
  big_query_source {
    uri               = "bq://acme.serving.guests"
    entity_id_columns = ["id"]
  }
}
"""


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("30| 4", "Runs at 04:30 every day, in the time zone `Europe/Rome`."),
        ("Europe/|Rome", "Europe/Rome"),
        ("bq://acme|", "- files: `known to Terraform alone (main.tf:1)`\n- columns: `id` STRING"),
        ('["i|d"]', "`id`: STRING, a column of `bq://acme.serving.guests`, `main.tf:5`"),
        ("|sync_config", "**`FeatureView.syncConfig`**"),
    ],
)
def test_a_file_of_terraform_shows_the_same(live: OpenWorkspace, place: str, told: str) -> None:
    put(live, "main.tf", TERRAFORM)
    assert told in shown(live, "main.tf", place)


@pytest.mark.parametrize("place", ["name|   =", "# trialrun: ignore[cron-|", "labels|: {", "kind|: FeatureView"])
def test_completion_in_terraform_is_left_to_its_own_server(live: OpenWorkspace, place: str) -> None:
    put(live, "main.tf", f"{TERRAFORM}# trialrun: ignore[cron-\nlabels: {{\nkind: FeatureView\n")
    assert completion(live, "main.tf", at(live, "main.tf", place))["items"] == ()
