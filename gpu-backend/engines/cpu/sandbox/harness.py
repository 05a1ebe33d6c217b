# Owns how a program is asked and how a value leaves it, in a module of its own: no name or builtin
# of the program is in its way.
__builtins__ = dict(vars(__import__("builtins")))

import builtins
import collections.abc
import decimal
import fractions
import itertools
import json
import posix
import sys

# The names of the program; a dictionary that Python itself holds on to.
program = sys.modules["__main__"].__dict__
refs = []
kept = {}
encode = json.JSONEncoder(check_circular=False).encode
any_digits = sys.set_int_max_str_digits
Iterator, Set, Mapping, Sequence = (getattr(collections.abc, n) for n in ("Iterator", "Set", "Mapping", "Sequence"))
deque, own_eval = __import__("collections").deque, eval
Fraction, Decimal, islice, write = fractions.Fraction, decimal.Decimal, itertools.islice, posix.write
DEPTH_MAX = 64
ITEMS_MAX = 2_000


def find(name):
    """The program's function of that name, else its Solution's method, else Python's own."""
    if name in program:
        return program[name]
    if "Solution" in program and hasattr(program["Solution"], name):
        return getattr(program["Solution"](), name)
    if name in __builtins__:
        return __builtins__[name]
    raise NameError(f"name {name!r} is not defined")


def call(function, args, **named):
    """Its value. The arguments are kept as well, for a function may have changed them."""
    kept["args"] = args
    return function(*args, **named)


def own(source):
    """A function that the statement writes out, over the program's names."""
    return own_eval(source, program)


def keep(value):
    kept["value"] = value


def emit():
    any_digits(0)
    args = [shape(arg, 0) if type(arg) in (list, dict, set) else None for arg in kept.pop("args", [])]
    write(1, encode({"value": shape(kept["value"], 0), "args": args}).encode())


def shape(value, depth):
    """The value in the shapes of readEmitted (emitted.ts). Anything but a plain value takes a
    reference along."""
    if depth > DEPTH_MAX:
        raise ValueError("too deep")
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    plain = plain_shape(value, kind, depth + 1)
    if kind in EXACT:
        return plain
    refs.append(value)
    return {"ref": len(refs) - 1} if plain is NOTHING else {"ref": len(refs) - 1, "base": plain}


NOTHING = object()
EXACT = {int, float, str, list, tuple, set, frozenset, dict, bytes, Fraction, Decimal, complex}


def plain_shape(value, kind, depth):
    """By the methods of the builtin that the value is made of, never by the value's own."""

    def each(items):
        return [shape(item, depth) for item in items]

    if issubclass(kind, str):
        return str.__str__(value)
    if issubclass(kind, int):
        return {"number": int.__repr__(value)}
    if issubclass(kind, float):
        return {"number": float.__repr__(value).replace("inf", "Infinity").replace("nan", "NaN")}
    if issubclass(kind, list):
        return {"list": each(list.__iter__(value))}
    if issubclass(kind, tuple):
        return {"tuple": each(tuple.__iter__(value))}
    if issubclass(kind, dict):
        return {"dict": [[shape(k, depth), shape(v, depth)] for k, v in dict.items(value)]}
    if issubclass(kind, set):
        return {"set": each(set.__iter__(value))}
    if issubclass(kind, frozenset):
        return {"set": each(frozenset.__iter__(value)), "frozen": True}
    if kind in (bytes, complex, Fraction, Decimal):
        return {"written": kind.__name__, "text": kind.__str__(value) if kind in (Fraction, Decimal) else kind.__repr__(value)}
    if issubclass(kind, Iterator):
        return {"iterator": each(islice(value, ITEMS_MAX))}
    if issubclass(kind, Mapping):
        return {"dict": [[shape(k, depth), shape(value[k], depth)] for k in islice(value, ITEMS_MAX)]}
    if issubclass(kind, Set):
        return {"set": each(islice(value, ITEMS_MAX))}
    if issubclass(kind, Sequence):
        return {"list": each(islice(value, ITEMS_MAX))}
    return NOTHING


def _preimports():
    names = {}
    for module in """string re datetime collections heapq bisect copy math random statistics itertools functools operator
        typing""".split():
        exec(f"from {module} import *\nimport {module}", names)
    exec("import sys, io, json, time\nfrom bisect import bisect_left, bisect_right, insort", names)
    return {name: value for name, value in names.items() if name not in vars(builtins)}


PREIMPORTS = _preimports()


def preimport():
    """Beside the builtins, where the program's own names go before them."""
    vars(builtins).update(PREIMPORTS)
