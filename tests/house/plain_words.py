"""How the house writes: short first sentences, no phrase that a reader must translate, no variable called `one`."""

from __future__ import annotations

import ast
import io
import re
import tokenize

FIRST_SENTENCE_WORDS_MAX = 30

# What nobody says aloud to a colleague, and what to say instead.
BANNED = {
    r"must not have been": "say what the inverse does",
    r"\bwhosoever\b|\bwhoever\b": "name who it is",
    r"\botherwise than\b": "write 'differently from'",
    r"\bof which\b": "begin a new sentence",
    r"\bmerely\b": "write 'only'",
    r"\btold of\b|\btells of\b": "write 'reported' or 'shows'",
    r"\bin the place of\b": "write 'instead of'",
    r"\bthat there (?:is|are)\b": "name it",
    r"\bstarted anew\b|\bbegins anew\b": "write 'restarted'",
    r"\bis nobody's\b|\bare nobody's\b": "write 'unused'",
    r"\bgone on\b": "write 'continued'",
    r"\bhas gone\b": "write 'disappeared' or 'is gone'",
    r"\bwhat (?:is|was|are|were) to be\b": "name it",
    r"\bas (?:far as|if) it (?:is|were) so\b": "leave it out",
    r"\bthis is no (?!more\b|longer\b)\w+": "write 'this is not a ...'",
    r"\b(?:fills|filled) the port\b": "write 'implements'",
    r"\bFills `": "write 'Implements'",
    r"\bworked out (?:again|anew)\b": "write 'reconstructed' or 'replayed'",
    r"\bwithout a word\b|\bnot a word\b": "write 'silently' or 'no message'",
    r"\b(?:is|are) dropped and counted nowhere\b": "say where it goes",
}


def hard_words(source: str, name: str) -> list[str]:
    """Docstrings and comments that break the rules, each with its line."""
    tree = ast.parse(source)
    problems = [*_long_beginnings(tree, name), *_called_one(tree, name)]
    for line, text in _prose(source, tree):
        for phrase, remedy in BANNED.items():
            found = re.search(phrase, text, re.IGNORECASE)
            if found:
                problems.append(f"{name}, line {line}: {found.group()!r}: {remedy}")
    return problems


def _documented(tree: ast.Module) -> list[ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef]:
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return [node for node in ast.walk(tree) if isinstance(node, kinds) and ast.get_docstring(node)]


def _long_beginnings(tree: ast.Module, name: str) -> list[str]:
    problems = []
    for node in _documented(tree):
        text = " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split())
        words = len(re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0].split())
        if words > FIRST_SENTENCE_WORDS_MAX:
            line = node.body[0].lineno
            most = FIRST_SENTENCE_WORDS_MAX
            problems.append(f"{name}, line {line}: a first sentence of {words} words, at most {most}")
    return problems


def _called_one(tree: ast.Module, name: str) -> list[str]:
    return [
        f"{name}, line {node.lineno}: a variable called 'one': name it for what it holds"
        for node in ast.walk(tree)
        if (isinstance(node, ast.Name) and node.id == "one" and isinstance(node.ctx, ast.Store))
        or (isinstance(node, ast.arg) and node.arg == "one")
    ]


def _prose(source: str, tree: ast.Module) -> list[tuple[int, str]]:
    documented = _documented(tree)
    docstrings = [(node.body[0].lineno, " ".join((ast.get_docstring(node) or "").split())) for node in documented]
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    comments = [(token.start[0], token.string) for token in tokens if token.type == tokenize.COMMENT]
    return docstrings + comments
