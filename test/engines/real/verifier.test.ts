// Holds what both adapters of the Verifier port guarantee on real engines: streams, usage, ends,
// garbage, cancellation, health.
import { describe, expect, it } from "vitest";
import type { VerifierJob } from "../../../src/core/wire/questions.ts";
import { createOpenAiVerifier } from "../../../src/verifier/openai/adapter.ts";
import { ask, atRest, atWork, clock, ENGINES, letterOf, ROUTES, twoCandidates } from "./setup.ts";

/** Time that the engine may still compute once the client has gone. */
const CANCEL_MS = 1_000;
const SAMPLES = 32;
/** The tokens of the decided model's answer: think tags and thoughts, box, end. */
const DECIDED_TOKENS = 14;
const UNPARSED = ["no_box", "bad_content", "unclosed_think", "cut_by_length"];

const cases = ENGINES.flatMap((engine) =>
  (["openai", "verify"] as const).map((route) => ({ engine, route, title: `${engine.name} through ${route}` })),
);

describe.skipIf(ENGINES.length === 0)("real engines", () => {
  describe.each(cases)("$title", ({ engine, route }) => {
    const through = ROUTES[route];

    it("is healthy, and is not when it does not serve the model", async () => {
      const decided = engine.models.decided;
      expect(await through(decided, (verifier) => verifier.check())).toMatchObject({ ok: true });
      const other = await through({ ...decided, model: "kritai/none" }, (verifier) => verifier.check());
      expect(other).toMatchObject({ ok: false, detail: expect.stringMatching(/model/) });
    });

    it("gives the verdict that the model's box names, with thoughts closed, usage and the reason `stop`", async () => {
      const reads = await through(engine.models.decided, (verifier) => ask(verifier, twoCandidates(SAMPLES)));
      expect(reads).toHaveLength(SAMPLES);
      for (const { generation, reading } of reads) {
        expect(generation).toMatchObject({ error: null, finish_reason: "stop", completion_tokens: DECIDED_TOKENS });
        expect(generation.prompt_tokens).toBeGreaterThan(100);
        expect(reading.status).toBe("ok");
        expect(generation.answer).toMatch(new RegExp(`\\\\boxed\\{${letterOf(reading)}\\}$`));
      }
      expect(new Set(reads.map(({ reading }) => letterOf(reading)))).toEqual(new Set(["A", "B"]));
    });

    it("counts more prompt tokens for a longer question", async () => {
      const long = twoCandidates(1, { question: "Which prints the sum? ".repeat(50) });
      const [short, longer] = await through(engine.models.decided, async (verifier) => [
        await ask(verifier, twoCandidates(1)),
        await ask(verifier, long),
      ]);
      expect(longer?.[0]?.generation.prompt_tokens).toBeGreaterThan((short?.[0]?.generation.prompt_tokens ?? 0) + 100);
    });

    it("gives the reason `length`, all its tokens and no letter when the budget ends first", async () => {
      const reads = await through(engine.models.endless, (verifier) =>
        ask(verifier, twoCandidates(4), { max_tokens: 24 }),
      );
      for (const { generation, reading } of reads) {
        expect(generation).toMatchObject({ error: null, finish_reason: "length", completion_tokens: 24 });
        expect(reading).toMatchObject({ verdict: null });
        expect(["cut_by_length", "unclosed_think"]).toContain(reading.status);
      }
    });

    it.each(["exact_match", "scores"] as const)("takes garbage for no verdict (%s)", async (form) => {
      const reads = await through(engine.models.garbage, (verifier) =>
        ask(verifier, twoCandidates(SAMPLES), { form, max_tokens: 512 }),
      );
      expect(reads).toHaveLength(SAMPLES);
      for (const { generation, reading } of reads) {
        expect(generation.error).toBe(null);
        expect(reading).toMatchObject({ verdict: null });
        expect(UNPARSED).toContain(reading.status);
      }
      // The texts ended by themselves and are full of letters: nothing but the parser keeps them
      // from being a verdict.
      const whole = reads.filter(({ generation }) => generation.finish_reason === "stop");
      expect(whole.length).toBeGreaterThan(SAMPLES / 2);
      expect(whole.filter(({ generation }) => /[AB]/.test(generation.answer ?? "")).length).toBeGreaterThan(
        SAMPLES / 4,
      );
    });

    it("stops generating within a second of its CPU time once the client has gone", async () => {
      const client = new AbortController();
      const job: VerifierJob = {
        ...twoCandidates(1),
        questions: [0, 1, 2, 3, 4, 5].map((id) => ({ id, shown: [0, 1], samples: 1, first_sample: id })),
      };
      await through(engine.models.endless, async (verifier) => {
        const judging = ask(verifier, job, { signal: client.signal, max_tokens: 30_000 });
        await atWork(engine.pid);
        client.abort("cancelled");
        const rest = atRest(engine.pid);
        const reads = await judging;
        expect(reads.map(({ generation }) => generation.error)).toEqual(Array(6).fill("cancelled"));
        expect(await rest).toBeLessThan(CANCEL_MS);
      });
      if (engine.gauges) expect(await gauge(engine.models.endless.url, "requests_processing")).toBe(0);
    });

    it.skipIf(engine.context_tokens === null)(
      "names a question beyond the engine's context, and gives no verdict",
      async () => {
        const job = twoCandidates(1, { question: "0123456789 ".repeat(engine.context_tokens ?? 0) });
        const reads = await through(engine.models.decided, (verifier) => ask(verifier, job));
        expect(reads.map(({ generation, reading }) => [generation.error, letterOf(reading)])).toEqual([
          ["context_exceeded", null],
        ]);
      },
    );
  });

  describe.each(ENGINES)("$name", (engine) => {
    it("streams: the answer comes in many pieces, the first long before the last", async () => {
      const pieces: number[] = [];
      const watching: typeof fetch = async (input, init) => {
        const response = await fetch(input, init);
        expect(response.headers.get("content-type")).toContain("text/event-stream");
        const note = new TransformStream<Uint8Array, Uint8Array>({
          transform(bytes, out) {
            pieces.push(performance.now());
            out.enqueue(bytes);
          },
        });
        return new Response(response.body?.pipeThrough(note) ?? null, response);
      };
      const verifier = createOpenAiVerifier({ ...engine.models.endless, apiKey: null, fetch: watching }, clock);
      const [read] = await ask(verifier, twoCandidates(1), { max_tokens: 400 });
      expect(read?.generation.completion_tokens).toBe(400);
      expect(pieces.length).toBeGreaterThan(20);
      const [first = 0, last = 0] = [pieces[0], pieces.at(-1)];
      expect(last - first).toBeGreaterThan((read?.generation.latency_ms ?? 0) / 2);
    });
  });
});

/** One of llama.cpp's gauges. */
async function gauge(url: string, name: string): Promise<number> {
  const page = await (await fetch(`${url}/metrics`)).text();
  return Number(new RegExp(`^llamacpp:${name} (\\S+)$`, "m").exec(page)?.[1]);
}
