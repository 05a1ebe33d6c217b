# Asks a program questions and encodes the values that it returns. Uses separate names and builtins, so that
# nothing that the program changes can interfere. A question never contains what a test expects. As a script
# (with ASKED, see examination.ts), it runs the program and answers each question once; an engine that keeps
# the harness loaded calls its functions directly.
__builtins__ = dict(vars(__import__("builtins")))

import builtins
import collections
import datetime
import decimal
import fractions
import io
import itertools
import json
import os
import sys

# The program's names, in a dictionary that Python itself keeps alive.
program = sys.modules["__main__"].__dict__
refs = []
kept = {}
encode = json.JSONEncoder(check_circular=False).encode
any_digits = sys.set_int_max_str_digits
Iterator, Set, Mapping, Sequence = (getattr(collections.abc, n) for n in ("Iterator", "Set", "Mapping", "Sequence"))
deque, own_eval, Buffer = collections.deque, eval, io.StringIO
Fraction, Decimal, islice, write = fractions.Fraction, decimal.Decimal, itertools.islice, os.write
name_of, mro_of = type.__dict__["__name__"].__get__, type.__dict__["__mro__"].__get__
args_of = BaseException.__dict__["args"].__get__
DEPTH_MAX = 64
ITEMS_MAX = 2_000


def find(name):
    """Finds a name in the program, else among the methods of its class Solution, else among the builtins."""
    if name in program:
        return program[name]
    if "Solution" in program and hasattr(program["Solution"], name):
        return getattr(program["Solution"](), name)
    if name in __builtins__:
        return __builtins__[name]
    raise NameError(f"name {name!r} is not defined")


def call(function, args, **named):
    """Calls a function. The arguments are kept, because the function may change them."""
    kept["args"] = args
    return function(*args, **named)


def own(source):
    """Evaluates a function that the question contains as source, with the program's names."""
    return own_eval(source, program)


def state(value):
    """Returns the attributes and slots of one of the program's objects."""
    slots = [name for kind in mro_of(type(value)) for name in getattr(kind, "__slots__", ())]
    return {**{name: getattr(value, name, None) for name in slots}, **getattr(value, "__dict__", {})}


def keep(value):
    kept["value"] = value


def kept_answer():
    any_digits(0)
    args = [shape(arg, 0) if type(arg) in (list, dict, set) else None for arg in kept.pop("args", [])]
    return {"value": shape(kept["value"], 0), "args": args}


def write_all(text):
    rest = text.encode()
    while rest:
        rest = rest[write(1, rest) :]


def emit():
    write_all(encode(kept_answer()))


def shape(value, depth):
    """Encodes a value as data (the inverse is value_of in examine.py). Any value that is not of a
    plain type also gets a reference."""
    if depth > DEPTH_MAX:
        raise ValueError("too deep")
    if value is None or value is True or value is False:
        return value
    kind = type(value)
    plain = plain_shape(value, kind, depth + 1)
    if kind in EXACT:
        return plain
    refs.append(value)
    about = {"ref": len(refs) - 1, "class": name_of(kind)}
    return about if plain is NOTHING else {**about, "base": plain}


NOTHING = object()
WRITTEN = {Fraction: str, Decimal: str, bytes: repr, complex: repr, datetime.date: repr, datetime.datetime: repr}
WRITTEN |= {datetime.time: repr, datetime.timedelta: repr}
EXACT = {int, float, str, list, tuple, set, frozenset, dict, *WRITTEN}


def plain_shape(value, kind, depth):
    """Encodes a value with the methods of the builtin type that it derives from, never with its own."""

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
    if kind in WRITTEN:
        return {"written": name_of(kind), "text": WRITTEN[kind](value)}
    numpy = sys.modules.get("numpy")
    if numpy is not None and kind is getattr(numpy, "ndarray", None):
        return {"array": shape(kind.tolist(value), depth), "dtype": str(value.dtype)}
    if numpy is not None and issubclass(kind, getattr(numpy, "generic", ())):
        return shape(value.item(), depth)
    if issubclass(kind, Iterator):
        return {"iterator": each(islice(value, ITEMS_MAX))}
    if issubclass(kind, Mapping):
        return {"dict": [[shape(k, depth), shape(value[k], depth)] for k in islice(value, ITEMS_MAX)]}
    if issubclass(kind, Set):
        return {"set": each(islice(value, ITEMS_MAX))}
    if issubclass(kind, Sequence):
        return {"list": each(islice(value, ITEMS_MAX))}
    return NOTHING


def preimports():
    """Returns the names that LeetCode imports for a program."""
    if "preimports" in kept:
        return kept["preimports"]
    names = {}
    for module in """string re datetime collections heapq bisect copy math random statistics itertools functools operator
        typing""".split():
        exec(f"from {module} import *\nimport {module}", names)
    exec("import sys, io, json, time\nfrom bisect import bisect_left, bisect_right, insort", names)
    kept["preimports"] = {name: value for name, value in names.items() if name not in vars(builtins)}
    return kept["preimports"]


def as_module():
    """Loads the program as a module, so that code guarded as its main part does not run. The module is
    registered under its name, because dataclasses and pickle look it up there."""
    program["__name__"] = "solution"
    sys.modules["solution"] = sys.modules["__main__"]


def preimport():
    """Adds LeetCode's imports to the builtins, so that the program's own names take precedence."""
    vars(builtins).update(preimports())


def answer(question, here):
    """Answers one question. An error in the program is an answer too."""
    sys.stdout = printed = Buffer()
    try:
        keep(own_eval(question, here))
        given = kept_answer()
    except BaseException as error:
        names = [name_of(kind) for kind in mro_of(type(error))]
        try:
            args = shape(list(args_of(error)), 0)
        except BaseException:
            args = {"list": []}
        given = {"raised": names, "with": args}
    return {"printed": printed.getvalue(), **given}


def main(asked, here):
    source, questions, mark = asked["source"], asked["questions"], asked["mark"]
    as_module()
    if asked["has_imports"] or "\nclass Solution" in f"\n{source}":
        preimport()
    exec(compile(source, "solution.py", "exec", dont_inherit=True), program)
    sys.stdout.flush()
    # Bound before the first question, because the program runs in this process and may replace any name.
    out, tell = sys.stdout, write_all
    answers = [answer(question, here) for question in questions]
    sys.stdout = out
    tell(f"\n{mark}{encode(answers)}{mark}\n")


if "ASKED" in globals():
    main(json.loads(ASKED), globals())
