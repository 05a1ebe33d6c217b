# Defines what is done to a fresh Python before its memory is frozen: warm imports, plain streams, no road to
# JavaScript.


def _prepare():
    import gc
    import importlib
    import io
    import sys

    warm = """sys io os math cmath collections heapq bisect itertools functools re string random time json operator
        fractions decimal typing dataclasses array copy statistics enum datetime textwrap queue numbers abc contextlib
        traceback linecache threading atexit types struct zlib hashlib"""
    for name in warm.split():
        importlib.import_module(name)

    def is_bridge(finder):
        place = f"{getattr(type(finder), '__module__', '')} {getattr(finder, '__module__', '')}"
        return "yodide" in place or "Js" in type(finder).__name__

    sys.meta_path[:] = [finder for finder in sys.meta_path if not is_bridge(finder)]
    bridges = ("js", "pyodide", "_pyodide", "pyodide_js", "_pyodide_core")
    for name in list(sys.modules):
        if name.split(".")[0] in bridges:
            del sys.modules[name]
    for name in (*bridges, "ctypes", "_ctypes"):
        sys.modules[name] = None

    def stream(fd, mode, name, **more):
        raw = io.FileIO(fd, mode, closefd=False)
        buffered = io.BufferedReader(raw) if mode == "r" else io.BufferedWriter(raw)
        newline = None if mode == "r" else "\n"
        return io.TextIOWrapper(buffered, encoding="utf-8", errors="replace", newline=newline, **more)

    sys.stdin = sys.__stdin__ = stream(0, "r", "<stdin>")
    sys.stdout = sys.__stdout__ = stream(1, "w", "<stdout>")
    sys.stderr = sys.__stderr__ = stream(2, "w", "<stderr>", line_buffering=True)
    sys.excepthook, sys.displayhook = sys.__excepthook__, sys.__displayhook__
    sys.argv = ["solution.py"]
    sys.path[:] = [place for place in sys.path if place]
    import __main__

    standard = {"__name__", "__builtins__", "__doc__", "__package__", "__loader__", "__spec__", "__annotations__"}
    for name in set(vars(__main__)) - standard:
        del vars(__main__)[name]
    # Every process freezes the same state, so that a program's answer does not depend on which one
    # runs it.
    sys.modules["random"].seed(0)
    gc.collect()


_prepare()
