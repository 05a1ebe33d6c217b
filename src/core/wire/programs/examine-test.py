# Runs the test's own code (see examine.py): decides which names belong to the program, and reports the
# result.


class Foreseen(ast.NodeTransformer):
    """Rewrites a test so that lambdas can be sent to the program, the program's errors can be caught by
    name, and builtins accept guesses."""

    THROUGH = {"set", "frozenset", "sorted", "list", "tuple", "dict", "len", "str", "float", "int", "sum", "max", "min"}
    RAISES = {"raises", "assertRaises", "assertRaisesRegex"}

    def __init__(self, bound):
        self.bound = bound

    def visit_Lambda(self, node):
        text = ast.Constant(ast.unparse(node))
        return ast.Call(ast.Name("__lambda__", ast.Load()), [text, self.generic_visit(node)], [])

    def visit_ExceptHandler(self, node):
        if node.type is not None:
            node.type = self.errors_in(node.type)
        return self.generic_visit(node)

    def visit_Call(self, node):
        name = getattr(node.func, "id", getattr(node.func, "attr", None))
        if name in self.RAISES and node.args:
            node.args[0] = self.errors_in(node.args[0])
        node = self.generic_visit(node)
        if isinstance(node.func, ast.Name) and name in self.THROUGH and name not in self.bound:
            node.args.insert(0, node.func)
            node.func = ast.Name("__through__", ast.Load())
        return node

    def visit_Assert(self, node):
        node.test = self.within_tolerance(node.test)
        return self.generic_visit(node)

    def within_tolerance(self, node):
        """Makes an asserted equality of two floats hold within the tolerance."""
        if isinstance(node, ast.Compare) and len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq):
            return ast.Call(ast.Name("__same__", ast.Load()), [node.left, *node.comparators], [])
        if isinstance(node, ast.BoolOp):
            node.values = [self.within_tolerance(value) for value in node.values]
        elif isinstance(node, ast.Call) and getattr(node.func, "id", None) in ("all", "any"):
            for part in node.args:
                if isinstance(part, (ast.GeneratorExp, ast.ListComp)):
                    part.elt = self.within_tolerance(part.elt)
        return node

    def errors_in(self, node):
        for part in node.elts if isinstance(node, ast.Tuple) else [node]:
            if isinstance(part, ast.Name) and part.id not in self.bound and not hasattr(builtins, part.id):
                part.id = f"__error__{part.id}"
        return node


def same(left, right):
    equal = left == right
    return is_near(left, right) if equal is False else equal


def is_near(left, right):
    a, b = plain(left), plain(right)
    kind = type(a)
    if kind is not type(b) or kind not in (float, list, tuple, dict):
        return (left == right) is True
    if kind is float:
        is_finite = math.isfinite(a) and math.isfinite(b)
        return a == b or (is_finite and abs(a - b) <= asked["tolerance"] * max(1.0, min(abs(a), abs(b))))
    if kind is dict:
        return a.keys() == b.keys() and all(is_near(value, b[key]) for key, value in a.items())
    return len(a) == len(b) and all(map(is_near, a, b))


def as_json(value):
    """Converts a value as JSON would: tuples become lists, and keys become strings."""
    inner = plain(value)
    if type(inner) in (list, tuple):
        return [as_json(item) for item in inner]
    return {str(plain(key)): as_json(item) for key, item in inner.items()} if type(inner) is dict else value


def through(act, *args, **named):
    """Calls a builtin, or returns a guess if one of the arguments is a guess."""
    return Guess() if Guess in map(type, args) else act(*args, **named)


class Names(dict):
    """The names in a test. A name that the test does not bind and Python does not know is the program's."""

    def __missing__(self, name):
        if name.startswith("__error__"):
            return error(name.removeprefix("__error__"))
        if hasattr(builtins, name):
            raise KeyError(name)
        return KNOWN[name] if name in KNOWN else Function(name)


def bound_in(tree):
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.alias):
            yield (node.asname or node.name).partition(".")[0]
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler)) and node.name:
            yield node.name


def read_in(tree):
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}


def names_of(trees, bound):
    """Decides which names belong to the program. If a test uses no unknown name, the builtins and
    library names that it uses are the program's, because a task may have such a name."""
    used = set().union(*map(read_in, trees)) - bound
    theirs = set(asked["functions"]) & used
    if not theirs - {"Solution"}:
        theirs |= used - set(vars(builtins)) - set(KNOWN)
    theirs = theirs or used - set(vars(builtins)) - set(MODULES.split()) or used
    return Names({name: Function(name) for name in theirs if name in KNOWN or hasattr(builtins, name)})


def main():
    trees = [ast.parse(code, mode=asked["mode"]) for code in asked["cells"]]
    bound = {name for tree in trees for name in bound_in(tree)}
    names = names_of(trees, bound)
    names.update({"__lambda__": Lambda, "__through__": through, "__same__": same, "__name__": "__test__"})
    names.update({"__as_json__": as_json, "__from_json__": json.loads})
    shown = []
    for tree in trees:
        sys.stdout.seek(0)
        sys.stdout.truncate()
        whole = ast.fix_missing_locations(Foreseen(bound).visit(tree))
        exec(compile(whole, "test", asked["mode"]), names)
        shown.append(sys.stdout.getvalue())
    return {"shown": shown}


_define_operators()
try:
    result = main()
except SyntaxError as error:
    # If a question has been asked, the error comes from the program; before that, it is in the test's own
    # code.
    result = {"failed": "SyntaxError"} if questions else {"unknown": f"the test is not valid Python: {error.msg}"}
except BaseException as error:
    result = {"failed": type(error).__name__}
if len(questions) > len(answers):
    stop()
tell({"unknown": found["unknown"]} if found["unknown"] else result)
