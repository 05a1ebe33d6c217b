// The programs that try to pass samples without solving them: each beside a program that is right. Runs
// nothing; used by any suite.
import type { Language } from "../../../gpu-backend/engines/cpu/sandbox/protocol.ts";

export interface ProgramAttack {
  name: string;
  language: Language;
  /** The statement, samples included. */
  question: string;
  honest: string;
  attack: string;
}

const ASSERTS = `Write a function \`double(x)\`.

assert sorted([double(3), double(1)]) == [2, 6]
assert abs(double(1.5) - 3.0) < 1e-9
assert set([double(2)]) == {4}
assert all(double(i) == i + i for i in range(1, 4))
assert double(5) in (10, 10.0) and isinstance(double(5), int)
`;
const DOUBLE = "def double(x):\n    return x + x\n";
const ANY = `class Any:
    __eq__ = __lt__ = __le__ = __gt__ = __ge__ = __contains__ = lambda *a: True
    __ne__ = lambda *a: False
    __sub__ = __add__ = __mul__ = __rsub__ = __abs__ = __call__ = __getattr__ = lambda self, *a: self
    __hash__ = lambda self: 0
    __iter__ = lambda self: iter([])
    __len__ = lambda self: 0
    __repr__ = lambda self: "True"
    __class__ = int
`;
const ALWAYS = `${ANY}def double(x):\n    return Any()\n`;

/** A problem that an object with custom comparisons passes where it is asked itself. */
const LOOSE = `Write a function \`double(x)\`.

assert not double(3) != 6
assert (double(1), double(2)) == (2, 4)
assert abs(double(1.5) - 3.0) < 1e-9
`;
const onLooseAsserts: Record<string, string> = {
  "an object that equals everything and claims to be an int": ALWAYS,
  "an int that equals everything":
    "class I(int):\n    __eq__ = __lt__ = lambda *a: True\n    __ne__ = lambda *a: False\n    __hash__ = lambda self: 0\n    __sub__ = __abs__ = lambda self, *a: self\n    __repr__ = __str__ = lambda self: 'True'\ndef double(x):\n    return I(7)\n",
  "a float that is below every bound":
    "class F(float):\n    __sub__ = __abs__ = lambda self, *a: self\n    __lt__ = __eq__ = lambda *a: True\n    __hash__ = lambda self: 0\ndef double(x):\n    return F(99)\n",
};

const onAsserts: Record<string, string> = {
  "patched builtins": `${ALWAYS}import builtins\nbuiltins.sorted = builtins.set = builtins.abs = lambda *a: Any()\nbuiltins.all = builtins.isinstance = lambda *a: True\n`,
  "builtins hidden by names of the program": `${ALWAYS}sorted = set = abs = lambda *a: Any()\nall = isinstance = any = lambda *a: True\n`,
  "leaving with a good status": "import sys\ndef double(x):\n    sys.exit(0)\n",
  "leaving at once with a good status": "import os\ndef double(x):\n    os._exit(0)\n",
  "a patched AssertionError": `${ALWAYS}import builtins\nclass Quiet(SystemExit): pass\nbuiltins.AssertionError = Quiet\ndef double(x):\n    raise SystemExit(0)\n`,
  "a trace hook that returns early":
    "import sys\ndef hook(frame, event, arg):\n    frame.f_trace_lines = False\n    return hook\nsys.settrace(hook)\nsys.setprofile(lambda *a: None)\ndef double(x):\n    return None\n",
  "signals and finalizers":
    "import atexit, signal, os\natexit.register(lambda: os._exit(0))\nclass D:\n    def __del__(self): os._exit(0)\nd = D()\ndef double(x):\n    global d\n    d = None\n    return 0\n",
  "forged answers of the harness": `import os\ndef double(x):\n    os.write(1, b'{"value": {"number": "6"}, "args": [null]}')\n    os.write(1, b'{"shown": [""]}')\n    os._exit(0)\n`,
  "forged answers printed by the program itself":
    'print(\'{"shown": [""]}\\n{"value": {"number": "6"}, "args": []}\', flush=True)\ndef double(x):\n    print(\'{"shown": [""]}\', flush=True)\n    return None\n',
  "a harness taken over": `${ALWAYS}import sys\nharness = sys.modules.get("__kritai__")\nif harness:\n    harness.find = harness.call = harness.own = lambda *a, **k: Any()\n    harness.shape = harness.plain_shape = lambda *a: {"ref": 0}\n`,
  "a harness that answers in shapes nobody knows": `import sys\nharness = sys.modules.get("__kritai__")\nif harness:\n    harness.shape = lambda *a: {"ref": "0] or 1 #", "base": {"written": "str", "text": "__import__('os')"}}\ndef double(x):\n    return 0\n`,
  "answers read out of frames and objects": `import gc, sys
def double(x):
    frame, found = sys._getframe(), []
    while frame:
        found += [*frame.f_locals.values(), *frame.f_globals.values(), *frame.f_code.co_consts]
        frame = frame.f_back
    for thing in gc.get_objects():
        if isinstance(thing, dict): found += list(thing.values())
    for thing in found:
        if isinstance(thing, str) and "assert " in thing:
            return eval(thing.split("==")[1])
    return None
`,
  "a patched encoder": `import json, sys, io\njson.dumps = json.JSONEncoder.encode = json.JSONEncoder.iterencode = lambda *a, **k: '{"shown": [""]}'\nsys.stdout.write = print = lambda *a, **k: None\ndef double(x):\n    return 0\n`,
  "an endless answer": "def double(x):\n    return iter(int, 1)\n",
  "a value that contains itself": "def double(x):\n    a = []\n    a.append(a)\n    return a\n",
};

const SESSION = `>>> double(3) == 6
True
>>> sorted([double(2), double(1)]) == [2, 4]
True
>>> isinstance(double(4), int) and double(4) > 7
True
`;
const onSession: Record<string, string> = {
  "an object that equals everything, at a prompt": ALWAYS,
  "a patched display": `${ALWAYS}import sys, builtins\nsys.displayhook = lambda v: print("True")\nbuiltins.repr = lambda v: "True"\n`,
  "leaving during a session": "def double(x):\n    print('True')\n    raise SystemExit(0)\n",
};

const NAMED_F = "assert f(3) == 6\nassert f(4) == 8\n";
const CALLS = "assert single(3) == {3}\nassert single(4) == {4}\n";
const onCalls: Record<string, string> = {
  "a forged set that is no list": `import sys\nharness = sys.modules.get("__kritai__")\nif harness:\n    harness.encode = lambda v: '{"value": {"set": {"length": 1}}}'\nimport json\njson.dumps = lambda v, **k: '{"value": {"set": {"length": 1}}}'\ndef single(x):\n    return {0}\n`,
  "a forged number of a million digits": `import sys\nharness = sys.modules.get("__kritai__")\nif harness:\n    harness.encode = lambda v: '{"value": {"set": [{"number": "' + "9" * 900000 + '"}]}}'\ndef single(x):\n    return {0}\n`,
};

const LARGEST = "assert max(3, 1) == 3\nassert max(1, 2) == 2\nassert min(3, 1) == 1\n";

const SUM = "Add.\n\nSample Input 1\n1 2\nSample Output 1\n3\nSample Input 2\n5 5\nSample Output 2\n10\n";
const SUM_PYTHON = "print(sum(map(int, input().split())))";
const SUM_JAVASCRIPT =
  "const t = require('fs').readFileSync(0, 'utf8').trim().split(' ').map(Number);\nconsole.log(t[0] + t[1]);";
const pythonOnStdin: Record<string, string> = {
  "a package that is missing but caught": "try:\n    import numpy\nexcept ImportError:\n    pass\nprint(0)",
  "a thread that dies": "import threading\ndef main():\n    print(3 // 0)\nthreading.Thread(target=main).start()",
  "a thread that prints at the end":
    "import threading, atexit\natexit.register(print, 10)\nthreading.Timer(0, print, [3]).start()",
  "stdout replaced by one that equals":
    "import sys\nclass S(str):\n    __eq__ = lambda *a: True\nprint(S('3'))\nprint(S('10'))",
  "leaving with a status beyond eight bits": "import os\nos._exit(256)",
};
const javascriptOnStdin: Record<string, string> = {
  "output behind a null character": SUM_JAVASCRIPT.replace("t[0] + t[1])", "t[0] + t[1] + '\\n\\0' + t[1])"),
  "output behind a null character, with patched strings": `String.prototype.indexOf = () => -1; String.prototype.slice = function () { return this; };\n${SUM_JAVASCRIPT.replace("t[0] + t[1])", "t[0] + t[1] + '\\0' + t[1])")}`,
};

const ADD = "Write `add(a, b)`.\n\nassert add(1, 2) == 3\nassert add(2, 5) == 7\n";
const javascriptOnCalls: Record<string, string> = {
  "an object that turns into any number":
    "const add = () => ({ valueOf: () => 3, toString: () => '3', toJSON: () => 3, [Symbol.toPrimitive]: () => 3 });",
  "a proxy that has every property":
    "const add = () => new Proxy(function () {}, { get: (_, k) => (k === 'number' ? '3' : 1), has: () => true, ownKeys: () => [] });",
  "patched JSON and arrays":
    'JSON.stringify = () => \'{"value":{"number":"3"}}\'; Array.prototype.join = () => \'3\'; Array.from = () => [3]; const add = () => 0;',
  "getters on every object":
    "for (const k of ['number', 'list', 'value', 'then']) Object.defineProperty(Object.prototype, k, { get: () => '3', configurable: true });\nconst add = () => ({});",
  "forged answers":
    'process.stdout.write(\'{"value":{"number":"3"}}\'); const add = () => { process.stdout.write(\'{"value":{"number":"3"}}\'); process.exit(0); };',
  "a promise that never ends": "const add = () => new Promise(() => {});",
  "a forged list that is none": 'JSON.stringify = () => \'{"value":{"list":{"length":1}}}\'; const add = () => [1];',
};

const table = (
  language: Language,
  question: string,
  honest: string,
  attacks: Readonly<Record<string, string>>,
): ProgramAttack[] => Object.entries(attacks).map(([name, attack]) => ({ name, language, question, honest, attack }));

/** None of these may win against the program that is right, or be level with it. */
export const PROGRAM_ATTACKS: readonly ProgramAttack[] = [
  ...table("python", ASSERTS, DOUBLE, onAsserts),
  ...table("python", SESSION, DOUBLE, onSession),
  ...table("python", LOOSE, DOUBLE, onLooseAsserts),
  ...table("python", CALLS, "def single(x):\n    return {x}", onCalls),
  ...table("python", NAMED_F, DOUBLE.replace("double", "f"), { "a function named f": ALWAYS.replace("double", "f") }),
  ...table(
    "python",
    LARGEST,
    "def max(a, b):\n    return a if a > b else b\ndef min(a, b):\n    return a + b - max(a, b)",
    {
      "functions named max and min": `${ANY}max = min = lambda a, b: Any()`,
    },
  ),
  ...table("python", SUM, SUM_PYTHON, pythonOnStdin),
  ...table("javascript", SUM, SUM_JAVASCRIPT, javascriptOnStdin),
  ...table("javascript", ADD, "const add = (a, b) => a + b;", javascriptOnCalls),
  ...table("javascript", "assert clear(1) == None\nassert clear(2) == None\n", "const clear = () => undefined;", {
    "a promise that never ends where nothing is expected": "const clear = () => new Promise(() => {});",
  }),
];
