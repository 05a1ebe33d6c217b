// Parses a flat batch: lists of prompts, completions and columns, under any of the field names that TRL,
// ms-swift, FAI-RL and verl's batch manager use.

import * as z from "zod";
import { said } from "#said";
import { AnyJsonSchema } from "../../../core/contract/any-json.ts";
import { RolloutSchema } from "../../../core/contract/group.ts";
import { LanguageSchema, SpecNameSchema } from "../../../core/contract/request-fields.ts";
import { fieldPath } from "../../../core/faults/json-fault.ts";
import { counted } from "../../../core/faults/limit-advice.ts";
import { LIMITS } from "../../../core/faults/limits.ts";
import { RewardsRequestSchema } from "../../../core/reward/requests.ts";
import { SPEC_FORMS, SpecSchema } from "../../../core/reward/signals-spec.ts";
import type { ContentPlace } from "../../content/shown-body.ts";
import { invalidRequest, overLimit, validAt, validated } from "../../door/validation.ts";
import { ScoreBatchReplySchema } from "../../routes/score-batch-reply.ts";
import { contractBody } from "./contract.ts";
import { CompletionSchema, ConversationSchema, PromptSchema } from "./messages.ts";
import { type Options, ResponseFieldSchema } from "./options.ts";
import type { FlatItem } from "./regrouping.ts";

const { run_id, step, deadline_ms } = RewardsRequestSchema.shape;

/**
 * Fields that apply to the whole batch. `spec` is validated separately, because it rejects unknown fields.
 */
const HeadSchema = z.object({
  run_id: run_id.nullish(),
  step: step.nullish(),
  deadline_ms: deadline_ms.unwrap().nullish(),
  response_field: ResponseFieldSchema.nullish(),
});

const LengthSchema = RolloutSchema.shape.length_tokens.unwrap();
const RateSchema = RolloutSchema.shape.pass_rate.nullable();

const columns = z.record(z.string(), z.unknown()).nullish();

/**
 * The documented request body. Aliases of the fields are also accepted (docs/integrations/score-batch.md).
 */
export const ScoreBatchRequestSchema = HeadSchema.extend({
  spec: z.union([SpecNameSchema, ...SPEC_FORMS]).nullish(),
  prompts: z.array(PromptSchema),
  completions: z.array(CompletionSchema),
  completion_ids: z
    .array(z.array(z.int()))
    .nullish()
    .meta(said("token ids; only their number is used, as `length_tokens`")),
  length_tokens: z.array(LengthSchema).nullish(),
  pass_rate: z.array(RateSchema).nullish().meta(said("pass rates, used only for metrics")),
  context: columns.meta(said("other columns of the dataset, each as long as `completions`")),
  kwargs: columns,
});

type BatchBody = Record<string, unknown>;

/**
 * Fields that may contain columns. They are searched before the body itself, so that they are not hidden by a
 * top-level dataset column with the same name.
 */
const HOLDERS = ["context", "kwargs", "columns"] as const;

const PROMPTS = ["prompts", "messages", "extra_infos"] as const;
const COMPLETIONS = ["completions", "solution_strs"] as const;
const LABELS = ["labels", "label", "answers", "answer", "solutions", "solution", "ground_truths", "ground_truth"];
const LENGTHS = ["length_tokens", "completion_ids", "response_token_ids"] as const;

/** Fields that contain content, under all of their aliases. */
export const FLAT_CONTENT: readonly ContentPlace[] = ["", ...HOLDERS.map((holder) => `${holder}.`)].flatMap((at) => [
  { at: `${at}prompts[]`, carrier: "prompt" },
  { at: `${at}messages[]`, carrier: "prompt" },
  { at: `${at}extra_infos[].question`, carrier: "prompt" },
  { at: `${at}extra_infos[].prompt`, carrier: "prompt" },
  { at: `${at}extra_infos`, carrier: "rows" },
  ...COMPLETIONS.map((name) => ({ at: `${at}${name}[]`, carrier: "completion", side: "answer" }) as const),
  ...(at === "" ? [] : [{ at: at.slice(0, -1), carrier: "row" } as const]),
]);

interface BatchColumn {
  name: string;
  path: string;
  values: unknown[];
}

function find(body: BatchBody, names: readonly string[]): BatchColumn | null {
  for (const name of names) {
    for (const holder of [...HOLDERS, null]) {
      const at = holder === null ? body : body[holder];
      const values = typeof at === "object" && at !== null ? (at as BatchBody)[name] : undefined;
      if (Array.isArray(values)) return { name, path: holder === null ? name : `${holder}.${name}`, values };
    }
  }
  return null;
}

function findColumn(body: BatchBody, names: readonly string[], length: number): BatchColumn | null {
  const found = find(body, names);
  if (found === null || found.values.length === length) return found;
  throw invalidRequest([
    { path: found.path, message: `${counted(found.values.length)} for ${counted(length, "completion")}` },
  ]);
}

/** Parses each element by the schema. Throws `invalid_request`, naming the first invalid element. */
function parseEach<S extends z.ZodType>(schema: S, { path, values }: BatchColumn): z.output<S>[] {
  return values.map((value, i) => validAt(schema, value, [...path.split("."), i]));
}

/** Extracts the prompt from verl's `extra_info`, since verl does not send the prompt elsewhere. */
export const ExtraInfoSchema = z
  .object({ question: PromptSchema.optional(), prompt: PromptSchema.optional() })
  .transform(({ question, prompt }, context) => {
    const held = question ?? prompt;
    if (held !== undefined) return held;
    context.addIssue({
      code: "custom",
      message: "must contain question or prompt, because verl does not pass the prompt elsewhere",
    });
    return z.NEVER;
  });

function prompts(body: BatchBody, length: number): FlatItem["prompt"][] {
  const found = findColumn(body, PROMPTS, length);
  if (found === null) throw invalidRequest([{ path: "prompts", message: "required (array)" }]);
  if (found.name === "messages") return parseEach(ConversationSchema, found);
  return parseEach(found.name === "extra_infos" ? ExtraInfoSchema : PromptSchema, found);
}

const LanguageOrNull = LanguageSchema.nullable();

function lengths(body: BatchBody, length: number): (number | undefined)[] {
  const found = findColumn(body, LENGTHS, length);
  if (found === null) return [];
  const counted = found.values.map((value) => (Array.isArray(value) ? value.length : value));
  return parseEach(LengthSchema, { ...found, values: counted });
}

function languages(body: BatchBody, length: number): (string | null)[] {
  if (typeof body.language === "string") {
    return new Array(length).fill(contractBody(z.object({ language: LanguageOrNull }), body).language);
  }
  const found = findColumn(body, ["language"], length);
  return found === null ? [] : parseEach(LanguageOrNull, found);
}

interface FlatBatch {
  run_id: string | undefined;
  step: number | undefined;
  deadline_ms: number | undefined;
  spec: z.output<typeof RewardsRequestSchema>["spec"];
  items: FlatItem[];
  /** Path of the completions in the body, for error messages. */
  field: string;
  /** Whether the batch contains the completions' lengths in tokens. */
  has_lengths: boolean;
  /** Name of an additional reply field that repeats the rewards. */
  response_field: string;
}

/**
 * Parses a flat batch. Values that are missing in the body are taken from the URL. Unknown fields are ignored
 * unless they are columns.
 * @throws ApiError `invalid_request`, naming the field, the element and the limit
 */
export function readFlatBatch(body: BatchBody, options: Options): FlatBatch {
  const head = contractBody(HeadSchema, body);
  const found = find(body, COMPLETIONS);
  if (found === null) throw invalidRequest([{ path: "completions", message: "required (array)" }]);
  const field = fieldPath(found.path.split("."));
  const count = found.values.length;
  if (count > LIMITS.rollouts_per_request_max) {
    throw invalidRequest([{ path: found.path, message: overLimit(count, "rollouts_per_request_max") }]);
  }
  const promptOf = prompts(body, count);
  const rollouts = parseEach(CompletionSchema, found);
  const labelled = findColumn(body, LABELS, count);
  const labels = labelled === null ? [] : parseEach(AnyJsonSchema, labelled);
  const tokens = lengths(body, count);
  const rates = findColumn(body, ["pass_rate", "pass_rates"], count);
  const rateOf = rates === null ? [] : parseEach(RateSchema, rates);
  const languageOf = languages(body, count);
  const items = rollouts.map((rollout, i): FlatItem => {
    const [length_tokens, pass_rate] = [tokens[i], rateOf[i] ?? undefined];
    const measured = {
      ...(length_tokens !== undefined && { length_tokens }),
      ...(pass_rate !== undefined && { pass_rate }),
    };
    const prompt = promptOf[i] as FlatItem["prompt"];
    return { prompt, label: labels[i], language: languageOf[i] ?? null, rollout: { ...rollout, ...measured } };
  });
  const spec = specOf(body) ?? options.spec ?? "default";
  const response_field = head.response_field ?? options.response_field ?? "rewards";
  if (response_field !== "rewards" && Object.hasOwn(ScoreBatchReplySchema.shape, response_field)) {
    throw invalidRequest([{ path: "response_field", message: "another field of the reply has this name" }]);
  }
  if (items.length === 0) throw invalidRequest([{ path: field, message: "0 elements; must be at least 1" }]);
  return {
    run_id: head.run_id ?? options.run_id,
    step: head.step ?? options.step,
    deadline_ms: head.deadline_ms ?? options.deadline_ms,
    ...{ spec, items, field, has_lengths: tokens.length > 0, response_field },
  };
}

function specOf({ spec }: BatchBody): FlatBatch["spec"] | undefined {
  if (spec === undefined || spec === null) return undefined;
  const schema = typeof spec === "string" ? SpecNameSchema : SpecSchema;
  return validated(z.object({ spec: schema }), { spec }).spec;
}
