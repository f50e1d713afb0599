"""What each setting is for, in a sentence: for hover in editors and for the page of the settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

DESCRIPTIONS: Final[Mapping[str, str]] = {
    "edition": "The default rules are those of this edition, also after an upgrade; the newest when unset.",
    "select": "Ids of rules and groups that run, in place of the default ones; `all` is every rule.",
    "ignore": "Ids of rules and groups that do not run.",
    "severity": "How grave the findings of a rule are: `error`, `warning`, `note`, or `off`. Runs a rule that is off.",
    "options": "What some rules read.",
    "session-schema": "A file with the SessionSchema whose types conditions are checked against.",
    "policies": "Policies in use: names of shipped packs, and files or folders, from the folder of this file.",
    "exclude": "Globs of files that are left out, from the folder of this file.",
    "kinds": "Which kind of document the files of a glob hold, where they do not say it themselves.",
    "baseline": "The file with the findings that the team lives with for now; only new ones are told.",
    "runtime": "What trial runs go by where the specifications are silent.",
    "overrides": "Settings for some paths alone, on top of those above.",
    "overrides.paths": "The globs of the paths that these settings are for.",
    "suppress": "Findings that are not reported, for a reason; `[[ignore]]` before.",
    "suppress.path": "The glob of the files.",
    "suppress.pointer": 'What is covered with all below it, a JSON Pointer such as "/syncConfig/cron"; all when unset.',
    "suppress.rule": "The id of the rule, or a list of ids.",
    "suppress.reason": "Why the finding is lived with.",
    "suppress.until": "The day, such as 2027-01-31, after which the findings are told again.",
    "options.min-sync-interval": "The shortest time between two runs of a schedule: minutes, or `15m`, `1h`, `1d`.",
    "options.sync-herd-size": "How many views may be synced in one minute before it is told.",
    "options.system-label-prefix": "The prefix of label keys that are for the service alone.",
    "options.cel-extensions": "The extension libraries of CEL that the service has, such as `strings`; none if unset.",
    "runtime.vanished-entities": (
        "`keep` or `drop` entities that a sync does not find any more; by the type of the online store when unset."
    ),
    "runtime.cron-semantics": "What happens to runs at clock changes: `wall-clock` when unset, or `vixie`.",
    "runtime.list-merge": "A later config's list, without keys to merge by, will `replace` (when unset) or `append`.",
    "runtime.message-draw": "Messages are weighed within one `offer` (when unset), or over all offers of a `type`.",
    "runtime.memory-limit": "What the engine takes before it spills to the disk; `2GB` when unset.",
    "runtime.threads": "Threads of the engine; 0, which is all cores, when unset.",
}
"""By table and key; those of an override are those of the root."""
