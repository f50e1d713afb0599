import pytest

from trialrun.changes.canonical import text_form


@pytest.mark.parametrize("zone", ["Etc/UTC", "Etc/UCT", "Etc/Universal", "Etc/Zulu", "Zulu"])
def test_a_schedule_in_another_name_of_utc_is_the_same(zone: str) -> None:
    assert text_form("cron", f"TZ={zone} 0 4 * * *") == text_form("cron", "TZ=UTC 0 4 * * *")
