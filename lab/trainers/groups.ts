// The groups of the trainers' table and the rewards they must get, computed from the lengths of their
// programs.

export interface Group {
  prompt: string;
  texts: string[];
}

export const SIZE = 8;
const GROUPS = 2;

const program = (length: number) => `Here.\n\`\`\`python\nx = ${"1".repeat(length)}\n\`\`\``;

/** Lengths in an order that is not that of their ranks. */
const LENGTHS = [3, 7, 1, 8, 5, 2, 6, 4];

/** Groups whose prompts no other call has. */
export function groupsOf(name: string, groups = GROUPS): Group[] {
  return Array.from({ length: groups }, (_, g) => ({
    prompt: `${name}, problem ${g}`,
    texts: LENGTHS.map((length) => program(length)),
  }));
}

/**
 * The same prompts an epoch later: new answers, but one, which the policy writes again byte by
 * byte; it ranks otherwise among them.
 */
export function epochLater(groups: readonly Group[]): Group[] {
  return groups.map(({ prompt, texts }, g) => {
    const repeatedIndex = g % texts.length;
    // The others' programs are all longer or all shorter than they were, so that the old
    // tournament's reward would show.
    const changed = (length: number) => program(length > 4 ? length + 8 : LENGTHS.length + length);
    return { prompt, texts: texts.map((text, i) => (i === repeatedIndex ? text : changed(LENGTHS[i] as number))) };
  });
}

/** A rollout that no server takes, and a policy can write. */
const TOO_LONG = 600_000;

/** One sample of each group is longer than a rollout may be. */
export const withOneTooLong = (groups: readonly Group[]): Group[] =>
  groups.map(({ prompt, texts }) => ({ prompt, texts: texts.with(2, program(TOO_LONG)) }));

/** One sample of each group never comes. */
export const withoutOne = (groups: readonly Group[]): Group[] =>
  groups.map(({ prompt, texts }) => ({ prompt, texts: texts.slice(0, -1) }));

const lengthOf = (text: string) => (text.length >= TOO_LONG ? 0 : (/x = (1+)/.exec(text)?.[1]?.length ?? 0));

/**
 * The share of the others that each text beats, a tie counting half: the reward of the default spec
 * where every text holds a program. A text that is too long is malformed: it loses to the others,
 * and has the penalty.
 */
export function rewardsOf({ texts }: Group): number[] {
  return texts.map((text, i) => {
    if (text.length >= TOO_LONG) return -1;
    const others = texts.filter((_, j) => j !== i).map(lengthOf);
    const textLength = lengthOf(text);
    const won = others.reduce((sum, other) => sum + (other < textLength ? 1 : other === textLength ? 0.5 : 0), 0);
    return won / others.length;
  });
}

/** Where a tool finds Kritai, and by what its times are divided. */
export interface Place {
  origin: string;
  /** NeMo-Gym's relay, and a second one for validation. */
  relay: { training: string; validation: string };
  scale: number;
  /** So long after the others each group's last sample comes; absent: with them. */
  late_ms?: number;
  /** The tools' waiting time, s, where an outage is longer than they wait by themselves. */
  patience_s?: number;
  /** One of two processes of a training, which meet at that port. */
  world?: { rank: number; port: number };
}

/**
 * A number for each text of each group, as the tool would train on it; null: it leaves the sample
 * out.
 */
export type Values = readonly (readonly (number | null)[])[];
