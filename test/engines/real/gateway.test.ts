// Holds what the GPU gateway adds on real engines: the same verdicts as asking directly, early
// stop, soft letters, loops cut short.
import { describe, expect, it } from "vitest";
import { RewardsRequestSchema } from "../../../src/core/reward/requests.ts";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import type { Verifier } from "../../../src/ports/ports.ts";
import { scoreBatch } from "../../../src/scoring/score-batch.ts";
import { collect, eventsOf } from "../../gateway/replies.ts";
import { asked, comparison, group, only, reported, request } from "../../gateway/requests.ts";
import { ask, atRest, clock, ENGINES, letterOf, ROUTES, twoCandidates, withGateway } from "./setup.ts";

const FREE = { temperature: 1, top_p: 1, max_tokens: 64, seed: 7 };
const SAMPLES = 24;

const verify = async (url: string, body: unknown) => {
  const response = await fetch(`${url}/v1/verify`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return collect(eventsOf(response.body));
};

/** A group of three programs, scored by the one use case of the edge. */
function scored(verifier: Verifier) {
  const rollouts = [1, 2, 3].map((value) => ({ text: `\`\`\`python\nprint(${value})\n\`\`\`` }));
  const request = RewardsRequestSchema.parse({ groups: [{ prompt: "Print the largest.", rollouts }] });
  const spec = SpecSchema.parse({ judge: { samples: 3, temperature: 1, top_p: 1, max_tokens: 512 } });
  const { signal } = new AbortController();
  return scoreBatch({ verifier, clock }, { request, spec, started_ms: clock.now(), signal });
}

describe.skipIf(ENGINES.length === 0)("real engines", () => {
  describe.each(ENGINES)("the gateway on $name", (engine) => {
    const decided = engine.models.decided;

    it("is ready and lists the engine's models", () =>
      withGateway(decided, async (url) => {
        expect((await fetch(`${url}/ready`)).status).toBe(200);
        const { data } = (await (await fetch(`${url}/v1/models`)).json()) as { data: { id: string }[] };
        expect(data.map(({ id }) => id)).toContain(decided.model);
      }));

    it("brings the letters that the openai adapter brings, sample by sample", async () => {
      // One at a time: an engine whose random state is shared by all its requests repeats itself
      // only then.
      const letters = (route: keyof typeof ROUTES) =>
        ROUTES[route](decided, (verifier) => ask(verifier, twoCandidates(SAMPLES)), 1).then((reads) =>
          reads.map(({ reading }) => letterOf(reading)).join(""),
        );
      const direct = await letters("openai");
      expect(direct).toMatch(/^(?=.*A)(?=.*B)[AB]+$/);
      expect(await letters("verify")).toBe(direct);
    });

    it("brings the rewards that the openai adapter brings", async () => {
      const direct = await ROUTES.openai(decided, scored, 1);
      const through = await ROUTES.verify(decided, scored, 1);
      expect(direct.reply.metrics.parse_rate).toBe(1);
      expect(direct.reply.groups[0]?.win_counts.reduce<number>((sum, wins) => sum + (wins ?? 0), 0)).toBe(3);
      expect(through.reply.rewards).toEqual(direct.reply.rewards);
      expect(through.reply.groups[0]?.win_counts).toEqual(direct.reply.groups[0]?.win_counts);
    });

    it.each(["openai", "verify"] as const)("makes no winner out of garbage (%s)", async (route) => {
      const { reply } = await ROUTES[route](engine.models.garbage, scored);
      // Each pair is asked once more, and then nothing is decided.
      expect(reply.groups[0]).toMatchObject({ win_counts: [null, null, null], selected: null, selected_tied: [] });
      expect(reply.groups[0]?.verifier).toMatchObject({ generations: 18, parsed: 0, unparsed: 18, failed: 0 });
      expect(reply.metrics.parse_rate).toBe(0);
    });

    it("saves the samples that cannot change a majority, and reports each of the others once", () =>
      withGateway(
        decided,
        async (url) => {
          const asks = request([group("g", 2, [comparison(0, [0, 1], { samples: 21, stop: "majority" })])], {
            sampling: FREE,
          });
          const events = await verify(url, asks);
          expect(reported(events)).toEqual(asked(asks));
          expect(only(events, "error")).toEqual([]);
          const votes = only(events, "verdict").map(({ answer }) => answer.trim());
          expect(new Set(votes)).toContain("\\boxed{A}");
          const lead = Math.max(
            ...["A", "B"].map((letter) => votes.filter((vote) => vote.includes(`{${letter}}`)).length),
          );
          expect(lead).toBe(11);
          expect(votes.length).toBeLessThan(21);
          expect(only(events, "done")[0]?.usage).toMatchObject({
            generations: 21,
            saved: 21 - votes.length,
            failed: 0,
          });
        },
        2,
      ));

    it("gives the letters' probabilities as the model has them, or fails where the engine gives no logprobs", () =>
      withGateway(decided, async (url) => {
        const asks = request([group("g", 2, [comparison(0, [0, 1], { samples: 4 })])], { soft: true, sampling: FREE });
        const events = await verify(url, asks);
        const verdicts = only(events, "verdict");
        expect(verdicts).toHaveLength(engine.logprobs ? 4 : 0);
        expect(only(events, "error").map(({ code }) => code)).toEqual(
          Array(engine.logprobs ? 0 : 4).fill("logprobs_unavailable"),
        );
        for (const { letters } of verdicts) {
          expect(letters?.A).toBeCloseTo(0.75, 3);
          expect(letters?.B).toBeCloseTo(0.25, 3);
        }
      }));

    it("cuts an answer that repeats itself and leaves the engine at rest", () =>
      withGateway(engine.models.looping, async (url) => {
        const sampling = { ...FREE, max_tokens: 30_000 };
        const events = await verify(url, request([group("g", 2, [comparison(0, [0, 1])])], { sampling }));
        const [verdict] = only(events, "verdict");
        expect(verdict).toMatchObject({ finish_reason: "repetition" });
        expect(verdict?.completion_tokens).toBeLessThan(30_000);
        expect(await atRest(engine.pid)).toBeLessThan(1_000);
      }));
  });
});
