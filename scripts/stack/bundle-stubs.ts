// Modules that the Worker's bundle replaces: parts of packages that our code never calls, but that their
// packages import, by stubs, and zod by bundle-zod.ts. If such a module no longer exists, the build fails.
import { readFileSync } from "node:fs";
import type { Plugin } from "esbuild";

interface Stub {
  /** Path in node_modules. */
  module: string;
  /** The expression that replaces each export. */
  value: string;
}

/** For each module we checked that none of our code calls it. */
const STUBS: readonly Stub[] = [
  // Converts schemas to JSON Schema, which only the build of the OpenAPI document needs.
  ...["json-schema-processors", "to-json-schema", "json-schema-generator"].map((name) => ({
    module: `zod/v4/core/${name}.js`,
    value: "() => {}",
  })),
  // All column types, for `pgTable(name, (columns) => ..)`; our tables import the types that they use.
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

/** @throws Error if a module no longer exists */
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

const BUNDLE_ZOD = new URL("bundle-zod.ts", import.meta.url).pathname;

/** Lets every module but bundle-zod.ts import bundle-zod.ts as zod. */
export const schemasLater: Plugin = {
  name: "schemas-later",
  setup({ onResolve }) {
    onResolve({ filter: /^zod$/ }, ({ importer }) => (importer === BUNDLE_ZOD ? undefined : { path: BUNDLE_ZOD }));
  },
};
