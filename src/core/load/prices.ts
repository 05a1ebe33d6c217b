// Defines what verifiers' tokens cost: the grammar of PRICES, and the cost of tokens by model.
import * as z from "zod";
import { LIMITS } from "../faults/limits.ts";

/** US dollars per million tokens; so a token costs that many millionths of a dollar. */
export interface Price {
  input: number;
  output: number;
}

/** By the model's name. */
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

/** Tokens that one model used. */
export interface ModelTokens {
  /** As its reply named it; null where none came. */
  model: string | null;
  /** As it was asked for; null: the backend chose. */
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
  /** US dollars, with the highest price for tokens that have none: never below the true cost of listed models. */
  usd_most: number;
}

/** Rounded to billionths of a dollar: the sum's own error is far below. */
const dollarsOf = (millionths: number) => Math.round(millionths * 1_000) / 1_000_000_000;

/** A model's price is the one of the name in its reply, else of the name that was asked for. */
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
