// Counts the tokens of a request by model.
import type { ModelTokens } from "../core/load/prices.ts";
import type { CompiledSpec } from "../core/reward/compiled-spec.ts";
import type { GroupSignals } from "../core/reward/group-signals.ts";

/**
 * Sums the tokens charged to the groups, by model and by the name under which the model was requested.
 * @param configured the verifier's default model, used if a judge names no model
 */
export function modelTokens(
  groups: readonly GroupSignals[],
  { signals }: CompiledSpec,
  configured: string | null,
): ModelTokens[] {
  const names = new Map(signals.map(({ name, judge }) => [name, judge?.model ?? configured]));
  const used: ModelTokens[] = [];
  for (const { signal, charged, readings } of groups.flatMap((group) => [...group.earlier, ...group.asked()])) {
    const asked = names.get(signal) ?? null;
    for (const { model, prompt_tokens, completion_tokens } of charged ? readings : []) {
      if (prompt_tokens + completion_tokens === 0) continue;
      const known = used.find((entry) => entry.model === model && entry.asked === asked);
      if (known === undefined) used.push({ model, asked, prompt_tokens, completion_tokens });
      else {
        known.prompt_tokens += prompt_tokens;
        known.completion_tokens += completion_tokens;
      }
    }
  }
  return used;
}
