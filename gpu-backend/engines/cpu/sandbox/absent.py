# Defines what a program finds where a package is not here: an import that works until it is used, then the
# end of the run.


def _absent():
    import dis
    import importlib.machinery
    import posix
    import sys
    import types

    packages = """numpy scipy pandas sortedcontainers networkx sympy numba sklearn torch tensorflow jax gmpy2 bitarray regex
        more_itertools matplotlib PIL cv2 requests atcoder llist attr attrs pydantic cython cupy mpmath toolz
        asyncio multiprocessing sqlite3 ssl curses readline fcntl lzma tkinter mmap select selectors"""
    absent = frozenset(packages.split())
    # Its number is put in where this is loaded (budget.ts).
    unsupported_exit = UNSUPPORTED_EXIT

    class Absent(types.ModuleType):
        def __getattr__(self, name):
            if name.startswith("__") and name != "__all__":
                raise AttributeError(name)
            posix._exit(unsupported_exit)

    def is_caught(frame):
        """Whether the import is inside a try: then the program itself handles a missing package."""
        entries = dis._parse_exception_table(frame.f_code)
        return any(entry.start <= frame.f_lasti < entry.end for entry in entries)

    class Finder:
        @staticmethod
        def find_spec(name, path=None, target=None):
            if name.partition(".")[0] not in absent:
                return None
            frame = sys._getframe(1)
            while frame is not None and "importlib" in frame.f_code.co_filename:
                frame = frame.f_back
            if frame is not None and is_caught(frame):
                raise ModuleNotFoundError(f"No module named {name!r}", name=name)
            return importlib.machinery.ModuleSpec(name, Finder, is_package=True)

        @staticmethod
        def create_module(spec):
            return Absent(spec.name)

        @staticmethod
        def exec_module(module):
            """Nothing to run."""

    sys.meta_path.insert(0, Finder)

    # Programs raise their stack's limit with it; there is none here to raise.
    resource = types.ModuleType("resource")
    resource.RLIMIT_CPU, resource.RLIMIT_DATA, resource.RLIMIT_STACK, resource.RLIMIT_AS = 0, 2, 3, 9
    resource.RLIM_INFINITY = -1
    resource.getrlimit = lambda which: (-1, -1)
    resource.setrlimit = lambda which, limits: None
    sys.modules["resource"] = resource


_absent()
del _absent
