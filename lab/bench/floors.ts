// The least that asking as many questions can cost: a Worker, and a Node process, that send the same bytes to
// the same backend and throw the answers away.
import { alone } from "../../scripts/stack/worker-modules.ts";

/** The Worker asks six at a time, which is what a runtime lets wait for headers. */
export const FETCHING_ONLY = alone(`export default {
  async fetch(request, { VERIFIER_URL }) {
    const { count, body } = await request.json();
    const headers = { "content-type": "application/json" };
    let left = count;
    const lane = async () => {
      while (left-- > 0) await (await fetch(VERIFIER_URL + "/v1/chat/completions", { method: "POST", headers, body })).text();
    };
    await Promise.all(Array.from({ length: 6 }, lane));
    return new Response("ok");
  },
};`);

/** The order to either floor: how often to send which body. */
export const fetchingOnly = (count: number, body: string): string => JSON.stringify({ count, body });
