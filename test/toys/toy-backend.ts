// A kind of backend that a test adds: a server that names the place of the best of some texts, by a
// taste that the deployment sets.
import * as z from "zod";
import type { Generation, VerifierJob } from "../../src/core/wire/questions.ts";
import type { BackendKind } from "../../src/verifier/fan-out/backend-kind.ts";

interface Toy {
  taste: "long" | "short";
}

export const toyBackend: BackendKind<Toy> = {
  protocol: "toy",
  settings: z.object({ taste: z.enum(["long", "short"]) }),
  hedging: false,
  priorities: false,
  create({ url, taste }, { backend }) {
    async function judge(job: VerifierJob, sink: (generation: Generation) => void): Promise<void> {
      for (const { id, shown: places, samples, first_sample = 0 } of job.questions) {
        const shown = places.map((at) => job.candidates[at]);
        const reply = await fetch(`${url}/best`, { method: "POST", body: JSON.stringify({ shown, taste }) });
        const { best } = (await reply.json()) as { best: number };
        for (let sample = first_sample; sample < first_sample + samples; sample++) {
          sink({
            ...{ question: id, sample, answer: `\\boxed{${"ABCDE"[best]}}`, thinking: "none", finish_reason: "stop" },
            ...{ error: null, prompt_tokens: 0, completion_tokens: 0, latency_ms: 0, backend: backend.name },
          });
        }
      }
    }
    return {
      protocol: "toy",
      generations_max: 64,
      session: () => ({ judge, stats: { headers_waiting_max: 1, in_flight_max: 1, requests: 0, retries: 0 } }),
      check: async () => ({ ok: (await fetch(`${url}/health`)).ok, latency_ms: 0 }),
    };
  },
};
