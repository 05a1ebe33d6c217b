// The rules between fields that JSON Schema can say and zod's output does not, by component of the OpenAPI
// document. Their truth is the code that refuses.

import { elements, fields, has, needs, type Rule, when } from "../../../src/api/tools/shared/page.ts";
import { NEEDS_PASS_RATES, PAIRS_ONLY } from "../../../src/core/formulations/formulations.ts";
import { PROMPTS } from "../../../src/core/judges/templates.generated.ts";
import { contractRules } from "./contracts.ts";

const overlong = has({ overlong: { type: "object" } });
const lengths = needs("length_tokens");
const judge: Rule = {
  ...when(has({ mode: { const: "listwise" } }), fields({ schedule: { const: "single_list" } })),
  else: fields({ schedule: { const: "round_robin" } }),
  // Presets and stored templates are prompts, too: a stored spec's may hold any name.
  ...fields({ prompt: { examples: Object.keys(PROMPTS) } }),
};

/** The needs of these formulations' items; the others' items `otherwise`. */
const formulations = (names: ReadonlySet<string>, then: Rule, otherwise?: Rule): Rule => ({
  ...when(fields({ formulation: { enum: [...names] } }), elements("items", then)),
  ...(otherwise !== undefined && { else: elements("items", otherwise) }),
});

/**
 * By component. Nothing here refuses what the routes accept, and what it refuses they refuse:
 * test/api/routes/documented-bodies.test.ts. Not sayable: lists of one length, an index or a count
 * below another field, sums over a list, names that are stored, safe expressions.
 */
export const RULES: Readonly<Record<string, Rule>> = {
  Spec: fields({ judge }),
  RewardsRequest: {
    ...when(has({ spec: { type: "object", ...overlong } }), elements("groups", elements("rollouts", lengths))),
    ...fields({ spec: { default: "default" } }),
  },
  VerdictsRequest: {
    allOf: [
      formulations(NEEDS_PASS_RATES, needs("pass_rates"), {
        anyOf: [needs("pass_rates"), needs("candidates", "correct")],
      }),
      formulations(
        PAIRS_ONLY,
        fields({
          candidates: { const: 2 },
          correct: { maximum: 1 },
          pass_rates: { maxItems: 2 },
        }),
      ),
      when(overlong, elements("items", lengths)),
    ],
  },
  ...contractRules(),
};

/** The schema with the rule laid over it: objects field by field, everything else replaced. */
export function laidOver(schema: unknown, rule: Rule): Rule {
  const laid: Record<string, unknown> = { ...(schema as Rule | undefined) };
  for (const [keyword, value] of Object.entries(rule)) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    laid[keyword] = isObject ? laidOver(laid[keyword], value as Rule) : value;
  }
  return laid;
}
