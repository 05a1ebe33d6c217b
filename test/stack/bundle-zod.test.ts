// Guarantees that a start of the Worker builds no schema, and that a schema that is built at its first use reads
// and refuses what zod's does.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import * as zod from "zod";
import { bundleWorker } from "../../scripts/stack/bundle.ts";
import * as bundleZod from "../../scripts/stack/bundle-zod.ts";
import { MAIN } from "../../scripts/stack/worker-modules.ts";

const later = bundleZod as unknown as typeof zod;

/** Imports the Worker and prints whether zod has built a schema: only then it sets its language. */
const START = `
import { registerHooks } from "node:module";
const runtime = "data:text/javascript,export class DurableObject {} export const env = {};";
registerHooks({
  resolve: (name, context, next) =>
    name.startsWith("cloudflare:") ? { url: runtime, shortCircuit: true } : next(name, context),
});
const { default: worker } = await import(process.argv[1]);
console.log(typeof worker.fetch, globalThis.__zod_globalConfig.localeError === undefined);
`;

test("a start of the Worker builds no schema", async () => {
  await bundleWorker();
  const main = join(import.meta.dirname, "../../dist/bundle", MAIN);
  const options = ["--no-warnings", "--input-type=module", "--eval", START];
  expect(execFileSync(process.execPath, [...options, `file://${main}`], { encoding: "utf8" })).toBe("function true\n");
});

function schemas(z: typeof zod) {
  const name = z
    .string()
    .regex(/^[a-z]+$/)
    .max(4);
  const base = z.strictObject({ name, age: z.int().min(0).optional() });
  const older = base.extend({ kind: z.literal("older"), tags: z.array(name).default(["a"]) });
  const younger = base.omit({ age: true }).safeExtend({ kind: z.literal("younger") });
  const person = z.discriminatedUnion("kind", [older, younger]);
  return {
    person,
    either: z.union([z.number(), base.pick({ name: true }), z.null()]).nullish(),
    pairs: z.record(name, z.tuple([z.number(), z.enum(["x", "y"])])),
    read: z.preprocess((value) => (value === "" ? undefined : value), z.coerce.number().int().optional()),
    checked: z
      .looseObject({ low: z.number(), high: z.number() })
      .refine(({ low, high }) => low <= high, { path: ["high"], message: "below low" })
      .transform(({ low, high }) => high - low)
      .meta({ description: "a distance" }),
    url: z.url({ protocol: /^https$/ }).or(z.custom<Date>((value) => value instanceof Date)),
    text: z.string().pipe(z.string().trim().startsWith("a")).catch("a"),
  };
}

const VALUES: readonly unknown[] = [
  undefined,
  null,
  "",
  "12",
  " ab",
  7,
  new Date(0),
  "https://example.org",
  { name: "ann" },
  { name: "ANN", age: -1, kind: "older" },
  { name: "ann", kind: "older", tags: ["b", "B"] },
  { name: "ann", kind: "younger" },
  { name: "ann", kind: "younger", age: 3 },
  { a: [1, "x"], b: [1, "z"] },
  { low: 1, high: 3, more: true },
  { low: 3, high: 1 },
];

describe("a schema that is built at its first use", () => {
  const [own, reference] = [schemas(later), schemas(zod)];

  test.each(Object.keys(reference) as (keyof typeof reference)[])("%s reads what zod's reads", (name) => {
    for (const value of VALUES) {
      const [read, expected] = [own[name].safeParse(value), reference[name].safeParse(value)];
      expect(read.data).toEqual(expected.data);
      expect(read.error?.issues.map(({ path, message }) => ({ path, message }))).toEqual(
        expected.error?.issues.map(({ path, message }) => ({ path, message })),
      );
    }
  });

  test("is an instance of zod's class, and names its fields without being built", () => {
    expect(later.string().optional()).toBeInstanceOf(zod.ZodOptional);
    let builds = 0;
    const names = {
      get A() {
        builds++;
        return "a" as const;
      },
    };
    const object = later.strictObject({ name: later.enum(names), more: later.string() });
    const narrow = object.extend({ most: later.int() }).omit({ more: true });
    expect(Object.keys(narrow.shape)).toEqual(["name", "most"]);
    expect(builds).toBe(0);
    expect(narrow.parse({ name: "a", most: 1 })).toEqual({ name: "a", most: 1 });
    expect(builds).toBe(1);
  });
});
