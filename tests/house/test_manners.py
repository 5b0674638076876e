"""Sizes, names and texts of the whole tree, and proof that each check can fail."""

from __future__ import annotations

import pytest

from tests.house.manners import empty_names, improper_texts, oversizes
from tests.house.tree import ROOT, files, name_of, python_files, text_of


def test_no_module_and_no_function_is_too_long() -> None:
    problems = [
        problem for path in python_files("firmware", "tools") for problem in oversizes(path.read_text(), name_of(path))
    ]
    assert not problems, "\n".join(problems)


def test_every_name_says_something() -> None:
    modules = python_files("firmware", "tools", "tests")
    problems = [problem for path in modules for problem in empty_names(path.read_text(), name_of(path))]
    assert not problems, "\n".join(problems)


def test_no_text_leaves_work_open_or_names_a_machine_or_a_registry() -> None:
    own_tests = ROOT / "tests" / "house" / "test_manners.py"
    texts = [(name_of(path), text_of(path)) for path in files() if path != own_tests]
    problems = [problem for name, text in texts if text is not None for problem in improper_texts(text, name)]
    assert not problems, "\n".join(problems)


def test_every_module_of_the_firmware_says_what_it_is_for() -> None:
    silent = [name_of(path) for path in python_files("firmware") if not path.read_text().startswith('"""')]
    assert not silent, f"no docstring at the top of: {', '.join(silent)}"


def test_a_long_module_is_seen() -> None:
    assert oversizes("a = 1\n" * 700, "m.py") == []
    assert oversizes("a = 1\n" * 701, "m.py") == ["m.py: 701 lines, at most 700"]


def test_a_long_function_is_seen() -> None:
    assert oversizes("def f():\n" + "    a = 1\n" * 69, "m.py") == []
    assert oversizes("def f():\n" + "    a = 1\n" * 70, "m.py") == ["m.py: f has 71 lines, at most 70"]
    assert oversizes("class C:\n  async def g():\n" + "    a = 1\n" * 70, "m.py") == [
        "m.py: g has 71 lines, at most 70"
    ]


@pytest.mark.parametrize("name", ["felt/utils.py", "felt/common/words.py", "felt/card_helpers.py", "felt/data.py"])
def test_an_empty_module_name_is_seen(name: str) -> None:
    assert len(empty_names("", name)) == 1


@pytest.mark.parametrize("name", ["RoundManager", "Data", "CardUtils"])
def test_an_empty_class_name_is_seen(name: str) -> None:
    assert len(empty_names(f"class {name}: ...", "felt/words.py")) == 1
    assert empty_names("class Round: ...", "felt/database.py") == []


@pytest.mark.parametrize(
    "text",
    [
        "# TODO later",
        "FIXME: wrong",
        "see /" + "root/notes",
        "in /home/" + "anna/felt",
        "from https://pypi" + ".org/simple",
        "https://files.python" + "hosted.org/x",
        "--index-url x",
    ],
)
def test_an_improper_text_is_seen(text: str) -> None:
    assert len(improper_texts(f"first line\n{text}\n", "README.md")) == 1


def test_a_proper_text_passes() -> None:
    assert improper_texts("to do, /var/lib/felt/journal, hw/root" + "/x, a/work" + "/b, TODOS\n", "README.md") == []
