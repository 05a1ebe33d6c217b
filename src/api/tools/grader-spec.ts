// Owns what a grader of OpenAI means here: each is a signal of its kind, a multi an expression over
// them. Pure; knows no HTTP.
import { ApiError, type FieldError } from "../../core/faults/errors.ts";
import { compileSpec, type SignalsSpec } from "../../core/reward/compiled-spec.ts";
import { SignalsSpecSchema } from "../../core/reward/signals-spec.ts";
import { unsupported } from "../content/shown-body.ts";
import { invalidRequest, validAt } from "../door/validation.ts";
import type { Grader, InputPart, OneGrader } from "./grader-schema.ts";

/** A grader as a spec. */
export interface GraderSpec {
  spec: SignalsSpec;
  /** In the grader's order. */
  parts: readonly GraderPart[];
}

/** One grader and the signal that it is. */
export interface GraderPart {
  signal: string;
  name: string;
  /** Where it stands in the request. */
  path: string;
  grader: OneGrader;
}

const refuse = (path: string, message: string): never => {
  throw invalidRequest([{ path, message }]);
};

/** A name in a formula, and one that is a signal's name as it is: others take one of ours. */
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const SIGNAL = /^(?!(?:length|step|and|or|not|if|g[0-9]+)$)[a-z][a-z0-9_]{0,31}$/;

function partsOf(grader: Grader): GraderPart[] {
  if (grader.type !== "multi") return [{ signal: "grader", name: grader.name, path: "grader", grader }];
  const { graders } = grader;
  // A map may hold a grader under the name `type`, but no text there.
  const single = typeof graders.type === "string";
  const entries = single
    ? [[(graders as OneGrader).name, graders as OneGrader] as const]
    : Object.entries(graders as Record<string, OneGrader>);
  return entries.map(([name, entry], i) => {
    const path = single ? "grader.graders" : `grader.graders.${name}`;
    if (!NAME.test(name)) refuse(path, "its name cannot stand in calculate_output: letters, digits and _ alone");
    return { signal: SIGNAL.test(name) ? name : `g${i}`, name, path, grader: entry };
  });
}

/** The formula with the signals' names in place of the graders'. */
function formulaOf(calculate_output: string, parts: readonly GraderPart[]): string {
  const signals = new Map(parts.map(({ name, signal }) => [name, signal]));
  return calculate_output.replace(/[A-Za-z_][A-Za-z0-9_]*(?!\s*\()/g, (word, at: number) =>
    /[0-9.]/.test(calculate_output[at - 1] ?? "") ? word : (signals.get(word) ?? word),
  );
}

const textOf = (part: InputPart, path: string): string => {
  if (typeof part === "string") return part;
  if ("text" in part && typeof part.text === "string") return part.text;
  return refuse(path, `a part of the type ${part.type.slice(0, 32)} is no text: the verifier is shown texts alone`);
};

function messagesOf({ input }: Extract<OneGrader, { input: unknown[] }>, path: string) {
  return input.map(({ role, content }, i) => ({
    role: role === "developer" ? "system" : role,
    content: [content]
      .flat()
      .map((part) => textOf(part, `${path}.input[${i}].content`))
      .join(""),
  }));
}

/** `default` is whatever the verifier serves. */
const modelOf = (model: string) => ({ model: model === "default" ? null : model });

const NOT_HERE: Readonly<Record<string, string>> = {
  cosine: "needs an embedding model, and none is configured here",
  meteor: "needs WordNet, and none is here",
};

/** A grader as a signal's settings. Throws ApiError `invalid_request` for what there is none of. */
function settingsOf({ grader, path }: GraderPart): Record<string, unknown> {
  switch (grader.type) {
    case "python":
      return refuse(
        `${path}.type`,
        "python graders run code, and this service runs none; send results as tests, or name another grader",
      );
    case "string_check": {
      const { input, reference, operation } = grader;
      return { input, reference, operation };
    }
    case "text_similarity": {
      const { input, reference, evaluation_metric } = grader;
      const missing = NOT_HERE[evaluation_metric];
      if (missing !== undefined) refuse(`${path}.evaluation_metric`, `${evaluation_metric} ${missing}`);
      return { input, reference, evaluation_metric };
    }
    case "label_model": {
      const { labels, passing_labels, model } = grader;
      return { input: messagesOf(grader, path), labels, passing_labels, judge: modelOf(model) };
    }
    case "score_model": {
      const { range, model, sampling_params } = grader;
      const { max_completions_tokens, temperature, top_p, reasoning_effort } = sampling_params ?? {};
      if (reasoning_effort != null)
        refuse(`${path}.sampling_params.reasoning_effort`, "has no place here: leave it out");
      const given = { max_tokens: max_completions_tokens, temperature, top_p };
      const sampling = Object.fromEntries(Object.entries(given).filter(([, value]) => value != null));
      return {
        input: messagesOf(grader, path),
        ...(range != null && { range }),
        judge: { ...modelOf(model), ...sampling },
      };
    }
  }
}

/** A spec has one seed. */
function seedOf(parts: readonly GraderPart[]): { seed?: number } {
  const seeds = parts.flatMap(({ grader, path }) => {
    const seed = grader.type === "score_model" ? grader.sampling_params?.seed : undefined;
    return seed == null ? [] : [{ seed, path }];
  });
  const [first, ...others] = seeds;
  const other = others.find(({ seed }) => seed !== first?.seed);
  if (other !== undefined) refuse(`${other.path}.sampling_params.seed`, "all graders of a multi share one seed");
  return first === undefined ? {} : { seed: first.seed };
}

/** A fault's place in the spec, or in the scoring request, as a place in the grader's. */
function placeOf(path: string, parts: readonly GraderPart[]): string {
  const inside = path.replace(/^spec\./, "").replace(/^groups\[0\]\./, "");
  if (inside === "reward") return "grader.calculate_output";
  if (inside === "seed") return "grader.sampling_params.seed";
  if (inside === "rollouts[0].text") return "model_sample";
  if (!inside.startsWith("signals.")) return inside;
  const part = parts.find(({ signal }) => `${inside}.`.startsWith(`signals.${signal}.`));
  if (part === undefined) return "grader";
  const suffix = inside
    .slice(`signals.${part.signal}`.length)
    .replace(".judge.model", ".model")
    .replace(".judge.max_tokens", ".sampling_params.max_completions_tokens")
    .replace(".judge.", ".sampling_params.");
  return `${part.path}${suffix}`;
}

/** The same fault by the grader's own fields. */
export function inGraderTerms(error: unknown, { parts }: Pick<GraderSpec, "parts">): unknown {
  if (!(error instanceof ApiError) || error.errors.length === 0) return error;
  const errors = error.errors.map(({ path, message }) => ({ path: placeOf(path, parts), message }));
  const [{ path, message }] = errors as [FieldError];
  return new ApiError(error.code, `${path}: ${message}.`, { errors, headers: error.headers });
}

/**
 * The spec of a grader: the sample as it is, each grader a signal, calculate_output the reward.
 * @throws ApiError `invalid_request` naming the grader's field, `unbounded_reward`
 */
export function graderSpec(grader: Grader): GraderSpec {
  const parts = partsOf(grader);
  const given = {
    candidate: { extract: "whole" },
    signals: Object.fromEntries(parts.map((part) => [part.signal, { kind: part.grader.type, ...settingsOf(part) }])),
    ...(grader.type === "multi" && { reward: formulaOf(grader.calculate_output, parts) }),
    ...seedOf(parts),
  };
  try {
    const spec = validAt(SignalsSpecSchema, given, []);
    compileSpec(spec, 1);
    return { spec, parts };
  } catch (error) {
    throw inGraderTerms(error, { parts });
  }
}

/** Throws `unsupported_content` for a run: a grader that compares texts would see its last words alone. */
export function requireModels(parts: readonly GraderPart[]): void {
  const text = parts.find(({ grader }) => grader.type === "string_check" || grader.type === "text_similarity");
  if (text === undefined) return;
  const message = `a run of messages, of which ${text.grader.type} would compare the last words alone`;
  throw unsupported([{ path: "model_sample", message }]);
}
