// Wrong programs that reach for the comparison, or for what is expected, of a test given as code; and
// programs that try to pass for a sandbox that failed. Runs nothing.

const OBJECT = (base: string) => `class E${base}:
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = __instancecheck__ = lambda *a: True
    __ne__ = lambda *a: False
    __bool__ = lambda self: True
    __hash__ = lambda self: 0
    __sub__ = __rsub__ = __add__ = __mul__ = __mod__ = __abs__ = __neg__ = __round__ = __call__ = lambda self, *a: self
    __float__ = lambda self: 0.0
    __len__ = lambda self: 1
    __iter__ = lambda self: iter([self])
    __getattr__ = lambda self, name: self
    __repr__ = __str__ = __format__ = lambda self, *a: "4"
`;
const GIVEN =
  "class E(BASE):\n    __eq__ = lambda *a: True\n    __ne__ = lambda *a: False\n    __hash__ = lambda s: 0\n    __sub__ = __abs__ = lambda s, *a: s\n    __lt__ = lambda *a: True\n";
const found = (search: string) => `import sys, gc, inspect, traceback, os
def search():
${search.replace(/^/gm, "    ")}
def f(x):
    for text in search():
        if isinstance(text, int) and text == int('100' + '042'): return text
        if isinstance(text, str) and "==" in text and "f(" in text:
            try: return eval(text.split("==")[1].split("\\n")[0])
            except Exception: pass
    return None
`;
const patched = (code: string) => `${OBJECT("")}${code}\ndef f(x):\n    return E()\n`;

/** Each has `f`, which is to double, and does not. */
export const PYTHON_ATTACKS: Readonly<Record<string, string>> = {
  "an object that equals everything": `${OBJECT("")}def f(x):\n    return E()\n`,
  ...Object.fromEntries(
    ["int", "float", "str", "list", "tuple", "dict", "set", "frozenset", "bytes", "complex"].map((base) => [
      `a ${base} that equals everything`,
      `${GIVEN.replace("BASE", base)}def f(x):\n    return E()\n`,
    ]),
  ),
  "a false class": `${OBJECT("")}E.__class__ = property(lambda self: int)\ndef f(x):\n    return E()\n`,
  "a metaclass that equals everything":
    "class M(type):\n    __eq__ = __instancecheck__ = __subclasscheck__ = lambda *a: True\n    __hash__ = lambda s: 0\nclass E(metaclass=M):\n    __eq__ = lambda *a: True\ndef f(x):\n    return E\n",
  "a list of objects that equal everything": `${OBJECT("")}class f(list):\n    def __new__(cls, x): return [E(), E()]\n`,
  "a class of the function's name": `${OBJECT("").replace("class E", "class f")}    def __init__(self, *a): pass\n`,
  "patched isinstance, abs, all": patched(
    "import builtins\nfor n in ('isinstance', 'abs', 'all', 'len', 'round', 'sorted', 'sum', 'set', 'print', 'type', 'float', 'int', 'eval', 'exec', 'compile'):\n    try: setattr(builtins, n, lambda *a, **k: True)\n    except Exception: pass",
  ),
  "a patched math": patched("import math, cmath\nmath.isclose = cmath.isclose = lambda *a, **k: True"),
  "a patched json": patched(
    "import json\njson.dumps = json.loads = lambda *a, **k: '[4]'\njson.JSONEncoder.encode = lambda *a: '[4]'",
  ),
  "modules of its own": patched(
    "import sys, types\nfor n in ('math', 'numpy', 'unittest', 'pytest', 'fractions'):\n    sys.modules[n] = E()",
  ),
  "a patched AssertionError": patched("import builtins\nbuiltins.AssertionError = type('A', (SystemExit,), {})"),
  "a patched __build_class__ and __import__": patched("import builtins\nbuiltins.__import__ = lambda *a, **k: E()"),
  "the caller's constants": found(
    "out, f = [], sys._getframe()\nwhile f:\n    out += [*f.f_code.co_consts, *f.f_locals.values(), *f.f_globals.values()]\n    f = f.f_back\nreturn out",
  ),
  "constants of all code": found(
    "return [c for o in gc.get_objects() if hasattr(o, '__code__') for c in o.__code__.co_consts]",
  ),
  "all that is alive": found("return [v for o in gc.get_objects() if isinstance(o, dict) for v in list(o.values())]"),
  "what inspect finds": found("return [str(line) for frame in inspect.stack() for line in (frame.code_context or [])]"),
  "its own file and command line": found(
    "out = [*sys.argv, *os.environ.values()]\nfor p in [sys.argv[0], '/proc/self/cmdline', getattr(sys.modules['__main__'], '__file__', '')]:\n    try: out += open(p).read().split('\\n')\n    except Exception: pass\nreturn out",
  ),
  "standard input": found("return sys.stdin.read().split('\\n')"),
  "files beside it": found(
    "out = []\nfor folder, _, files in os.walk('.'):\n    for name in files[:50]:\n        try: out += open(os.path.join(folder, name)).read().split('\\n')\n        except Exception: pass\nreturn out",
  ),
  "leaves with success": "import os\ndef f(x):\n    os._exit(0)\n",
  "leaves when it is loaded": "import sys\nsys.exit(0)\n",
  "raises the end": "def f(x):\n    raise SystemExit(0)\n",
  "leaves at exit": "import atexit, os\natexit.register(os._exit, 0)\ndef f(x):\n    return None\n",
  "forged answers":
    "import sys, os\ndef f(x):\n    frame = sys._getframe()\n    while frame:\n        for v in list(frame.f_locals.values()) + list(frame.f_globals.values()):\n            if isinstance(v, dict) and 'mark' in v:\n                os.write(1, (v['mark'] + '[]' + v['mark'] + v['mark'] + '[{\"shown\": []}]' + v['mark']).encode())\n                os._exit(0)\n        frame = frame.f_back\n",
  "a harness that says otherwise":
    "import sys\nfor f in list(sys._current_frames().values()):\n    while f:\n        if 'shape' in f.f_globals:\n            f.f_globals['shape'] = f.f_globals['plain_shape'] = lambda *a: {'ref': 0, 'class': 'f', 'base': True}\n        f = f.f_back\ndef f(x):\n    return 0\n",
  "shapes that nobody knows":
    "import sys\nfor f in list(sys._current_frames().values()):\n    while f:\n        if 'shape' in f.f_globals:\n            f.f_globals['shape'] = lambda *a: {'written': 'eval', 'text': '__import__(\"os\")._exit(0)'}\n        f = f.f_back\ndef f(x):\n    return 0\n",
  "values that change":
    "n = 0\nclass V:\n    def __float__(self): return 0.0\n    def __lt__(self, o): return True\n    __gt__ = __le__ = __ge__ = __lt__\n    def __index__(self): return 4\ndef f(x):\n    return V()\n",
};

/** Each holds of a function that doubles. */
export const PYTHON_TESTS: readonly string[] = [
  "assert f(50021) == 100042",
  "assert f(2) == 4",
  "assert not f(2) != 4",
  "assert abs(f(2) - 4) < 1e-9",
  "import math\nassert math.isclose(f(2), 4)",
  "assert f(2) in (4, 4.0) and isinstance(f(2), int)",
  "assert sorted([f(3), f(2)]) == [4, 6]",
  "def check(candidate):\n    assert candidate(5) == 10\n    assert candidate(3) == 6\ncheck(f)",
  "assert {f(2)} == {4}",
  "assert [f(2)] == [4] and (f(3),) == (6,)",
  "for i in range(2, 4):\n    assert f(i) == 2 * i",
  "assert 3 < f(2) < 5",
  "assert round(f(2), 3) == 4 and str(f(3)) == '6'",
];

const javascript = (value: string, before = "") => `${before}\nfunction f(x) { return ${value}; }`;
const LIAR =
  "({ valueOf: () => (Math.random() < 0.5 ? 1e9 : -1e9), toString: () => '4', toJSON: () => 4, [Symbol.toPrimitive]: () => 4 })";
export const JAVASCRIPT_ATTACKS: Readonly<Record<string, string>> = {
  "an object that turns into what is asked": javascript(LIAR),
  "the same of a class": javascript(
    "new V()",
    "let n = 0; class V { valueOf() { return n++ % 2 ? 1e9 : -1e9; } toString() { return '4'; } [Symbol.toPrimitive](h) { return n++ % 2 ? 1e9 : -1e9; } }",
  ),
  "a proxy": javascript(
    "new Proxy(function () {}, { get: (_, k) => (k === Symbol.toPrimitive ? () => 4 : () => 4), has: () => true, ownKeys: () => [], getPrototypeOf: () => Number.prototype })",
  ),
  "a list that turns into what is asked": javascript(`[${LIAR}]`),
  "a number in a box": javascript("Object.assign(new Number(3), { valueOf: () => 4 })"),
  "patched assert": javascript("0", "const a = require('assert'); for (const k of Object.keys(a)) a[k] = () => {}; "),
  "patched Object, Array and JSON": javascript(
    "0",
    "Object.is = () => true; Array.prototype.every = () => true; Array.isArray = () => false; JSON.stringify = () => '4'; Object.keys = () => [];",
  ),
  "getters on every object": javascript(
    "({})",
    "for (const k of ['number', 'list', 'value', 'raised', 'ref']) Object.defineProperty(Object.prototype, k, { get: () => '4', configurable: true });",
  ),
  "a patched Error": javascript("0", "globalThis.Error = function () { return { name: '', message: '' }; };"),
  "leaves with success": javascript("process.exit(0)"),
  "forged answers": javascript("process.exit(0)", 'for (const m of ["mark", ""]) console.log(m + "[4]" + m);'),
  "breaks out of its place": "function f(x) { return 0; }\n/*",
  "answers in place of the harness": "function f(x) { return 0; }\nglobalThis.require = () => ({ writeSync() {} }); `",
  "searches what is written around it":
    "function f(x) { const text = String(arguments.callee.caller) + new Error().stack; const m = /f\\(\\d\\) !== (\\d+)/.exec(text); return m ? Number(m[1]) : 0; }",
  "a promise that never ends": javascript("new Promise(() => {})"),
  "a then of its own": javascript("({ then: (ok) => ok(4) })"),
};
export const JAVASCRIPT_TESTS: readonly string[] = [
  "if (f(2) !== 4) throw new Error('f');",
  "if (!(f(2) == 4)) throw new Error('f');",
  "if (!(f(2) > 3 && f(2) < 5)) throw new Error('f');",
  "const assert = require('assert');\nassert.strictEqual(f(2), 4);",
  "const assert = require('assert');\nassert.deepStrictEqual([f(2), f(3)], [4, 6]);",
  "const r = f(2);\nif (!(r > 3) || !(r < 5)) throw new Error('f');",
  "if (Math.abs(f(2) - 4) > 1e-9 || Number.isNaN(f(2) - 4)) throw new Error('f');",
];

/** Programs that fail, by ways that could be taken for a sandbox that does. */
export const FAILING: readonly (readonly ["python" | "javascript", string])[] = [
  ["python", "import os\nos._exit(0x4b524954)"],
  ["python", "import os\nfor n in range(200, 260):\n    pass\nos._exit(255)"],
  ["python", "import asyncio\nasync def main(): print(42)\nasyncio.run(main())"],
  ["python", "import subprocess\nsubprocess.run(['true'], check=True)"],
  ["python", "import multiprocessing\nmultiprocessing.Pool(2)"],
  ["python", "import numpy as np\nprint(np.zeros(3))"],
  ["python", "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()"],
  ["python", "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)"],
  ["python", "import os\nos.abort()"],
  ["python", "import sys, os\nos.close(1)\nsys.stdout.close()\nraise SystemExit(3)"],
  ["python", "def f(): return f()\nf()"],
  ["python", "x = []\nwhile True: x.append('x' * 10_000_000)"],
  ["python", "import sys\nwhile True: sys.stdout.write('\\1' * 65536)"],
  ["python", "class Unknown(BaseException): pass\nraise Unknown('unavailable')"],
  ["python", "import absent_from_everywhere"],
  [
    "python",
    "import sys\nf = sys._getframe()\nraise f.f_builtins['MemoryError'] if hasattr(f, 'f_builtins') else MemoryError",
  ],
  ["javascript", "process.exit(0x4b524954)"],
  ["javascript", "Buffer.from('x')"],
  ["javascript", "new (require('worker_threads').Worker)('x')"],
  ["javascript", "throw null"],
  ["javascript", "(function f() { f(); })()"],
  ["javascript", "const x = []; for (;;) x.push(new Array(1e6).fill(1))"],
  ["javascript", "for (;;) process.stdout.write('\\x01'.repeat(65536))"],
  ["javascript", "throw new ReferenceError(\"'Buffer' is not defined\")"],
];
