"""What the pure rooms never do: read a clock, draw random numbers, start threads, touch the outside world, use a float,
or depend on the order of a set."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from itertools import chain

PURE_ROOMS = ("wording", "nouns", "rules", "letters", "table", "wire")

BANNED_MODULES = frozenset(
    "time random secrets uuid threading asyncio concurrent multiprocessing subprocess queue signal selectors select "
    "os io pathlib shutil tempfile socket ssl sqlite3 logging".split()
)
# The hand tables are a file of the package: constants too long for source text, not the outside world.
EXCEPTIONS = {
    "firmware/felt/rules/hands.py": frozenset(["no pathlib in a pure room"]),
    "firmware/felt/wording/messages.py": frozenset(["no pathlib in a pure room"]),
}

BANNED_CALLS = frozenset("open print input float hash id exec eval __import__".split())
CLOCK_CALLS = frozenset("now utcnow today".split())
WHOLE_MATH = frozenset("comb factorial gcd isqrt lcm perm prod".split())

# Callables whose answer does not depend on the order of their arguments.
ORDER_BLIND = frozenset("sorted len min max sum any all set frozenset".split())
ORDER_KEEPING = frozenset("list tuple enumerate iter map filter zip next reversed dict".split())

SET_TYPES = frozenset("set frozenset Set AbstractSet FrozenSet MutableSet".split())
SET_METHODS = frozenset("union intersection difference symmetric_difference".split())
Function = ast.FunctionDef | ast.AsyncFunctionDef


def broken_bans(source: str, name: str) -> list[str]:
    """Every banned thing in a module's text, one sentence each, in order of lines."""
    tree = ast.parse(source)
    found = chain(_modules(tree), _calls(tree), _floats(tree), SetOrder(tree).problems())
    excepted = EXCEPTIONS.get(name, frozenset())
    return [f"{name}, line {line}: {problem}" for line, problem in sorted(set(found)) if problem not in excepted]


Problem = tuple[int, str]


def _modules(tree: ast.Module) -> Iterator[Problem]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            names = [node.module or ""]
        else:
            continue
        for name in names:
            if name.partition(".")[0] in BANNED_MODULES:
                yield node.lineno, f"no {name} in a pure room"
        if isinstance(node, ast.ImportFrom) and node.module == "math":
            for alias in node.names:
                if alias.name not in WHOLE_MATH:
                    yield node.lineno, f"no math.{alias.name} in a pure room: it gives a float"


def _calls(tree: ast.Module) -> Iterator[Problem]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in BANNED_CALLS:
                yield node.lineno, f"no {called.id}() in a pure room"
            if isinstance(called, ast.Attribute) and called.attr in CLOCK_CALLS:
                yield node.lineno, f"no .{called.attr}() in a pure room: time is a fact"
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "math":
            if node.attr not in WHOLE_MATH:
                yield node.lineno, f"no math.{node.attr} in a pure room: it gives a float"


def _floats(tree: ast.Module) -> Iterator[Problem]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, float | complex):
            yield node.lineno, f"no float ({node.value!r}) in a pure room"
        elif isinstance(node, ast.BinOp | ast.AugAssign) and isinstance(node.op, ast.Div):
            yield node.lineno, "no true division in a pure room: use // or a Fraction of two whole numbers"
        elif isinstance(node, ast.Name) and node.id == "float" and isinstance(node.ctx, ast.Load):
            yield node.lineno, "no float in a pure room"


class SetOrder:
    """Places where the order of a set could become visible. A set is recognised by its form: a display, a call of set,
    a set method or operator, or a name, parameter or field declared as one."""

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._fields = {
            statement.target.id
            for node in ast.walk(tree)
            if isinstance(node, ast.ClassDef)
            for statement in node.body
            if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)
            if _is_set_type(statement.annotation)
        }

    def problems(self) -> Iterator[Problem]:
        module_names = self._names_in(self._tree, frozenset())
        yield from self._in_scope(self._tree, module_names)
        for node in ast.walk(self._tree):
            if isinstance(node, Function):
                yield from self._in_scope(node, self._names_in(node, module_names))

    def _names_in(self, scope: ast.Module | Function, outer: frozenset[str]) -> frozenset[str]:
        sets: set[str] = set(outer)
        if not isinstance(scope, ast.Module):
            arguments = [*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs]
            sets -= {argument.arg for argument in arguments}
            sets |= {a.arg for a in arguments if a.annotation is not None and _is_set_type(a.annotation)}
        for node in _own_nodes(scope):
            if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
                if _is_set_type(node.annotation):
                    sets.add(node.target.id)
            elif isinstance(node, ast.Assign) and self._is_set(node.value, frozenset(sets)):
                sets |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        return frozenset(sets)

    def _in_scope(self, scope: ast.Module | Function, names: frozenset[str]) -> Iterator[Problem]:
        blind: set[int] = set()  # generators passed directly to a callable that does not see order
        for node in _own_nodes(scope):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ORDER_BLIND:
                blind |= {id(argument) for argument in node.args}
        for node in _own_nodes(scope):
            for iterated in self._iterated(node, blind):
                if self._is_set(iterated, names):
                    yield iterated.lineno, "the order of a set is not the same twice: sort it first"

    def _iterated(self, node: ast.AST, blind: set[int]) -> list[ast.expr]:
        if isinstance(node, ast.For):
            return [node.iter]
        if isinstance(node, ast.ListComp | ast.GeneratorExp | ast.DictComp) and id(node) not in blind:
            return [generator.iter for generator in node.generators]
        if isinstance(node, ast.Starred):
            return [node.value]
        if isinstance(node, ast.Call):
            called = node.func
            if isinstance(called, ast.Name) and called.id in ORDER_KEEPING:
                return list(node.args)
            if isinstance(called, ast.Attribute) and called.attr in ("join", "extend", "pop"):
                return [*node.args, *([called.value] if called.attr == "pop" and not node.args else [])]
        return []

    def _is_set(self, node: ast.expr, names: frozenset[str]) -> bool:
        match node:
            case ast.Set() | ast.SetComp():
                return True
            case ast.Name(id=name):
                return name in names
            case ast.Attribute(attr=name):
                return name in self._fields
            case ast.Call(func=ast.Name(id="set" | "frozenset")):
                return True
            case ast.Call(func=ast.Attribute(value=value, attr=method)) if method in SET_METHODS:
                return self._is_set(value, names)
            case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.Sub() | ast.BitXor(), right=right):
                return self._is_set(left, names) or self._is_set(right, names)
            case ast.IfExp(body=body, orelse=orelse):
                return self._is_set(body, names) or self._is_set(orelse, names)
        return False


def _own_nodes(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope without those of the functions inside it."""
    waiting = list(ast.iter_child_nodes(scope))
    while waiting:
        node = waiting.pop(0)
        yield node
        if not isinstance(node, Function):
            waiting += ast.iter_child_nodes(node)


def _is_set_type(annotation: ast.expr) -> bool:
    match annotation:
        case ast.Name(id=name):
            return name in SET_TYPES
        case ast.Subscript(value=value):
            return _is_set_type(value)
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return _is_set_type(left) or _is_set_type(right)
        case ast.Constant(value=str(text)):
            return text.partition("[")[0] in SET_TYPES
    return False
