// The spec: every setting that decides a reward, with its default and its canonical form. Hashing the spec is
// left to the callers.
import * as z from "zod";
import { said } from "#said";
import { bound } from "../faults/limit-advice.ts";
import type { CandidateRule } from "./candidate-rule.ts";
import type { JudgeSettings } from "./judge-settings.ts";
import type { KeptTexts } from "./kept-texts.ts";

const tokens = z
  .int()
  .min(1)
  .max(...bound("overlong_tokens_max"));

/** Soft overlong punishment (DAPO Eq. 13): M = max_tokens, C = cache_tokens, 0 < C <= M. */
export const OverlongSchema = z
  .strictObject({
    max_tokens: tokens.meta(said("M: length in policy tokens at which the penalty reaches -1")),
    cache_tokens: tokens.meta(said("C: the penalty grows linearly over the last C tokens before M")),
    clamp: z.boolean().default(true),
  })
  .refine((o) => o.cache_tokens <= o.max_tokens, {
    path: ["cache_tokens"],
    message: "cache_tokens must be at most max_tokens",
  });
export type Overlong = z.output<typeof OverlongSchema>;

const FormatRuleSchema = z.union([
  z.enum(["has_candidate", "closed_think", "judgeable", "fits"]),
  z.strictObject({
    regex: z
      .string()
      .min(1)
      .max(...bound("regex_chars")),
  }),
  z.strictObject({
    shown: z
      .number()
      .min(0)
      .max(1)
      .meta(
        said("minimum share of a run that the verifier sees under `extract: whole`; text cut for length is not seen"),
      ),
  }),
]);
export type FormatRule = z.output<typeof FormatRuleSchema>;

export const FormatSchema = z.strictObject({
  rules: z
    .array(FormatRuleSchema)
    .max(...bound("format_rules_max"))
    .default(["has_candidate"]),
  penalty: z
    .number()
    .min(0)
    .max(...bound("format_penalty_max"))
    .default(1),
});

export const SeedSchema = z
  .int()
  .min(0)
  .max(...bound("integer_max"))
  .default(0);

/** Settings for judging a share of the groups again with a second judge; see ../reward/audit.ts. */
export interface Audit {
  share: number;
  judge: JudgeSettings;
}

/** The canonical form of a spec without signals. The schema is in ../reward/flat-spec.ts. */
export interface FlatSpec extends KeptTexts {
  judge: JudgeSettings;
  candidate: CandidateRule;
  /** Name of the score. */
  reward: string;
  format: z.output<typeof FormatSchema>;
  overlong: Overlong | null;
  seed: number;
  audit?: Audit;
}

/** `strip_comments` has no effect, but it is a part of every canonical spec. */
const DEFAULT_CANDIDATE = { extract: "last_code_block", strip_comments: false } as const;

/**
 * The spec named `default`, in which every setting has its default value. Written out, because a Worker builds
 * no schema at its start.
 */
export const DEFAULT_SPEC: FlatSpec = {
  reward: "win_rate",
  format: { rules: ["has_candidate"], penalty: 1 },
  overlong: null,
  seed: 0,
  log_texts: undefined,
  candidate: DEFAULT_CANDIDATE,
  judge: {
    mode: "pairwise",
    form: "exact_match",
    both_orders: false,
    samples: 1,
    vote: "majority",
    prompt: "code-select",
    model: null,
    temperature: 0.6,
    top_p: 0.95,
    max_tokens: 16384,
    schedule: "round_robin",
  },
};
