// The part of Node that a program reading stdin and writing stdout expects, built inside quickjs from three
// host functions.
(hostWrite, hostRead, hostExit, { inspect, format }, makeInput) => {
  const timers = [];
  let timerId = 0;
  let now = 0;
  const after = (delay, run, every = null) => {
    const wait = Math.max(1, Number(delay) || 1);
    const timer = {
      id: ++timerId,
      at: now + wait,
      run,
      every: every === null ? null : wait,
      ref: () => timer,
      unref: () => timer,
    };
    timers.push(timer);
    return timer;
  };
  const cancel = (timer) => {
    const index = timers.findIndex((t) => t === timer || t.id === timer);
    if (index >= 0) timers.splice(index, 1);
  };

  // As JSON, for a null character would end the text on its way here.
  const { parse } = JSON;
  let stdinText = null;
  const readAll = () => {
    stdinText ??= parse(hostRead());
    const text = stdinText;
    stdinText = "";
    return text;
  };

  const log = (...args) => hostWrite(1, `${args.length === 0 ? "" : format(...args)}\n`);
  const warn = (...args) => hostWrite(2, `${args.length === 0 ? "" : format(...args)}\n`);
  const writer = (fd) => ({
    fd,
    isTTY: false,
    columns: 80,
    write(data, encoding, done) {
      hostWrite(fd, String(data));
      const callback = typeof encoding === "function" ? encoding : done;
      if (callback) queueMicrotask(callback);
      return true;
    },
    end(data) {
      if (data !== undefined) hostWrite(fd, String(data));
    },
    on: () => {},
    once: () => {},
  });

  const { EventEmitter, stdin, createInterface, promised } = makeInput(after, readAll, hostWrite);

  const readFileSync = (file, options) => {
    if (file !== 0 && file !== "/dev/stdin" && file !== "/dev/fd/0") {
      throw Object.assign(new Error(`ENOENT: no such file or directory, open '${String(file)}'`), { code: "ENOENT" });
    }
    const text = readAll();
    return (typeof options === "string" ? options : options?.encoding) ? text : bufferOf(text);
  };
  const bufferOf = (text) =>
    Object.assign(Object.create({ toString: () => text, trim: () => text.trim(), split: (...a) => text.split(...a) }), {
      length: text.length,
    });
  const writeTo = (file, data) => {
    const fd = { 1: 1, 2: 2, "/dev/stdout": 1, "/dev/stderr": 2 }[file];
    if (fd === undefined)
      throw Object.assign(new Error(`EROFS: read-only file system, open '${String(file)}'`), { code: "EROFS" });
    hostWrite(fd, String(data));
    return String(data).length;
  };
  const assert = (value, message) => {
    if (!value)
      throw message instanceof Error ? message : new Error(message ?? "The expression evaluated to a falsy value");
  };
  const same = (a, b) =>
    Object.is(a, b) ||
    (typeof a === "object" &&
      typeof b === "object" &&
      a !== null &&
      b !== null &&
      Array.isArray(a) === Array.isArray(b) &&
      Object.keys(a).length === Object.keys(b).length &&
      Object.keys(a).every((k) => Object.hasOwn(b, k) && same(a[k], b[k])));
  assert.ok = assert;
  // biome-ignore lint/suspicious/noDoubleEquals: Node's assert.equal compares loosely
  assert.equal = (a, b, m) => assert(a == b, m);
  assert.strictEqual = (a, b, m) => assert(Object.is(a, b), m);
  assert.deepEqual = assert.deepStrictEqual = (a, b, m) => assert(same(a, b), m);
  assert.notStrictEqual = (a, b, m) => assert(!Object.is(a, b), m);
  // biome-ignore lint/suspicious/noDoubleEquals: as assert.equal
  assert.notEqual = (a, b, m) => assert(a != b, m);
  assert.notDeepEqual = assert.notDeepStrictEqual = (a, b, m) => assert(!same(a, b), m);
  assert.match = (text, pattern, m) => assert(pattern.test(text), m);
  assert.fail = (m) => assert(false, m);
  const isExpected = (error, wanted) => {
    if (wanted instanceof RegExp) return wanted.test(String(error));
    if (typeof wanted !== "function")
      return Object.entries(wanted ?? {}).every(([key, value]) => same(error[key], value));
    return wanted.prototype === undefined ? wanted(error) === true : error instanceof wanted;
  };
  assert.throws = (run, wanted) => {
    let thrown = null;
    try {
      run();
    } catch (error) {
      thrown = [error];
    }
    assert(thrown !== null && isExpected(thrown[0], wanted), "Missing expected exception.");
  };
  assert.rejects = async (run, wanted) => {
    const thrown = await (typeof run === "function" ? run() : run).then(
      () => null,
      (error) => [error],
    );
    assert(thrown !== null && isExpected(thrown[0], wanted), "Missing expected rejection.");
  };

  const util = { inspect: (v) => inspect(v, 1), format };
  const performance = { now: () => Date.now() - startedAt };
  const startedAt = Date.now();
  const streams = { stdin, stdout: writer(1), stderr: writer(2) };
  const process = {
    ...streams,
    argv: ["node", "solution.js"],
    env: {},
    platform: "linux",
    version: "v24.0.0",
    versions: { node: "24.0.0" },
    exitCode: 0,
    exit: (code) => hostExit(Number(code ?? process.exitCode) || 0),
    on: () => process,
    once: () => process,
    cwd: () => "/",
    nextTick: (run, ...args) => queueMicrotask(() => run(...args)),
    hrtime: Object.assign(() => [Math.trunc(performance.now() / 1000), 0], {
      bigint: () => BigInt(performance.now()) * 1000000n,
    }),
    uptime: () => performance.now() / 1000,
    memoryUsage: () => ({ heapUsed: 0, heapTotal: 0, rss: 0 }),
  };
  const fs = {
    readFileSync,
    writeSync: writeTo,
    writeFileSync: writeTo,
    appendFileSync: writeTo,
    openSync: (file) => (file === "/dev/stdin" ? 0 : readFileSync(file)),
    closeSync: () => {},
    existsSync: (file) => file === "/dev/stdin",
    readFile: (file, ...rest) =>
      after(1, () => rest.at(-1)(null, readFileSync(file, rest.length > 1 ? rest[0] : undefined))),
    createReadStream: () => stdin,
    promises: { readFile: async (file, options) => readFileSync(file, options) },
  };
  const modules = {
    fs,
    readline: { createInterface, promises: { createInterface: promised } },
    "readline/promises": { createInterface: promised },
    "fs/promises": fs.promises,
    events: Object.assign(EventEmitter, { EventEmitter }),
    os: { EOL: "\n", cpus: () => [], platform: () => "linux" },
    util,
    assert,
    perf_hooks: { performance },
    process,
  };
  const require = (name) => {
    const known = String(name).replace(/^node:/, "");
    if (!Object.hasOwn(modules, known))
      throw Object.assign(new Error(`Cannot find module '${known}'`), { code: "MODULE_NOT_FOUND" });
    return modules[known];
  };

  const define = (name, value) =>
    Object.defineProperty(globalThis, name, { value, writable: true, configurable: true });
  define("console", {
    log,
    info: log,
    debug: log,
    error: warn,
    warn,
    trace: warn,
    table: log,
    dir: (v) => log(inspect(v, 1)),
    assert: () => {},
    time: () => {},
    timeEnd: () => {},
    group: () => {},
    groupEnd: () => {},
  });
  define("process", process);
  define("require", require);
  define("module", { exports: {} });
  define("exports", globalThis.module.exports);
  require.main = globalThis.module;
  define("global", globalThis);
  define("performance", performance);
  define("setTimeout", (run, delay, ...args) => after(delay, () => run(...args)));
  define("setInterval", (run, delay, ...args) => after(delay, () => run(...args), true));
  define("setImmediate", (run, ...args) => after(1, () => run(...args)));
  for (const name of ["clearTimeout", "clearInterval", "clearImmediate"]) define(name, cancel);
  define("queueMicrotask", (run) => void Promise.resolve().then(run));

  // One turn of the event loop in virtual time: true while there is more to do.
  return () => {
    if (timers.length === 0) return false;
    timers.sort((a, b) => a.at - b.at || a.id - b.id);
    const timer = timers.shift();
    now = Math.max(now, timer.at);
    if (timer.every !== null) timers.push(Object.assign(timer, { at: now + timer.every }));
    timer.run();
    return true;
  };
};
