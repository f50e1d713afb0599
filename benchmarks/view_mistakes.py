"""Mistakes that people make in FeatureViews."""

from __future__ import annotations

from benchmarks.mistakes import at, registry, rename
from benchmarks.views import Resource
from benchmarks.yaml_writer import Raw, Twice

VIEW_MISTAKES, mistake = registry()


@mistake("cron-syntax", "sync")
def _hour_25(view: Resource) -> None:
    at(view, "syncConfig", "cron")
    view["syncConfig"]["cron"] = "0 25 * * *"


@mistake("cron-syntax", "sync")
def _six_fields(view: Resource) -> None:
    at(view, "syncConfig", "cron")
    view["syncConfig"]["cron"] = "0 0 5 * * *"


@mistake("unknown-time-zone", "sync")
def _zone_slip(view: Resource) -> None:
    at(view, "syncConfig", "cron")
    view["syncConfig"]["cron"] = "CRON_TZ=America/New_Yrok 15 6 * * *"


@mistake("deprecated-time-zone", "sync")
def _old_zone(view: Resource) -> None:
    at(view, "syncConfig", "cron")
    view["syncConfig"]["cron"] = "CRON_TZ=US/Eastern 15 6 * * *"


@mistake("cron-never-fires", "sync")
def _april_31(view: Resource) -> None:
    at(view, "syncConfig", "cron")
    view["syncConfig"]["cron"] = "0 5 31 4 *"


@mistake("cron-dst", "sync")
def _lost_hour(view: Resource) -> None:
    at(view, "syncConfig", "cron")
    view["syncConfig"]["cron"] = "CRON_TZ=America/New_York 30 2 * * *"


@mistake("cron-portability", "sync")
def _macro(view: Resource) -> None:
    at(view, "syncConfig", "cron")
    view["syncConfig"]["cron"] = "5/15 6 * * *"


@mistake("union-conflict", "sync")
def _both(view: Resource) -> None:
    at(view, "syncConfig", "cron")
    view["syncConfig"]["continuous"] = True


@mistake("syntax-error", "sync", yaml_only=True)
def _alias(view: Resource) -> None:
    at(view, "syncConfig", "cron")
    view["syncConfig"]["cron"] = Raw("*/15 * * * *", "*/15 * * * *")


@mistake("cron-syntax", "sync")
def _zone_behind(view: Resource) -> None:
    at(view, "syncConfig", "cron")
    view["syncConfig"]["cron"] = "0 9 * * * Europe/Berlin"


@mistake("rag-source-scheduled", "sync")
def _rag(view: Resource) -> None:
    at(view, "ragSource")
    view["syncConfig"] = {"cron": "0 5 * * *"}


@mistake("unknown-field", "source")
def _columns(view: Resource) -> None:
    rename(at(view, "warehouseSource"), "entityIdColumns", "entityIdColums")


@mistake("missing-field", "source")
def _no_uri(view: Resource) -> None:
    del at(view, "warehouseSource")["uri"]


@mistake("suspicious-uri", "source")
def _no_scheme(view: Resource) -> None:
    at(view, "warehouseSource")["uri"] = "corpus.growth.riders_latest"


@mistake("suspicious-uri", "source")
def _console(view: Resource) -> None:
    page = "https://console.cloud.google.com/bigquery?p=corpus&d=growth&t=riders_latest&page=table"
    at(view, "warehouseSource")["uri"] = page


@mistake("suspicious-uri", "source")
def _blank_behind_uri(view: Resource) -> None:
    at(view, "ragSource")["uri"] += " "


@mistake("blank-text", "source")
def _blank_behind_column(view: Resource) -> None:
    at(view, "warehouseSource", "entityIdColumns")[0] += " "


@mistake("blank-text", "source")
def _blank_in_feature(view: Resource) -> None:
    at(view, "featureRegistrySource", "featureGroups", 0, "featureIds")[0] = "orders today"


@mistake("duplicate-item", "source")
def _feature_of_two_groups(view: Resource) -> None:
    groups = at(view, "featureRegistrySource", "featureGroups")
    groups.append({"featureGroupId": "another_group", "featureIds": [groups[0]["featureIds"][0]]})


@mistake("duplicate-item", "source")
def _feature_twice(view: Resource) -> None:
    ids = at(view, "featureRegistrySource", "featureGroups", 0, "featureIds")
    ids.append(ids[0])


@mistake("non-canonical-form", "source")
def _int64_number(view: Resource) -> None:
    at(view, "featureRegistrySource")["projectNumber"] = 418820071311


@mistake("out-of-range", "source")
def _corpus_zero(view: Resource) -> None:
    at(view, "ragSource")["ragCorpusId"] = "0"


@mistake("invalid-label", "labels")
def _capital(view: Resource) -> None:
    at(view, "labels")["team"] = "Growth Team"


@mistake("wrong-type", "labels")
def _label_number(view: Resource) -> None:
    at(view, "labels")["tier"] = 1


@mistake("duplicate-key", "labels", yaml_only=True)
def _label_twice(view: Resource) -> None:
    at(view, "labels")["owner"] = Twice("nobody")


@mistake("replica-range", "optimized")
def _replicas(view: Resource) -> None:
    at(view, "optimizedConfig")["automaticResources"] = {"minReplicaCount": 9, "maxReplicaCount": 4}


@mistake("deprecated-field", "index")
def _old_index(view: Resource) -> None:
    rename(view, "indexConfig", "vectorSearchConfig")


@mistake("union-conflict", "index")
def _both_indexes(view: Resource) -> None:
    view["vectorSearchConfig"] = dict(at(view, "indexConfig"))


@mistake("unknown-enum-value", "index")
def _distance(view: Resource) -> None:
    at(view, "indexConfig")["distanceMeasureType"] = "DOT_PRODUCT"


@mistake("missing-embedding-column", "index")
def _no_embedding(view: Resource) -> None:
    del at(view, "indexConfig")["embeddingColumn"]


@mistake("output-only-field", "times")
def _created(view: Resource) -> None:
    view["createTime"] = "2026-05-01T08:00:00Z"


@mistake("invalid-resource-name", "name")
def _segment(view: Resource) -> None:
    view["name"] = view["name"].replace("/featureViews/", "/featureView/")


@mistake("output-only-field", "times")
def _created_on_a_day(view: Resource) -> None:
    view["createTime"] = "2026-01-01"


@mistake("blank-text", "name")
def _blank_in_name(view: Resource) -> None:
    view["name"] = view["name"].replace("/featureViews/", "/featureViews/my ")
