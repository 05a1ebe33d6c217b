// How Node's console shows values, built inside quickjs.
(() => {
  const inspect = (value, depth = 0, seen = []) => {
    if (typeof value === "string") return depth === 0 ? value : quote(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "symbol") return value.toString();
    if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
    if (value === null || (typeof value !== "object" && typeof value !== "function")) return String(value);
    if (typeof value === "function")
      return /^class\b/.test(String(value)) ? `[class ${value.name}]` : `[Function: ${value.name || "(anonymous)"}]`;
    if (seen.includes(value)) return "[Circular *1]";
    if (value instanceof Error) return value.stack ? `${value}\n${value.stack}`.trimEnd() : String(value);
    if (value instanceof Date) return value.toISOString();
    if (value instanceof RegExp) return String(value);
    if (depth > 2) return Array.isArray(value) ? "[Array]" : "[Object]";
    return inspectObject(value, depth, [...seen, value]);
  };
  const quote = (text) =>
    text.includes("'") && !text.includes('"')
      ? JSON.stringify(text)
      : `'${text.replace(/[\\']/g, "\\$&").replace(/\n/g, "\\n")}'`;
  const inspectObject = (value, depth, seen) => {
    const inner = (item) => inspect(item, depth + 1, seen);
    const own = Object.keys(value).filter(
      (k) => !(Array.isArray(value) || ArrayBuffer.isView(value)) || !/^\d+$/.test(k),
    );
    const parts = own.map((k) => `${/^[A-Za-z_$][\w$]*$/.test(k) ? k : quote(k)}: ${inner(value[k])}`);
    const name = value.constructor?.name;
    if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      const items = Array.from({ length: Math.min(100, value.length) }, (_, i) =>
        i in value ? inner(value[i]) : "<1 empty item>",
      );
      if (value.length > 100) items.push(`... ${value.length - 100} more item${value.length > 101 ? "s" : ""}`);
      return layout(Array.isArray(value) ? "" : `${name}(${value.length}) `, "[", [...items, ...parts], "]", depth);
    }
    if (value instanceof Map)
      return layout(
        `Map(${value.size}) `,
        "{",
        [...value].map(([k, v]) => `${inner(k)} => ${inner(v)}`),
        "}",
        depth,
      );
    if (value instanceof Set) return layout(`Set(${value.size}) `, "{", [...value].map(inner), "}", depth);
    const tag = name === undefined ? "[Object: null prototype] " : name === "Object" ? "" : `${name} `;
    return layout(tag, "{", parts, "}", depth);
  };
  const layout = (tag, open, parts, close, depth) => {
    if (parts.length === 0) return `${tag}${open}${close}`;
    const line = `${tag}${open} ${parts.join(", ")} ${close}`;
    if (line.length <= 76 && !line.includes("\n")) return line;
    const indent = "  ".repeat(depth + 1);
    return `${tag}${open}\n${parts.map((p) => indent + p).join(",\n")}\n${"  ".repeat(depth)}${close}`;
  };

  const format = (first, ...rest) => {
    if (typeof first !== "string" || !first.includes("%")) return [first, ...rest].map((v) => inspect(v)).join(" ");
    const queue = [...rest];
    const text = first.replace(/%([sdifjoOc%])/g, (all, kind) => {
      if (kind === "%") return "%";
      if (queue.length === 0) return all;
      const value = queue.shift();
      if (kind === "d") return typeof value === "bigint" ? `${value}n` : String(Number(value));
      if (kind === "i") return String(Number.parseInt(value, 10));
      if (kind === "f") return String(Number.parseFloat(value));
      if (kind === "j") return JSON.stringify(value);
      return kind === "c" ? "" : inspect(value, kind === "s" ? 0 : 1);
    });
    return [text, ...queue.map((v) => inspect(v))].join(" ");
  };

  return { inspect, format };
})();
