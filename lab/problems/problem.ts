// The shape of an example problem and how one is read from its folder.
import { readdirSync, readFileSync } from "node:fs";
import { z } from "zod";
import { createDraw, type Draw } from "./draw.ts";

export const PROBLEMS_DIR = new URL("../../problems/examples/", import.meta.url);

const MetaSchema = z.strictObject({
  title: z.string().min(1),
  kind: z.string().min(1),
  language: z.enum(["python", "javascript"]),
  /**
   * The function the statement asks for; without it programs read standard input and write standard
   * output.
   */
  function: z.string().min(1).optional(),
  rollouts: z.array(
    z.strictObject({
      file: z.string().regex(/^\d\d\.txt$/),
      finish_reason: z.enum(["stop", "length"]),
      /** For people: what is right or wrong in it. Checked against nothing. */
      note: z.string().min(1),
    }),
  ),
});

export type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json };

/** One test of a candidate: text in and out, or one call of the function asked for. */
export type ProblemTest =
  | { kind: "stdio"; input: string; output: string; exact?: boolean | undefined }
  | { kind: "call"; function: string; args: readonly Json[]; expected: Json };

export interface ProblemRollout {
  file: string;
  finish_reason: "stop" | "length";
  note: string;
  /** The model's raw text; the file adds one line feed at its end. */
  text: string;
}

export interface Problem {
  id: string;
  title: string;
  kind: string;
  language: "python" | "javascript";
  /** As the policy saw it. */
  statement: string;
  /** The tests the statement shows, in its order, with the reference solution's results. */
  samples: ProblemTest[];
  /**
   * The tests it does not show, generated from the problem's id, with the reference solution's
   * results.
   */
  hidden: ProblemTest[];
  rollouts: ProblemRollout[];
}

/**
 * The exports of a problem's cases.ts and reference.ts: inputs as texts, or as argument lists of the
 * function.
 */
interface Cases {
  samples: readonly (string | readonly Json[])[];
  hidden(draw: Draw): readonly (string | readonly Json[])[];
}
interface Reference {
  solve(...args: readonly Json[]): Json;
}

function toTest(input: string | readonly Json[], functionName: string | undefined, reference: Reference): ProblemTest {
  if (functionName === undefined) {
    if (typeof input !== "string") throw new TypeError("the inputs of a stdin problem must be strings");
    return { kind: "stdio", input, output: `${reference.solve(input)}\n` };
  }
  if (typeof input === "string") throw new TypeError("the inputs of a function problem must be argument lists");
  return { kind: "call", function: functionName, args: input, expected: reference.solve(...input) };
}

/**
 * Reads one problem and computes its tests' results with the reference solution. Throws when a file
 * is missing or malformed.
 */
export async function loadProblem(id: string): Promise<Problem> {
  const folder = new URL(`${id}/`, PROBLEMS_DIR);
  const read = (name: string): string => readFileSync(new URL(name, folder), "utf8");
  const { function: functionName, rollouts, ...meta } = MetaSchema.parse(JSON.parse(read("meta.json")));
  const cases: Cases = await import(new URL("cases.ts", folder).href);
  const reference: Reference = await import(new URL("reference.ts", folder).href);
  const tests = (inputs: Cases["samples"]) => inputs.map((input) => toTest(input, functionName, reference));
  return {
    id,
    ...meta,
    statement: read("statement.txt"),
    samples: tests(cases.samples),
    hidden: tests(cases.hidden(createDraw(id))),
    rollouts: rollouts.map((rollout) => ({ ...rollout, text: read(`rollouts/${rollout.file}`).replace(/\n$/, "") })),
  };
}

/** Every problem, ordered by id. */
export function loadProblems(): Promise<Problem[]> {
  const folders = readdirSync(PROBLEMS_DIR, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return Promise.all(
    folders
      .map((folder) => folder.name)
      .sort()
      .map(loadProblem),
  );
}
