// The warnings where a verifier that runs programs should judge something else: why it could not, and what to
// do; never a number.
import { describe, expect, test } from "vitest";
import { createVerifier } from "../../src/verifier/create.ts";
import { faultOf, setUp } from "../api/contracts/setup.ts";
import { fakeVerifier, fixedClock } from "../harness/fakes.ts";
import { byValue, program, rolloutsOf, score } from "./score-setup.ts";

const PROGRAMS_ONLY = { programs_only: true } as const;
const silent = () => ({ ...fakeVerifier(() => "I cannot tell."), ...PROGRAMS_ONLY });
const SENTENCES = ["The sky is blue.", "Grass is green.", "Snow is white."];
const CURES = ["JUDGE=text-select", "VERIFIER_URL", "`reference`"];

const saidIn = async (texts: string[], spec: object, verifier = silent()) => {
  const { reply } = await score([{ rollouts: rolloutsOf(texts) }], { spec, verifier });
  const said = reply.warnings.filter((warning) => warning.startsWith("programs_only: "));
  return { reply, said };
};

describe("rewards of texts", () => {
  test("compared with a reference, which no judge sees, say nothing", async () => {
    const texts = ["It is \\boxed{4}.", "It is \\boxed{5}."];
    const spec = { signals: { right: { kind: "reference" } } };
    const groups = [{ prompt: "2 + 2?", reference: "4", rollouts: texts.map((text) => ({ text })) }];
    const reply = await setUp({ verifier: silent() }).post("/v1/rewards", { groups, spec });
    expect(await reply.json()).toMatchObject({ rewards: [[1, 0]], warnings: [] });
  });

  test("without a program say beside no_candidates what the verifier can do, and what to do", async () => {
    const { reply, said } = await saidIn(SENTENCES, {});
    expect(reply.warnings).toContain("no_candidates");
    expect(said).toHaveLength(1);
    for (const cure of [...CURES, 'candidate.extract to "whole"']) expect(said[0]).toContain(cure);
  });

  test("judged whole are null, and say why", async () => {
    const { reply, said } = await saidIn(SENTENCES, { candidate: { extract: "whole" } });
    expect(reply.rewards).toEqual([[null, null, null]]);
    expect(said).toHaveLength(1);
  });

  const RUN = [{ role: "assistant", content: "Done." }];
  test.each([
    ["texts whole", { candidate: { extract: "whole" } }, { text: "Done." }, "JUDGE=text-select"],
    [
      "a preset",
      { candidate: { extract: "whole" }, judge: { preset: "mtbench-ab" } },
      { text: "Done." },
      "JUDGE=mtbench-ab",
    ],
    [
      "a template",
      { candidate: { extract: "whole" }, judge: { preset: "rm-r1" } },
      { text: "Done." },
      "JUDGE=text-select",
    ],
    ["runs", { candidate: { extract: "whole" } }, { messages: RUN }, "JUDGE=trajectory-pair"],
  ])(
    "of a spec that takes %s, propose nothing that it has, and the judge that reads them",
    async (_, spec, own, cure) => {
      const rollouts = ["a", "b"].map((word) =>
        "text" in own ? { text: `${own.text} ${word}` } : { messages: [...own.messages, { ...RUN[0], content: word }] },
      );
      const reply = await setUp({ verifier: silent() }).post("/v1/rewards", {
        groups: [{ prompt: "p", rollouts }],
        spec,
      });
      const { warnings } = (await reply.json()) as { warnings: string[] };
      const said = warnings.find((warning) => warning.startsWith("programs_only: "));
      expect(said).toContain(cure);
      expect(said).not.toContain("candidate.extract");
    },
  );

  test("that are programs which it tells apart, or of a verifier that judges anything, say nothing", async () => {
    const programs = [program(1), program(2)];
    expect((await saidIn(programs, {}, { ...fakeVerifier(byValue), ...PROGRAMS_ONLY })).said).toEqual([]);
    const { reply } = await score([{ rollouts: rolloutsOf(SENTENCES) }], { verifier: fakeVerifier(byValue) });
    expect(reply.warnings).toEqual(["no_candidates"]);
  });
});

test.each([
  ["/v2/rerank", { query: "Which is true?", documents: SENTENCES }, 422],
  ["/score", { queries: "Which is true?", documents: SENTENCES }, 422],
  ["/rerank", { query: "Which is true?", texts: SENTENCES }, 424],
])("%s of sentences is refused with the cause and the cures", async (path, body, status) => {
  const fault = await faultOf(await setUp({ verifier: silent() }).post(path, body), status);
  expect(fault.detail).toContain("The built-in verifier only runs programs");
  for (const cure of CURES) expect(fault.detail).toContain(cure);
  const other = await faultOf(await setUp({ script: () => "I cannot tell." }).post(path, body), status);
  expect(other.detail).not.toContain("embedded");
});

test("a configured backend says whether it runs programs alone, beside a sandbox or behind a gateway too", () => {
  const url = "http://127.0.0.1:9";
  const of = (protocol: string, programs_only?: string) =>
    createVerifier(
      [
        { protocol, url, ...(protocol === "openai" && { model: "m" }), ...(programs_only && { programs_only }) },
        { protocol: "sandbox-fusion", url },
      ],
      { hedging: false },
      fixedClock(),
    ).programs_only;
  for (const protocol of ["openai", "verify"]) {
    expect(of(protocol, "on")).toBe(true);
    expect(of(protocol, "off")).toBe(false);
    expect(of(protocol)).toBe(false);
  }
});
