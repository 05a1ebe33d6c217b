// Defines what of packages is left out of the Worker's bundle: modules that nothing of ours calls, and that
// their packages hold on to all the same. A module that is no longer there stops the build.
import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

interface Stub {
  /** Its path in node_modules. */
  module: string;
  /** The expression that stands for each of its exports. */
  value: string;
}

/** Each was looked at: what calls it, and that none of ours does. */
const STUBS: readonly Stub[] = [
  // For schemas as JSON Schema, which only the OpenAPI document is made of.
  ...["json-schema-processors", "to-json-schema", "json-schema-generator"].map((name) => ({
    module: `zod/v4/core/${name}.js`,
    value: "() => {}",
  })),
  // For `pgTable(name, (columns) => ..)`: every type of column; a table of ours imports its own.
  { module: "drizzle-orm/pg-core/columns/all.js", value: "() => ({})" },
  // For `db.query`, which needs a schema with relations.
  { module: "drizzle-orm/relations.js", value: "class {}" },
];

function exportsOf(text: string): string[] {
  const direct = [...text.matchAll(/^export (?:const|function|class) (\w+)/gm)].map(([, name = ""]) => name);
  const lists = [...text.matchAll(/^export \{([^}]*)\}/gm)].flatMap(([, list = ""]) => list.split(","));
  const listed = lists.flatMap((name) => /(\w+)\s*$/.exec(name)?.[1] ?? []);
  return [...direct, ...listed];
}

const stubbed = (text: string, value: string) =>
  exportsOf(text)
    .map((name, i) => `const stub${i} = ${value}; export { stub${i} as ${name} };`)
    .join("\n");

/** @throws Error where a module is no longer there */
export const withoutUnused: Plugin = {
  name: "without-unused",
  setup({ onLoad }) {
    for (const { module, value } of STUBS) {
      const text = readFileSync(new URL(`../../node_modules/${module}`, import.meta.url), "utf8");
      const contents = stubbed(text, value);
      onLoad({ filter: new RegExp(`/node_modules/${module.replaceAll(".", "\\.")}$`) }, () => ({ contents }));
    }
  },
};
