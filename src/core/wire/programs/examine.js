// Judges a JavaScript test without running the program: what the program has to do is sent out as questions,
// and the answers come back as data. Input and output are those of examine.py, but each question is sent
// immediately, because its answer decides the next one.
(require) => {
  const fs = require("node:fs");
  const asked = JSON.parse(fs.readFileSync(0, "utf8"));
  const questions = [];
  const leaves = new Set();
  const tell = (result) => fs.writeSync(1, `\n${JSON.stringify(result)}\n`);
  const stop = (result) => {
    tell(result);
    process.exit(0);
  };

  /** A promise that is awaited even if the test does not await it, because it may contain an assert. */
  class Later extends Promise {
    then(...handlers) {
      const next = super.then(...handlers);
      leaves.delete(this);
      leaves.add(next);
      return next;
    }
  }

  const ask = (question) => {
    questions.push(question);
    const at = questions.length - 1;
    if (at >= asked.answers.length || asked.asked[at] !== question) stop({ ask: questions });
    const { raised, value, later } = asked.answers[at];
    if (raised === undefined) return later ? Later.resolve(valueIn(value)) : valueIn(value);
    if (later) return Later.reject(valueIn(raised));
    throw valueIn(raised);
  };

  const classes = new Map();
  const classNamed = (name) => {
    const kind = classes.get(name) ?? class {};
    Object.defineProperty(kind, "name", { value: name });
    return classes.set(name, kind).get(name);
  };
  /**
   * Returns the error class for a chain of class names, derived from the first class in it that is known
   * here.
   */
  const errorClass = ([name, ...above]) => {
    const known = name === undefined ? Error : globalThis[name];
    if (typeof known === "function" && (known === Error || known.prototype instanceof Error)) return known;
    const kind = classNamed(name);
    if (!(kind.prototype instanceof Error)) {
      const base = errorClass(above.filter((other) => other !== name));
      Object.setPrototypeOf(kind.prototype, base.prototype);
    }
    return kind;
  };
  /** Members that could make an object convert to a different value each time it is compared. */
  const CONVERSIONS = new Set(["valueOf", "toString", "toJSON", "then", "stack"]);
  const own = (target, pairs) => {
    const fields = pairs.filter((pair) => pair !== null && !CONVERSIONS.has(pair[0]));
    for (const [key, value] of fields)
      Object.defineProperty(target, key, {
        value: valueIn(value),
        writable: true,
        enumerable: true,
        configurable: true,
      });
    return target;
  };
  const valueIn = (shape) => {
    if (shape === null || typeof shape !== "object") return shape;
    if ("undefined" in shape) return undefined;
    if ("symbol" in shape) return Symbol("of the program");
    if ("bigint" in shape) return BigInt(shape.bigint);
    if ("number" in shape) return Number(shape.number);
    if ("typed" in shape) {
      const kind = { DataView: undefined }[shape.typed] ?? globalThis[shape.typed];
      return ArrayBuffer.isView(kind?.prototype) || /^\w+Array$/.test(shape.typed)
        ? kind.from(shape.list.map(valueIn))
        : shape.list.map(valueIn);
    }
    if ("list" in shape) return shape.list.map(valueIn);
    if ("map" in shape) return new Map(shape.map.map(([k, v]) => [valueIn(k), valueIn(v)]));
    if ("set" in shape) return new Set(shape.set.map(valueIn));
    if ("date" in shape) return new Date(valueIn(shape.date));
    if ("regexp" in shape) return new RegExp(...shape.regexp);
    if ("object" in shape) return own({}, shape.object);
    if ("error" in shape) {
      const made = Object.setPrototypeOf(new Error(shape.message), errorClass(shape.error).prototype);
      return own(made, shape.own);
    }
    return remote(`refs[${Number(shape.ref)}]`, shape);
  };

  /** Whether the test contains a call of the name. */
  const isCalled = (name, before) => new RegExp(`${before}${name.replaceAll("$", "\\$")}\\s*\\(`).test(asked.cells[0]);
  const called =
    (path) =>
    (...args) =>
      ask(`${path}(${args.map(write).join(", ")})`);
  /** A field or method of an object or class of the program. */
  const member = (source, key) => {
    const path = `${source}[${JSON.stringify(key)}]`;
    if (isCalled(key, "\\.")) return called(path);
    const known = ask(`typeof ${path} === "function" ? "is a function" : ${path}`);
    return known === "is a function" ? called(path) : known;
  };
  const texts = new Map();
  const textOf = (source) => texts.get(source) ?? texts.set(source, ask(`String(${source})`)).get(source);
  /**
   * An object of the program. Its content was sent as data, and its methods are called by questions. The
   * program cannot decide how it converts to a number, because the number could be different each time.
   */
  const remote = (source, { class: chain = [], own: fields = [], function: callable }) => {
    const target = own(callable ? () => undefined : Object.create(classNamed(chain[0]).prototype), fields);
    sources.set(target, source);
    const stand = new Proxy(target, {
      get(object, key) {
        if (key === Symbol.toPrimitive) return (hint) => (hint === "string" ? textOf(source) : Number.NaN);
        if (key === Symbol.iterator && !callable) return () => ask(`[...${source}]`).values();
        if (typeof key === "symbol" || key === "constructor" || key === "then" || key === "valueOf") return object[key];
        if (callable && (key === "call" || key === "apply" || key === "bind")) return Function.prototype[key];
        return member(source, key);
      },
      set: (_, key, value) => {
        ask(`${source}[${JSON.stringify(key)}] = ${write(value)}`);
        return true;
      },
      apply: (_, __, args) => called(source)(...args),
      construct: (_, args) => ask(`new (${source})(${args.map(write).join(", ")})`),
    });
    sources.set(stand, source);
    return stand;
  };
  const sources = new WeakMap();

  /** A name that only the program knows. */
  const named = (name) => {
    const kind = classNamed(name);
    const find = `(typeof ${name} === "undefined" && typeof module === "object" ? module.exports.${name} : ${name})`;
    const stand = new Proxy(kind, {
      apply: (_, __, args) => called(find)(...args),
      construct: (_, args) => ask(`new (${find})(${args.map(write).join(", ")})`),
      get(object, key) {
        if (key === "prototype" || key === "name" || typeof key === "symbol") return object[key];
        if (key === "call" || key === "apply" || key === "bind") return Function.prototype[key];
        return member(find, key);
      },
    });
    sources.set(stand, find);
    return stand;
  };
  const found = new Map();
  /** Returns a stand-in for a function of the program; asks for any other value each time it is read. */
  const lookUp = (name) => {
    if (!found.has(name)) {
      const isCallable =
        isCalled(name, "(?<![.\\w$])") || ask(`typeof ${name} === "function" || typeof ${name} === "undefined"`);
      found.set(name, isCallable ? named(name) : null);
    }
    return found.get(name) ?? ask(name);
  };

  const write = (value) => {
    const source = typeof value === "object" || typeof value === "function" ? value && sources.get(value) : undefined;
    if (source !== undefined && source !== null) return source;
    if (value === undefined) return "undefined";
    if (value === null || typeof value === "boolean") return String(value);
    if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "string") return JSON.stringify(value);
    if (typeof value === "function") return `(${String(value)})`;
    if (Array.isArray(value)) return `[${value.map(write).join(", ")}]`;
    if (value instanceof Map) return `new Map([${[...value].map((pair) => write(pair)).join(", ")}])`;
    if (value instanceof Set) return `new Set([${[...value].map(write).join(", ")}])`;
    if (value instanceof Date) return `new Date(${value.getTime()})`;
    if (value instanceof RegExp) return String(value);
    if (ArrayBuffer.isView(value)) return `new ${value.constructor.name}([${[...value].map(write).join(", ")}])`;
    if (Object.getPrototypeOf(value) !== Object.prototype && Object.getPrototypeOf(value) !== null)
      return stop({ unknown: `an object of the class ${value.constructor?.name} cannot be handed to the program` });
    return `{${Object.entries(value)
      .map(([key, item]) => `[${JSON.stringify(key)}]: ${write(item)}`)
      .join(", ")}}`;
  };

  const own_names = new Set(["require", "arguments", "__scope", "__code"]);
  const scope = new Proxy(Object.create(null), {
    has: (_, name) => typeof name === "string" && !(name in globalThis) && !own_names.has(name),
    get: (_, name) => (typeof name === "string" ? lookUp(name) : undefined),
  });
  const run = new Function(
    "__scope",
    "require",
    "__code",
    "with (__scope) { return (function () { return eval(__code); })(); }",
  );
  (async () => {
    try {
      await run(scope, require, asked.cells[0]);
      // Unfinished promises of a test may create further promises.
      for (let left = [...leaves]; left.length > 0; left = [...leaves]) {
        leaves.clear();
        for (const one of left) await new Promise((done, fail) => Promise.prototype.then.call(one, done, fail));
      }
      tell({ shown: [""] });
    } catch (error) {
      tell({ failed: String(error?.constructor?.name ?? typeof error) });
    }
  })();
};
