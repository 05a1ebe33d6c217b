// The cost of the tokens that verifiers use: parses the setting PRICES and computes the cost per model.
import * as z from "zod";
import { LIMITS } from "../faults/limits.ts";

/** In US dollars per million tokens, which equals millionths of a dollar per token. */
export interface Price {
  input: number;
  output: number;
}

/** Prices by model name. */
export type Prices = ReadonlyMap<string, Price>;

const dollars = z.number().min(0).max(LIMITS.price_max);
const PricesSchema = z.record(
  z.string().min(1).max(LIMITS.model_chars),
  z.strictObject({ input: dollars, output: dollars }),
);

/**
 * Parses the setting PRICES, for example `{"judge-14b": {"input": 0.2, "output": 0.8}}`.
 * @throws Error if the string has any other form
 */
export function parsePrices(text: string): Prices {
  return new Map(Object.entries(PricesSchema.parse(JSON.parse(text))));
}

/** Tokens used by one model. */
export interface ModelTokens {
  /** The model named in the reply; null if the reply named none. */
  model: string | null;
  /** The model named in the request; null if the request left the choice to the backend. */
  asked: string | null;
  prompt_tokens: number;
  completion_tokens: number;
}

export interface TokenCost {
  /** In US dollars, not counting the tokens of models without a price. */
  usd: number;
  /** Number of tokens used by models without a price. */
  unpriced_tokens: number;
  /**
   * In US dollars, with unpriced tokens at the highest listed price: an upper bound if all models are listed.
   */
  usd_most: number;
}

/**
 * Converts to dollars, rounded to billionths, which is far coarser than the floating-point error of the sum.
 */
const dollarsOf = (millionths: number) => Math.round(millionths * 1_000) / 1_000_000_000;

/**
 * Computes the cost of tokens. The price is looked up by the model in the reply or, failing that, by the
 * model in the request.
 */
export function costOf(used: readonly ModelTokens[], prices: Prices): TokenCost {
  const all = [...prices.values()];
  const highest = {
    input: Math.max(0, ...all.map(({ input }) => input)),
    output: Math.max(0, ...all.map(({ output }) => output)),
  };
  let [priced, guessed, unpriced_tokens] = [0, 0, 0];
  for (const { model, asked, prompt_tokens, completion_tokens } of used) {
    const price = prices.get(model ?? "") ?? prices.get(asked ?? "");
    const { input, output } = price ?? highest;
    const millionths = prompt_tokens * input + completion_tokens * output;
    if (price !== undefined) priced += millionths;
    else {
      guessed += millionths;
      unpriced_tokens += prompt_tokens + completion_tokens;
    }
  }
  return { usd: dollarsOf(priced), unpriced_tokens, usd_most: dollarsOf(priced + guessed) };
}

/** The cost in US dollars; null if any tokens have no price. */
export const knownUsd = ({ usd, unpriced_tokens }: TokenCost): number | null => (unpriced_tokens === 0 ? usd : null);
