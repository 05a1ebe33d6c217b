// The layout's rules as a test: who may import whom, how long a file and a function may be, what no
// file may hold.
import { dirname, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { ASSETS, COMPATIBILITY, OBJECTS } from "../scripts/stack/edge.ts";
import { filesOf, importsOf, ROOT, textOf } from "./harness/imports.ts";

const sources = filesOf("src/**/*.ts", "gpu-backend/**/*.ts", "scripts/**/*.ts", "lab/**/*.ts").filter(
  (path) => !path.endsWith(".generated.ts") && !path.startsWith("lab/test/"),
);
const testFiles = filesOf("test/**/*.ts", "lab/test/**/*.ts");

/**
 * The tables of rooms in docs/architecture.md: what each may import, rooms by prefix and npm packages
 * by name. The first row that fits a file counts; a room may import itself.
 */
interface Room {
  of: string;
  may: string[];
  npm: string[];
  anyPackage: boolean;
}
const ROOMS: Room[] = [];
for (const [, of = "", cell = ""] of textOf("docs/architecture.md").matchAll(
  /^\| `((?:src|gpu-backend|scripts|lab)\/[^`]*)` \|[^|]*\|([^|]*)\|$/gm,
)) {
  const names = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const isRoom = (name: string) => /^(?:src|gpu-backend|scripts|lab|test)\//.test(name);
  // "`a/` and what it may": a row above.
  const [, base] = /`([^`]+)` and what it may/.exec(cell) ?? [];
  const above = ROOMS.find((room) => room.of === base);
  if (base !== undefined && above === undefined) throw new Error(`docs/architecture.md: no row above for ${base}`);
  ROOMS.push({
    of,
    may: [...names.filter(isRoom), ...(above?.may ?? [])],
    npm: [...names.filter((name) => !isRoom(name)), ...(above?.npm ?? [])],
    anyPackage: cell.includes("any package"),
  });
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

  it("are covered by a room everywhere", () => {
    expect(sources.filter((path) => roomOf(path) === undefined)).toEqual([]);
  });

  it("go in no circle, between files, folders or rooms", () => {
    const own = sources.filter((path) => roomOf(path) !== undefined);
    const files = new Map(own.map((path) => [path, importsOf(path).local.filter((to) => roomOf(to) !== undefined)]));
    expect(circle(files)).toEqual([]);
    expect(circle(arrowsBy((path) => roomOf(path)?.of as string, files))).toEqual([]);
    expect(circle(arrowsBy(dirname, files))).toEqual([]);
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

  it("of a contract of another tool are at most 12: what contracts share stands behind few doors", () => {
    const TABLE = "src/api/tools/table.ts";
    const isContract = (path: string) =>
      path !== TABLE && /^export const \w+: (readonly )?Contract(\[\])? = /m.test(textOf(path));
    const contracts = [...sources, "test/toys/toy-contract.ts"].filter(isContract);
    const table = importsOf(TABLE).local;
    expect(table.filter((path) => path !== "src/api/tools/shared/contract.ts").sort()).toEqual(
      contracts.filter((path) => path.startsWith("src/")).sort(),
    );
    // A field's description is in no bundle, and couples nothing.
    const counted = (path: string) =>
      Object.values(importsOf(path))
        .flat()
        .filter((to) => !/said(\.ts)?$/.test(to));
    const counts = contracts.map((path) => `${path}: ${counted(path).length}`);
    expect(counts.filter((count) => Number(count.split(": ")[1]) > 12)).toEqual([]);
  });

  it("leave time to the adapters: others are given Timers or a Clock", () => {
    const ADAPTERS = ["src/platform/clock.ts", "gpu-backend/gateway/timers/gateway-timers.ts"];
    const TIME =
      /\b(setTimeout|setInterval|setImmediate|performance)\b(?=[(.])|\bDate\.now\b|\bnew Date\(\)|\bAbortSignal\.timeout\b/;
    const timed = sources.filter((path) => /^(src|gpu-backend\/gateway)\//.test(path) && TIME.test(code(path)));
    expect(timed.sort()).toEqual(ADAPTERS.sort());
    // Only a composition picks the system's clock: the Worker, and the constructors of Durable Objects.
    const COMPOSITIONS = /^src\/(worker|.*\/durable|run-log\/write\/dead-letters-object)\.ts$/;
    const picking = sources.filter((path) => path.startsWith("src/") && /\bsystemClock\b/.test(code(path)));
    expect(picking.filter((path) => !ADAPTERS.includes(path) && !COMPOSITIONS.test(path))).toEqual([]);
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

/** The arrows between files as arrows between what they lie in. */
function arrowsBy(place: (path: string) => string, files: ReadonlyMap<string, readonly string[]>) {
  const arrows = new Map<string, string[]>();
  for (const [path, targets] of files) {
    const from = place(path);
    arrows.set(from, [...(arrows.get(from) ?? []), ...targets.map(place).filter((to) => to !== from)]);
  }
  return arrows;
}

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
 * Length of each function whose closing brace has its opening line's indentation, as the formatter
 * guarantees.
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
  it("say in their first line what they are for", () => {
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
    const others = [...testFiles, ...filesOf("clients/typescript/**/*.ts")];
    const generated = filesOf("src/**/*.generated.ts");
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

describe("types", () => {
  it("of src have a name each: none stands for two things", () => {
    const DECLARATION = /^(?:export )?(?:abstract )?(?:interface|type|class|enum) ([A-Z]\w*)/gm;
    const files = new Map<string, string[]>();
    for (const path of sources.filter((path) => path.startsWith("src/"))) {
      for (const [, name = ""] of textOf(path).matchAll(DECLARATION))
        files.set(name, [...(files.get(name) ?? []), path]);
    }
    expect(files.size).toBeGreaterThan(500);
    expect([...files].filter(([, paths]) => new Set(paths).size > 1)).toEqual([]);
  });
});

describe("tests", () => {
  const tests = testFiles.filter((path) => !path.startsWith("test/engines/real/"));

  it("wait as long as vitest.config.ts says, and bound no clock: a busy machine breaks that", () => {
    // waitFor gives up after its own second; a poll after the configured time.
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

describe("a deployment", () => {
  it("runs the Worker locally with the compatibility date and flags that it is deployed with", () => {
    const toml = textOf("wrangler.toml");
    expect(/^compatibility_date = "(.+)"$/m.exec(toml)?.[1]).toBe(COMPATIBILITY.date);
    expect(JSON.parse(/^compatibility_flags = (\[.+\])$/m.exec(toml)?.[1] ?? "null")).toEqual(COMPATIBILITY.flags);
  });

  it("serves the static assets locally as every deployment does", () => {
    const toml = textOf("wrangler.toml");
    expect(toml).toContain(
      `[assets]\ndirectory = "./${relative(ROOT, ASSETS)}"\nbinding = "ASSETS"\nhtml_handling = "none"\nrun_worker_first = true\n`,
    );
  });

  it("builds them before every deployment", () => {
    expect(textOf("wrangler.toml")).toContain('\n[build]\ncommand = "node scripts/stack/commands/bundle.ts"\n');
  });

  it("binds the same Durable Objects locally and in every deployment", () => {
    const toml = textOf("wrangler.toml");
    for (const [name, className] of Object.entries(OBJECTS)) {
      expect(toml.split(`name = "${name}"\nclass_name = "${className}"\n`)).toHaveLength(3);
      expect(toml.split(`new_sqlite_classes = ["${className}"]\n`)).toHaveLength(3);
    }
  });
});
