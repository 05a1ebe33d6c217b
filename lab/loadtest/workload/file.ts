// Workloads read from JSON Lines: groups, or whole bodies of one sort. What is in a body is the target's to
// judge.
import { readFileSync } from "node:fs";
import * as z from "zod";
import { type Group, GroupSchema } from "../../../src/core/contract/group.ts";
import { ITEMS_MAX, type Workload } from "../kinds/item.ts";

const BODIES = {
  groups: z.looseObject({ groups: z.array(GroupSchema).min(1) }),
  rerank: z.looseObject({
    query: z.string(),
    documents: z.array(z.union([z.string(), z.record(z.string(), z.unknown())])),
  }),
  verdicts: z.looseObject({ formulation: z.string(), items: z.array(z.looseObject({ text: z.string() })).min(1) }),
};

/** A file's content: groups still to be shaped, or bodies to be sent as they are. */
export type FileContent = { groups: Group[] } | { workload: Workload };

function parsedLines(path: string): unknown[] {
  const lines = readFileSync(path, "utf8").split("\n");
  const values = lines.flatMap((line, at): unknown[] => {
    if (line.trim() === "") return [];
    try {
      return [JSON.parse(line)];
    } catch {
      throw new Error(`${path}:${at + 1} is not JSON`);
    }
  });
  if (values.length === 0) throw new Error(`${path} contains no JSON line`);
  if (values.length > ITEMS_MAX) throw new Error(`${path} contains ${values.length} items; the limit is ${ITEMS_MAX}`);
  return values;
}

function all<T>(path: string, values: readonly unknown[], schema: z.ZodType<T>): T[] {
  return values.map((value, at) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw new Error(`${path}, item ${at + 1}: ${issue?.path.join(".") || "the item"}: ${issue?.message}`);
  });
}

/**
 * Reads `{"prompt", "rollouts"}` (groups), `{"groups"}`, `{"query", "documents"}` or
 * `{"formulation", "items"}`, the same on every line.
 * @throws Error that names the file and the item
 */
export function readWorkloadFile(path: string): FileContent {
  const values = parsedLines(path);
  const first = z.looseObject({}).safeParse(values[0]).data ?? {};
  if ("rollouts" in first) return { groups: all(path, values, GroupSchema) };
  if ("groups" in first)
    return { workload: { bodyType: "groups", name: path, items: all(path, values, BODIES.groups) } };
  if ("documents" in first)
    return { workload: { bodyType: "rerank", name: path, items: all(path, values, BODIES.rerank) } };
  if ("items" in first)
    return { workload: { bodyType: "verdicts", name: path, items: all(path, values, BODIES.verdicts) } };
  throw new Error(`${path}: every item needs "rollouts", "groups", "documents" or "items"; the first has none of them`);
}

/**
 * Recorded arrival times: one number of seconds a line, or an object with `at_s`; they are sorted
 * and begin at 0.
 */
export function readTraceFile(path: string): number[] {
  const entry = z.union([z.number().min(0), z.looseObject({ at_s: z.number().min(0) }).transform(({ at_s }) => at_s)]);
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line.trim() !== "");
  const times = lines.map((line, at) => {
    try {
      return entry.parse(JSON.parse(line));
    } catch {
      throw new Error(`${path}: line ${at + 1} must be a number of seconds or an object with at_s`);
    }
  });
  if (times.length === 0) throw new Error(`${path} contains no arrivals`);
  times.sort((a, b) => a - b);
  const [start] = times as [number];
  return times.map((at) => at - start);
}
