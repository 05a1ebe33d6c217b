// The layout's rules as a test: who may import whom, how long a file and a function may be, what no
// file may hold.
import { globSync, readFileSync } from "node:fs";
import { dirname, join, normalize, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { ASSETS, COMPATIBILITY, OBJECTS } from "../scripts/stack/edge.ts";

const ROOT = new URL("..", import.meta.url).pathname;
const sources = globSync(["src/**/*.ts", "gpu-backend/**/*.ts", "scripts/**/*.ts"], {
  cwd: ROOT,
}).filter((path) => !path.endsWith(".generated.ts"));
const textOf = (path: string) => readFileSync(join(ROOT, path), "utf8");

/**
 * The table of rooms in docs/architecture.md: what each may import, rooms by prefix and npm packages
 * by name. The first row that fits a file counts; a room may import itself.
 */
const ROOMS: { of: string; may: string[]; npm: string[]; anyPackage: boolean }[] = [
  ...textOf("docs/architecture.md").matchAll(/^\| `((?:src|gpu-backend)\/[^`]*)` \|[^|]*\|([^|]*)\|$/gm),
].map(([, of = "", cell = ""]) => {
  const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const isRoom = (name: string) => name.startsWith("src/");
  return {
    of,
    may: names.filter(isRoom),
    npm: names.filter((name) => !isRoom(name)),
    anyPackage: cell.includes("any package"),
  };
});

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
  const roomOf = (path: string) => ROOMS.find(({ of }) => path.startsWith(of));

  it("follow the rooms", () => {
    expect(ROOMS.map(({ of }) => of)).toContain("src/core/faults/");
    const broken = sources.flatMap((path) => {
      const room = roomOf(path);
      if (room === undefined) return [];
      const { local, npm } = importsOf(path);
      const open = [room.of, ...room.may];
      return [
        ...local.filter((to) => !open.some((prefix) => to.startsWith(prefix))),
        ...npm.filter(
          (name) => !room.anyPackage && !room.npm.some((own) => name === own || name.startsWith(`${own}/`)),
        ),
      ].map((to) => `${path} → ${to}`);
    });
    expect(broken).toEqual([]);
  });

  it("are covered by a room everywhere in src", () => {
    expect(sources.filter((path) => path.startsWith("src/") && roomOf(path) === undefined)).toEqual([]);
  });

  it("go in no circle, between files or between rooms", () => {
    const own = sources.filter((path) => roomOf(path) !== undefined);
    const files = new Map(own.map((path) => [path, importsOf(path).local.filter((to) => roomOf(to) !== undefined)]));
    expect(circle(files)).toEqual([]);
    const rooms = new Map<string, string[]>();
    for (const [path, targets] of files) {
      const room = roomOf(path)?.of as string;
      const others = targets.map((to) => roomOf(to)?.of as string).filter((to) => to !== room);
      rooms.set(room, [...(rooms.get(room) ?? []), ...others]);
    }
    expect(circle(rooms)).toEqual([]);
    expect(
      circle(
        new Map([
          ["a", ["b"]],
          ["b", ["c"]],
          ["c", ["b"]],
        ]),
      ),
    ).toEqual(["b", "c", "b"]);
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

/**
 * The first circle among the arrows, its first place again at its end; empty when there is none.
 */
function circle(arrows: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const walk = (place: string, path: readonly string[]): string[] => {
    const at = path.indexOf(place);
    if (at >= 0) return [...path.slice(at), place];
    if (done.has(place)) return [];
    for (const next of arrows.get(place) ?? []) {
      const found = walk(next, [...path, place]);
      if (found.length > 0) return found;
    }
    done.add(place);
    return [];
  };
  for (const place of arrows.keys()) {
    const found = walk(place, []);
    if (found.length > 0) return found;
  }
  return [];
}

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

/**
 * Length of each function whose closing brace stands at its opening line's indentation, as the
 * formatter guarantees.
 */
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

describe("exports", () => {
  it("of src are named by another file", () => {
    const others = globSync(["test/**/*.ts", "clients/typescript/**/*.ts"], { cwd: ROOT });
    const generated = globSync("src/**/*.generated.ts", { cwd: ROOT });
    const words = new Map<string, Set<string>>();
    for (const path of [...sources, ...generated, ...others]) words.set(path, new Set(textOf(path).match(/[\w$]+/g)));
    const EXPORT = /^export (?:abstract )?(?:async )?(?:const|let|function\*?|class|interface|type) ([\w$]+)/gm;
    const alone = sources
      .filter((path) => path.startsWith("src/"))
      .flatMap((path) =>
        [...textOf(path).matchAll(EXPORT)]
          .map(([, name]) => name as string)
          .filter((name) => ![...words].some(([other, named]) => other !== path && named.has(name)))
          .map((name) => `${path}: ${name}`),
      );
    expect(alone).toEqual([]);
  });
});

describe("tests", () => {
  const tests = globSync("test/**/*.ts", { cwd: ROOT }).filter((path) => !path.startsWith("test/engines/real/"));

  it("wait as long as vitest.config.ts says, and bound no clock: a busy machine breaks that", () => {
    // waitFor gives up after a second of its own; a poll after what the configuration says.
    const clocks = [
      /\bvi\.setConfig\(/,
      /^\s*(?:\}, )?\d\d+_000,?\n?\s*\);$/m,
      /\btimeout: \d\d+_000,?\s*\}, (?:async )?\(/,

      /\bvi\.waitFor\(/,
      /expect\.poll\([^;]*\btimeout:/,
      /expect\((?:performance|Date)\.now\(\)[^;]*LessThan/,
    ];
    const broken = tests.filter((path) => path !== "test/tidy.test.ts" && clocks.some((one) => one.test(textOf(path))));
    expect(broken).toEqual([]);
  });

  it("have one seed: whoever searches takes fast-check from test/harness/property.ts", () => {
    const others = tests.filter((path) => /^import .* from "fast-check"/m.test(textOf(path)));
    expect(others).toEqual(["test/harness/property.ts"]);
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

  it("serves the static assets locally as every deployment does", () => {
    const toml = textOf("wrangler.toml");
    const { directory, htmlHandling, runWorkerFirst } = ASSETS;
    expect(toml).toContain(
      `[assets]\ndirectory = "./${relative(ROOT, directory)}"\nbinding = "ASSETS"\nhtml_handling = "${htmlHandling}"\nrun_worker_first = ${runWorkerFirst}\n`,
    );
  });

  it("builds them before every deployment", () => {
    expect(textOf("wrangler.toml")).toContain('\n[build]\ncommand = "node scripts/build/public/main.ts"\n');
  });

  it("binds the same Durable Objects locally and in every deployment", () => {
    const toml = textOf("wrangler.toml");
    for (const [name, className] of Object.entries(OBJECTS)) {
      expect(toml.split(`name = "${name}"\nclass_name = "${className}"\n`)).toHaveLength(4);
      expect(toml.split(`new_sqlite_classes = ["${className}"]\n`)).toHaveLength(4);
    }
  });
});
