"""`trialrun schedule`: the next runs of views, the timeline over them, and what cannot be told."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.cases import first_of
from tests.program import Run, view
from trialrun.values.time_zone import IANA_VERSION
from trialrun.version import __version__

ROOT = Path(__file__).parent.parent.parent
BURGERS = ROOT / "fixtures" / "workspaces" / "burger-brand"
STORE = "projects/p/locations/l/featureOnlineStores/s/featureViews"
AT = ("--at", "2026-11-20T12:07:00Z")
SPRING = ("--at", "2027-03-13T12:07:00Z")
AUTUMN = ("--at", "2026-10-31T12:07:00Z")
RAG = "kind: FeatureView\nname: {store}/rag\nragSource: {{uri: bq://p.d.t}}\nsyncConfig: {{cron: 0 3 * * *}}\n"
LIVE = "kind: FeatureView\nname: {store}/live\nsyncConfig: {{continuous: true}}\n"
NEW_YORK = "CRON_TZ=America/New_York"


def views(folder: Path, **crons: str) -> None:
    (folder / "views.yaml").write_text("---\n".join(view(name, cron) for name, cron in crons.items()))


@pytest.fixture
def burgers(tmp_path: Path) -> Path:
    """The views of the example workspace, alone."""
    shutil.copytree(BURGERS / "feature-views", tmp_path / "burgers")
    return tmp_path / "burgers"


def answered(run: Run, *arguments: str) -> Any:
    return json.loads(run("schedule", "--output-format", "json", *arguments).out)


def scheduled(name: str, path: str, cron: str | None, *runs: str, zone: str = "UTC") -> dict[str, Any]:
    named = {"name": f"{STORE}/{name}", "path": path, "cron": cron}
    return {**named, "continuous": cron is None, "zone": zone, "runs": list(runs)}


def test_the_object_of_the_contract(run: Run, tmp_path: Path) -> None:
    views(tmp_path, a="0 3 * * *", b=f"{NEW_YORK} 0 12 * * MON")
    (tmp_path / "more.yaml").write_text(RAG.format(store=STORE) + "---\n" + LIVE.format(store=STORE))
    daily = ("2026-11-21T03:00:00+00:00", "2026-11-22T03:00:00+00:00")
    weekly = ("2026-11-23T12:00:00-05:00", "2026-11-30T12:00:00-05:00")
    assert answered(run, *AT, "--count", "2") == {
        "version": 1,
        "tzdata": IANA_VERSION,
        "views": [
            scheduled("rag", "more.yaml", "0 3 * * *"),
            scheduled("live", "more.yaml", None),
            scheduled("a", "views.yaml", "0 3 * * *", *daily),
            scheduled("b", "views.yaml", f"{NEW_YORK} 0 12 * * MON", *weekly, zone="America/New_York"),
        ],
        "herds": [],
        "clock_changes": [],
    }


def test_runs_are_strictly_after_the_moment(run: Run, tmp_path: Path) -> None:
    views(tmp_path, a="7 * * * *", b="CRON_TZ=Europe/Amsterdam 0 3 * * *")
    assert answered(run, *AT, "--count", "1")["views"][0]["runs"] == ["2026-11-20T13:07:00+00:00"]
    # the form has no offsets with seconds, as they were long ago
    assert answered(run, "--at", "1850-01-01", "--count", "1")["views"][1]["runs"] == ["1850-01-01T02:42:30+00:00"]


def test_colours_on_request_and_no_views(run: Run, tmp_path: Path) -> None:
    ran = run("schedule")
    assert (ran.code, ran.out, answered(run)["views"]) == (0, "no views\n", [])
    views(tmp_path, a="0 3 * * *")
    assert "\x1b[36mSat 21 Nov 03:00 +00:00\x1b[0m" in run("schedule", *AT, "--color", "always").out


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("nightli", 'there is no view "nightli"; did you mean "nightly"?'),
        ("x", 'there is no view "x"; there are hourly, nightly'),
        ("--span soon", '--span: "soon" is not a duration; write minutes, such as 15, or 15m, 1h, 1d'),
        ("--span 0", "--span: 0 is not between 1m and 366d"),
        ("--span 367d", "--span: 367d is not between 1m and 366d"),
        ("--count 1001", "--count: 1001 is more than 1000; use a later --at"),
    ],
)
def test_wrong_usage(run: Run, tmp_path: Path, words: str, told: str) -> None:
    views(tmp_path, nightly="0 3 * * *", hourly="0 * * * *")
    ran = run("schedule", *words.split())
    assert (ran.code, ran.out, ran.err) == (2, "", f"error: {told}\n")


TOLD = """\
guest_profile  at 04:15 every day, America/Chicago
  Sat 21 Nov 04:15 -06:00  10:15 UTC  in 22 h 8 min
  Sun 22 Nov 04:15 -06:00  10:15 UTC  in 1 d 22 h

live_basket  continuous
  synced continuously

menu_prices  at 04:30 every Monday, America/Toronto
  Mon 23 Nov 04:30 -05:00  09:30 UTC  in 2 d 21 h
  Mon 30 Nov 04:30 -05:00  09:30 UTC  in 9 d 21 h

time zones of tzdata 2026f

24 h from Fri 20 Nov 2026 12:07 UTC; a column is 40 min
               Fri 20 Nov        Sat 21 Nov
               12:00    18:00    00:00    06:00
guest_profile  ┊········┊········┊········┊·····●··┊
live_basket    ═════════════════════════════════════
menu_prices    ┊········┊···· → Mon 23 Nov 09:30 UTC
● a run  ═ synced continuously
"""


def test_blocks_on_a_narrow_page(run: Run, burgers: Path) -> None:
    chosen = ("guest_profile", "menu_prices", "live_basket")
    ran = run("schedule", *chosen, *AT, "--count", "2", cwd=burgers, COLUMNS="60", PYTHONIOENCODING="utf-8")
    assert (ran.out, ran.err, ran.code) == (TOLD, "", 0)


def test_a_table_on_a_wide_page(run: Run, tmp_path: Path) -> None:
    views(tmp_path, hourly="*/30 * * * *", west="CRON_TZ=America/Los_Angeles 0 16 * * FRI")
    assert run("schedule", *AT, "--count", "1", COLUMNS="120").out.splitlines()[:3] == [
        "view    schedule               zone                 next runs                in UTC         from now",
        "hourly  every 30 minutes       UTC                  Fri 20 Nov 12:30 +00:00      12:30 UTC  in 23 min",
        "west    at 16:00 every Friday  America/Los_Angeles  Fri 20 Nov 16:00 -08:00  Sat 00:00 UTC  in 11 h 53 min",
    ]


@pytest.mark.parametrize("columns", [20, 60, 80, 120, 200])
def test_no_line_is_wider_than_the_page(run: Run, burgers: Path, columns: int) -> None:
    ran = run("schedule", *AT, "--span", "7d", cwd=burgers, COLUMNS=str(columns), PYTHONIOENCODING="utf-8")
    widest = max(ran.out.splitlines(), key=len)
    assert len(widest) <= max(columns, 40), widest


def test_ascii_where_the_output_can_write_no_more(run: Run, tmp_path: Path) -> None:
    views(tmp_path, a="0 */6 * * *", b="*/5 * * * *", c="0 3 1 1 *")
    assert run("schedule", *AT, COLUMNS="60", PYTHONIOENCODING="ascii").out.splitlines()[-7:] == [
        "24 h from Fri 20 Nov 2026 12:07 UTC; a column is 30 min",
        "   Fri 20 Nov              Sat 21 Nov",
        "   12:00   16:00   20:00   00:00   04:00   08:00",
        "a  :.......:...o...:.......o.......:...o...:.......o",
        "b  #################################################",
        "c  :.......:.......:... -> Fri  1 Jan 2027 03:00 UTC",
        "o a run  # several runs",
    ]


def test_a_run_that_the_clocks_leap_over(run: Run, tmp_path: Path) -> None:
    views(tmp_path, nightly=f"{NEW_YORK} 30 2 * * *")
    assert run("schedule", *SPRING, COLUMNS="100", PYTHONIOENCODING="utf-8").out.splitlines()[-5:] == [
        "nightly  ┊········┊········┊········┊········┊········┊········┊··✕·····┊········┊",
        "✕ a run skipped by a clock change",
        "",
        "clock changes",
        "  nightly: no run at Sun 14 Mar 02:30, which a clock change skips (02:00 to 03:00)",
    ]
    moment = {"local": "2027-03-14T02:30:00", "at": "2027-03-14T07:00:00+00:00"}
    change = {"name": f"{STORE}/nightly", "path": "views.yaml", "kind": "skipped", **moment}
    assert answered(run, *SPRING)["clock_changes"] == [change]


def test_a_run_that_comes_twice(run: Run, tmp_path: Path) -> None:
    views(tmp_path, early=f"{NEW_YORK} 30 1 * * *")
    ran = run("schedule", *AUTUMN, "--count", "1", COLUMNS="100", PYTHONIOENCODING="utf-8")
    assert "┊······‼·┊‼·······┊" in ran.out
    assert "early: two runs at Sun  1 Nov 01:30, which occurs twice, at -04:00 and at -05:00" in ran.out


def test_vixie_is_a_setting(run: Run, tmp_path: Path) -> None:
    views(tmp_path, nightly=f"{NEW_YORK} 30 2 * * *")
    (tmp_path / "trialrun.toml").write_text('[runtime]\ncron-semantics = "vixie"\n')
    told = answered(run, *SPRING, "--count", "1")
    assert (told["views"][0]["runs"], told["clock_changes"]) == (["2027-03-14T03:00:00-04:00"], [])
    assert answered(run, *SPRING, "--count", "1", "--isolated")["views"][0]["runs"] == ["2027-03-15T02:30:00-04:00"]


def test_more_views_of_a_store_than_the_setting_allows_are_a_herd(run: Run, tmp_path: Path) -> None:
    views(tmp_path, a="0 3 * * *", b="0 */3 * * *", c="CRON_TZ=Europe/Berlin 0 4 * * *")
    (tmp_path / "trialrun.toml").write_text("[options]\nsync-herd-size = 2\n")
    ran = run("schedule", *AT, "--span", "48h", COLUMNS="100", PYTHONIOENCODING="utf-8")
    assert "  Sat 21 Nov 03:00 UTC and 1 more time: 3 views of s: a, b, c\n" in ran.out
    assert "▲ a run in a herd" in ran.out
    herd = {"views": [f"{STORE}/{name}" for name in "abc"], "minutes": ["2026-11-21T03:00:00+00:00"]}
    assert answered(run, *AT, "a")["herds"] == [{"store": STORE.removesuffix("/featureViews"), **herd}]


def test_what_is_at_the_end_of_the_timeline_is_not_on_it(run: Run, tmp_path: Path) -> None:
    views(tmp_path, a="0 12 * * *", b="0 12 * * *")
    (tmp_path / "trialrun.toml").write_text("[options]\nsync-herd-size = 1\n")
    noon = ("--at", "2026-11-20T12:00:00Z")
    shown = run("schedule", *noon, COLUMNS="81", PYTHONIOENCODING="utf-8").out.replace("·", "")
    assert "┊ → Sat 21 Nov 12:00 UTC" in shown
    assert answered(run, *noon)["herds"] == []


def test_long_lists_of_herds_are_cut_and_their_rest_is_counted(run: Run, tmp_path: Path) -> None:
    views(tmp_path, **{f"v{number:02}": f"0 {number // 2} * * *" for number in range(24)})
    (tmp_path / "trialrun.toml").write_text("[options]\nsync-herd-size = 1\n")
    assert run("schedule", *AT, COLUMNS="100").out.splitlines()[-3:] == [
        "  Sat 21 Nov 08:00 UTC: 2 views of s: v16, v17",
        "  Sat 21 Nov 09:00 UTC: 2 views of s: v18, v19",
        "  2 more herds; --output-format json has all",
    ]
    views(tmp_path, **{f"v{number:02}": "0 3 * * *" for number in range(14)})
    assert "v10, v11, 2 more\n" in run("schedule", *AT, COLUMNS="120").out


def test_a_view_by_its_id_or_its_name(run: Run, tmp_path: Path) -> None:
    views(tmp_path, a="0 3 * * *", b="0 4 * * *", c="0 5 * * *")
    assert [one["name"] for one in answered(run, "c", f"{STORE}/a")["views"]] == [f"{STORE}/a", f"{STORE}/c"]


def test_a_schedule_that_cannot_be_read_is_told_as_a_check_tells_it(run: Run, tmp_path: Path) -> None:
    views(tmp_path, broken="0 25 * * *  # trialrun: ignore[cron-syntax] for now", sound="0 3 * * *")
    ran = run("schedule", *AT, "--count", "1", "--output-format", "json")
    assert [load["runs"] for load in json.loads(ran.out)["views"]] == [[], ["2026-11-21T03:00:00+00:00"]]
    assert "error[cron-syntax]: hour 25 is outside 0-23; write 0 to 23\n --> views.yaml:4:11" in ran.err
    assert ran.code == 1


@pytest.mark.parametrize(
    ("sync", "rule"),
    [
        ("{cron: 0 0 30 2 *}", "cron-never-fires"),
        ("{cron: TZ=Europe/Atlantis 0 3 * * *}", "unknown-time-zone"),
        ("{cron: 3}", "wrong-type"),
        ("{cron: 0 3 * * *, continuous: true}", "union-conflict"),
        ("0 3 * * *", "wrong-type"),
    ],
)
def test_whatever_keeps_a_schedule_from_running_is_told(run: Run, tmp_path: Path, sync: str, rule: str) -> None:
    (tmp_path / "view.yaml").write_text(f"- kind: FeatureView\n  name: {STORE}/v\n  sync_config: {sync}\n")
    ran = run("schedule", *AT)
    assert (ran.code, f"error[{rule}]" in ran.err) == (1, True), ran.err


def test_a_file_that_cannot_be_read_may_have_a_view(run: Run, tmp_path: Path) -> None:
    views(tmp_path, a="0 3 * * *")
    (tmp_path / "lost.yaml").write_text("kind: FeatureView\nname: {{\n")
    ran = run("schedule", *AT)
    assert (ran.code, "error[syntax-error]" in ran.err, "lost.yaml:" in ran.err) == (1, True, True)
    assert run("schedule", "a", *AT).code == 0


def test_a_view_without_a_name_is_known_by_its_place(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text("kind: FeatureView\nsyncConfig: {cron: 0 3 * * *}\n")
    assert run("schedule", *AT).out.startswith("view.yaml:1  at 03:00 every day, UTC\n")
    assert answered(run, *AT)["views"][0]["name"] is None


def test_views_of_one_id_are_told_apart(run: Run, tmp_path: Path) -> None:
    for store in "st":
        (tmp_path / f"{store}.yaml").write_text(view().replace("Stores/s/", f"Stores/{store}/"))
    (tmp_path / "u.yaml").write_text(view())
    (tmp_path / "t.yaml").write_text(view().replace("Stores/s/", "Stores/t/"))
    out = run("schedule", *AT).out
    assert [name in out for name in ("v (s.yaml:1)", "t/v", "v (u.yaml:1)")] == [True] * 3


@pytest.mark.parametrize("moment", first_of(["0001-01-01", "9999-12-30T23:00:00Z", "1900-01-01"], 2))
def test_the_ends_of_the_calendar(run: Run, burgers: Path, moment: str) -> None:
    ran = run("schedule", "--at", moment, "--span", "366d", cwd=burgers)
    assert (ran.code, ran.err) == (0, "")


def test_the_release_of_the_time_zones_is_named_where_a_zone_is(run: Run, tmp_path: Path) -> None:
    views(tmp_path, a="0 3 * * *")
    assert "tzdata" not in run("schedule", *AT).out
    views(tmp_path, a=f"{NEW_YORK} 0 12 * * MON")
    assert f"\ntime zones of tzdata {IANA_VERSION}\n" in run("schedule", *AT).out


@pytest.mark.parametrize("option", ["--version", "-V"])
def test_the_version_names_the_release_of_the_time_zones(run: Run, option: str) -> None:
    assert run(option).out == f"trialrun {__version__} (time zones of tzdata {IANA_VERSION})\n"
