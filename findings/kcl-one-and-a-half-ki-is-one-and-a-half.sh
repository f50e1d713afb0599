#!/usr/bin/env bash
# A configuration language, kcl-lib 0.13.2 (PyPI): 2Ki is 2048 and 1.5Ki is 1.5, the unit behind a fraction is dropped
# without a word; math.log(2) is the integer 0 and math.log(0) is the least integer of 64 bits, while math.exp and
# math.log10 give fractions.
# Guess before the run: 1536, or an error; 0.693 and an error or minus infinity.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install --quiet --disable-pip-version-check 'kcl-lib==0.13.2'
venv/bin/python - >seen 2>errors <<'PROGRAM' || { cat errors; exit 1; }
import kcl_lib.api as api

for text in ("a = 2Ki", "a = 1.5Ki", "a = 0.5M", "import math\na = math.log(2)", "import math\na = math.log(0)", "import math\na = math.log10(2)", "import math\na = math.exp(1)"):
    answer = api.API().exec_program(api.ExecProgramArgs(k_filename_list=["program.k"], k_code_list=[text]))
    print(text.replace("\n", "; "), answer.json_result or answer.err_message)
PROGRAM
diff - seen <<'SEEN' || { echo "this behaviour has changed"; exit 1; }
a = 2Ki {"a": 2048.0}
a = 1.5Ki {"a": 1.5}
a = 0.5M {"a": 0.5}
import math; a = math.log(2) {"a": 0}
import math; a = math.log(0) {"a": -9223372036854775808}
import math; a = math.log10(2) {"a": 0.3010299956639812}
import math; a = math.exp(1) {"a": 2.718281828459045}
SEEN
echo "seen as described"
