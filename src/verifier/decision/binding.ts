// Asks Workers AI through the binding `AI` in place of its REST API. Must not know questions or answers.
import type { AiBinding } from "../../ports/ports.ts";

/** The URL of a backend that is reached through the binding. */
export const BINDING_URL = "binding:AI";

/**
 * The REST API's status of each error code. The binding throws plain errors whose text begins with the
 * code.
 */
const STATUS: Readonly<Record<number, number>> = {
  ...{ 3021: 429, 3036: 429, 3040: 429, 4006: 429 },
  ...{ 3006: 413, 5021: 413 },
  ...{ 5004: 400, 5006: 400, 6003: 400, 5012: 422 },
  ...{ 3007: 408, 3008: 408 },
  ...{ 3042: 404, 5007: 404, 7000: 404 },
  ...{ 3023: 403, 3041: 403, 5018: 403, 10000: 401 },
};
const CODE = /^(?:[A-Za-z]*Error: )?(\d{4,5})\b/;
/** 5012 is also the code of an inference that failed. */
const FAILED_INFERENCE = /^(?:[A-Za-z]*Error: )?5012\b.*\binference\b/is;
const FAILED_STATUS = 529;

/**
 * The binding as a `fetch` of the REST API: `binding:AI/run/MODEL` is posted to, and the reply has the
 * REST API's envelope. Rejects for an error without a known code, as for a connection that broke.
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
