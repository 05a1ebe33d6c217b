// The sandbox's guarantees to honest programs and to their caller: statuses, limits, order, recovery,
// cancellation.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { RunPlan } from "../../../gpu-backend/engines/cpu/sandbox/protocol.ts";
import { createSandbox, Sandbox } from "../../../gpu-backend/engines/cpu/sandbox/sandbox.ts";

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await createSandbox({ workers: 1 });
});
afterAll(() => sandbox.close());

/** Time for whatever ends by itself or by another limit, however busy the machine is. */
const PATIENT_MS = 120_000;
const python = (source: string, stdin = "", more = {}) =>
  sandbox.run({ language: "python", source, stdin, timeout_ms: PATIENT_MS, ...more });
const javascript = (source: string, stdin = "", more = {}) =>
  sandbox.run({ language: "javascript", source, stdin, timeout_ms: PATIENT_MS, ...more });
const script = (stdin: string): RunPlan => ({ stdin, cells: [], as_script: true });

describe("standard input and output of Python", () => {
  test.each([
    ["input()", "print(int(input()) + int(input()))"],
    ["sys.stdin", "import sys\nprint(sum(map(int, sys.stdin)))"],
    ["sys.stdin.readline", "from sys import stdin\nr = stdin.readline\nprint(int(r()) + int(r()))"],
    ["sys.stdin.buffer", "import sys\nprint(sum(map(int, sys.stdin.buffer.read().split())))"],
    ["open(0)", "print(sum(map(int, open(0))))"],
    ["os.read", "import os\nprint(sum(map(int, os.read(0, 10**6).split())))"],
    ["/dev/stdin", "print(sum(map(int, open('/dev/stdin'))))"],
    [
      "sys.stdout.write and sys.exit",
      "import sys\nsys.stdout.write(str(int(input()) + int(input())) + '\\n')\nsys.exit()",
    ],
    ["output left to atexit", "import atexit\na = int(input()) + int(input())\natexit.register(lambda: print(a))"],
    ["a main guard", "def main():\n    print(int(input()) + int(input()))\nif __name__ == '__main__':\n    main()"],
  ])("%s works", async (_, source) => {
    expect(await python(source, "2\n40\n")).toMatchObject({ status: "ok", stdout: "42\n", error: null });
  });

  test.each([
    [
      "the idiom of deep recursion",
      "import sys, threading\nsys.setrecursionlimit(10**7)\nthreading.stack_size(2**27)\ndef main():\n    def f(n): return n and 1 + f(n - 1)\n    print(f(20000) - 19958)\nthread = threading.Thread(target=main)\nthread.start()\nthread.join()",
    ],
    [
      "a started thread, without join, that leaves",
      "import sys, threading\ndef main():\n    print(42)\n    sys.exit()\nthreading.Thread(target=main).start()",
    ],
    [
      "names, states and results of threads",
      "import threading\nseen = []\nclass T(threading.Thread):\n    def run(self): seen.append((self.name, threading.current_thread() is self, self.is_alive()))\nts = [T(name=str(i)) for i in range(2)]\nfor t in ts: t.start()\nfor t in ts: t.join(1)\nassert seen == [('0', True, True), ('1', True, True)] and not ts[0].is_alive()\nassert threading.current_thread() is threading.main_thread()\nprint(42)",
    ],
    [
      "locks, conditions, queues and events that nobody has to wait for",
      "import threading, queue\nlock, done, q = threading.Lock(), threading.Event(), queue.Queue()\ndef work():\n    with lock: q.put(42)\n    done.set()\nthreading.Thread(target=work).start()\ndone.wait()\nprint(q.get())",
    ],
    [
      "a pool of threads",
      "from concurrent.futures import ThreadPoolExecutor\nwith ThreadPoolExecutor(4) as pool:\n    print(sum(pool.map(lambda x: x, [1, 2, 39])))",
    ],
    ["_thread", "import _thread\n_thread.start_new_thread(print, (42,))"],
    ["a stack's limit", "import resource\nresource.setrlimit(resource.RLIMIT_STACK, (2**28, -1))\nprint(42)"],
    ["an import that is not used", "import numpy as np, sortedcontainers\nprint(42)"],
    ["an import with another way", "try:\n    import numpy\nexcept ImportError:\n    print(42)"],
  ])("%s works", async (_, source) => {
    expect(await python(source)).toMatchObject({ status: "ok", stdout: "42\n", error: null });
  });

  test.each([
    [
      "threads that wait for each other",
      "import threading, queue\nq = queue.Queue()\nt = threading.Thread(target=lambda: print(q.get()))\nt.start()\nq.put(42)",
    ],
    ["a lock taken twice", "import threading\nlock = threading.Lock()\nlock.acquire()\nlock.acquire()"],
    ["numpy", "import numpy as np\nprint(np.zeros(3))"],
    ["a name of numpy", "from numpy import array"],
    [
      "a part of scipy, whatever is caught",
      "try:\n    print(1)\nfinally:\n    pass\ndef main():\n    import scipy.special as s\n    try:\n        s.comb(2, 1)\n    except BaseException:\n        print(0)\nmain()",
    ],
    ["asyncio", "import asyncio\nasync def main(): print(42)\nasyncio.run(main())"],
    ["processes", "from multiprocessing import Pool\nprint(Pool(2).map(abs, [1]))"],
  ])("%s cannot be run here, which is not an error of the program", async (_, source) => {
    expect(await python(source)).toMatchObject({ status: "unsupported", error: expect.any(String) });
  });

  test("a module that exists nowhere is the program's own error", async () => {
    expect((await python("import nonsense")).status).toBe("error");
  });

  test("text outside ASCII goes through unharmed", async () => {
    expect((await python("print(input()[::-1])", "añ語🙂")).stdout).toBe("🙂語ña\n");
  });

  test("memoised recursion 20,000 deep works once the program raises the limit", async () => {
    const source =
      "import sys, functools\nsys.setrecursionlimit(10**6)\n@functools.cache\ndef f(n): return n and 1 + f(n - 1)\nprint(f(20000))";
    expect((await python(source)).stdout).toBe("20000\n");
  });
});

describe("standard input and output of JavaScript", () => {
  test.each([
    [
      "fs.readFileSync(0)",
      "console.log(require('fs').readFileSync(0, 'utf8').split('\\n').map(Number).reduce((a, b) => a + b))",
    ],
    [
      "fs.readFileSync of /dev/stdin, as a buffer",
      "const t = require('fs').readFileSync('/dev/stdin').toString().trim().split('\\n');\nconsole.log(+t[0] + +t[1])",
    ],
    [
      "readline events",
      "let s = 0; require('readline').createInterface({ input: process.stdin }).on('line', (l) => { s += +l; }).on('close', () => console.log(s))",
    ],
    [
      "readline as an async iterator",
      "(async () => { let s = 0; for await (const l of require('readline').createInterface({ input: process.stdin })) s += +l; console.log(s); })()",
    ],
    [
      "readline questions",
      "const rl = require('readline').createInterface({ input: process.stdin });\nrl.question('', (a) => rl.question('', (b) => { console.log(+a + +b); rl.close(); }))",
    ],
    [
      "process.stdin events",
      "let t = ''; process.stdin.setEncoding('utf8'); process.stdin.on('data', (c) => { t += c; }); process.stdin.on('end', () => console.log(t.trim().split('\\n').reduce((a, b) => +a + +b)))",
    ],
    [
      "process.stdin readable",
      "let t = ''; process.stdin.on('readable', () => { let c; while ((c = process.stdin.read()) !== null) t += c; }); process.stdin.on('end', () => { const [a, b] = t.split('\\n'); console.log(+a + +b); })",
    ],
    [
      "ES imports",
      "import fs from 'node:fs';\nimport { EOL } from 'os';\nconst [a, b] = fs.readFileSync(0, 'utf8').split(EOL);\nprocess.stdout.write(+a + +b + EOL)",
    ],
    [
      "timers and promises",
      "const [a, b] = require('fs').readFileSync(0, 'utf8').split('\\n');\nsetTimeout(() => Promise.resolve(+a + +b).then(console.log), 1e6)",
    ],
    [
      "process.exit",
      "const [a, b] = require('fs').readFileSync(0, 'utf8').split('\\n');\nconsole.log(+a + +b); process.exit(); console.log('never')",
    ],
  ])("%s works", async (_, source) => {
    expect(await javascript(source, "2\n40\n")).toMatchObject({ status: "ok", stdout: "42\n", error: null });
  });

  test("a null character ends no text, and half a character is one mark", async () => {
    const source = "console.log('a\\0b'); process.stdout.write('\\0'); require('fs').writeSync(1, 'c\\0\\0d');";
    expect((await javascript(source)).stdout).toBe("a\0b\n\0c\0\0d");
    const length = "console.log(require('fs').readFileSync(0, 'utf8').length, '\\ud800')";
    expect((await javascript(length, "a\0b")).stdout).toBe("3 \ufffd\n");
  });

  test.each([
    "require('path').join('a')",
    "import { join } from 'node:path';",
    "Buffer.from('x')",
    "new (require('worker_threads').Worker)('x')",
  ])("%s cannot be run here, which is not an error of the program", async (source) => {
    expect((await javascript(source)).status).toBe("unsupported");
  });

  test("a module that exists nowhere is the program's own error in JavaScript", async () => {
    expect((await javascript("require('nonsense')")).status).toBe("error");
  });

  test("console.log shows values as Node does", async () => {
    const source =
      "console.log([1, 'a', [2]], { a: 1, b: 'x' }, new Map([[1, 2]]), null, undefined, -0, 10n, '%d', 'x y');";
    expect((await javascript(source)).stdout).toBe(
      "[ 1, 'a', [ 2 ] ] { a: 1, b: 'x' } Map(1) { 1 => 2 } null undefined -0 10n %d x y\n",
    );
  });
});

const timeFor = (status: string) => (status === "timeout" ? 300 : PATIENT_MS);

describe("ends", () => {
  test.each([
    ["a normal end", "print(1)", "ok"],
    ["sys.exit(0)", "import sys\nprint(1)\nsys.exit(0)", "ok"],
    ["sys.exit(1)", "import sys\nsys.exit(1)", "error"],
    ["an exception", "1 / 0", "error"],
    ["a syntax error", "def f(", "error"],
    ["an endless loop", "while True: pass", "timeout"],
    [
      "an endless loop that catches everything",
      "while True:\n  try:\n    while True: pass\n  except BaseException: pass",
      "timeout",
    ],
    ["a gigabyte", "x = bytearray(1 << 30)", "memory"],
    ["memory bit by bit", "x = []\nwhile True: x.append(bytearray(100000))", "memory"],
    ["endless output", "while True: print('x' * 100)", "output_limit"],
  ])("%s of Python has its status", async (_, source, status) => {
    const result = await python(source, "", {
      timeout_ms: timeFor(status),
      memory_mb: 96,
      output_bytes: 10_000,
    });
    expect(result.status).toBe(status);
    expect(result.error === null).toBe(status === "ok");
    expect(result.stdout.length).toBeLessThanOrEqual(10_000);
  });

  test.each([
    ["a normal end", "1", "ok"],
    ["process.exit(2)", "process.exit(2)", "error"],
    ["an exception", "null.x", "error"],
    ["a syntax error", "function (", "error"],
    ["an endless loop", "for (;;);", "timeout"],
    ["memory", "const a = []; for (;;) a.push(new Uint8Array(1e6))", "memory"],
    ["endless output", "for (;;) console.log('x'.repeat(100))", "output_limit"],
    ["endless recursion", "const f = () => f(); f()", "error"],
  ])("%s of JavaScript has its status", async (_, source, status) => {
    const limits = { timeout_ms: timeFor(status), memory_mb: 48, output_bytes: 10_000 };
    expect((await javascript(source, "", limits)).status).toBe(status);
  });

  test("a null byte in the source is an error, not a shorter program", async () => {
    expect((await python("print(1)\0print(2)")).status).toBe("error");
  });
});

describe("many runs", () => {
  test("each plan starts from a clean state and results keep the plans' order", async () => {
    const plans = [1, 2, 3, 4, 5].map((n) => script(String(n)));
    const source = "import builtins\nprint(input(), getattr(builtins, 'seen', 0))\nbuiltins.seen = 1";
    const results = await sandbox.runPlans({ language: "python", source }, plans);
    expect(results.map((r) => r.stdout)).toEqual(["1 0\n", "2 0\n", "3 0\n", "4 0\n", "5 0\n"]);
  });

  test("programs that run at the same time do not mix", async () => {
    const results = await Promise.all(
      Array.from({ length: 20 }, (_, i) => (i % 2 ? python(`print(${i})`) : javascript(`console.log(${i})`))),
    );
    expect(results.map((r) => Number(r.stdout))).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  test("equal runs give equal answers, random numbers included", async () => {
    const source = "import random, os\nprint(random.random(), os.urandom(4), hash('x'))";
    expect((await python(source)).stdout).toBe((await python(source)).stdout);
  });

  test("after two time-outs the other runs of a program are taken to time out, without being run", async () => {
    const plans = ["0", "1", "1", "0", "0"].map(script);
    const source = "if input() == '1':\n    while True: pass\nprint('ok')";
    const runs = (timeout_ms: number) => sandbox.runPlans({ language: "python", source }, plans, { timeout_ms });
    // A busy machine may need longer for the run that is to end well.
    let timeout_ms = 100;
    let results = await runs(timeout_ms);
    while (results[0]?.status === "timeout" && timeout_ms < PATIENT_MS) {
      timeout_ms *= 2;
      results = await runs(timeout_ms);
    }
    expect(results.map((r) => r.status)).toEqual(["ok", "timeout", "timeout", "timeout", "timeout"]);
    expect(results.slice(1).map(({ error }) => error?.startsWith("not run"))).toEqual([false, false, true, true]);
  });

  test("an aborted signal ends the wait and frees the worker for the next program", async () => {
    const stop = new AbortController();
    const plans = Array.from({ length: 50 }, () => script(""));
    const running = sandbox.runPlans(
      { language: "python", source: "for i in range(10**6): pass" },
      plans,
      {},
      stop.signal,
    );
    stop.abort();
    expect((await running).filter((r) => r.status === "unavailable").length).toBeGreaterThan(40);
    expect((await python("print(1)")).stdout).toBe("1\n");
  });

  test("a run that notices no limit is stopped by force, and the next program finds a fresh process", async () => {
    const [before] = sandbox.pids;
    // One endless call inside the interpreter's C code, which never looks at the clock.
    const stuck = "sum(iter(int, 1))";
    const results = await sandbox.runPlans({ language: "python", source: stuck }, [script("")], { timeout_ms: 100 });
    expect(results[0]?.status).toBe("timeout");
    expect((await python("print(1)")).stdout).toBe("1\n");
    expect(sandbox.pids[0]).not.toBe(before);
  });
});

test("a sandbox that was closed says unavailable and leaves no process", async () => {
  const other = new Sandbox({ workers: 1, python: false });
  await other.ready();
  const [pid] = other.pids;
  await other.close();
  expect((await other.run({ language: "javascript", source: "1", stdin: "" })).status).toBe("unavailable");
  expect(() => process.kill(pid as number, 0)).toThrow();
});

test("a language that was not asked for is unavailable", async () => {
  const other = await createSandbox({ workers: 1, python: false });
  expect((await other.run({ language: "python", source: "print(1)", stdin: "" })).status).toBe("unavailable");
  await other.close();
});
