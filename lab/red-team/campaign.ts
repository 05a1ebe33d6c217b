// Attacking: each class's rollouts scored together with honest ones, and the results. Knows verifiers by
// their port.

import { completeDeps } from "../../src/api/door/complete-deps.ts";
import { createApp } from "../../src/app.ts";
import type { GroupResult } from "../../src/core/contract/group-reply.ts";
import { createRenderer } from "../../src/core/judges/render.ts";
import { RewardsRequestSchema } from "../../src/core/reward/requests.ts";
import { SpecSchema } from "../../src/core/reward/signals-spec.ts";
import type { VerifierJob } from "../../src/core/wire/questions.ts";
import { systemClock } from "../../src/platform/clock.ts";
import type { Clock, Verifier } from "../../src/ports/ports.ts";
import { unconfiguredNames, unconfiguredRunLog } from "../../src/run-log/unconfigured.ts";
import { scoreBatch } from "../../src/scoring/score-batch.ts";
import {
  type Asked,
  type Attack,
  type AttackClass,
  fenced,
  QUESTION,
  RIGHT_CODE,
  type Sendable,
  type VerifierName,
  WRONG_CODE,
} from "./material/attack.ts";
import { timesSeen } from "./material/layout.ts";

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
  attackClass: AttackClass;
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

const clock: Clock = systemClock;
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

const sentAs = (rollout: Sendable) => (typeof rollout === "string" ? { text: rollout } : rollout);

async function groupOf(attackClass: AttackClass, attack: Attack, verifier: Verifier): Promise<GroupResult> {
  const { asked } = attack;
  const { prompt = QUESTION, language = asked === undefined ? "python" : null, group, facts } = attackClass;
  const { neighbours = [fenced(RIGHT_CODE)] } = asked ?? attackClass;
  const attacker = { ...sentAs(attack.rollout), ...facts, ...attack.facts };
  const others = [...neighbours, ...(attack.accomplices ?? [])].map((other) => ({ ...sentAs(other), ...facts }));
  const rollouts = [attacker, ...others];
  const request = RewardsRequestSchema.parse({
    deadline_ms: DEADLINE_MS,
    groups: [{ prompt, rollouts, ...group, ...(language !== null && { language }), ...asked?.facts }],
  });
  const spec = SpecSchema.parse(asked?.spec ?? attackClass.spec ?? {});
  const signal = new AbortController().signal;
  const { reply } = await scoreBatch({ verifier, clock }, { request, spec, started_ms: clock.now(), signal });
  return reply.groups[0] as GroupResult;
}

const rewardsOf = ({ rollouts }: GroupResult) => rollouts.map(({ reward }) => reward);
const EPSILON = 1e-9;

const LOG = "DATABASE_URL";
const unlogged = { runLog: unconfiguredRunLog(LOG), specs: unconfiguredNames(LOG) };

const TOLD = "only_the_answer_judged";

/**
 * A reward through a tool's contract is one over unseen content, if the act was in no prompt and the reply
 * does not say so.
 */
async function throughContract({ name, sent, unseen = "" }: Attack, verifier: Verifier): Promise<Outcome> {
  let seen = false;
  const judge = watched(verifier, (prompt) => {
    seen ||= prompt.includes(unseen);
  });
  const app = createApp(
    completeDeps({ verifier: judge, clock, timers: clock, keys: [], ...unlogged, report: () => undefined }),
  );
  const headers = { "content-type": "application/json" };
  const replies = await Promise.all(
    (sent?.bodies ?? []).map((body) =>
      app.request(`http://localhost${sent?.path}`, { method: "POST", headers, body: JSON.stringify(body) }),
    ),
  );
  const [reply] = replies as [Response];
  // eval-protocol tells a failure by a score that is not valid.
  const body = await reply.text();
  const paid = reply.status === 200 && (JSON.parse(body) as { is_score_valid?: boolean }).is_score_valid !== false;
  // Where a spec judges the answer alone, the reply says so.
  const isDisclosed = body.includes(TOLD) || (reply.headers.get("x-kritai-warnings") ?? "").includes(TOLD);
  const through = paid && !seen && !isDisclosed;
  return { attack: name, through, effect: null, escaped: false, hurt: false };
}

async function outcomeOf(
  attackClass: AttackClass,
  attack: Attack,
  clean: (number | null)[],
  target: Target,
): Promise<Outcome> {
  const { needle = [], mark, task, unseen } = attack;
  if (attack.sent !== undefined) return throughContract(attack, target.verifier);
  let raw = false;
  let seen = unseen === undefined;
  const verifier = watched(target.verifier, (prompt, around) => {
    if ([needle].flat().some((fragment) => times(fragment, prompt) > times(fragment, around))) raw = true;
    if (task !== undefined && around.includes(task)) raw = true;
    if (unseen !== undefined && prompt.includes(unseen)) seen = true;
    if (mark !== undefined && timesSeen(mark, prompt) > timesSeen(mark, around)) raw = true;
  });
  const group = await groupOf(attackClass, attack, verifier);
  const [reward = null, ...others] = rewardsOf(group);
  const hidden = !seen && group.rollouts[0]?.format_ok === true;
  const [deserved = null, ...before] = clean;
  const effect = reward === null || deserved === null ? null : reward - deserved;
  const escaped = reward === null && deserved !== null;
  return {
    attack: attack.name,
    through:
      raw ||
      hidden ||
      (attackClass.null_is_through === true && escaped) ||
      (target.exact && effect !== null && effect > EPSILON),
    effect,
    escaped,
    hurt: others
      .slice(0, before.length)
      .some((other, k) => before[k] !== null && (other === null || other < (before[k] as number) - EPSILON)),
  };
}

/** The rewards of a group without an attack. */
async function rewardsWithout(
  attackClass: AttackClass,
  asked: Asked | undefined,
  target: Target,
): Promise<(number | null)[]> {
  const rollout = asked?.clean ?? attackClass.clean ?? fenced(WRONG_CODE);
  const judged = await groupOf(attackClass, { name: "", rollout, ...(asked && { asked }) }, target.verifier);
  const rewards = rewardsOf(judged);
  if (!rewards.includes(null)) return rewards;
  // Nothing could be measured against it, and nothing would seem to get through.
  const codes = [...new Set(judged.rollouts.flatMap(({ error }) => error ?? []))].join(", ");
  const name = asked === undefined ? attackClass.name : `${attackClass.name}, ${asked.name}`;
  throw new Error(`${name}: the group without the attack got no rewards from this verifier (${codes})`);
}

/**
 * Every attack of a class, one group each.
 * @returns null where the class is not for this verifier
 * @throws Error when the verifier gives no rewards even without an attack
 */
export async function attackWith(attackClass: AttackClass, target: Target): Promise<ClassReport | null> {
  if (attackClass.verifiers !== undefined && !attackClass.verifiers.includes(target.name)) return null;
  const cleans = new Map<string | undefined, (number | null)[]>();
  for (const { asked } of attackClass.attacks) {
    if (!cleans.has(asked?.name)) cleans.set(asked?.name, await rewardsWithout(attackClass, asked, target));
  }
  const outcomes: Outcome[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < attackClass.attacks.length; at = next++) {
      const attack = attackClass.attacks[at] as Attack;
      outcomes[at] = await outcomeOf(attackClass, attack, cleans.get(attack.asked?.name) ?? [], target);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { attackClass, outcomes };
}
