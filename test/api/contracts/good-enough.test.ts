// That a ranking may say that none of its documents is good enough, in its client's own shape.
import { describe, expect, test } from "vitest";
import { SpecSchema } from "../../../src/core/reward/signals-spec.ts";
import { fakeSpecStore, type Script } from "../../harness/fakes.ts";
import { CLIENTS, named } from "./clients.ts";
import { faultOf, setUp } from "./setup.ts";

const good = SpecSchema.parse({ candidate: { extract: "whole" }, signals: { good: { kind: "grade" } } });
const script: Script = ([text = ""]) => (text.includes("prime") ? "yes" : "no");
const world = () => setUp({ script, specs: fakeSpecStore({ good }) });

const PRIME = "Seven is prime.";
const NONE = "none_good_enough: the best score is 0, below 0.5";

async function ranked(path: string, body: object, kritai: object, headers = {}) {
  const reply = await world().post(path, { ...body, kritai: { spec: "good", ...kritai } }, headers);
  const { id: _, created: __, ...told } = (await reply.json()) as Record<string, unknown>;
  return { status: reply.status, warnings: reply.headers.get("x-kritai-warnings") ?? "", told };
}

const query = "Name a prime.";

const RANKS = CLIENTS.filter(({ contract }) => /_rank$|_rerank$|^score$|^classify$/.test(contract.name));

describe.each(named(RANKS))("%s", (_, { path, bodies }) => {
  const body = (texts: string[]) => bodies(query, texts)[0] as object;

  test("warns where no score reaches the threshold, and only there", async () => {
    const [bad, fine] = [body(["Nine.", "Ten."]), body(["Nine.", PRIME])];
    const [below, without] = [await ranked(path, bad, { good_enough: 0.5 }), await ranked(path, bad, {})];
    expect([below.status, below.warnings]).toEqual([200, expect.stringContaining(NONE)]);
    expect(without.warnings).not.toContain("none_good_enough");
    const rest = ({ meta: _, ...told }: Record<string, unknown>) => told;
    expect(rest(below.told)).toEqual(rest(without.told));
    expect((await ranked(path, fine, { good_enough: 0.5 })).warnings).not.toContain("none_good_enough");
    expect((await ranked(path, bad, {}, { "kritai-good-enough": "0.5" })).warnings).toContain(NONE);
  });
});

test("Cohere's clients read it in meta.warnings", async () => {
  const { told } = await ranked("/v2/rerank", { query, documents: ["Nine.", "Ten."] }, { good_enough: 0.5 });
  expect(told.meta).toMatchObject({ warnings: expect.arrayContaining([NONE]) });
});

test("one document alone is judged by a spec that compares nothing, and by no other", async () => {
  const one = { query, documents: ["Nine."] };
  expect((await ranked("/v2/rerank", one, { good_enough: 0.5 })).warnings).toContain(NONE);
  expect((await ranked("/v2/rerank", { query, documents: [PRIME] }, { good_enough: 0.5 })).warnings).toBe("");
  const told = async (text: string) => (await ranked("/v2/rerank", { query, documents: [text] }, {})).told;
  expect(await told(PRIME)).toMatchObject({ results: [{ index: 0, relevance_score: 1 }] });
  expect(await told("Nine.")).toMatchObject({ results: [{ index: 0, relevance_score: 0 }] });
  const compared = await ranked("/v2/rerank", one, { good_enough: 0.5, spec: "default" });
  expect(compared.warnings).toBe("not_compared 0");
});

test("a threshold that is none is refused by its field", async () => {
  const sent = { query, documents: ["a", "b"], kritai: { good_enough: "much" } };
  expect(JSON.stringify(await faultOf(await world().post("/v2/rerank", sent), 400))).toContain("kritai.good_enough");
  const header = { "kritai-good-enough": "much" };
  const reply = await world().post("/v2/rerank", { query, documents: ["a", "b"] }, header);
  expect(JSON.stringify(await faultOf(reply, 400))).toContain("Kritai-Good-Enough");
});
