// Scores a list of (prompt, answer) pairs for APIs whose clients read scores by position: either every pair
// gets a number, or the request fails.
import { hasContent } from "../../../core/candidate/extract.ts";
import type { ItemErrorCode } from "../../../core/faults/errors.ts";
import { counted } from "../../../core/faults/limit-advice.ts";
import { compileSpec } from "../../../core/reward/compiled-spec.ts";
import type { AppDeps } from "../../door/deps.ts";
import type { AppContext } from "../../door/scope.ts";
import { invalidRequest } from "../../door/validation.ts";
import { beginJudging, notComparable, refuseUnmet, type Usage, usageOf } from "./judging.ts";
import { noChoice, type Refusal, refused, regrouped } from "./page.ts";
import { named, namedByCode } from "./ranked-documents.ts";
import { noneGoodEnough } from "./ranking-options.ts";
import { regroup } from "./regrouping.ts";
import { completed, type Relevances } from "./relevance.ts";
import type { TextRequest } from "./text-route.ts";
import { chooseTextSpec } from "./text-spec.ts";
import { incomplete, Unjudged } from "./unjudged.ts";

export interface TextPair {
  prompt: string;
  text: string;
}

const BY_PLACE = "not supported here: clients match scores by position, so every score is required";

interface Pairs {
  /** The pairs, and the field that contains the answers, for error messages. Throws `invalid_request`. */
  paired(): { field: string; pairs: readonly TextPair[] };
}

/**
 * Scores the pairs, in their order. Answers to equal prompts are compared with each other. Answers that
 * failed because of their content get the lowest score.
 * @throws ApiError for invalid requests; `Unjudged` if an infrastructure failure left a pair without a score
 */
export async function scorePairs(
  c: AppContext,
  deps: AppDeps,
  { contract, paired, model, raw, options }: Pairs & TextRequest,
): Promise<{ scores: number[]; usage: Usage; warnings: string[] }> {
  const { field, pairs } = paired();
  if (options.on_incomplete === "leave_out")
    throw invalidRequest([{ path: "kritai.on_incomplete", message: BY_PLACE }]);
  const flat = pairs.map(({ prompt, text }) => ({ prompt, label: null, language: null, rollout: { text } }));
  const { groups, places } = regroup(flat, field);
  const texts = pairs.map(({ text }) => text);
  const spec = await chooseTextSpec(deps, c.get("scope"), options, model, texts);
  const compiled = compileSpec(spec);
  refuseUnmet(compiled, field);
  if (compiled.relative) refuseLonely(pairs, field);
  const comparable = notComparable(c, deps, compiled, groups);
  const scored = await beginJudging(c, deps, contract, { groups, spec, field, interactive: true }, options).scored;
  const byGroup = groups.map((_, g) => completed(scored, spec, raw, g));
  const within = (codesOf: (found: Relevances) => ReadonlyMap<number, ItemErrorCode>) =>
    new Map(
      places.flatMap(({ group, member }, i) => {
        const code = codesOf(byGroup[group] as Relevances).get(member);
        return code === undefined ? [] : [[i, code] as const];
      }),
    );
  const missing = within((found) => found.missing);
  if (missing.size > 0) throw incomplete(scored, new Map([...missing].map(([i, code]) => [`${field}[${i}]`, code])));
  const scores = places.map(({ group, member }) => byGroup[group]?.scores[member] as number);
  const warnings = [
    ...comparable,
    ...noneGoodEnough(scores, options),
    ...namedByCode(
      "last_unjudged",
      within((found) => found.last),
    ),
    ...named(
      "no_text",
      pairs.flatMap(({ text }, i) => (hasContent(text) ? [] : [i])),
    ),
    ...scored.reply.warnings,
    ...options.ignored,
  ];
  return { scores, usage: usageOf(scored.reply.groups), warnings };
}

/**
 * Pairs the strings of the left side with those of the right side: one to one, or a single left string with
 * each right string. Throws `invalid_request` if the numbers do not match.
 */
export function pairUp(
  first: string | string[],
  other: string | string[],
  names: readonly [string, string],
): TextPair[] {
  const [left, right] = [[first].flat(), [other].flat()];
  if (left.length !== 1 && left.length !== right.length) {
    const message = `${counted(left.length)}, but ${names[1]} has ${right.length}; send 1, or as many`;
    throw invalidRequest([{ path: names[0], message }]);
  }
  return right.map((text, i) => ({ prompt: left[left.length === 1 ? 0 : i] as string, text }));
}

/** Rejects prompts with a single answer before judging, for specs that compare answers. */
function refuseLonely(pairs: readonly TextPair[], field: string): void {
  const counts = new Map<string, number>();
  for (const { prompt } of pairs) counts.set(prompt, (counts.get(prompt) ?? 0) + 1);
  const lonely = pairs.findIndex(({ prompt }) => counts.get(prompt) === 1);
  if (lonely < 0) return;
  const detail = `${field}[${lonely}] is the only text of its prompt, and the spec compares texts. Send at least 2 texts per prompt, or use a spec without comparisons.`;
  throw new Unjudged("group_too_small", { detail });
}

/** Documented error conditions of these APIs. */
export const pairRefusals = (): Refusal[] => [
  refused("different lengths", "queries|data_1|text_1|query", "^\\d+ elements?, but \\w+ has \\d+"),
  {
    why: "no other text with the same prompt",
    status: 400,
    code: "group_too_small",
    words: "the only text of its prompt",
  },
  refused("two pairs of fields", "documents|items|data_2|text_2", "send one pair of fields"),
  regrouped(),
  noChoice(),
];
