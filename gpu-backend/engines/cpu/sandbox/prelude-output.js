// How text and values leave a JavaScript program: by functions taken before it runs, so that no prototype it
// changes is in the way.
(hostWrite, hostWriteNull) => {
  const { apply } = Reflect;
  const { entries, is } = Object;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const { stringify } = JSON;
  const { indexOf, slice, toWellFormed } = String.prototype;
  const [setValues, mapEntries] = [Set.prototype.values, Map.prototype.entries];
  const [setNext, mapNext] = [new Set().values().next, new Map().entries().next];
  const [text, KnownSet, KnownMap, Failure] = [String, Set, Map, Error];

  // A null character would end the text on its way to the host, which takes it as C does.
  const print = (fd, value) => {
    const whole = apply(toWellFormed, text(value), []);
    let from = 0;
    for (;;) {
      const at = apply(indexOf, whole, ["\0", from]);
      if (at < 0) return hostWrite(fd, from === 0 ? whole : apply(slice, whole, [from]));
      if (at > from) hostWrite(fd, apply(slice, whole, [from, at]));
      hostWriteNull(fd);
      from = at + 1;
    }
  };

  const joined = (length, part) => {
    let all = "";
    for (let i = 0; i < length; i++) all += (i === 0 ? "" : ",") + part(i);
    return all;
  };
  const drained = (iterator, next, part) => {
    let all = "";
    for (let step = apply(next, iterator, []); !step.done; step = apply(next, iterator, []))
      all += (all === "" ? "" : ",") + part(step.value);
    return all;
  };
  const shape = (value, depth) => {
    if (depth > 64) throw new Failure("too deep");
    if (value === null || value === undefined) return "null";
    if (typeof value === "boolean") return value ? "true" : "false";
    if (typeof value === "string") return stringify(value);
    if (typeof value === "number" || typeof value === "bigint")
      return `{"number":"${is(value, -0) ? "0" : text(value)}"}`;
    if (typeof value === "symbol") throw new Failure("a symbol is no value");
    const inner = (item) => shape(item, depth + 1);
    const pair = (key, item) => `[${inner(key)},${inner(item)}]`;
    if (isArray(value) || isView(value)) return `{"list":[${joined(value.length ?? 0, (i) => inner(value[i]))}]}`;
    if (value instanceof KnownSet) return `{"set":[${drained(apply(setValues, value, []), setNext, inner)}]}`;
    if (value instanceof KnownMap)
      return `{"dict":[${drained(apply(mapEntries, value, []), mapNext, (e) => pair(e[0], e[1]))}]}`;
    const own = entries(value);
    return `{"dict":[${joined(own.length, (i) => pair(own[i][0], own[i][1]))}]}`;
  };

  let state = "running";
  let kept;
  const call = (run, args) => {
    const done = async () => {
      try {
        kept = await apply(run, undefined, args);
        state = "returned";
      } catch (error) {
        kept = error;
        state = "threw";
      }
    };
    done();
  };
  const emit = () => {
    if (state === "threw") throw kept;
    if (state !== "returned") throw new Failure("the call never came to an end");
    return `{"value":${shape(kept, 0)}}`;
  };
  return { print, call, emit };
};
