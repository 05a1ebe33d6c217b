// One request to a scalar model: a batch of texts out, a number each back. Must not know slots,
// retries or what the numbers are for.

import { isRetriedStatus } from "../../core/wire/chat-retry.ts";
import { LineTooLong, Remainder } from "../../core/wire/chat-stream.ts";
import {
  type ScalarApi,
  type ScalarSettings,
  type ScalarText,
  type ScalarValue,
  scalarsIn,
  stepScoresIn,
} from "../../core/wire/scalar-apis.ts";
import type { Clock } from "../../scoring/ports.ts";
import { readBody } from "../fan-out/read-body.ts";
import { type Outcome, outcome, refusedQuestion } from "../fan-out/refusal.ts";

export interface ScalarEndpoint {
  url: string;
  headers: Record<string, string>;
  api: ScalarApi;
  settings: ScalarSettings;
  fetch: typeof fetch;
  clock: Clock;
  /** Where the deployment says the key. */
  key_variable: string;
}

/** What one request brought: as many numbers as texts, or none. */
export interface Numbers {
  outcome: Outcome;
  numbers: readonly ScalarValue[];
}

const without = (outcome: Outcome): Numbers => ({ outcome, numbers: [] });

/** Never rejects for what the server or the network does. */
export async function askScalar(
  { url, headers, api, settings, fetch: fetcher, clock, key_variable }: ScalarEndpoint,
  texts: readonly ScalarText[],
  signal: AbortSignal,
  onHeaders: (accepted: boolean) => void = () => {},
): Promise<Numbers> {
  const sent = JSON.stringify(api.body(texts, settings));
  let response: Response;
  try {
    response = await fetcher(url, { method: "POST", headers, body: sent, signal, redirect: "manual" });
  } catch {
    onHeaders(false);
    return without(outcome("verifier_unavailable", "verifier_unavailable"));
  }
  onHeaders(!isRetriedStatus(response.status));
  if (!response.ok) return without(await refusedQuestion(response, clock, { sent, key_variable }));
  const document = new Remainder();
  try {
    const keep = (bytes: Uint8Array) => {
      document.keep(bytes);
      return true;
    };
    if (response.body !== null) await readBody(response.body, keep);
  } catch (fault) {
    return without(outcome(fault instanceof LineTooLong ? "verifier_bad_reply" : "verifier_unavailable"));
  }
  const reply = document.take();
  const numbers =
    api.per_step === true
      ? stepScoresIn(
          api,
          reply,
          texts.map(({ steps = 0 }) => steps),
          settings,
        )
      : scalarsIn(api, reply, texts.length, settings);
  if (numbers === null) return without(outcome("verifier_bad_reply"));
  const answered = { answer: "", thinking: "none", finish_reason: "stop", error: null } as const;
  return {
    outcome: {
      answered: { ...answered, ...costIn(reply), completion_tokens: 0 },
      ...{ refusal: null, retry_after_ms: null, backend_failed: false },
    },
    numbers,
  };
}

/** What a reply says of itself, where it is an object; it has been read before. */
function costIn(reply: string): { prompt_tokens: number; model: string | null } {
  const { usage, model } = JSON.parse(reply) as { usage?: { prompt_tokens?: unknown }; model?: unknown };
  const tokens = usage?.prompt_tokens;
  return {
    prompt_tokens: Number.isSafeInteger(tokens) && (tokens as number) > 0 ? (tokens as number) : 0,
    model: typeof model === "string" && model.length <= 256 ? model : null,
  };
}
