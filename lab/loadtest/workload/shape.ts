// Turns groups of rollouts into request bodies of any sort, by the run's shape.

import { questionText } from "../../../src/core/candidate/taken.ts";
import type { Group } from "../../../src/core/contract/group.ts";
import { LETTERS } from "../../../src/core/judges/render.ts";
import type { SpecInput } from "../../../src/core/reward/flat-spec.ts";
import type { Workload } from "../kinds/item.ts";
import { MARK } from "../kinds/kind.ts";

/** How requests are made out of groups. */
export interface Shape {
  mode: "pairwise" | "listwise";
  samples: number;
  both_orders: boolean;
  /** Tokens of a generation; null: the spec's default. */
  max_tokens: number | null;
  groups_per_request: number;
  /** Rollouts taken of each group; null: all. */
  group_size: number | null;
  deadline_ms: number;
  /** Whether each request's question begins with a separate mark. */
  marked: boolean;
}

function specOf({ mode, samples, both_orders, max_tokens }: Shape): SpecInput {
  const judge = { mode, samples, both_orders };
  return { judge: max_tokens === null ? judge : { ...judge, max_tokens } };
}

/**
 * The question with its mark in front: what comes first in a prompt decides what a prefix cache
 * knows.
 */
const marked = (question: string, shape: Shape) => (shape.marked ? `(${MARK})\n${question}` : question);

const cut = (group: Group, { group_size }: Shape): Group =>
  group_size === null ? group : { ...group, rollouts: group.rollouts.slice(0, group_size) };

function rewardsItems(groups: readonly Group[], shape: Shape): Workload {
  const spec = specOf(shape);
  const items = groups.map((_, first) => ({
    run_id: "loadtest",
    step: 0,
    spec,
    deadline_ms: shape.deadline_ms,
    groups: Array.from({ length: shape.groups_per_request }, (_, k) => {
      const group = cut(groups[(first + k) % groups.length] as Group, shape);
      return { ...group, group_id: String(k), prompt: marked(questionText(group.prompt), shape) };
    }),
  }));
  return { bodyType: "groups", name: "", items };
}

function rerankItems(groups: readonly Group[], shape: Shape): Workload {
  const items = groups.map((group) => ({
    query: marked(questionText(group.prompt), shape),
    documents: cut(group, shape).rollouts.map(({ text }) => text),
  }));
  return { bodyType: "rerank", name: "", items };
}

/** Verdict texts of a plausible length: the rollouts' own texts replace thoughts, every tenth has no box. */
function verdictItems(groups: readonly Group[], shape: Shape): Workload {
  const items = groups.map((group) => {
    const { rollouts } = cut(group, shape);
    const texts = rollouts.map(({ text }, r) => {
      const box = r % 10 === 9 ? "I cannot tell." : `\\boxed{${LETTERS[r % Math.min(5, rollouts.length)]}}`;
      return { text: `<think>\n${text.replaceAll("think>", "thought>")}\n</think>\n${box}`, candidates: 5, correct: 0 };
    });
    return { formulation: "list_em", items: texts };
  });
  return { bodyType: "verdicts", name: "", items };
}

/** Bodies of the sort that is asked for, one beginning at each group. */
export function shapeWorkload(bodyType: Workload["bodyType"], groups: readonly Group[], shape: Shape): Workload {
  if (bodyType === "groups") return rewardsItems(groups, shape);
  return bodyType === "rerank" ? rerankItems(groups, shape) : verdictItems(groups, shape);
}
