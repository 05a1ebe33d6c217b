// Asks Kritai to score a run again, and its stream line by line.
import * as z from "zod";
import { linesOf } from "./ndjson-lines.ts";

const rate = z.number().nullable();
const MomentsSchema = z.object({ mean: rate, std: rate, zero_variance_share: rate, nulls: z.number() });
const LineSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("group"), step: z.number().nullable(), rewards: z.array(rate), old: z.array(rate) }),
  z.object({
    type: z.literal("end"),
    spec_hash: z.string(),
    groups: z.number(),
    rollouts: z.number(),
    complete: z.number(),
    old: MomentsSchema,
    new: MomentsSchema,
    rank_correlation: z.object({
      kind: z.literal("kendall_tau_b"),
      mean: rate,
      groups: z.number(),
      undefined: z.number(),
    }),
    best_changed_share: rate,
  }),
  z.object({ type: z.literal("error"), code: z.string(), detail: z.string() }),
]);
type Line = z.output<typeof LineSchema>;
export type GroupLine = Extract<Line, { type: "group" }>;
export type EndLine = Extract<Line, { type: "end" }>;

const ProblemSchema = z.object({
  code: z.string(),
  detail: z.string(),
  errors: z.array(z.object({ path: z.string(), message: z.string() })).default([]),
});

/** The obstacle, in words for the person who asked. */
export class RescoreFault extends Error {}

export interface Asked {
  target: string;
  api_key: string | null;
  run_id: string;
  spec: unknown;
  from_step: number | null;
  to_step: number | null;
}

/**
 * Hands every group to `onGroup` and resolves with the last line.
 * @throws RescoreFault for a target that does not answer, a refusal, or a stream without its end
 */
export async function rescoreRun(asked: Asked, onGroup: (group: GroupLine) => void): Promise<EndLine> {
  const { target, api_key, run_id, ...body } = asked;
  const headers = {
    "content-type": "application/json",
    ...(api_key !== null && { authorization: `Bearer ${api_key}` }),
  };
  const url = `${target.replace(/\/+$/, "")}/v1/runs/${encodeURIComponent(run_id)}/rescore`;
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) }).catch((error) => {
    throw new RescoreFault(`${target} does not answer: ${(error as Error).cause ?? (error as Error).message}`);
  });
  if (response.status !== 200) throw new RescoreFault(await refusalOf(response));
  try {
    for await (const text of linesOf(response)) {
      const line = lineOf(text);
      if (line.type === "end") return line;
      if (line.type === "error") throw new RescoreFault(`cut off: ${line.code}, ${line.detail}`);
      onGroup(line);
    }
  } catch (fault) {
    if (fault instanceof RescoreFault) throw fault;
    throw new RescoreFault(`the stream broke off (${(fault as Error).message}): its groups are not the whole run`);
  }
  throw new RescoreFault("the stream ended before its last line: its groups are not the whole run");
}

function lineOf(text: string): Line {
  try {
    return LineSchema.parse(JSON.parse(text));
  } catch {
    throw new RescoreFault(`a line is not one of Kritai's: ${text.slice(0, 200)}; is --target right?`);
  }
}

async function refusalOf(response: Response): Promise<string> {
  const problem = ProblemSchema.safeParse(await response.json().catch(() => null));
  if (!problem.success) return `answered ${response.status}, and not as Kritai does; is --target right?`;
  const { code, detail, errors } = problem.data;
  const fields = errors.map(({ path, message }) => `\n  ${path}: ${message}`).join("");
  return fields === "" ? `${code}: ${detail}` : `${code}:${fields}`;
}
