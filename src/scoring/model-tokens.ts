// Owns which model used how many tokens of a request. Knows no price.
import type { ModelTokens } from "../core/load/prices.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import type { GroupSignals } from "../core/reward/group-signals.ts";

/**
 * The tokens of every reading that the groups are charged for.
 * @param configured the model that the verifier asks for where a judge names none
 */
export function modelTokens(
  groups: readonly GroupSignals[],
  { signals }: CompiledSpec,
  configured: string | null,
): ModelTokens[] {
  const asked = new Map(signals.map(({ name, judge }) => [name, judge?.model ?? configured]));
  return groups.flatMap((group) =>
    [...group.earlier, ...group.asked()].flatMap(({ signal, charged, readings }) =>
      readings.flatMap(({ model, prompt_tokens, completion_tokens }): ModelTokens[] =>
        charged && prompt_tokens + completion_tokens > 0
          ? [{ model, asked: asked.get(signal) ?? null, prompt_tokens, completion_tokens }]
          : [],
      ),
    ),
  );
}
