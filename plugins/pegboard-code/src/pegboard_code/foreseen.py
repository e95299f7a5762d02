"""What the type checker lets pass, and what fails whenever the program comes to it.

Only what no run can go round is looked at: a branch that may not be taken, a loop that may be empty
and what stands after a way out are left to the run.
"""

import ast
import warnings
from collections import Counter
from collections.abc import Container, Iterator
from typing import TypeAlias

from pegboard_code.hints import EXITS, NO_EXIT, NO_KEYWORDS
from pegboard_code.steps import ForeseenError

_SIGNS = ("gather", "SystemExit", *EXITS)
_MOST = 2**16

_Function: TypeAlias = ast.FunctionDef | ast.AsyncFunctionDef
_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)


def refuse_foreseen(program: str, *, names: Container[str]) -> None:
    """Nothing, where the program may come to a good end.

    Args:
        program: its text.
        names: of its tools.

    Raises:
        ForeseenError: it can't; says where and why.
    """
    if len(program) > _MOST or not any(each in program for each in _SIGNS):
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(program.removeprefix("\ufeff"))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    try:
        for error in _Foresight(tree, names).errors(tree.body):
            raise error
    except RecursionError:
        return


class _Foresight:
    """What happens in every run of one program."""

    def __init__(self, tree: ast.Module, names: Container[str]) -> None:
        bound = Counter(_bound(tree))
        self._functions = {
            each.name: each
            for each in tree.body
            if isinstance(each, _Function) and bound[each.name] == 1 and not each.decorator_list
        }
        self._gathers = {each for each in _imported_gathers(tree) if _is_sole(each, tree, bound)}
        ends = {"SystemExit", *EXITS}
        self._ends = {each for each in ends if each not in bound and each not in names}
        self._seen: set[str] = set()

    def errors(self, body: list[ast.stmt]) -> Iterator[ForeseenError]:
        """Those of statements that run one after the other."""
        for each in body:
            yield from self._statement(each)
            if isinstance(each, ast.Raise) or _may_leave(each):
                return

    def _statement(self, each: ast.stmt) -> Iterator[ForeseenError]:
        match each:
            case ast.If(test=first) | ast.While(test=first) | ast.For(iter=first):
                yield from self._expression(first)
            case ast.Try(body=body, handlers=[], finalbody=last) if not any(map(_may_leave, last)):
                yield from self.errors([*body, *last])
            case ast.Raise(exc=ast.expr() as raised):
                if self._is_exit(raised):
                    yield ForeseenError(NO_EXIT, each.lineno)
                yield from self._expression(raised)
            case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Expr(value=value):
                yield from self._expression(value)
            case ast.AnnAssign(value=ast.expr() as value) | ast.Return(value=ast.expr() as value):
                yield from self._expression(value)

    def _is_exit(self, raised: ast.expr) -> bool:
        kind = raised.func if isinstance(raised, ast.Call) else raised
        return isinstance(kind, ast.Name) and kind.id in self._ends - EXITS

    def _expression(self, each: ast.expr) -> Iterator[ForeseenError]:
        match each:
            case ast.BoolOp(values=[first, *_]) | ast.IfExp(test=first):
                yield from self._expression(first)
            case ast.Compare(left=left, comparators=[right, *_]):
                yield from self._all([left, right])
            case ast.ListComp(generators=[first, *_]) | ast.DictComp(generators=[first, *_]):
                yield from self._expression(first.iter)
            case ast.SetComp(generators=[first, *_]):
                yield from self._expression(first.iter)
            case ast.Lambda() | ast.GeneratorExp():
                return
            case ast.Await(value=ast.Call() as call):
                yield from self._call(call, is_awaited=True)
            case ast.Call():
                yield from self._call(each, is_awaited=False)
            case _:
                parts = ast.iter_child_nodes(each)
                yield from self._all([part for part in parts if isinstance(part, ast.expr)])

    def _all(self, parts: list[ast.expr]) -> Iterator[ForeseenError]:
        for each in parts:
            yield from self._expression(each)

    def _call(self, call: ast.Call, *, is_awaited: bool) -> Iterator[ForeseenError]:
        name = ast.unparse(call.func) if isinstance(call.func, ast.Name | ast.Attribute) else ""
        if name in self._gathers and any(each.arg for each in call.keywords):
            yield ForeseenError(NO_KEYWORDS, call.lineno)
        if name in self._ends & EXITS:
            yield ForeseenError(NO_EXIT, call.lineno)
        runs = (is_awaited and name in self._gathers) or self._is_run(name)
        for each in [*call.args, *(keyword.value for keyword in call.keywords)]:
            if runs and isinstance(each, ast.Call):
                yield from self._call(each, is_awaited=True)
            else:
                yield from self._expression(each)
        if not isinstance(call.func, ast.Name):
            yield from self._expression(call.func)
        yield from self._entered(self._functions.get(name), is_awaited=is_awaited)

    def _is_run(self, name: str) -> bool:
        return name.endswith(".run") and f"{name.removesuffix('run')}gather" in self._gathers

    def _entered(self, function: _Function | None, *, is_awaited: bool) -> Iterator[ForeseenError]:
        if function is None or function.name in self._seen:
            return
        if is_awaited or isinstance(function, ast.FunctionDef):
            self._seen.add(function.name)
            yield from self.errors(function.body)


def _bound(tree: ast.Module) -> Iterator[str]:
    """Every name that the program gives a meaning to, once for each time."""
    for each in ast.walk(tree):
        match each:
            case ast.Name(id=name, ctx=ast.Store() | ast.Del()) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.ClassDef(name=name) | ast.alias(asname=str() as name) | ast.alias(name=name):
                yield name
            case ast.ExceptHandler(name=str() as name) | ast.MatchAs(name=str() as name):
                yield name
            case ast.MatchStar(name=str() as name) | ast.MatchMapping(rest=str() as name):
                yield name


def _imported_gathers(tree: ast.Module) -> Iterator[str]:
    """What `asyncio.gather` is called in the program."""
    for each in ast.walk(tree):
        if isinstance(each, ast.Import):
            named = [one.asname or one.name for one in each.names if one.name == "asyncio"]
            yield from (f"{name}.gather" for name in named)
        if isinstance(each, ast.ImportFrom) and each.module == "asyncio" and not each.level:
            yield from (one.asname or one.name for one in each.names if one.name == "gather")


def _is_sole(gather: str, tree: ast.Module, bound: Counter[str]) -> bool:
    """Whether the name means nothing else anywhere, however often it is imported."""
    name = gather.partition(".")[0]
    imports = [each for each in ast.walk(tree) if isinstance(each, ast.Import | ast.ImportFrom)]
    same = [one for each in imports for one in each.names if (one.asname or one.name) == name]
    kinds = {one.name for one in same}
    return bound[name] == len(same) and len(kinds) == 1


def _may_leave(statement: ast.stmt) -> bool:
    """Whether what stands after the statement may never run though it comes to a good end."""
    left: list[ast.AST] = [statement]
    while left:
        each = left.pop()
        if isinstance(each, ast.Return):
            return True
        if not isinstance(each, _SCOPES):
            left += ast.iter_child_nodes(each)
    return False
