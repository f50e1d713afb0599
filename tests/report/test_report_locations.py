"""Places in files as other programs read them, and texts that no CI system takes for commands."""

import json
import re
from itertools import product
from pathlib import Path
from urllib.parse import unquote_to_bytes, urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_of
from tests.changes.git_workspace import commit, git, view
from tests.program import Run
from tests.program import view as view_document
from trialrun.diagnostic import Range
from trialrun.report.interface import (
    ColumnUnit,
    convert_columns,
    normalize_path,
    path_to_uri,
    utf8_column,
    utf16_column,
)
from trialrun.report.terminal_width import disarm_ci_commands, escape_controls, measure_cells, width
from trialrun.text import Position, Source

ENDINGS = ["\n", "\r\n", "\r"]
texts = st.lists(st.sampled_from([*"aé日🍔\u0301", "\ud800", *ENDINGS])).map("".join)


@each_of(
    [
        (text, column, in_utf16, in_utf8, ending)
        for text, column, in_utf16, in_utf8 in [
            ("abc", 3, 3, 3),
            ("éa", 2, 2, 3),
            ("日a", 2, 2, 4),
            ("🍔a", 2, 3, 5),
            ("👨\u200d👩a", 4, 6, 12),
            ("\ud800a", 2, 2, 4),
            ("🍔", 2, 3, 5),
            ("", 1, 1, 1),
            ("abc", 9, 4, 4),
        ]
        for ending in ["", *ENDINGS]
    ]
)
def test_a_column(text: str, column: int, in_utf16: int, in_utf8: int, ending: str) -> None:
    source = Source("a.yaml", text + ending)
    assert (utf16_column(source, Position(1, column)), utf8_column(source, Position(1, column))) == (in_utf16, in_utf8)


@pytest.mark.parametrize(
    ("encoding", "bom", "in_utf16", "in_utf8"),
    [("utf-8", False, 2, 3), ("utf-8", True, 2, 6), ("utf-16-le", True, 2, 3)],
)
def test_a_byte_order_mark_is_among_the_bytes_of_the_first_line(
    encoding: str, bom: bool, in_utf16: int, in_utf8: int
) -> None:
    source = Source("a.yaml", "éa\néa", encoding, bom)
    assert (utf16_column(source, Position(1, 2)), utf8_column(source, Position(1, 2))) == (in_utf16, in_utf8)
    assert (utf16_column(source, Position(2, 2)), utf8_column(source, Position(2, 2))) == (2, 3)


@given(texts, st.data())
def test_a_column_is_the_length_of_what_stands_before_it(text: str, data: st.DataObject) -> None:
    source = Source("a.yaml", text)
    offset = data.draw(st.integers(0, len(text)))
    before = text[source.line_starts[source.position(offset).line - 1] : offset]
    if before.endswith("\r"):  # between CR and LF there is no place
        return
    assert utf16_column(source, source.position(offset)) == 1 + len(before.encode("utf-16-le", "surrogatepass")) // 2
    assert utf8_column(source, source.position(offset)) == 1 + len(before.encode("utf-8", "surrogatepass"))


@each_of(
    product([utf8_column, utf16_column], [Range(Position(3, 1), Position(3, 2)), Range(Position(1, 1), Position(3, 1))])
)
def test_lines_that_are_gone_have_no_columns(unit: ColumnUnit, place: Range) -> None:
    assert convert_columns(place, Source("a.yaml", "a\nb"), unit) is None
    assert convert_columns(place, None, unit) is None


def test_a_line_that_became_shorter_is_pointed_at_by_its_end() -> None:
    place = Range(Position(1, 8), Position(1, 9))
    assert convert_columns(place, Source("a.yaml", "ab"), utf16_column) == Range(Position(1, 3), Position(1, 3))


@each_of(
    [
        ("views/a.yaml", "views/a.yaml"),
        ("with blank.yaml", "with%20blank.yaml"),
        ("ü/日本.yaml", "%C3%BC/%E6%97%A5%E6%9C%AC.yaml"),
        ("100%/a#b?c.yaml", "100%25/a%23b%3Fc.yaml"),
        ("a:b.yaml", "a%3Ab.yaml"),
        ("back\\slash.yaml", "back%5Cslash.yaml"),
        ("./a.yaml", "a.yaml"),
        ("a//b/./c.yaml", "a/b/c.yaml"),
        ("../a.yaml", "../a.yaml"),
        ("/srv/a b.yaml", "file:///srv/a%20b.yaml"),
        ("C:/my files/a.yaml", "file:///C:/my%20files/a.yaml"),
        ("no-utf8-\udcff.yaml", "no-utf8-%FF.yaml"),
        ("half-\ud83c.yaml", "half-%ED%A0%BC.yaml"),
    ]
)
def test_a_path_as_a_uri(path: str, address: str) -> None:
    assert path_to_uri(path) == address


@pytest.mark.parametrize(
    ("path", "short"), [("./a.yaml", "a.yaml"), ("a/./b.yaml", "a/b.yaml"), ("../a.yaml", "../a.yaml")]
)
def test_a_tidy_path(path: str, short: str) -> None:
    assert normalize_path(path) == short


@given(
    st.lists(st.text(st.characters(exclude_characters="/\0", exclude_categories=["Cs"]), min_size=1), min_size=1).map(
        "/".join
    )
)
def test_a_uri_leads_back_to_its_path(path: str) -> None:
    address = path_to_uri(path)
    assert address.isascii()
    assert urlsplit(address).scheme in ("", "file")
    assert unquote_to_bytes(address.removeprefix("file:///")) == normalize_path(path).encode("utf-8", "surrogateescape")


VIEW = view(cron="every day")
FILE = "configs/views/v.yaml"


def repository(folder: Path, *files: str) -> Path:
    """A repository with the same wrong view in some files."""
    for file in files or (FILE,):
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / file).write_text(VIEW)
    commit(folder)
    return folder


def ci_paths(run: Run, cwd: Path, *arguments: str, **environment: str) -> list[str]:
    """The path of the first finding in each report for CI systems, which is one; and in one written to a file."""

    def report(name: str) -> str:
        return run("check", *arguments, "--output-format", name, cwd=cwd, **environment).out

    command = re.match(r"::error file=([^,]*),[^:]*::([^:]*):", report("github"))
    assert command
    [sarif] = json.loads(report("sarif"))["runs"]
    artifact = sarif["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]
    assert artifact.pop("uriBaseId", "%SRCROOT%") in sarif["originalUriBaseIds"]
    gitlab = json.loads(report("gitlab"))[0]["location"]["path"]
    return list(dict.fromkeys([command[1], command[2], artifact["uri"], gitlab]))


def test_below_the_top_of_a_repository(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)
    assert ci_paths(run, top / "configs") == [FILE]
    assert ci_paths(run, top / "configs" / "views", "v.yaml") == [FILE]
    assert ci_paths(run, top / "configs", str(top / FILE)) == [FILE]
    (top / "other").mkdir()
    assert ci_paths(run, top / "other", "../configs") == [FILE]


def test_reports_for_people_and_of_reviewdog_stay_in_the_working_directory(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)

    def report(name: str) -> str:
        return run("check", "--output-format", name, cwd=top / "configs").out

    assert report("text").count("configs") == report("concise").count("configs") == 0
    assert json.loads(report("json"))["diagnostics"][0]["path"] == "views/v.yaml"
    assert json.loads(report("rdjson"))["diagnostics"][0]["location"]["path"] == "views/v.yaml"
    assert 'name="views/v.yaml"' in report("junit")


def test_a_report_in_a_file(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)
    run("check", "--output-format", "gitlab=out.json", "--output-format", "text", cwd=top / "configs")
    assert json.loads((top / "configs/out.json").read_text())[0]["location"]["path"] == FILE


def test_fingerprints_are_the_same_everywhere(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)
    first, second = (
        json.loads(run("check", "--output-format", "gitlab", cwd=folder).out) for folder in (top, top / "configs")
    )
    assert first == second


def test_a_standard_input(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)
    ran = run(
        "check",
        "-",
        "--stdin-filename",
        "views/new.yaml",
        "--output-format",
        "github",
        stdin=VIEW.encode(),
        cwd=top / "configs",
    )
    assert "::error file=configs/views/new.yaml," in ran.out


def test_a_linked_worktree_has_a_top_of_its_own(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)
    git(top, "worktree", "add", "-q", "trees/linked")
    assert ci_paths(run, top / "trees/linked/configs") == [FILE]


def test_a_submodule_is_a_part_of_the_repository_around_it(run: Run, tmp_path: Path) -> None:
    inner = repository(tmp_path / "inner")
    outer = repository(tmp_path / "outer", "README")
    git(outer, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(inner), "shared/views")
    assert ci_paths(run, outer / "shared/views/configs") == [f"shared/views/{FILE}"]
    assert ci_paths(run, outer / "shared", "views", "--recurse-submodules") == [f"shared/views/{FILE}"]


def test_a_clone_inside_a_repository_has_a_top_of_its_own(run: Run, tmp_path: Path) -> None:
    repository(tmp_path, "README")
    assert ci_paths(run, repository(tmp_path / "checkout") / "configs") == [FILE]


def test_from_outside_a_file_has_the_top_of_its_own_repository(run: Run, tmp_path: Path) -> None:
    repository(tmp_path / "checkout")
    (tmp_path / "elsewhere").mkdir()
    assert ci_paths(run, tmp_path / "elsewhere", "../checkout/configs") == [FILE]


def test_another_repository_is_not_mixed_with_that_of_the_working_directory(run: Run, tmp_path: Path) -> None:
    here, there = repository(tmp_path / "here"), repository(tmp_path / "there")
    assert ci_paths(run, here, str(there / FILE)) == [f"../there/{FILE}"]


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_without_git_the_ci_system_says_what_it_checked_out(run: Run, tmp_path: Path, variable: str) -> None:
    (tmp_path / FILE).parent.mkdir(parents=True)
    (tmp_path / FILE).write_text(VIEW)
    configs = tmp_path / "configs"
    assert ci_paths(run, configs) == ["views/v.yaml"]
    assert ci_paths(run, configs, **{variable: str(tmp_path)}) == [FILE]
    assert ci_paths(run, configs, **{variable: str(tmp_path / "other")}) == ["views/v.yaml"]


def test_git_is_believed_before_the_ci_system(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path / "checkout")
    assert ci_paths(run, top / "configs", GITHUB_WORKSPACE=str(tmp_path)) == [FILE]


def test_annotations_of_a_plan(run: Run, tmp_path: Path) -> None:
    top = repository(tmp_path)
    (top / FILE).write_text(VIEW.replace("price, size", "price"))
    ran = run("plan", "HEAD", "--output-format", "github", cwd=top / "configs")
    assert f"::error file={FILE}," in ran.out
    assert f"::{FILE}:" in ran.out


COMMAND = re.compile(r"^\s*::\w|##[\w.-]*\[", re.MULTILINE)
"""What GitHub, Azure Pipelines and TeamCity take for a command."""
WORDS = ("::error::x", "##[error]x", "##vso[task.setvariable variable=A]b", "##teamcity[message]", "\u3000::warning::x")
ESCAPE = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]")


@pytest.mark.parametrize("words", WORDS)
@pytest.mark.parametrize("name", ["text", "concise"])
def test_values_names_and_paths(run: Run, tmp_path: Path, words: str, name: str) -> None:
    quoted = json.dumps(f"{'a ' * 36}{words} {words}")
    file = words.replace("/", "") + ".yaml"
    (tmp_path / file).write_text(view_document(cron=quoted) + f"{quoted}: {quoted}\nlabels: {{{quoted}: {quoted}}}\n")
    for columns in ("30", "80"):
        ran = run("check", "--no-cache", "--output-format", name, COLUMNS=columns)
        assert ran.code == 1
        assert not COMMAND.search(ran.out)
        assert not ESCAPE.search(ran.out)


@pytest.mark.parametrize("words", [*WORDS, "a\r::error::x", "\x1b[31m::error::", "a\n::error::b"])
def test_errors_of_a_command(run: Run, words: str) -> None:
    for arguments in (("check", words), ("explain", words), ("check", "--select", words), ("resolve", words)):
        ran = run(*arguments)
        assert ran.code == 2
        assert not COMMAND.search(ran.err)
        assert not ESCAPE.search(ran.err)


def test_messages_in_json_stay_the_same_for_its_readers(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view_document(cron="'CRON_TZ=##[error]x 0 3 * * *'"))
    out = run("check", "--no-cache", "--output-format", "json").out
    assert not COMMAND.search(out)
    assert "##[error]x" in json.dumps(json.loads(out))


def test_workflow_commands_of_the_github_format_are_left(run: Run, tmp_path: Path) -> None:
    (tmp_path / "view.yaml").write_text(view_document(cron="0 25 * * *"))
    assert run("check", "--output-format", "github").out.startswith("::error file=view.yaml")
    assert run("check", "--output-format", "github=/dev/stdout").out.startswith("::error file=view.yaml")


def test_what_is_broken_up_has_its_own_width() -> None:
    assert escape_controls("a ##[b] ##vso[c] ## [d] # ##") == r"a #\x23[b] #\x23vso[c] ## [d] # ##"
    assert width("##[b]") == len(escape_controls("##[b]"))
    assert measure_cells("##[b]").width == len(escape_controls("##[b]"))
    assert disarm_ci_commands("a::b\n ::error::\n ::: a:1") == "a::b\n \\x3a:error::\n ::: a:1"
