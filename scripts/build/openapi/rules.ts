// Rules between fields that JSON Schema can express but zod does not generate, by component of the OpenAPI
// document. The validating code is authoritative.

import { elements, fields, has, needs, type Rule, when } from "../../../src/api/tools/shared/page.ts";
import { NEEDS_PASS_RATES, PAIRS_ONLY } from "../../../src/core/formulations/formulations.ts";
import { PROMPTS } from "../../../src/core/judges/templates.generated.ts";
import { contractRules } from "./contracts.ts";

const overlong = has({ overlong: { type: "object" } });
const lengths = needs("length_tokens");
const judge: Rule = {
  ...when(has({ mode: { const: "listwise" } }), fields({ schedule: { const: "single_list" } })),
  else: fields({ schedule: { const: "round_robin" } }),
  // Presets and stored templates are also prompts, so a stored spec may contain any name.
  ...fields({ prompt: { examples: Object.keys(PROMPTS) } }),
};

/** Applies `then` to the items of these formulations, and `otherwise` to those of all others. */
const formulations = (names: ReadonlySet<string>, then: Rule, otherwise?: Rule): Rule => ({
  ...when(fields({ formulation: { enum: [...names] } }), elements("items", then)),
  ...(otherwise !== undefined && { else: elements("items", otherwise) }),
});

/**
 * Rules by component. The routes reject everything that a rule rejects, which
 * test/api/routes/documented-bodies.test.ts checks. JSON Schema cannot express equal list lengths, an index
 * or count below another field, sums over a list, stored names or safe expressions.
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

/** Merges a rule into a schema: objects field by field; any other value is replaced. */
export function laidOver(schema: unknown, rule: Rule): Rule {
  const laid: Record<string, unknown> = { ...(schema as Rule | undefined) };
  for (const [keyword, value] of Object.entries(rule)) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    laid[keyword] = isObject ? laidOver(laid[keyword], value as Rule) : value;
  }
  return laid;
}
