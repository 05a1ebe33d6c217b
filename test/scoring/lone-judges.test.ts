// A candidate that is judged alone never turns a loss into null: for every kind that asks about one candidate
// at a time, over HTTP. Random groups; a failing test's name holds the seed.
import { describe, expect, test } from "vitest";
import type { RewardsReply } from "../../src/core/contract/rewards-reply.ts";
import { createRandom, hashText } from "../../src/core/math/random.ts";
import { KIND_USES, requestOf, use } from "../admission/kinds.ts";
import { setUp } from "../api/routes/harness.ts";
import { EVERY_BACKEND, fakeVerifier, type Script } from "../harness/fakes.ts";

const BAD = "MARKED";

/** Their kinds are those that bring no signal's own sandbox or checker and show one text each. */
async function isLone(name: string): Promise<boolean> {
  const script = use(name).answers;
  if (script === undefined) return false;
  const verifier = answering(script);
  await setUp({ verifier }).post("/v1/rewards", requestOf(name));
  return verifier.jobs.every(
    ({ to, questions }) => ["chat", "scalar", "prm"].includes(to) && questions.every(({ shown }) => shown.length === 1),
  );
}

const answering = (script: Script) => ({
  ...fakeVerifier(script),
  takes: EVERY_BACKEND,
});

const NAMES = (
  await Promise.all(Object.keys(KIND_USES).map(async (name) => ((await isLone(name)) ? [name] : [])))
).flat();

/** Every text of a value with the mark; the box stays a box. */
function marked<T>(value: T): T {
  if (typeof value === "string") return value.replace(/\d+/, (digits) => `${digits} ${BAD}`) as T;
  if (Array.isArray(value)) return value.map(marked) as T;
  return value;
}

function groupOf(name: string, bad: readonly boolean[], settings: object = {}) {
  const request = requestOf(name);
  const [group] = request.groups;
  const rollouts = bad.map((is, i) => {
    const { text, ...rest } = { ...group?.rollouts[0], text: "", ...use(name).rollout?.(i) };
    const words = text === "" ? `Rollout ${i}.\n\`\`\`python\nprint(${i})\n\`\`\`` : text;
    const own = { ...rest, text: words };
    return is
      ? Object.fromEntries(
          Object.entries(own).map(([field, value]) => [
            field,
            field === "text"
              ? (value as string).replace(/\d+(?=[)}.])/g, `$& ${BAD}`).replace(`print(`, `# ${BAD}\nprint(`)
              : marked(value),
          ]),
        )
      : own;
  });
  const it = { ...request.spec.signals.it, ...settings };
  return { ...request, spec: { ...request.spec, signals: { it } }, groups: [{ ...group, rollouts }] };
}

async function scored(body: object, script: Script) {
  const verifier = answering(script);
  const response = await setUp({ verifier }).post("/v1/rewards", body);
  const reply = (await response.json()) as RewardsReply;
  if (response.status !== 200) throw new Error(JSON.stringify(reply));
  return { reply, verifier, rollouts: reply.groups[0]?.rollouts ?? [] };
}

const DOINGS: Readonly<Record<string, ReturnType<Script>>> = {
  context_exceeded: { error: "context_exceeded" },
  content_filtered: { error: "content_filtered" },
  unparsed: "Hm.",
};

/** For a model that only gives numbers, an unreadable answer is its failure. */
const isPrompted = (name: string) => !["scalar", "steps/prm"].includes(name);
const doingsOf = (name: string) => Object.entries(DOINGS).filter(([code]) => code !== "unparsed" || isPrompted(name));

/** Answers the marked so, all others as `script` does. */
const doing =
  (said: ReturnType<Script>, script: Script): Script =>
  (shown, about) =>
    shown.some((text) => text.includes(BAD)) ? said : script(shown, about);

const honest = (name: string) => use(name).answers as Script;
const valuesOf = (rollouts: readonly RewardsReply["groups"][number]["rollouts"][number][]) =>
  rollouts.map(({ components, errors }) => components.it ?? errors?.it);

test("the kinds that judge one alone are among them", () => {
  const kinds = ["grade", "rubric", "scalar", "steps/judge", "steps/prm"];
  expect(NAMES).toEqual(expect.arrayContaining([...kinds, "reference/judge"]));
});

describe.each(NAMES)("%s", (name) => {
  test.each(doingsOf(name))("%s by a candidate's doing loses, and nobody else's value moves", async (code, said) => {
    for (let seed = 0; seed < 12; seed++) {
      const random = createRandom(hashText("lone", seed));
      const n = 3 + Math.floor(random() * 6);
      const k = 1 + Math.floor(random() * (n - 2));
      const bad = Array.from({ length: n }, (_, i) => (i + seed) % n < k);
      const calm = await scored(groupOf(name, bad), honest(name));
      const { rollouts, reply } = await scored(groupOf(name, bad), doing(said, honest(name)));
      const what = `seed ${seed}, ${k} of ${n}`;
      const values = valuesOf(rollouts);
      const least = (reply.reward_range as [number, number])[0];
      expect(values, what).toEqual(valuesOf(calm.rollouts).map((value, r) => (bad[r] ? least : value)));
      rollouts.forEach(({ details }, r) => {
        if (bad[r]) expect(details?.it, what).toMatchObject({ unreadable: code });
      });
    }
  });

  test("a refusal of all is theirs where the bare question is taken, else nobody's", async () => {
    const all = [true, true, true];
    const code = "context_exceeded";
    const { rollouts, reply, verifier } = await scored(groupOf(name, all), doing({ error: code }, honest(name)));
    const least = (reply.reward_range as [number, number])[0];
    expect(valuesOf(rollouts)).toEqual(all.map(() => least));
    const before = new Set(verifier.jobs[0]?.candidates);
    const others = verifier.jobs.filter(({ candidates }) => !candidates.every((one) => before.has(one)));
    // In two turns the second shows what the first wrote.
    expect(others.filter(({ preset }) => preset === verifier.jobs[0]?.preset)).toHaveLength(1);
    const none = await scored(groupOf(name, all), () => ({ error: code }));
    expect(valuesOf(none.rollouts)).toEqual(all.map(() => code));
  });

  test("answers about all that cannot be read, and a backend's failures, stay null", async () => {
    const mute = await scored(groupOf(name, [true, true, true]), doing("Hm.", honest(name)));
    expect(valuesOf(mute.rollouts)).toEqual(Array(3).fill(isPrompted(name) ? "unparsed" : "verifier_bad_reply"));
    for (const error of ["deadline", "verifier_unavailable", "verifier_bad_reply"] as const) {
      const dead = await scored(groupOf(name, [false, true, false, false]), doing({ error }, honest(name)));
      expect(valuesOf(dead.rollouts)[1]).toBe(error);
    }
  });

  test('"unreadable": "null" asks nothing more and gives no value', async () => {
    for (const [code, said] of doingsOf(name)) {
      const bad = [false, true, false, false];
      const { rollouts, verifier } = await scored(
        groupOf(name, bad, { unreadable: "null" }),
        doing(said, honest(name)),
      );
      expect(valuesOf(rollouts)[1]).toBe(code);
      expect(
        verifier.jobs.flatMap(({ questions }) => questions).every(({ first_sample = 0 }) => first_sample <= 128),
      ).toBe(true);
    }
  });
});

test("par leaves who lost out of the mean", async () => {
  const body = groupOf("scalar", [false, true, false, false], { squash: "par" });
  const { rollouts } = await scored(body, doing({ error: "content_filtered" }, honest("scalar")));
  const [group] = body.groups;
  const rest = { ...body, groups: [{ ...group, rollouts: (group?.rollouts ?? []).filter((_, r) => r !== 1) }] };
  const without = await scored(rest, honest("scalar"));
  expect(valuesOf(rollouts)).toEqual(valuesOf(without.rollouts).toSpliced(1, 0, 0));
});

test("one whose fourth answer can be read has no value, and its trial decides nothing", async () => {
  const script: Script = (shown, about) =>
    shown[0]?.includes(BAD) && about.sample <= 128 ? "Hm." : honest("grade")(shown, about);
  const { rollouts } = await scored(groupOf("grade", [false, true, false, false]), script);
  expect(valuesOf(rollouts)[1]).toBe("unparsed");
});
