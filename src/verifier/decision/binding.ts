// Calls Workers AI through the binding `AI` instead of its REST API. Independent of questions and answers.
import type { AiBinding } from "../../ports/ports.ts";

/** The URL of a backend that is reached through the binding. */
export const BINDING_URL = "binding:AI";

/** REST status per error code. The binding throws plain errors whose message begins with the code. */
const STATUS: Readonly<Record<number, number>> = {
  ...{ 3021: 429, 3036: 429, 3040: 429, 4006: 429 },
  ...{ 3006: 413, 5021: 413 },
  ...{ 5004: 400, 5006: 400, 6003: 400, 5012: 422 },
  ...{ 3007: 408, 3008: 408 },
  ...{ 3042: 404, 5007: 404, 7000: 404 },
  ...{ 3023: 403, 3041: 403, 5018: 403, 10000: 401 },
};
const CODE = /^(?:[A-Za-z]*Error: )?(\d{4,5})\b/;
/** Message of a failed inference. Other errors with the same code, 5012, map to 422. */
const FAILED_INFERENCE = /^(?:[A-Za-z]*Error: )?5012\b.*\binference\b/is;
const FAILED_STATUS = 529;

/**
 * Wraps the binding as a `fetch` of the REST API: accepts posts to `binding:AI/run/MODEL` and returns the
 * REST API's envelope. Rejects for an error without a known code, as `fetch` does for a broken connection.
 */
export function bindingFetch(ai: AiBinding): typeof fetch {
  return async (input, init) => {
    const model = String(input).slice(`${BINDING_URL}/run/`.length);
    const signal = init?.signal ?? new AbortController().signal;
    signal.throwIfAborted();
    let ended = () => {};
    const aborted = new Promise<never>((_, reject) => {
      ended = () => reject(signal.reason);
      signal.addEventListener("abort", ended, { once: true });
    });
    try {
      const result = await Promise.race([ai.run(model, JSON.parse(String(init?.body)), { signal }), aborted]);
      return Response.json({ result });
    } catch (error) {
      const message = error instanceof Error ? error.message : "";
      const code = Number(CODE.exec(message)?.[1]);
      const status = FAILED_INFERENCE.test(message) ? FAILED_STATUS : STATUS[code];
      if (signal.aborted || status === undefined) throw error;
      return Response.json({ errors: [{ code, message }] }, { status });
    } finally {
      signal.removeEventListener("abort", ended);
    }
  };
}
