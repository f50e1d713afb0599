"""Answers questions about schedules for schedulers.py: one JSON object a line, null where a scheduler refuses."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from datetime import datetime
from itertools import islice, takewhile
from zoneinfo import ZoneInfo

from croniter import CroniterBadCronError, croniter
from cronsim import CronSim, CronSimError


def runs(name: str, text: str, start: datetime) -> Iterator[datetime]:
    """The runs after `start`."""
    return croniter(text, start, ret_type=datetime) if name == "croniter" else CronSim(text, start)


for line in sys.stdin:
    question = json.loads(line)
    start = datetime.fromtimestamp(question["start"], ZoneInfo(question["zone"]))
    answers: dict[str, list[int] | None] = {}
    for name in ("croniter", "cronsim"):
        try:
            seconds = (int(run.timestamp()) for run in runs(name, question["text"], start))
            answers[name] = list(islice(takewhile(question["end"].__gt__, seconds), question["count"]))
        except (CroniterBadCronError, CronSimError):
            answers[name] = None
    print(json.dumps(answers), flush=True)
