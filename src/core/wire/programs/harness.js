// Asks a JavaScript program questions and encodes the values that it returns, with functions that are saved
// before the program runs. A question never contains what a test expects. Runs before the program; after the
// program, it receives the questions as functions that see the program's names.
(mark) => {
  const { apply, ownKeys, getOwnPropertyDescriptor } = Reflect;
  const { getPrototypeOf, is } = Object;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const { stringify } = JSON;
  const [text, Failure, Later] = [String, Error, Promise];
  const objects = Object.prototype;
  const getter = (of, name) => getOwnPropertyDescriptor(of.prototype, name).get;
  const [mapSize, setSize, source, flags] = [
    getter(Map, "size"),
    getter(Set, "size"),
    getter(RegExp, "source"),
    getter(RegExp, "flags"),
  ];
  const [mapEntries, setValues, getTime] = [Map.prototype.entries, Set.prototype.values, Date.prototype.getTime];
  const [mapNext, setNext] = [new Map().entries().next, new Set().values().next];
  const { writeSync } = typeof require === "function" ? require("node:fs") : process.getBuiltinModule("fs");
  // The program is loaded as a module, so that code guarded as its main part does not run.
  if (typeof require === "function") require.main = undefined;
  if (typeof module === "object") module.parent = {};
  const refs = [];

  /** Calls a builtin's method; returns undefined for an object that only claims to be of the builtin type. */
  const tried = (method, value) => {
    try {
      return apply(method, value, []);
    } catch {
      return undefined;
    }
  };
  const joined = (length, part) => {
    let all = "";
    for (let i = 0; i < length; i++) all += (i === 0 ? "" : ",") + part(i);
    return all;
  };
  const drained = (iterator, next, part) => {
    let all = "";
    let count = 0;
    for (let step = apply(next, iterator, []); !step.done && count < 2000; step = apply(next, iterator, []), count++)
      all += (all === "" ? "" : ",") + part(step.value);
    return all;
  };
  const chain = (value) => {
    const names = [];
    let kind = getPrototypeOf(value);
    for (let i = 0; i < 16 && kind !== null && kind !== objects; i++, kind = getPrototypeOf(kind))
      names[names.length] = text(kind.constructor?.name ?? "");
    return `[${joined(names.length, (i) => stringify(names[i]))}]`;
  };

  const primitive = (value) => {
    if (value === undefined) return '{"undefined":true}';
    if (value === null || typeof value === "boolean") return text(value);
    if (typeof value === "string") return stringify(value);
    if (typeof value === "bigint") return `{"bigint":"${value}"}`;
    if (typeof value === "number") return is(value, -0) ? '{"number":"-0"}' : `{"number":"${value}"}`;
    return '{"symbol":true}';
  };
  const shape = (value, depth) => {
    if (depth > 64) throw new Failure("too deep");
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return primitive(value);
    const inner = (item) => shape(item, depth + 1);
    const pair = ({ 0: key, 1: item }) => `[${inner(key)},${inner(item)}]`;
    if (isArray(value)) return `{"list":[${joined(value.length, (i) => inner(value[i]))}]}`;
    if (isView(value)) {
      const kind = stringify(text(getPrototypeOf(value)?.constructor?.name));
      return `{"typed":${kind},"list":[${joined(value.length ?? 0, (i) => inner(value[i]))}]}`;
    }
    if (tried(mapSize, value) !== undefined) return `{"map":[${drained(apply(mapEntries, value, []), mapNext, pair)}]}`;
    if (tried(setSize, value) !== undefined) return `{"set":[${drained(apply(setValues, value, []), setNext, inner)}]}`;
    const time = tried(getTime, value);
    if (time !== undefined) return `{"date":${inner(time)}}`;
    const pattern = value instanceof RegExp ? tried(source, value) : undefined;
    if (pattern !== undefined) return `{"regexp":[${inner(pattern)},${inner(tried(flags, value))}]}`;
    const keys = ownKeys(value);
    const own = `[${joined(keys.length, (i) => {
      const field = typeof keys[i] === "string" ? getOwnPropertyDescriptor(value, keys[i]) : undefined;
      return field?.enumerable ? `[${stringify(keys[i])},${inner(value[keys[i]])}]` : "null";
    })}]`;
    const kind = getPrototypeOf(value);
    if (value instanceof Failure)
      return `{"error":${chain(value)},"message":${stringify(text(value.message))},"own":${own}}`;
    if (kind === objects || kind === null) return `{"object":${own}}`;
    refs[refs.length] = value;
    const about = `"ref":${refs.length - 1},"class":${chain(value)},"own":${own}`;
    return typeof value === "function" ? `{${about},"function":true}` : `{${about}}`;
  };

  const raised = (error) => `"raised":${shape(error, 0)}`;
  const answer = async (question) => {
    let given;
    try {
      given = question(refs);
    } catch (error) {
      return `{${raised(error)}}`;
    }
    const later = given instanceof Later;
    try {
      return `{"value":${shape(later ? await given : given, 0)},"later":${later}}`;
    } catch (error) {
      return later ? `{${raised(error)},"later":true}` : `{${raised(error)}}`;
    }
  };
  return async (...questions) => {
    let all = "";
    for (let i = 0; i < questions.length; i++) all += (i === 0 ? "" : ",") + (await answer(questions[i]));
    writeSync(1, `\n${mark}[${all}]${mark}\n`);
  };
};
