// Guarantees that everything pages and comments name is there: files, npm commands, routes, environment
// variables and fields of a spec. CHANGELOG describes the past and is not read.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { CHECKS } from "../scripts/project/check.ts";
import { GENERATED } from "../scripts/project/generate.ts";
import { LAB } from "../scripts/project/lab.ts";
import { TESTS } from "../scripts/project/test.ts";
import { LOGS } from "../scripts/stack/commands/logs.ts";

const ROOT = new URL("..", import.meta.url).pathname;
const textOf = (path: string) => readFileSync(ROOT + path, "utf8");
const list = ["ls-files", "--cached", "--others", "--exclude-standard"];
const files = execFileSync("git", list, { cwd: ROOT, encoding: "utf8" }).trim().split("\n");

/** Data and texts of others. */
const NOT_READ = /^(CHANGELOG|problems\/|sets\/|test\/(recorded|vectors)\/|migrations\/)|\.generated\./;
const pages = files.filter((path) => path.endsWith(".md") && !NOT_READ.test(path));
const sources = files.filter((path) => /\.(ts|py|sh|toml)$|^\.ci\/run$/.test(path) && !NOT_READ.test(path));

/** Made by a command, or sent to one by its user. */
const MADE = /(^|\/)(report|rows|compare|points|page|schedules|kritai\.d)\.(md|csv|ts)$/;
/** In other projects' repositories, where a comment names its source. */
const OTHERS = new Set(
  `calibration codegen_grpotrainer evaluate gen_judgment generative gsm8k judgelrm parser prob ranking_consistency
   rating_systems sandbox_api show_result`
    .split(/\s+/)
    .map((name) => `${name}.py`),
);
const OTHERS_ROUTES = /^\/v1\/(chat\/completions|completions|classify|verify(\/cancel)?|run_code|embeddings|models)$/;
/** Variables of other programs, which our pages mention. */
const OTHERS_VARIABLES = new Set([
  "PISTON_OUTPUT_MAX_SIZE",
  "VERIFIER_NO",
  "GPU_1",
  "GATEWAY_PORT",
  "FIREWORKS_API_KEY",
  "NODE_EXTRA_CA_CERTS",
]);

interface Line {
  at: string;
  text: string;
}

const linesOf = (path: string): Line[] =>
  textOf(path)
    .split("\n")
    .map((text, i) => ({ at: `${path}:${i + 1}`, text }));
const COMMENT = /^\s*(?:\/\/|\/\*\*|\*|#(?!!))\s?(.*)$|\s(?:\/\/|#)\s(.*)$/;
const comments = sources.flatMap((path) =>
  linesOf(path).flatMap(({ at, text }) => {
    const found = COMMENT.exec(text);
    return found === null ? [] : [{ at, text: found[1] ?? found[2] ?? "" }];
  }),
);
const read: Line[] = [...pages.flatMap(linesOf), ...comments];

const missing = (pattern: RegExp, isThere: (name: string, from: string) => boolean): string[] =>
  read.flatMap(({ at, text }) => {
    const from = dirname(at.split(":")[0] as string);
    return [...text.matchAll(pattern)].flatMap(([, name = ""]) => (isThere(name, from) ? [] : [`${at} ${name}`]));
  });

const FILE =
  /(?<![\w./:@<>-])((?:\.\.?\/)*(?:\w[\w.-]*\/)*[\w-][\w.-]*\.(?:ts|md|py|sh|toml|yaml|csv|sql))\b(?![\w/(])/g;
const all = new Set(files);
const ends = new Set(files.flatMap((path) => path.split("/").map((_, i, parts) => parts.slice(i).join("/"))));

/** A call of `npm run` or `npm`: a name, and behind two hyphens a word, which may be a part of it. */
const COMMAND =
  /\bnpm (?:run (?:-s )?|(?:-s )?(?=(?:test|start)\b))([\w:-]+(?: -w gpu-backend)?(?: -- [a-z][\w-]*(?![\w/.]))?)/g;
const CALL = /^([\w:-]+)( -w gpu-backend)?(?: -- (.*))?$/;
const PARTS: Readonly<Record<string, { names: Record<string, string> }>> = {
  check: CHECKS,
  generate: GENERATED,
  lab: LAB,
  logs: LOGS,
  test: TESTS,
};

/** The values of a schema, through references, alternatives, lists and maps. */
type Schema = { [key: string]: unknown } & { properties?: Record<string, Schema> };
const document = JSON.parse(textOf("public/openapi.json")) as {
  paths: Record<string, unknown>;
  components: { schemas: Record<string, Schema> };
};
function fieldsOf(schemas: readonly Schema[]): Map<string, Schema[]> {
  const fields = new Map<string, Schema[]>();
  const seen = new Set<unknown>();
  const walk = (schema: unknown): void => {
    if (typeof schema !== "object" || schema === null || seen.has(schema)) return;
    seen.add(schema);
    const { $ref, allOf, anyOf, oneOf, items, additionalProperties, properties } = schema as Schema;
    if (typeof $ref === "string") walk(document.components.schemas[$ref.split("/").pop() as string]);
    for (const inner of [allOf, anyOf, oneOf].flat().concat(items, additionalProperties)) walk(inner);
    for (const [name, inner] of Object.entries(properties ?? {}))
      fields.set(name, [...(fields.get(name) ?? []), inner]);
  };
  for (const schema of schemas) walk(schema);
  return fields;
}

describe("what pages and comments name is there", () => {
  it("reads them, and finds what is not", () => {
    expect(pages.length).toBeGreaterThan(40);
    expect(comments.length).toBeGreaterThan(5_000);
    expect([..."see docs/gone.md, `a/b.ts` and x.test.ts".matchAll(FILE)].map(([, name]) => name)).toEqual([
      "docs/gone.md",
      "a/b.ts",
      "x.test.ts",
    ]);
  });

  it("files", () => {
    const isThere = (name: string, from: string) =>
      (name.startsWith(".") ? all.has(join(from, name)) : ends.has(name)) ||
      MADE.test(name) ||
      name.startsWith("dist/") ||
      OTHERS.has(name.split("/").pop() as string);
    expect(missing(FILE, isThere)).toEqual([]);
  });

  it("npm commands", () => {
    const { scripts } = JSON.parse(textOf("package.json"));
    const { scripts: gpu } = JSON.parse(textOf("gpu-backend/package.json"));
    const isThere = (call: string) => {
      const [, name = "", workspace, part] = CALL.exec(call) ?? [];
      const parts: Record<string, string> | undefined = PARTS[name]?.names;
      return name in (workspace === undefined ? scripts : gpu) && (part === undefined || !parts || part in parts);
    };
    expect(["lab -- study", "cost -w gpu-backend", "test", "start"].filter((call) => !isThere(call))).toEqual([]);
    expect(["study", "cost", "lab -- nothing", "test -- nothing", "test:slow"].filter(isThere)).toEqual([]);
    expect(missing(COMMAND, isThere)).toEqual([]);
  });

  it("routes", () => {
    const form = (path: string) => path.replace(/\{[^}]+\}|(?<=\/):\w+/g, "{}");
    const routes = Object.keys(document.paths).map(form);
    const fits = (route: string, name: string) =>
      new RegExp(`^${route.replaceAll("{}", "[^/]+").replaceAll(".", "\\.")}(/|$)`).test(name);
    const isThere = (name: string) =>
      OTHERS_ROUTES.test(name) ||
      routes.some((route) => route === form(name) || route.startsWith(`${form(name)}/`) || fits(route, name));
    expect(missing(/(?<![\w.:}])(\/v1\/[\w/{}:.-]*[\w}])/g, isThere)).toEqual([]);
  });

  it("environment variables", () => {
    const code = sources.map((path) => textOf(path).replace(/^\s*(\/\/|\*|#).*$/gm, "")).join("\n");
    const named = new Set(code.match(/\b[A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+\b/g));
    const isThere = (name: string) => named.has(name) || OTHERS_VARIABLES.has(name);
    expect(missing(/`([A-Z][A-Z0-9]+(?:_[A-Z0-9]+)+)`/g, isThere)).toEqual([]);
  });

  it("fields of a spec", () => {
    const { Spec, SignalsSpec } = document.components.schemas as Record<string, Schema>;
    const parts = fieldsOf([Spec as Schema]);
    // A signal's judge has what a spec's own has, and what only named signals have.
    const ofSignals = fieldsOf(fieldsOf([SignalsSpec as Schema]).get("signals") ?? []);
    const isThere = (name: string) => {
      const [first = "", ...rest] = name.split(".");
      let schemas = [...(parts.get(first) ?? []), ...(first === "judge" ? (ofSignals.get("judge") ?? []) : [])];
      for (const field of rest) schemas = fieldsOf(schemas).get(field) ?? [];
      return schemas.length > 0;
    };
    expect(isThere("judge.schedule.name")).toBe(true);
    expect(isThere("judge.nothing")).toBe(false);
    expect(missing(/`((?:judge|candidate|format|overlong)(?:\.[a-z_]+)+)(?:[:= ][^`]*)?`/g, isThere)).toEqual([]);
  });
});
