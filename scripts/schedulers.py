"""Run six schedulers, and write what they make of schedules: scripts/schedulers.json and two sections of a page.

    python scripts/schedulers.py                    run them, write the data and the sections
    python scripts/schedulers.py --page             write the sections of docs/other-programs.md from the data
    python scripts/schedulers.py --measure 12000    draw schedules, list those on which they disagree without a warning

The first and the last install the packages of VERSIONS, of PyPI and npm, into a temporary folder. `--warned 500`
with `--measure` draws schedules that have a warning, and lists those on which all agree. Not drawn are lists with a
star in other fields than the days, which are accepted: one scheduler refuses them, and none reads them differently.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, date, datetime, time, timedelta
from itertools import product, takewhile
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "src"))

from trialrun.values import cron  # noqa: E402
from trialrun.values.cron.fields import FIELDS, Field  # noqa: E402
from trialrun.values.time_zone import load_zone  # noqa: E402

DATA = Path(__file__).with_name("schedulers.json")
PAGE = ROOT / "docs" / "other-programs.md"
PYPI = {"croniter": "7.0.0", "cronsim": "2.8", "tzdata": "2026.6"}
NPM = {"croner": "11.0.1", "cron-parser": "5.10.6", "@breejs/later": "4.2.0", "cronosjs": "1.7.1"}
SCHEDULERS = ("croniter", "cronsim", "croner", "cron-parser", "later", "cronosjs")
VERSIONS = {name: {**PYPI, **NPM, "later": NPM["@breejs/later"]}[name] for name in SCHEDULERS}
YEAR = 2027

DATES = ("*", "*/1", "*/2", "*/31", "1-31", "1-31/2", "1-5", "13")
WEEKDAYS = ("*", "*/1", "*/2", "*/7", "0-6", "0-6/2", "1-5", "1")
PAIRS = [f"0 0 {day} * {weekday}" for day, weekday in product(DATES, WEEKDAYS)]
MINUTES = "9 09 9,12 */1 */15 */59 */60 0-59 0-59/15 0-59/60 9-12 9-12/5 9-12/60 9-9 9-9/1 9-9/15 0-0 5/1 5/15 50/15"
MINUTE_LISTS = "*/2,9 */2,4 9,9 9,*/15 0-5,9-12 8-12,12-16 8-12,9-10 1-5,0-59 9,* *,9 *,* ? ?/15"
RANGES = [
    *(f"{minute} 0 1 * *" for minute in (*MINUTES.split(), *MINUTE_LISTS.split())),
    *(f"0 {hour} 1 * *" for hour in ("9-9", "0-23", "0-23/5", "*,9", "8-12,12-16")),
    *(f"0 0 {day} * *" for day in ("1-31", "9-9", "9-9/7", "31-31", "*,9", "1-7,7-14", "9/7", "?")),
    *(f"0 0 1 {month} *" for month in ("1-12", "9-9", "SEP-SEP", "mar-May", "MAR,MAR", "3/4", "*/12", "*,9")),
    *(f"0 0 * * {day}" for day in ("0-6", "1-1", "MON-MON", "mon-FRI", "MON-5", "7", "5-7", "0-7", "0,7", "1/2")),
    *(f"0 0 * * {day}" for day in ("*,1", "1-3,3-5", "*/7", "?")),
    *("@hourly", "@daily", "@midnight", "@weekly", "@monthly", "@yearly", "@annually"),
]
NEW_YORK, LORD_HOWE, CAIRO = "America/New_York", "Australia/Lord_Howe", "Africa/Cairo"
SPRING, AUTUMN = date(2027, 3, 14), date(2027, 11, 7)
CLOCK_CHANGES = [
    ("a time in a gap of an hour", "30 2 * * *", NEW_YORK, SPRING),
    ("the same, once a year", "30 2 14 3 *", NEW_YORK, SPRING),
    ("steps of minutes in a gap", "*/20 2 * * *", NEW_YORK, SPRING),
    ("steps of hours over a gap", "0 */2 * * *", NEW_YORK, SPRING),
    ("a time in a gap at midnight", "30 0 * * *", CAIRO, date(2027, 4, 30)),
    ("a time in a gap of half an hour", "15 2 * * *", LORD_HOWE, date(2027, 10, 3)),
    ("a time in an hour that repeats", "30 1 * * *", NEW_YORK, AUTUMN),
    ("the same, once a year", "30 1 7 11 *", NEW_YORK, AUTUMN),
    ("steps of minutes in an hour that repeats", "*/30 1 * * *", NEW_YORK, AUTUMN),
    ("every hour", "30 * * * *", NEW_YORK, AUTUMN),
    ("a time in half an hour that repeats", "45 1 * * *", LORD_HOWE, date(2027, 4, 4)),
]
DRAWN_STARTS = [datetime(2026, 12, 2, tzinfo=UTC), datetime(2027, 2, 26, 23, 58, tzinfo=UTC)]
DRAWN_STARTS += [datetime(2027, 6, 30, 11, 59, tzinfo=UTC)]

Answer = dict[str, list[int] | None]
Question = dict[str, Any]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--page", action="store_true")
    parser.add_argument("--measure", type=int, metavar="COUNT")
    parser.add_argument("--warned", type=int, metavar="COUNT")
    parser.add_argument("--seed", type=int, default=29)
    options = parser.parse_args()
    if not options.page:
        with tempfile.TemporaryDirectory() as folder:
            install(Path(folder))
            if options.measure is not None or options.warned is not None:
                measure(Path(folder), options.measure or 0, options.warned or 0, options.seed)
                return
            DATA.write_text(data_text(run_forms(Path(folder))), encoding="utf-8")
    PAGE.write_text(with_sections(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


def install(folder: Path) -> None:
    """Install the schedulers, and the programs that ask them, into an empty folder."""
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    pins = [f"{name}=={version}" for name, version in PYPI.items()]
    subprocess.run([folder / "venv/bin/pip", "install", "--quiet", *pins], check=True)
    pins = [f"{name}@{version}" for name, version in NPM.items()]
    subprocess.run(["npm", "install", "--silent", "--no-audit", "--no-fund", "--prefix", folder, *pins], check=True)
    for ending in ("py", "mjs"):
        shutil.copy(Path(__file__).with_name(f"schedulers_ask.{ending}"), folder)


def question(text: str, start: datetime, end: datetime, *, zone: str = "UTC", count: int = 10**6) -> Question:
    start_and_end = {"start": int(start.timestamp()), "end": int(end.timestamp())}
    return {"text": text, "zone": zone, "count": count, **start_and_end}


def ask(folder: Path, questions: Sequence[Question], zone: str = "UTC") -> list[Answer]:
    """The runs of each scheduler, in seconds of the epoch; `zone` is the machine's, which one of them goes by."""
    lines = "".join(json.dumps(question) + "\n" for question in questions)
    env = {**os.environ, "TZ": zone, "PYTHONTZPATH": ""}

    def answers(*command: str) -> list[Answer]:
        done = subprocess.run(command, cwd=folder, env=env, input=lines, stdout=subprocess.PIPE, text=True, check=True)
        return [json.loads(line) for line in done.stdout.splitlines()]

    with ThreadPoolExecutor() as pool:
        python = pool.submit(answers, "venv/bin/python", "schedulers_ask.py")
        node = pool.submit(answers, "node", "schedulers_ask.mjs")
        return [{**one, **other} for one, other in zip(python.result(), node.result(), strict=True)]


def run_forms(folder: Path) -> dict[str, Any]:
    """What the schedulers make of each form: runs in a year, and runs on the day of a clock change."""
    start, end = datetime(YEAR - 1, 12, 31, 23, 59, 59, tzinfo=UTC), datetime(YEAR + 1, 1, 1, tzinfo=UTC)
    data: dict[str, Any] = {"versions": VERSIONS, "tzdata": PYPI["tzdata"], "year": YEAR}
    for name, texts in {"pairs": PAIRS, "ranges": RANGES}.items():
        answers = ask(folder, [question(text, start, end) for text in texts])
        data[name] = {text: _counts(answer) for text, answer in zip(texts, answers, strict=True)}
    data["clock_changes"] = []
    for form, text, zone, day in CLOCK_CHANGES:
        first = datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)) - timedelta(seconds=1)
        (answer,) = ask(folder, [question(text, first, first + timedelta(days=1), zone=zone)], zone)
        runs = [_local_times(answer[name] or [], zone) for name in SCHEDULERS]
        row = {"form": form, "cron": text, "zone": zone, "day": day.isoformat(), "runs": runs}
        data["clock_changes"].append(row)
    return data


def _counts(answer: Answer) -> dict[str, Any]:
    """The number of runs of each scheduler, null where it refuses, and whether all have the same runs."""
    runs = [answer[name] for name in SCHEDULERS]
    assert "no answer" not in runs, answer
    return {"agree": agree(answer), "runs": [None if run is None else len(run) for run in runs]}


def agree(answer: Answer) -> bool:
    return all(runs == answer["croniter"] for runs in answer.values())


def _local_times(runs: Sequence[int], zone: str) -> list[str]:
    return [datetime.fromtimestamp(run, ZoneInfo(zone)).isoformat(timespec="minutes") for run in runs]


def data_text(data: dict[str, Any]) -> str:
    """The data as JSON with a line for each row."""
    parts = []
    for key, value in data.items():
        rows = (
            [f"{json.dumps(text)}: {json.dumps(row)}" for text, row in value.items()] if isinstance(value, dict) else []
        )
        if isinstance(value, list):
            parts.append(f'"{key}": [\n  ' + ",\n  ".join(map(json.dumps, value)) + "\n ]")
        else:
            parts.append(f'"{key}": ' + ("{\n  " + ",\n  ".join(rows) + "\n }" if rows else json.dumps(value)))
    return "{\n " + ",\n ".join(parts) + "\n}\n"


def with_sections(page: str) -> str:
    """The page with its two sections about schedules made from the data."""
    data = json.loads(DATA.read_text(encoding="utf-8"))
    for title, lines in (
        ("Schedulers", scheduler_lines(data)),
        ("Clock changes and time zones", clock_change_lines(data)),
    ):
        before, heading, rest = page.partition(f"\n## {title}\n")
        assert heading, f"the page has no section {title}"
        _, next_heading, after = rest.partition("\n## ")
        page = f"{before}{heading}\n" + "\n".join(lines) + "\n" + next_heading + after
    return page


def scheduler_lines(data: dict[str, Any]) -> Iterator[str]:
    """The forms on which the schedulers differ, with the number of their runs, and those on which they agree."""
    yield from (
        "Rules: `cron-portability`, `cron-day-or-weekday`",
        "",
        f"Runs in {data['year']}, in UTC. Written by `python scripts/schedulers.py`, which runs the schedulers;",
        "there is one text for each form of a field. The last column has the runs of trialrun and the rules that warn.",
    )
    for name, title in (
        ("pairs", "Day of month beside day of week"),
        ("ranges", "Lists, ranges, steps, and other forms"),
    ):
        yield from ("", f"**{title}**", "", *_head("schedule", data))
        for text, row in data[name].items():
            if not row["agree"]:
                cells = ["refuses" if count is None else str(count) for count in row["runs"]]
                yield _row(f"`{text}`", *cells, ", ".join([str(runs_in_year(text, data["year"])), *rules(text)]))
        agreed = [text for text, row in data[name].items() if row["agree"]]
        for texts, words in (
            ([text for text in agreed if not rules(text)], "All six run these alike"),
            (
                [text for text in agreed if rules(text)],
                "These too, though there is a warning of the form",
            ),
        ):
            if texts:
                yield from ("", f"{words}: {', '.join(f'`{text}`' for text in texts)}.")


def runs_in_year(text: str, year: int) -> int:
    read = cron.parse(text).cron
    assert read is not None, text
    runs = cron.next_runs(read, after=datetime(year - 1, 12, 31, 23, 59, 59, tzinfo=UTC))
    return sum(1 for _ in takewhile(lambda run: run.year == year, runs))


def rules(text: str) -> list[str]:
    """The rules that warn of a schedule which schedulers read differently."""
    codes = {problem.code for problem in cron.parse(text).problems}
    return [f"`cron-{code}`" for code in ("portability", "day-or-weekday") if code in codes]


def clock_change_lines(data: dict[str, Any]) -> Iterator[str]:
    """What becomes of the runs of a day on which the clocks change."""
    yield from (
        "Rules: `cron-dst`",
        "",
        "Runs on the day of the change, by the wall clock. Written by `python scripts/schedulers.py`, which runs the",
        f"schedulers; those of Python with tzdata {data['tzdata']}.",
        "",
        *_head("what", data),
    )
    for row in data["clock_changes"]:
        read = cron.parse(f"CRON_TZ={row['zone']} {row['cron']}").cron
        assert read is not None
        zone = load_zone(row["zone"])
        first = datetime.combine(date.fromisoformat(row["day"]), time(), zone)
        days_runs = takewhile(
            lambda run: run.astimezone(zone).date() == first.date(),  # noqa: B023
            cron.next_runs(read, after=first - timedelta(seconds=1)),
        )
        ours = [run.isoformat(timespec="minutes") for run in days_runs]
        what = f"{row['form']}: `{row['cron']}` in {row['zone']} on {row['day']}"
        yield _row(what, *(in_words(runs, row["zone"]) for runs in (*row["runs"], ours)))
    yield from (
        "",
        "fugit 1.5.2 of Ruby, run by hand: it skips a run in a gap; `30 2 8 3 *` in America/New_York from 2026-03-07",
        "runs next on 2027-03-08.",
    )


def in_words(runs: Sequence[str], zone: str) -> str:
    """`01:30 twice`, `01:00, 01:30 in the first pass`, or `no run`; of more than four runs only the number."""
    passes: dict[str, list[int]] = {}
    for text in runs:
        run = datetime.fromisoformat(text)
        local = run.replace(tzinfo=load_zone(zone))
        is_repeated = local.utcoffset() != local.replace(fold=1).utcoffset()
        passes.setdefault(f"{run:%H:%M}", []).append((1 + (local.utcoffset() != run.utcoffset())) * is_repeated)
    if len(runs) > 4:
        twice = [at for at, which in passes.items() if len(which) == 2]
        return f"{len(runs)} runs" + (f", {', '.join(twice)} twice" if twice else "")
    kinds: dict[str, list[str]] = {}
    for at, which in passes.items():
        kind = {0: "", 1: " in the first pass", 2: " in the second pass"}[which[0]] if len(which) == 1 else " twice"
        kinds.setdefault(kind, []).append(at)
    return "; ".join(", ".join(times) + kind for kind, times in kinds.items()) or "no run"


def _head(first: str, data: dict[str, Any]) -> tuple[str, str]:
    names = [f"{name} {data['versions'][name]}" for name in SCHEDULERS]
    return _row(first, *names, "trialrun"), "|" + "---|" * (len(names) + 2)


def _row(*cells: str) -> str:
    return f"| {' | '.join(cells)} |"


def measure(folder: Path, silent: int, warned: int, seed: int) -> None:
    """List drawn schedules that should have a warning and have none, and the other way round."""
    generator = random.Random(seed)
    for count, has_warning in ((silent, False), (warned, True)):
        drawn = [draw(generator, has_warning=has_warning) for _ in range(count)]
        questions = [question(text, at, at + timedelta(days=731), count=40) for text in drawn for at in DRAWN_STARTS]
        answers = ask(folder, questions)
        starts = len(DRAWN_STARTS)
        alike = [all(map(agree, answers[at * starts : (at + 1) * starts])) for at in range(count)]
        wrong = [text for text, same in zip(drawn, alike, strict=True) if same == has_warning]
        words = "all agree in spite of a warning" if has_warning else "they disagree without a warning"
        print(f"{words}: {len(wrong)} of {count}", *wrong, sep="\n  ")


def draw(generator: random.Random, *, has_warning: bool) -> str:
    """A schedule that can be read and has runs."""
    while True:
        text = " ".join(_draw_field(generator, field) for field in FIELDS)
        read = cron.parse(text).cron
        if read and not cron.never_fires(read) and bool(rules(text)) == has_warning and not has_accepted_star(text):
            return text


def has_accepted_star(text: str) -> bool:
    """Whether a list of minutes, hours or months has a star: cron-parser alone refuses it, and all others agree."""
    fields = text.split(" ")
    return any("," in fields[at] and "*" in fields[at].split(",") for at in (0, 1, 3))


def _draw_field(generator: random.Random, field: Field) -> str:
    if generator.random() < 0.35:
        return "*"
    return ",".join(_draw_item(generator, field) for _ in range(generator.choice((1, 1, 1, 2, 3))))


def _draw_item(generator: random.Random, field: Field) -> str:
    low = generator.randint(field.first, field.highest)
    high = generator.choice((low, field.last, *(generator.randint(low, field.highest) for _ in range(5))))
    with_names = generator.random() < 0.4
    ends = [_draw_spelling(generator, field, value, with_names=with_names) for value in (low, max(low, high))]
    whole = f"{field.first}-{field.last}"
    limits = generator.choice(("*", "*", "*", "?", whole, ends[0], ends[0], ends[0], *["-".join(ends)] * 5))
    step = generator.choice((1, 2, 3, 5, 7, 10, 15, generator.randint(1, field.size + 3), generator.randint(1, 100)))
    return f"{limits}/{step}" if generator.random() < 0.35 else limits


def _draw_spelling(generator: random.Random, field: Field, value: int, *, with_names: bool) -> str:
    if field.words and with_names and value <= field.last:
        return generator.choice((str.upper, str.lower, str.title))(field.words[value - field.first][:3])
    return f"{value:02}" if generator.random() < 0.07 else str(value)


if __name__ == "__main__":
    main()
