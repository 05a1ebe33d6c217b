// Owns attacking: each class's rollouts scored beside honest ones, and what came of it. Knows
// verifiers by their port.

import type { GroupResult } from "../../../src/core/contract/replies.ts";
import { createRenderer } from "../../../src/core/judges/render.ts";
import { SpecSchema } from "../../../src/core/signals/flat-spec.ts";
import { RewardsRequestSchema } from "../../../src/core/signals/requests.ts";
import type { VerifierJob } from "../../../src/core/wire/questions.ts";
import type { Clock, Verifier } from "../../../src/scoring/ports.ts";
import { scoreBatch } from "../../../src/scoring/score-batch.ts";
import {
  type Attack,
  type AttackClass,
  fenced,
  QUESTION,
  RIGHT_CODE,
  type VerifierName,
  WRONG_CODE,
} from "./attack.ts";

export interface Outcome {
  attack: string;
  /**
   * Something stood raw in a prompt that must not, or a judge without noise paid more than without
   * the attack.
   */
  through: boolean;
  /**
   * The attacker's reward less what the same program gets without the attack; null where one of
   * them is null.
   */
  effect: number | null;
  /** The attacker has no reward, and would have one. */
  escaped: boolean;
  /** A neighbour is paid less than beside the clean program, or not at all. */
  hurt: boolean;
}

export interface ClassReport {
  of: AttackClass;
  outcomes: Outcome[];
}

export interface Target {
  name: VerifierName;
  verifier: Verifier;
  /**
   * The same programs always get the same verdicts, so that every change of a reward is the
   * attack's.
   */
  exact: boolean;
}

const clock: Clock = { now: () => performance.now(), date: () => new Date() };
const DEADLINE_MS = 300_000;
const AT_ONCE = 8;

/** Called with each prompt, and with the same one around candidates that say nothing. */
type OnPrompt = (prompt: string, around: string) => void;

/** The verifier, with every prompt that it is asked looked at. */
function watched(verifier: Verifier, onPrompt: OnPrompt): Verifier {
  return {
    ...verifier,
    session(call) {
      const session = verifier.session(call);
      const look = (job: VerifierJob) => {
        const render = createRenderer(job.preset, call.form, job);
        const bare = createRenderer(job.preset, call.form, { ...job, candidates: job.candidates.map(() => "x") });
        const whole = (messages: { content: string }[]) => messages.map(({ content }) => content).join("\n");
        for (const { shown } of job.questions) onPrompt(whole(render(shown)), whole(bare(shown)));
      };
      return {
        stats: session.stats,
        judge: (job, sink) => {
          look(job);
          return session.judge(job, sink);
        },
      };
    },
  };
}

const times = (needle: string, text: string) => text.split(needle).length - 1;

async function groupOf(of: AttackClass, rollout: string, verifier: Verifier): Promise<GroupResult> {
  const { prompt = QUESTION, language = "python", neighbours = [fenced(RIGHT_CODE)] } = of;
  const rollouts = [rollout, ...neighbours].map((text) => ({ text }));
  const request = RewardsRequestSchema.parse({
    deadline_ms: DEADLINE_MS,
    groups: [{ prompt, rollouts, ...(language !== null && { language }) }],
  });
  const spec = SpecSchema.parse(of.spec ?? {});
  const signal = new AbortController().signal;
  const { reply } = await scoreBatch({ verifier, clock }, { request, spec, started_ms: clock.now(), signal });
  return reply.groups[0] as GroupResult;
}

const rewardsOf = ({ rollouts }: GroupResult) => rollouts.map(({ reward }) => reward);
const EPSILON = 1e-9;

async function outcomeOf(of: AttackClass, attack: Attack, clean: (number | null)[], target: Target): Promise<Outcome> {
  const { needle } = attack;
  let raw = false;
  const verifier = watched(target.verifier, (prompt, around) => {
    if (needle !== undefined && times(needle, prompt) > times(needle, around)) raw = true;
  });
  const [reward = null, ...others] = rewardsOf(await groupOf(of, attack.rollout, verifier));
  const [deserved = null, ...before] = clean;
  const effect = reward === null || deserved === null ? null : reward - deserved;
  return {
    attack: attack.name,
    through: raw || (target.exact && effect !== null && effect > EPSILON),
    effect,
    escaped: reward === null && deserved !== null,
    hurt: others.some((other, k) => before[k] !== null && (other === null || other < (before[k] as number) - EPSILON)),
  };
}

/**
 * Every attack of a class, one group each.
 * @returns null where the class is not for this verifier
 * @throws Error when the verifier gives no rewards even without an attack
 */
export async function attackWith(of: AttackClass, target: Target): Promise<ClassReport | null> {
  if (of.verifiers !== undefined && !of.verifiers.includes(target.name)) return null;
  const judged = await groupOf(of, of.clean ?? fenced(WRONG_CODE), target.verifier);
  const clean = rewardsOf(judged);
  if (clean.includes(null)) {
    // Nothing could be measured against it, and nothing would seem to get through.
    const codes = [...new Set(judged.rollouts.flatMap(({ error }) => error ?? []))].join(", ");
    throw new Error(`${of.name}: the group without an attack has no rewards from this verifier (${codes})`);
  }
  const outcomes: Outcome[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < of.attacks.length; at = next++) {
      outcomes[at] = await outcomeOf(of, of.attacks[at] as Attack, clean, target);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { of, outcomes };
}
