// The proof that the sandbox is closed: each way out is tried against a planted secret, a listening socket
// and the next program.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Language } from "../../../gpu-backend/engines/cpu/sandbox/protocol.ts";
import { createSandbox, type Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";

const SECRET = "kritai-secret-4711";
/** For what ends by itself, however busy the machine is. */
const PATIENT_MS = 120_000;
const LIMITS = { timeout_ms: 250, memory_mb: 96, output_bytes: 20_000 };

let sandbox: Sandbox;
let server: Server;
let folder = "";
let connections = 0;
const pristine: Partial<Record<Language, string>> = {};

/**
 * A program's view of its world; equal before and after another program means that nothing was left behind.
 */
const FINGERPRINT: Record<Language, string> = {
  python: `
import sys, builtins, gc, os, random, atexit, signal, collections, io, json
print(sorted((k, type(v).__name__, repr(v)[:60]) for k, v in vars(builtins).items() if k != "_"))
print(sorted(sys.modules), sorted(globals()), sys.path, sys.meta_path, sys.argv, sys.getrecursionlimit())
print(sys.gettrace(), sys.getprofile(), sys.excepthook, sys.displayhook, sys.stdout, sys.stdin, len(gc.get_objects()))
print(os.getcwd(), os.listdir("/"), os.listdir("/tmp"), dict(os.environ), random.random(), json.dumps([1]), sorted([2, 1]))
print([fd for fd in range(3, 30) if os.path.exists(f"/proc/self/fd/{fd}")])`,
  javascript: `
const names = (o) => Reflect.ownKeys(o).map(String).sort().join();
console.log(names(globalThis));
for (const o of [Object, Array, String, Function, Promise, JSON, Math]) console.log(names(o), names(o.prototype ?? {}));
console.log([3, 1, 2].sort().map(String).join(), JSON.stringify({ a: [1] }), Object.keys(process.env).length, names(require("fs")));`,
};

async function run(language: Language, source: string, more: Partial<typeof LIMITS> & { stdin?: string } = {}) {
  return sandbox.run({ language, source, stdin: "", ...LIMITS, ...more });
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "kritai-escape-"));
  writeFileSync(join(folder, "secret.txt"), SECRET);
  process.env.KRITAI_SECRET = SECRET;
  server = createServer((socket) => {
    connections++;
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  sandbox = await createSandbox({ workers: 1 });
  for (const language of ["python", "javascript"] as const) {
    pristine[language] = (await run(language, FINGERPRINT[language], { timeout_ms: PATIENT_MS })).stdout;
  }
});

afterAll(async () => {
  await sandbox.close();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true });
  delete process.env.KRITAI_SECRET;
});

/** Programs that print what they could get hold of. FILE, FOLDER and PORT are put in. */
const PYTHON: Record<string, string> = {
  "importing js": "import js\nprint(js.process.env)",
  "importing js after clearing its block": "import sys\ndel sys.modules['js']\nimport js\nprint(js.process.env)",
  "importing pyodide_js": "import sys\ndel sys.modules['pyodide_js']\nimport pyodide_js\nprint(pyodide_js.FS)",
  "pyodide.code.run_js":
    "import sys\nfor n in ('pyodide','_pyodide','_pyodide_core','pyodide_js','js'): sys.modules.pop(n, None)\nfrom pyodide.code import run_js\nprint(run_js('process.env'))",
  "the core module of the bridge":
    "import sys\nsys.modules.pop('_pyodide_core', None)\nimport _pyodide_core as c\nprint(dir(c))\nprint(c.run_js('1+1') if hasattr(c, 'run_js') else c.JsProxy)",
  "walking gc for objects of the bridge":
    "import gc\nfor o in gc.get_objects():\n    t = type(o)\n    if 'Js' in t.__name__:\n        print(t, [str(getattr(o, a, None)) for a in ('process', 'constructor', 'globalThis')])",
  "walking frames and subclasses":
    "import sys\nf = sys._getframe()\nwhile f:\n    print(f.f_globals.keys(), f.f_code)\n    f = f.f_back\nfor c in object.__subclasses__():\n    if 'Js' in c.__name__ or 'Popen' in c.__name__: print(c, c.__init__.__globals__['os'].environ)",
  "ctypes calls":
    "import sys\nfor n in ('_ctypes', 'ctypes'): sys.modules.pop(n, None)\nimport ctypes\nprint(ctypes.CDLL(None).emscripten_run_script_string(b'JSON.stringify(process.env)'))",
  "ctypes writing over all memory":
    "import sys\nfor n in ('_ctypes', 'ctypes'): sys.modules.pop(n, None)\nimport ctypes\nb = (ctypes.c_char * 20000000).from_address(1024)\nfor i in range(0, 20000000, 1000): b[i:i + 500] = b'\\xff' * 500",
  "os.fork": "import os\nprint(os.fork())",
  "os.system": "import os\nprint(os.system('cat FILE > FOLDER/copy'))",
  subprocess: "import subprocess\nprint(subprocess.run(['cat', 'FILE'], capture_output=True).stdout)",
  "posix_spawn and exec":
    "import os\ntry: os.posix_spawn('/bin/cat', ['cat', 'FILE'], {})\nfinally: os.execv('/bin/cat', ['cat', 'FILE'])",
  multiprocessing: "import multiprocessing as m\nm.get_context('fork').Process(target=print).start()",
  "reading host files":
    "import os\nfor p in ('FILE', '/proc/self/environ', '/etc/passwd', '/proc/1/environ', '/dev/fd/3'):\n    try: print(open(p, 'rb').read())\n    except Exception as e: print(e)",
  "writing files":
    "import os\nfor p in ('FOLDER/new', '/tmp/x', 'x', '/home/user/x', '/dev/shm/x', '/lib/python314.zip'):\n    try: open(p, 'w').write('x'); print('wrote', p)\n    except OSError as e: print(e)\nfor act in (lambda: os.mkdir('/tmp/d'), lambda: os.remove('/lib/python314.zip'), lambda: os.symlink('/', '/tmp/l'), lambda: os.chdir('/tmp'), lambda: os.rename('/tmp', '/t')):\n    try: act(); print('done')\n    except OSError as e: print(e)",
  "walking the whole file system":
    "import os\nfor d, _, fs in os.walk('/'):\n    for f in fs:\n        if 'secret' in f or 'kritai' in d: print(d, f)",
  "a socket": "import socket\ns = socket.create_connection(('127.0.0.1', PORT), 1)\ns.send(b'x')\nprint(s.recv(9))",
  "a raw _socket": "import _socket\ns = _socket.socket()\ns.connect(('127.0.0.1', PORT))",
  "name look-up": "import socket\nprint(socket.getaddrinfo('example.com', 80))",
  urllib: "import urllib.request\nprint(urllib.request.urlopen('http://127.0.0.1:PORT/').read())",
  "http.client over a patched socket":
    "import socket, http.client\nsocket.create_connection = lambda *a, **k: socket.socket()\nc = http.client.HTTPConnection('127.0.0.1', PORT)\nc.request('GET', '/')\nprint(c.getresponse().read())",
  threads:
    "import threading, _thread\ntry: _thread.start_new_thread(print, ())\nfinally: threading.Thread(target=print).start()",
  "patching builtins":
    "import builtins, sys, json, random\nbuiltins.print = builtins.len = builtins.sorted = lambda *a, **k: 0\nbuiltins.open = None\njson.dumps = lambda x: 'patched'\nrandom.random = lambda: 4\n__builtins__.__import__ = None",
  "tampering with sys":
    "import sys, os\nsys.modules['math'] = sys.modules['json'] = None\nsys.meta_path.clear()\nsys.path.append('/evil')\nsys.stdout = sys.stdin = None\nsys.setrecursionlimit(77)\nsys.settrace(lambda *a: None)\nsys.excepthook = lambda *a: None\nos.environ['X'] = 'y'",
  "closing and moving the standard descriptors":
    "import os\nfor fd in range(0, 40):\n    try: os.close(fd)\n    except OSError: pass\ntry: os.dup2(0, 1)\nexcept OSError: pass\nfor i in range(20): os.open('/lib', os.O_RDONLY)",
  "writing to other descriptors":
    'import os\nfor fd in range(3, 40):\n    try: os.write(fd, b\'{"type":"result"}\')\n    except OSError: pass',
  "atexit that never ends": "import atexit\ndef f():\n    while True: pass\natexit.register(f)",
  "finalizers that never end": "class A:\n    def __del__(self):\n        while True: pass\na = A()\ndel a",
  "catching every end": "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
  "os._exit": "import os\nprint('\\\\boxed{A}', flush=True)\nos._exit(0)",
  "os.abort and os.kill": "import os\ntry: os.kill(os.getpid(), 9)\nexcept BaseException: pass\nos.abort()",
  signals:
    "import signal, os\nfor s in range(1, 32):\n    try: signal.signal(s, lambda *a: None)\n    except Exception: pass\ntry: signal.setitimer(signal.ITIMER_REAL, 0.01)\nexcept Exception: pass\nfor s in (15, 2, 9):\n    try: os.kill(0, s)\n    except Exception: pass\nsignal.raise_signal(2)",
  "endless recursion": "def f(): return f()\nimport sys\nsys.setrecursionlimit(10**9)\nf()",
  "recursion in C":
    "import sys\nsys.setrecursionlimit(10**9)\nclass A:\n    def __getattr__(self, n): return getattr(self, n)\nA().x\n",
  "a gigabyte": "x = bytearray(1 << 30)\nprint(len(x))",
  "memory bit by bit": "x = []\nwhile True:\n    try: x.append(bytearray(100000))\n    except MemoryError: pass",
  "endless output": "while True: print('\\\\boxed{A}' * 100)",
  "crashing the interpreter":
    "def f(): pass\nf.__code__ = f.__code__.replace(co_code=bytes([250, 7] * 50), co_stacksize=0)\nf()",
  asyncio:
    "import asyncio\nasync def m():\n    r, w = await asyncio.open_connection('127.0.0.1', PORT)\nasyncio.run(m())",
  "a stuck call into C": "x = 7 ** (10 ** 8)",
};

const JAVASCRIPT: Record<string, string> = {
  "requiring host modules":
    "for (const m of ['child_process', 'net', 'worker_threads', 'vm', 'http', 'module', 'std', 'os']) { try { console.log(Object.keys(require(m))); } catch (e) { console.log(e.message); } }",
  "import()":
    "for (const m of ['std', 'os', 'node:net', 'child_process']) import(m).then((x) => console.log(Object.keys(x)), (e) => console.log(String(e)));",
  "the Function constructor":
    "console.log(Object.keys((() => {}).constructor('return this')().process.env), this.constructor.constructor('return typeof fetch')());",
  "the constructors of host functions":
    "const f = console.log.constructor('return globalThis')();\nconsole.log(f === globalThis, typeof f.process.binding, typeof f.process.mainModule, typeof process.constructor.constructor('return process.getBuiltinModule')());",
  "prepareStackTrace and errors":
    "Error.prepareStackTrace = (e, frames) => frames;\ntry { require('fs').readFileSync('FILE', 'utf8'); } catch (e) { console.log(e.constructor.constructor('return process.env')(), e.stack); }",
  "reading and writing files":
    "const fs = require('fs');\nfor (const f of ['FILE', '/proc/self/environ', '/etc/passwd', 3, 4]) { try { console.log(fs.readFileSync(f, 'utf8')); } catch (e) { console.log(e.message); } }\ntry { fs.writeFileSync('FOLDER/new', 'x'); } catch (e) { console.log(e.message); }",
  "network globals":
    "console.log(typeof fetch, typeof WebSocket, typeof XMLHttpRequest, typeof WebAssembly, typeof Worker, typeof scriptArgs, typeof std);\nfetch('http://127.0.0.1:PORT/');",
  "prototype pollution":
    "Object.prototype.polluted = 1; Array.prototype.map = () => 'x'; String.prototype.split = null; JSON.stringify = () => 'patched'; Promise.prototype.then = null; delete Array.prototype.sort;",
  "tampering with globals":
    "globalThis.console = null; globalThis.process = { exit() {} }; globalThis.require = null; Object.freeze(globalThis); globalThis.leak = 1; var leaked = 2;",
  "shared memory and Atomics": "const s = new SharedArrayBuffer(16); Atomics.wait(new Int32Array(s), 0, 0, 1e9);",
  "a loop of promises": "const f = () => Promise.resolve().then(f); f();",
  "a loop of timers": "const f = () => setTimeout(f, 0); f(); setInterval(() => {}, 0);",
  "catching every end": "for (;;) { try { for (;;) {} } catch { continue; } finally { for (;;) {} } }",
  "ignoring process.exit": "try { process.exit(0); } catch {}\nfor (;;) console.log('\\\\boxed{A}');",
  "endless output": "for (;;) process.stdout.write('\\\\boxed{A}'.repeat(100));",
  memory: "const a = []; for (;;) { try { a.push(new Uint8Array(1e6)); } catch {} }",
  "endless recursion": "const f = () => f(); f();",
  "recursion in C": "let a = []; for (let i = 0; i < 1e5; i++) a = [a]; a.flat(Infinity); String(a);",
  "a regular expression that backtracks": "/(a+)+$/.test('a'.repeat(50) + 'b');",
};

const fill = (source: string) => {
  const { port } = server.address() as { port: number };
  return source
    .replaceAll("FILE", join(folder, "secret.txt"))
    .replaceAll("FOLDER", folder)
    .replaceAll("PORT", String(port));
};

function holds(language: Language, attempts: Record<string, string>): void {
  test.each(Object.entries(attempts))("%s reaches nothing and leaves nothing", async (_, source) => {
    const result = await run(language, fill(source));
    expect(result.status).not.toBe("unavailable");
    expect(result.stdout + result.stderr_tail + result.error).not.toContain(SECRET);
    expect(result.stdout).not.toMatch(/wrote|root:|PATH=/);
    expect(connections).toBe(0);
    expect(readdirSync(folder)).toEqual(["secret.txt"]);
    expect((await run(language, FINGERPRINT[language], { timeout_ms: PATIENT_MS })).stdout).toBe(pristine[language]);
  });
}

describe("the ways out of Python", () => {
  test("the fingerprint sees what a program leaves when nothing wipes it", async () => {
    const changed = `import builtins\nbuiltins.leak = 1\n${FINGERPRINT.python}`;
    expect(pristine.python).toMatch(/print/);
    expect((await run("python", changed, { timeout_ms: PATIENT_MS })).stdout).not.toBe(pristine.python);
  });
  holds("python", PYTHON);
});

describe("the ways out of JavaScript", () => {
  test("the fingerprint sees what a program leaves when nothing wipes it", async () => {
    expect(pristine.javascript).toMatch(/console/);
    expect((await run("javascript", `globalThis.leak = 1;\n${FINGERPRINT.javascript}`)).stdout).not.toBe(
      pristine.javascript,
    );
  });
  holds("javascript", JAVASCRIPT);
});
