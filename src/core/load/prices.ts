// The cost of verifiers' tokens: parses PRICES and computes the cost per model.
import * as z from "zod";
import { LIMITS } from "../faults/limits.ts";

/** US dollars per million tokens, which equals millionths of a dollar per token. */
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
 * Reads `{"judge-14b": {"input": 0.2, "output": 0.8}}`.
 * @throws Error for anything else
 */
export function parsePrices(text: string): Prices {
  return new Map(Object.entries(PricesSchema.parse(JSON.parse(text))));
}

/** Tokens used by one model. */
export interface ModelTokens {
  /** The model named in the reply; null if the reply named none. */
  model: string | null;
  /** The model named in the request; null if the backend chose one. */
  asked: string | null;
  prompt_tokens: number;
  completion_tokens: number;
}

/** The cost of tokens. */
export interface TokenCost {
  /** US dollars, without the tokens of models that have no price. */
  usd: number;
  /** Tokens of models without a price. */
  unpriced_tokens: number;
  /**
   * US dollars, with the highest listed price for unpriced tokens: an upper bound if all models are listed.
   */
  usd_most: number;
}

/** Converts to dollars, rounded to billionths; the error of the sum is far smaller. */
const dollarsOf = (millionths: number) => Math.round(millionths * 1_000) / 1_000_000_000;

/**
 * Computes the cost of tokens. Looks up the price by the model in the reply, else by the model in the
 * request.
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
