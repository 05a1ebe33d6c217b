// The benchmark of one key's floods against another key's requests: slow programs in the embedded sandbox,
// and questions that a backend answers by 500; the p99 with them over the p99 without.

import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { PARTY_HEADER } from "../../src/core/wire/chat-endpoint.ts";
import { systemClock } from "../../src/platform/clock.ts";
import { Backend } from "../../src/verifier/fan-out/backend.ts";
import { createOpenAiVerifier } from "../../src/verifier/openai/adapter.ts";
import type { Figure } from "./figures.ts";
import { startProgram } from "./program.ts";
import { type Rounds, ratios } from "./rounds.ts";

const SLOW_AT_ONCE = 64;

async function slowPrograms(rounds: Rounds): Promise<Figure[]> {
  const verifier = await startProgram("gpu-backend/engines/cpu/main.ts", { PORT: "0" });
  const run = async (tenant: string, code: string, signal?: AbortSignal) => {
    const body = JSON.stringify({ code, language: "python", stdin: "20", run_timeout: 10 });
    const headers = { [PARTY_HEADER]: tenant };
    const reply = await fetch(`${verifier.url}/run_code`, { method: "POST", body, headers, ...(signal && { signal }) });
    return { status: reply.status, document: (await reply.json()) as { status?: string } };
  };
  try {
    return await ratios(
      "a key's slow programs",
      rounds,
      async () => {
        const { status, document } = await run("b", "print(2 * int(input()))");
        if (status !== 200 || document.status !== "Success") throw new Error(`another key's program: ${status}`);
      },
      (over) => {
        const runUntilAborted = async (): Promise<void> => {
          while (!over.aborted) {
            const { status } = await run("a", "while True: pass", over).catch(() => ({ status: 0 }));
            if (status === 429) await new Promise((resolve) => setTimeout(resolve, 1_000));
          }
        };
        return Promise.all(Array.from({ length: SLOW_AT_ONCE }, runUntilAborted));
      },
    );
  } finally {
    await verifier.close();
  }
}

const ANSWER_MS = 15;
const FAILING_AT_ONCE = 8;
const clock = systemClock;

/** A backend that answers one key's questions by 500 and the others'. */
async function failingBackend() {
  const server = createServer((request, response) => {
    request.resume().on("end", () => {
      if (request.headers[PARTY_HEADER] === "a") return void response.writeHead(500).end();
      setTimeout(() => {
        const choice = { index: 0, message: { role: "assistant", content: "\\boxed{A}" }, finish_reason: "stop" };
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ choices: [choice] }));
      }, ANSWER_MS);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, close: () => server.close() };
}

async function failures(rounds: Rounds): Promise<Figure[]> {
  const { url, close } = await failingBackend();
  const backend = new Backend({ name: "verifier", hedging: false });
  const verifier = createOpenAiVerifier({ url, model: "m", apiKey: null, backend }, clock);
  const ask = async (tenant: string, ms: number, over?: AbortSignal) => {
    const signal = AbortSignal.any([AbortSignal.timeout(ms), ...(over === undefined ? [] : [over])]);
    const sampling = { form: "exact_match" as const, model: null, temperature: 0, top_p: 1, max_tokens: 9, seed: 0 };
    const session = verifier.session({ ...sampling, signal, deadline_at: clock.now() + ms, tenant });
    const questions = [{ id: 0, shown: [0, 1], samples: 4, stop: "all" as const }];
    const job = { to: "chat" as const, preset: "code-select", question: "q", language: null, candidates: ["a", "b"] };
    let answered = 0;
    await session.judge({ ...job, questions }, ({ error }) => {
      if (error === null) answered++;
    });
    return answered;
  };
  try {
    return await ratios(
      "a key's failing comparisons",
      rounds,
      async () => {
        if ((await ask("b", 20_000)) !== 4) throw new Error("another key's comparisons were not answered");
      },
      (over) => {
        const askUntilAborted = async (): Promise<void> => {
          while (!over.aborted) await ask("a", 3_000, over);
        };
        return Promise.all(Array.from({ length: FAILING_AT_ONCE }, askUntilAborted));
      },
    );
  } finally {
    close();
  }
}

export const benchOtherKeys = async (rounds: Rounds): Promise<Figure[]> => [
  ...(await failures(rounds)),
  ...(await slowPrograms(rounds)),
];
