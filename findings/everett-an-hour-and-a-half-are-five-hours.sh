#!/usr/bin/env bash
# Everett 3.5.0 (PyPI), which reads settings, looks for its parts anywhere in a period of time: parse_time_period of "1.5h" is
# five hours (the 1 and the point are passed over), of "-5m" five minutes, of "500ms" 500 minutes and of "1,5h" five hours
# again, with no error. Its parse_data_size refuses "1.5mb". A time to live or a window is kept three times too long.
# Guess before the run: "1.5h" is an error, as "1.5mb" is for a size; of the sign and of "500ms" none was written.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check everett==3.5.0
cat >program.py <<'PROGRAM'
from everett.manager import parse_data_size, parse_time_period

for read, texts in (
    (parse_time_period, ("1h30m", "1.5h", "1,5h", "-5m", "500ms", "0.5d", "half 1d")),
    (parse_data_size, ("1mb", "1.5mb", "-1mb")),
):
    for text in texts:
        try:
            seen = read(text)
        except ValueError as error:
            seen = type(error).__name__
        print(f"{read.__name__}({text!r}) -> {seen}")
PROGRAM
venv/bin/python program.py >seen
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
parse_time_period('1h30m') -> 5400
parse_time_period('1.5h') -> 18000
parse_time_period('1,5h') -> 18000
parse_time_period('-5m') -> 300
parse_time_period('500ms') -> 30000
parse_time_period('0.5d') -> 432000
parse_time_period('half 1d') -> 86400
parse_data_size('1mb') -> 1000000
parse_data_size('1.5mb') -> ValueError
parse_data_size('-1mb') -> ValueError
SEEN
echo "seen as described"
