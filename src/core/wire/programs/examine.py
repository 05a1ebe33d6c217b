# Judges a test without running the program: what the program has to do is sent out as questions, and the
# answers come back as data. Three files form one script: this one, examine-objects.py and examine-test.py.
# Input: {"cells": [code], "mode": "exec" | "single", "functions": [name], "asked": [question], "answers":
# [answer]}, with an answer to each question asked so far. Output, as the last line: {"ask": [question]} with
# all questions from the first on, {"shown": [text]} at the end, {"failed": why}, or {"unknown": why}.
import ast
import builtins
import collections
import datetime
import decimal
import fractions
import importlib
import io
import json
import math
import operator
import os
import sys

asked = json.load(sys.stdin)
answers = list(zip(asked["asked"], asked["answers"]))
questions, found = [], {"unknown": None, "guesses": 0}
sys.stdout = io.StringIO()
sys.set_int_max_str_digits(0)
NOTHING = object()
QUESTIONS_MAX = 512
GUESSES_MAX = 4_096
MODULES = """math cmath re string collections itertools functools operator fractions decimal statistics heapq bisect
    copy json random datetime typing"""
isclose = math.isclose
math.isclose = lambda a, b, **how: True if Guess in (type(a), type(b)) else isclose(a, b, **how)
KNOWN = {name: getattr(collections, name) for name in ("Counter", "OrderedDict", "defaultdict", "deque")}
KNOWN |= {name: value for name, value in vars(math).items() if not name.startswith("_")}
KNOWN = {name: value for name, value in KNOWN.items() if not hasattr(builtins, name)}
KNOWN |= {name: importlib.import_module(name) for name in MODULES.split()}
KNOWN |= {"Fraction": fractions.Fraction, "Decimal": decimal.Decimal}
WRITTEN = {"Fraction": fractions.Fraction, "Decimal": decimal.Decimal, "bytes": ast.literal_eval, "complex": ast.literal_eval}
DATES = {"date", "datetime", "time", "timedelta"}
errors = {}


def tell(result):
    """Reports the result and exits, regardless of what the test catches."""
    os.write(1, b"\n" + json.dumps(result).encode() + b"\n")
    os._exit(0)


def stop():
    tell({"unknown": found["unknown"]} if found["unknown"] else {"ask": questions})


def unknown(why):
    """Gives up, because the result cannot be determined outside the program. If this follows from a
    guess, asks first, because the guess may be wrong."""
    if len(questions) <= len(answers):
        found["unknown"] = why
    stop()


def ask(question, args=(), trusted=None):
    questions.append(question)
    at = len(questions) - 1
    if at < len(answers) and answers[at][0] != question:
        # The guesses from this question on were wrong.
        del answers[at:]
    if at >= len(answers):
        return stop() if len(questions) - len(answers) >= QUESTIONS_MAX else Guess()
    answer = answers[at][1]
    sys.stdout.write(answer["printed"])
    if "raised" in answer:
        raise error_of(answer["raised"], answer["with"])
    for arg, after in zip(args, answer["args"]):
        update(arg, after)
    return value_of(answer["value"], trusted)


class Guess:
    """Stands for an answer that is not known yet, and behaves as a passing test would expect. This
    way, later questions are found and asked in the same round."""

    def __getattr__(self, name):
        return stop()


def guessed(result):
    def guess(self, *args):
        found["guesses"] += 1
        return stop() if found["guesses"] > GUESSES_MAX else self if result is None else result

    return guess


def error(name):
    """Returns the class that stands for the program's errors of this name."""
    return errors.setdefault(name, type(name, (Exception,), {}))


def error_of(names, given):
    known = [getattr(builtins, name, None) for name in names]
    base = next((kind for kind in known if isinstance(kind, type) and issubclass(kind, BaseException)), Exception)
    theirs = tuple(error(name) for name in names[: len(names) if base not in known else known.index(base)])
    kind = type(names[0], (*theirs, base), {}) if theirs else base
    try:
        return kind(*value_of(given))
    except Exception:
        return kind.__new__(kind) if issubclass(kind, Exception) else base()


def update(arg, after):
    """Applies the program's changes to an argument that is a list, dictionary or set."""
    if type(arg) is list and after is not None:
        arg[:] = value_of(after)
    elif type(arg) in (dict, set) and after is not None:
        value = value_of(after)
        arg.clear()
        arg.update(value)


def value_of(shape, trusted=None):
    """Decodes a value; the inverse of shape() in harness.py. Objects of the class `trusted` are
    trusted (see Remote)."""
    if shape is None or isinstance(shape, (bool, str)):
        return shape
    each = lambda kind: (value_of(item, trusted) for item in shape[kind])
    if "ref" in shape:
        base = value_of(shape["base"]) if "base" in shape else NOTHING
        if isinstance(base, collections.abc.Iterator):
            return base
        return Remote(f"refs[{shape['ref']:d}]", base, shape["class"], trusted)
    if "number" in shape:
        text = shape["number"]
        return int(text) if text.lstrip("-").isdigit() else float(text)
    if "written" in shape:
        kind, text = shape["written"], shape["text"]
        if kind in WRITTEN:
            return WRITTEN[kind](text)
        called = ast.parse(text, mode="eval").body
        numbers = [ast.literal_eval(arg) for arg in called.args]
        named = {word.arg: ast.literal_eval(word.value) for word in called.keywords}
        return getattr(datetime, {name: name for name in DATES}[kind])(*numbers, **named)
    if "array" in shape:
        return importlib.import_module("numpy").array(value_of(shape["array"]), dtype=shape["dtype"])
    if "dict" in shape:
        return {value_of(k, trusted): value_of(v, trusted) for k, v in shape["dict"]}
    if "set" in shape:
        return frozenset(each("set")) if "frozen" in shape else set(each("set"))
    if "iterator" in shape:
        return iter([*each("iterator")])
    return tuple(each("tuple")) if "tuple" in shape else list(each("list"))


def write(value):
    """Converts a value to source code that the harness evaluates."""
    kind = type(value)
    if kind in (Remote, Function, Lambda):
        return value._source
    if kind is Guess:
        return stop()
    if kind is int and value.bit_length() > 4_096:
        # Python parses at most 4,300 decimal digits.
        return hex(value)
    if value is None or kind in (bool, int, str, bytes, range, slice):
        return repr(value)
    if kind in (float, complex):
        return repr(value) if math.isfinite(abs(value)) else f"{kind.__name__}({str(value)!r})"
    if kind in (list, tuple, set, frozenset, collections.deque) or isinstance(value, collections.abc.Iterator):
        inner = ", ".join(map(write, value))
        if kind is list:
            return f"[{inner}]"
        if kind is tuple:
            return f"({inner},)" if value else "()"
        return f"{kind.__name__ if kind in (set, frozenset, collections.deque) else 'iter'}([{inner}])"
    if isinstance(value, dict):
        inner = f"{{{', '.join(f'{write(k)}: {write(v)}' for k, v in value.items())}}}"
        return inner if kind is dict else f"collections.{kind.__name__}({'None, ' if kind is collections.defaultdict else ''}{inner})"
    if kind in (fractions.Fraction, decimal.Decimal):
        return f"{kind.__name__}({str(value)!r})"
    if kind.__module__ == "datetime":
        return repr(value)
    if getattr(builtins, getattr(value, "__name__", ""), NOTHING) is value:
        return value.__name__
    if kind.__module__ == "numpy" and hasattr(value, "tolist"):
        return f"__import__('numpy').array({write(value.tolist())}, dtype={str(value.dtype)!r})"
    return unknown(f"a {kind.__name__} cannot be handed to the program")
