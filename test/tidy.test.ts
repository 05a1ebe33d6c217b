// The layout's rules as a test: who may import whom, how long a file and a function may be, what no file may hold.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { describe, expect, it } from "vitest";
import { COMPATIBILITY, OBJECTS } from "../scripts/local/edge.ts";

const ROOT = new URL("..", import.meta.url).pathname;
const sources = globSync(["src/**/*.ts", "gpu-backend/**/*.ts", "scripts/**/*.ts", "examples/**/*.ts"], {
  cwd: ROOT,
}).filter((path) => !path.endsWith(".generated.ts"));
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

/** The folder rules of docs/architecture: what each part of the tree may import. Prefixes; npm packages by name. */
const RULES: { of: RegExp; may: RegExp; npm: RegExp }[] = [
  { of: /^src\/core\/format\.ts$/, may: /^src\/core\//, npm: /^re2js$/ },
  { of: /^src\/core\//, may: /^src\/core\//, npm: /^zod$/ },
  { of: /^src\/ports\.ts$/, may: /^src\/core\//, npm: /^$/ },
  {
    of: /^src\/(scoring|judging|sample-journal|log-entry|digest)\.ts$/,
    may: /^src\/(core\/|ports\.ts|judging\.ts|sample-journal\.ts|log-entry\.ts|digest\.ts)/,
    npm: /^$/,
  },
  { of: /^src\/waiting\.ts$/, may: /^$/, npm: /^$/ },
  { of: /^src\/verifier\//, may: /^src\/(core\/|ports\.ts|verifier\/)/, npm: /^$/ },
  { of: /^src\/key-limits\//, may: /^src\/(core\/|waiting\.ts|key-limits\/)/, npm: /^$/ },
  {
    of: /^src\/store\//,
    may: /^src\/(core\/|ports\.ts|waiting\.ts|store\/)/,
    npm: /^(drizzle-orm|@neondatabase\/serverless)/,
  },
  { of: /^src\/http\//, may: /^src\/(core\/|ports\.ts|waiting\.ts|http\/|auth\.ts)/, npm: /^(hono|zod)/ },
  {
    of: /^src\/routes\//,
    may: /^src\/(core\/|ports\.ts|scoring\.ts|sample-journal\.ts|digest\.ts|waiting\.ts|http\/|routes\/|object-storage\/values\.ts|openapi\.json)/,
    npm: /^(hono|zod)/,
  },
  { of: /^src\/object-storage\//, may: /^src\/(core\/|waiting\.ts|http\/problem\.ts|object-storage\/)/, npm: /^$/ },
  { of: /^src\/idempotency\//, may: /^src\/(core\/|object-storage\/|idempotency\/)/, npm: /^$/ },
  {
    of: /^src\/batches\//,
    may: /^src\/(core\/|http\/|object-storage\/|routes\/scored-request\.ts|scoring\.ts|sample-journal\.ts|waiting\.ts|batches\/)/,
    npm: /^$/,
  },
  {
    of: /^src\/group-room\//,
    may: /^src\/(core\/|ports\.ts|digest\.ts|http\/|routes\/scored-request\.ts|sample-journal\.ts|waiting\.ts|group-room\/)/,
    npm: /^$/,
  },
  {
    of: /^src\/app\.ts$/,
    may: /^src\/(core\/|ports\.ts|routes\/|http\/|auth\.ts|group-room\/local\.ts|idempotency\/local\.ts|batches\/local\.ts)/,
    npm: /^hono/,
  },
  {
    of: /^src\/(env|auth)\.ts$/,
    may: /^src\/(core\/|ports\.ts|auth\.ts|(group-room|batches|idempotency)\/remote\.ts|object-storage\/reach\.ts)/,
    npm: /^zod$/,
  },
  { of: /^src\/worker\.ts$/, may: /^src\//, npm: /./ },
  { of: /^gpu-backend\//, may: /^(src\/core\/|gpu-backend\/)/, npm: /./ },
];

function importsOf(path: string): { local: string[]; npm: string[] } {
  const specifiers = [
    ...textOf(path).matchAll(
      /^(?:import|export)\b[^;"']*?\bfrom\s+["']([^"']+)["']|\bimport\s*\(\s*["']([^"']+)["']/gm,
    ),
  ]
    .map((match) => (match[1] ?? match[2]) as string)
    .filter((name) => !name.startsWith("node:") && !name.startsWith("cloudflare:"));
  const local = specifiers.filter((name) => name.startsWith(".")).map((name) => normalize(join(dirname(path), name)));
  return { local, npm: specifiers.filter((name) => !name.startsWith(".")) };
}

describe("imports", () => {
  it("follow the folder rules", () => {
    const broken = sources.flatMap((path) => {
      const rule = RULES.find(({ of }) => of.test(path));
      if (rule === undefined) return [];
      const { local, npm } = importsOf(path);
      return [...local.filter((to) => !rule.may.test(to)), ...npm.filter((name) => !rule.npm.test(name))].map(
        (to) => `${path} → ${to}`,
      );
    });
    expect(broken).toEqual([]);
  });

  it("are covered by a rule everywhere in src", () => {
    expect(sources.filter((path) => path.startsWith("src/") && !RULES.some(({ of }) => of.test(path)))).toEqual([]);
  });

  it("keep the core free of time, chance and I/O", () => {
    const impure = sources.filter(
      (path) =>
        path.startsWith("src/core/") &&
        /\b(await|async|Math\.random|Date\.now|new Date|fetch|setTimeout|crypto)\b\s*[(\s]/.test(code(path)),
    );
    expect(impure).toEqual([]);
  });
});

/** A file without comments and strings, roughly: enough to look for calls. */
function code(path: string): string {
  return textOf(path)
    .replace(/\/\*[\s\S]*?\*\//g, "")
    .replace(/^\s*\/\/.*$/gm, "")
    .replace(/"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`/g, '""');
}

describe("sizes", () => {
  const lines = sources.map((path) => ({ path, count: textOf(path).split("\n").length - 1 }));

  it("no file is over 300 lines and half are at most 120", () => {
    expect(lines.filter(({ count }) => count > 300)).toEqual([]);
    const sorted = lines.map(({ count }) => count).sort((a, b) => a - b);
    expect(sorted[Math.floor(sorted.length / 2)]).toBeLessThanOrEqual(120);
  });

  it("are measured right: a function of 72 lines is found, a class of short methods is not", () => {
    const body = "  work();\n".repeat(70);
    expect(functionLengths(`function long() {\n${body}}\n`)).toEqual([{ line: 1, length: 72 }]);
    expect(functionLengths(`class A {\n  one(): void {\n  }\n${body}}\n`)).toEqual([{ line: 2, length: 2 }]);
  });

  it("no function is over 70 lines", () => {
    const long = sources.flatMap((path) =>
      functionLengths(textOf(path))
        .filter(({ length }) => length > 70)
        .map(({ line, length }) => `${path}:${line} ${length} lines`),
    );
    expect(long).toEqual([]);
  });
});

/** Length of each function whose closing brace stands at its opening line's indentation, as the formatter guarantees. */
function functionLengths(text: string): { line: number; length: number }[] {
  const rows = text.split("\n");
  return rows.flatMap((row, at) => {
    const head =
      /^(\s*)(?:export )?(?:default )?(?:(?:async )?function\b|(?:const|let) \w+ = (?:async )?(?:\([^)]*\)|\w+)(?:: [^=]+)? => \{|(?:async |static |get |set |private |#)*\w+\([^;]*\)(?:: [^{]+)? \{)/.exec(
        row,
      );
    if (head === null || /^\s*(?:if|for|while|switch|catch|return)\b/.test(row)) return [];
    const end = rows.findIndex(
      (other, i) => i > at && new RegExp(`^${head[1]}\\}`).test(other) && !/^\s*\}.*\{\s*$/.test(other),
    );
    return end < 0 ? [] : [{ line: at + 1, length: end - at + 1 }];
  });
}

describe("files", () => {
  it("say in their first line what they own", () => {
    expect(sources.filter((path) => !/^\/\/ \S.{20,}/.test(textOf(path)) && !textOf(path).startsWith("#!"))).toEqual(
      [],
    );
  });

  it("hold nothing left undone, no debugger and no barrel", () => {
    const marks = new RegExp(["TO", "DO|FIX", "ME|X", "XX\\b|not impl", "emented|\\bdebugger\\b"].join(""));
    expect(sources.filter((path) => marks.test(textOf(path)))).toEqual([]);
    expect(sources.filter((path) => /^export \* from/m.test(textOf(path)))).toEqual([]);
  });
});

describe("the installation", () => {
  const { packages } = JSON.parse(textOf("package-lock.json")) as { packages: Record<string, { version?: string }> };

  it("holds one copy of workerd, of zod and of miniflare", () => {
    for (const name of ["workerd", "zod", "miniflare"]) {
      expect(Object.keys(packages).filter((path) => path.endsWith(`node_modules/${name}`))).toEqual([
        `node_modules/${name}`,
      ]);
    }
  });

  it("pins every version exactly", () => {
    const { dependencies, devDependencies } = JSON.parse(textOf("package.json")) as Record<
      string,
      Record<string, string>
    >;
    const loose = Object.entries({ ...dependencies, ...devDependencies }).filter(
      ([, version]) => !/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version),
    );
    expect(loose).toEqual([]);
  });

  it("runs the Worker locally with the compatibility date and flags that it is deployed with", () => {
    const toml = textOf("wrangler.toml");
    expect(/^compatibility_date = "(.+)"$/m.exec(toml)?.[1]).toBe(COMPATIBILITY.date);
    expect(JSON.parse(/^compatibility_flags = (\[.+\])$/m.exec(toml)?.[1] ?? "null")).toEqual(COMPATIBILITY.flags);
  });

  it("binds the same Durable Objects locally and in every deployment", () => {
    const toml = textOf("wrangler.toml");
    for (const [name, className] of Object.entries(OBJECTS)) {
      expect(toml.split(`name = "${name}"\nclass_name = "${className}"\n`)).toHaveLength(4);
      expect(toml.split(`new_sqlite_classes = ["${className}"]\n`)).toHaveLength(4);
    }
  });
});
