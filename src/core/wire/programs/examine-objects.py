# Stand-ins for the program's names and objects in a test (see examine.py).


class Function:
    """A name that only the program knows: a function, a class or a value."""

    def __init__(self, name):
        self._name, self._source = name, f"find({name!r})"

    def __call__(self, *args, **named):
        # The spelling in the test, not the program, decides whether the name is a class.
        return call(self._source, args, named, self._name if self._name[:1].isupper() else None)

    def __getattr__(self, name):
        return attribute(self._source, name)

    def __instancecheck__(self, value):
        return type(value) is Remote and bool(plain(ask(f"isinstance({value._source}, {self._source})")))

    def value(self):
        return ask(self._source)


class Lambda:
    """A function that the test contains as source, usable both here and in the program."""

    def __init__(self, source, here):
        self._source, self._here = f"own({source!r})", here

    def __call__(self, *args):
        return self._here(*args)


def call(source, args, named, trusted):
    inner = "".join(f", {name}={write(value)}" for name, value in named.items())
    return ask(f"call({source}, [{', '.join(map(write, args))}]{inner})", args, trusted)


def attribute(source, name):
    if name.startswith("__") and name not in ("__name__", "__doc__"):
        raise AttributeError(name)
    return ask(f"{source}.{name}")


class Remote:
    """
    An object of the program. Its `==` with a plain value is not trusted. Instead, `base` is compared:
    its content, as read by the methods of the builtin type. If the test names the class of an object,
    the object is `trusted` to calculate and to compare itself with objects of that class, because that
    is its task. But it never receives a plain value that it might be expected to equal.
    """

    def __init__(self, source, base, kind, trusted):
        self._source, self._base, self._kind = source, base, kind
        self._trusted = kind if kind == trusted else None

    @property
    def __class__(self):
        return Remote if self._base is NOTHING else type(self._base)

    def __getattr__(self, name):
        if self._base is not NOTHING and (not self._trusted or name.startswith("__")) and hasattr(self._base, name):
            return getattr(self._base, name)
        return attribute(self._source, name)

    def __call__(self, *args, **named):
        return call(self._source, args, named, None)

    def __repr__(self):
        return str(ask(f"repr({self._source})"))

    __str__ = lambda self: str(ask(f"str({self._source})"))
    __hash__ = lambda self: hash(self._base) if self._base is not NOTHING else plain(ask(f"hash({self._source})"))
    __getitem__ = lambda self, key: self._base[key] if self._base is not NOTHING else ask(f"{self._source}[{write(key)}]")
    __setitem__ = lambda self, key, value: ask(f"{self._source}.__setitem__({write(key)}, {write(value)})")
    __delitem__ = lambda self, key: ask(f"{self._source}.__delitem__({write(key)})")
    __contains__ = lambda self, item: operate("in", item, self)
    __neg__ = lambda self: -plain(self) if self._base is not NOTHING else ask(f"-{self._source}", (), self._trusted)
    __abs__ = lambda self: abs(plain(self)) if self._base is not NOTHING else ask(f"abs({self._source})")
    __float__ = lambda self: float(self._base) if self._base is not NOTHING else float(ask(f"float({self._source})"))
    __int__ = lambda self: int(self._base) if self._base is not NOTHING else int(ask(f"int({self._source})"))
    __round__ = lambda self, *digits: round(float(self), *digits)
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
        return bool(plain(ask(f"bool({self._source})"))) if self._trusted else True

    def __eq__(self, other):
        if self._base is not NOTHING:
            return self._base == plain(other)
        if type(other) is not Remote:
            is_told = self._trusted and other is not None
            return unknown("compares an object of the program with a value") if is_told else False
        if self._source == other._source:
            return True
        if self._kind != other._kind or not (self._trusted or other._trusted):
            return False
        both = f"{self._source} == {other._source}, state({self._source}), state({other._source})"
        same, mine, theirs = ask(f"({both})", (), self._kind)
        if same is not True or (mine and mine == theirs):
            return same is True
        return unknown("only the program's word says that two of its objects are equal")


def plain(value):
    return value._base if type(value) is Remote and value._base is not NOTHING else value


SIGNS = {"add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "pow": "**", "matmul": "@"}
SIGNS |= {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "and_": "&", "or_": "|", "xor": "^"}
HERE = {sign: getattr(operator, name) for name, sign in SIGNS.items()} | {"in": lambda item, held: item in held}


def operate(sign, left, right):
    """Evaluates a binary operation with one of the program's objects on at least one side."""
    a, b = plain(left), plain(right)
    objects = [side for side in (a, b) if type(side) is Remote]
    if not objects:
        return HERE[sign](a, b)
    if len(objects) == 1 and not objects[0]._trusted:
        raise TypeError("an object of the program does not calculate with plain values")
    if len(objects) == 1 and sign in ("<", "<=", ">", ">="):
        return unknown("compares an object of the program with a value")
    value = ask(f"{write(left)} {sign} {write(right)}", (), objects[0]._trusted)
    if len(objects) == 1 and sign != "in" and type(plain(value)) is not Remote and type(value) is not Guess:
        return unknown("an object of the program was shown a value and answered with one")
    return value


def _define_operators():
    for name, sign in SIGNS.items():
        word = name.rstrip("_")
        setattr(Remote, f"__{word}__", lambda self, other, sign=sign: operate(sign, self, other))
        if sign not in ("<", "<=", ">", ">="):
            setattr(Remote, f"__r{word}__", lambda self, other, sign=sign: operate(sign, other, self))
            setattr(Guess, f"__r{word}__", guessed(None))
            setattr(Function, f"__r{word}__", lambda self, other, act=HERE[sign]: act(other, self.value()))
        setattr(Guess, f"__{word}__", guessed(True if sign in ("<", "<=", ">", ">=") else None))
        setattr(Function, f"__{word}__", lambda self, other, act=HERE[sign]: act(self.value(), other))
    for name in ("eq", "ne", "bool", "contains"):
        setattr(Guess, f"__{name}__", guessed(True))
    for name in ("neg", "pos", "abs", "round"):
        setattr(Guess, f"__{name}__", guessed(None))
    for name in ("iter", "len", "hash", "str", "repr", "int", "float", "index", "getitem", "call", "format", "next"):
        setattr(Guess, f"__{name}__", lambda self, *args, **named: stop())
    for name, act in {"eq": operator.eq, "ne": operator.ne, "getitem": operator.getitem, "contains": operator.contains}.items():
        setattr(Function, f"__{name}__", lambda self, other, act=act: act(self.value(), other))
    for name, act in {"iter": iter, "len": len, "bool": bool, "neg": operator.neg, "abs": abs}.items():
        setattr(Function, f"__{name}__", lambda self, act=act: act(self.value()))
    Function.__hash__ = object.__hash__
