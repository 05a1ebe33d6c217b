# Owns the judging of an assert or a session where no program has run: what the program is to do is
# asked for and comes back as data.
# In: {"cells": [code], "mode": "exec" | "single", "functions": [name], "answers": [answer]}, one
# answer a question so far.
# Out: {"ask": question} for the next, {"shown": [text]} at the end, {"failed": why}, or {"unknown":
# why}.
import ast
import builtins
import collections
import decimal
import fractions
import importlib
import io
import json
import math
import sys

asked = json.load(sys.stdin)
answers = iter(asked["answers"])
out, sys.stdout = sys.stdout, io.StringIO()
sys.set_int_max_str_digits(0)
NOTHING = object()
MODULES = "math re string collections itertools functools operator fractions decimal statistics heapq bisect copy json"
KNOWN = {name: getattr(collections, name) for name in ("Counter", "OrderedDict", "defaultdict", "deque")}
KNOWN |= {name: value for name, value in vars(math).items() if not name.startswith("_")}
KNOWN = {name: value for name, value in KNOWN.items() if not hasattr(builtins, name)}
KNOWN |= {name: importlib.import_module(name) for name in MODULES.split()}
KNOWN |= {"Fraction": fractions.Fraction, "Decimal": decimal.Decimal}


class Question(BaseException):
    """The run ends here until the answer is known."""


class Unknown(BaseException):
    """Cannot be said outside the program."""


def ask(question, args=(), trusted=False):
    answer = next(answers, None)
    if answer is None:
        raise Question(question)
    sys.stdout.write(answer["printed"])
    for arg, after in zip(args, answer["args"]):
        update(arg, after)
    return value_of(answer["value"], trusted)


def update(arg, after):
    """A list, dictionary or set that the program was given and may have changed."""
    if type(arg) is list and after is not None:
        arg[:] = value_of(after)
    elif type(arg) in (dict, set) and after is not None:
        value = value_of(after)
        arg.clear()
        arg.update(value)


def value_of(shape, trusted=False):
    """The inverse of harness.py's shape()."""
    if shape is None or isinstance(shape, (bool, str)):
        return shape
    each = lambda kind: (value_of(item, trusted) for item in shape[kind])
    if "ref" in shape:
        base = value_of(shape["base"]) if "base" in shape else NOTHING
        return base if isinstance(base, collections.abc.Iterator) else Remote(f"refs[{shape['ref']:d}]", base, trusted)
    if "number" in shape:
        text = shape["number"]
        return int(text) if text.lstrip("-").isdigit() else float(text)
    if "written" in shape:
        read = {"Fraction": fractions.Fraction, "Decimal": decimal.Decimal}.get(shape["written"], ast.literal_eval)
        return read(shape["text"])
    if "dict" in shape:
        return {value_of(k, trusted): value_of(v, trusted) for k, v in shape["dict"]}
    if "set" in shape:
        return frozenset(each("set")) if "frozen" in shape else set(each("set"))
    if "iterator" in shape:
        return iter([*each("iterator")])
    return tuple(each("tuple")) if "tuple" in shape else list(each("list"))


def write(value):
    """A value as source that the harness evaluates."""
    kind = type(value)
    if kind in (Remote, Function, Lambda):
        return value._source
    if value is None or kind in (bool, int, str, bytes):
        return repr(value)
    if kind in (float, complex):
        return repr(value) if math.isfinite(abs(value)) else f"{kind.__name__}({str(value)!r})"
    if kind in (list, tuple, set, frozenset, collections.deque):
        inner = ", ".join(map(write, value))
        if kind is list:
            return f"[{inner}]"
        if kind is tuple:
            return f"({inner},)" if value else "()"
        return f"{kind.__name__}([{inner}])" if kind is not collections.deque else f"deque([{inner}])"
    if kind is dict:
        return f"{{{', '.join(f'{write(k)}: {write(v)}' for k, v in value.items())}}}"
    if isinstance(value, range):
        return repr(value)
    if kind in (fractions.Fraction, decimal.Decimal):
        return f"{kind.__name__}({str(value)!r})"
    if getattr(builtins, getattr(value, "__name__", ""), NOTHING) is value:
        return value.__name__
    raise Unknown(f"a {kind.__name__} cannot be handed to the program")


class Function:
    """A name that only the program knows. By the statement's spelling, not by the program's word,
    it is a class or a function."""

    def __init__(self, name):
        self._source, self._is_class = f"find({name!r})", name[:1].isupper()

    def __call__(self, *args, **named):
        return call(self._source, args, named, self._is_class)

    def __getattr__(self, name):
        return attribute(self._source, name)


class Lambda:
    """A function that the statement writes out, for either side."""

    def __init__(self, source, here):
        self._source, self._here = f"own({source!r})", here

    def __call__(self, *args):
        return self._here(*args)


def call(source, args, named, trusted):
    inner = "".join(f", {name}={write(value)}" for name, value in named.items())
    return ask(f"call({source}, [{', '.join(map(write, args))}]{inner})", args, trusted)


def attribute(source, name):
    if name.startswith("__"):
        raise AttributeError(name)
    return ask(f"{source}.{name}")


class Remote:
    """
    An object of the program. Its word that it equals a plain value is not taken: `base` is what it
    is made of, by the builtin's own methods. One made by a class that the statement names is
    `trusted` to compare and calculate, since that is its task.
    """

    def __init__(self, source, base, trusted):
        self._source, self._base, self._trusted = source, base, trusted

    @property
    def __class__(self):
        return Remote if self._base is NOTHING else type(self._base)

    def __getattr__(self, name):
        if not self._trusted and self._base is not NOTHING and hasattr(self._base, name):
            return getattr(self._base, name)
        return attribute(self._source, name)

    def __call__(self, *args, **named):
        return call(self._source, args, named, False)

    def __repr__(self):
        return str(ask(f"repr({self._source})"))

    __str__ = lambda self: str(ask(f"str({self._source})"))
    __hash__ = lambda self: plain(ask(f"hash({self._source})"))
    __getitem__ = lambda self, key: ask(f"{self._source}[{write(key)}]")
    __setitem__ = lambda self, key, value: ask(f"{self._source}.__setitem__({write(key)}, {write(value)})")
    __delitem__ = lambda self, key: ask(f"{self._source}.__delitem__({write(key)})")
    __contains__ = lambda self, item: operate("in", item, self)
    __neg__ = lambda self: -plain(self) if self._base is not NOTHING else ask(f"-{self._source}", (), self._trusted)
    __abs__ = lambda self: abs(plain(self)) if self._base is not NOTHING else ask(f"abs({self._source})")
    __ne__ = lambda self, other: not self == other

    def __iter__(self):
        own = self._base is NOTHING or self._trusted
        return iter(ask(f"list({self._source})") if own else self._base)

    def __len__(self):
        own = self._base is NOTHING or self._trusted
        return plain(ask(f"len({self._source})")) if own else len(self._base)

    def __bool__(self):
        if self._base is not NOTHING:
            return bool(self._base)
        return plain(ask(f"bool({self._source})")) if self._trusted else True

    def __eq__(self, other):
        if self._base is not NOTHING:
            return self._base == plain(other)
        if not isinstance(other, Remote) and not self._trusted:
            return False
        return bool(plain(ask(f"{self._source} == {write(other)}")))


def plain(value):
    return value._base if isinstance(value, Remote) and value._base is not NOTHING else value


def operate(sign, left, right):
    """A binary operation with a program's object on at least one side."""
    a, b = plain(left), plain(right)
    if not isinstance(a, Remote) and not isinstance(b, Remote):
        return eval(f"a {sign} b", {}, {"a": a, "b": b})
    trusted = any(isinstance(side, Remote) and side._trusted for side in (left, right))
    value = ask(f"{write(left)} {sign} {write(right)}", (), trusted)
    if not trusted and not isinstance(value, Remote):
        raise TypeError("an object of the program does not calculate with plain values")
    return value


def _define_operators():
    signs = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@"}
    for name, sign in signs.items():
        setattr(Remote, f"__{name}__", lambda self, other, sign=sign: operate(sign, self, other))
        setattr(Remote, f"__r{name}__", lambda self, other, sign=sign: operate(sign, other, self))
    for name, sign in {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "and": "&", "or": "|", "xor": "^"}.items():
        setattr(Remote, f"__{name}__", lambda self, other, sign=sign: operate(sign, self, other))


class Lambdas(ast.NodeTransformer):
    def visit_Lambda(self, node):
        text = ast.Constant(ast.unparse(node))
        return ast.Call(ast.Name("__lambda__", ast.Load()), [text, self.generic_visit(node)], [])


def names_in(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def main():
    """The names that a test needs and that nobody else knows are the program's; the functions of
    the task always are."""
    trees = [ast.fix_missing_locations(Lambdas().visit(ast.parse(code, mode=MODES[asked["mode"]]))) for code in asked["cells"]]
    used = set().union(*map(names_in, trees))
    theirs = set(asked["functions"]) & used
    if not theirs - {"Solution"}:
        theirs |= used - set(vars(builtins)) - set(KNOWN)
    theirs = theirs or used - set(vars(builtins)) or used
    theirs |= {name for name in used if name not in vars(builtins) and name not in KNOWN}
    names = {"__lambda__": Lambda, "__name__": "__test__"} | {name: KNOWN[name] for name in used & set(KNOWN)}
    names |= {name: Function(name) for name in theirs - {"__lambda__"}}
    shown = []
    for tree in trees:
        sys.stdout.seek(0)
        sys.stdout.truncate()
        exec(compile(tree, "test", asked["mode"]), names)
        shown.append(sys.stdout.getvalue())
    return {"shown": shown}


MODES = {"exec": "exec", "single": "single"}
_define_operators()
try:
    result = main()
except Question as question:
    result = {"ask": str(question)}
except Unknown as why:
    result = {"unknown": str(why)}
except Exception as error:
    result = {"failed": type(error).__name__}
sys.stdout = out
print(json.dumps(result))
