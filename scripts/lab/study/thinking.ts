// Owns the study of `judge.think`: a simulated verifier that thinks at length, asked with all tokens
// at once, with few alone, and with few first; what each costs and how near its order comes.
import { basename, dirname } from "node:path";
import { clusteredRatio } from "../../../src/core/formulations/clusters.ts";
import { hashText } from "../../../src/core/math/random.ts";
import { commandFlags } from "../flags.ts";
import { writeFiles } from "../report/exports.ts";
import { type Estimate, LEVELS, NOISES, TOKENS } from "./cells.ts";
import { readLists, type StudyList } from "./lists.ts";
import { type Played, play } from "./play.ts";
import { interval, percent } from "./rivalry-tables.ts";
import { type Length, type Noise, verifierOf } from "./verifier-model.ts";
import { THINKING_TOKENS, type ThinkingWay, thinkingWays } from "./ways.ts";

const given = commandFlags({
  command: "study:think",
  about: "What asking with few tokens first (`judge.think`) costs and brings, against simulated verifiers that think.",
  texts: {
    set: { value: "sets/small", help: "a set's folder, of which candidates.jsonl is read" },
    out: { value: "dist/think.md", file: true, help: "the report, Markdown" },
  },
  numbers: {
    n: { least: 2, most: 64, value: 16, whole: true, help: "candidates of a list" },
    draws: { least: 1, most: 100, value: 1, whole: true, help: "lists of each problem" },
  },
});

/** The mean of 4000 tokens that the study of schedules has, spread in three ways. */
const mean = (sigma: number) => Math.round(TOKENS.thinking.completion / Math.exp(sigma ** 2 / 2));
const LENGTHS: Readonly<Record<string, Length>> = {
  "alike for all pairs": { median: mean(0.6), sigma: 0.6, easier: 0 },
  "wide, alike for all pairs": { median: mean(1), sigma: 1, easier: 0 },
  "longer for close pairs": { median: 6000, sigma: 0.6, easier: 0.25 },
};
const FIRSTS = [2048, 4096, 8192];

interface Row {
  way: ThinkingWay;
  generations: number;
  /** Share of the answers that were cut, and pairs of a list that nobody decided. */
  cut: number;
  undecided: number;
  /** Generated tokens of a list, and over those of its base. */
  tokens: number;
  share: number;
  tau: Estimate;
  /** Less its base's, list by list. */
  gain: Estimate;
}

const sum = (played: readonly Played[], of: (one: Played) => number) => played.reduce((all, one) => all + of(one), 0);
const tokensOf = (played: readonly Played[]) => sum(played, ({ completion_tokens = 0 }) => completion_tokens);

function estimate(played: readonly Played[], value: (one: Played, at: number) => number | null): Estimate {
  const observations = played.flatMap((one, at) => {
    const over = value(one, at);
    return over === null ? [] : [{ over, under: 1, cluster: one.problem }];
  });
  return clusteredRatio(observations, { resamples: 400, seed: hashText("study") });
}

function rowsOf(lists: readonly StudyList[], noise: Noise): Row[] {
  const { rules, candidate } = TOKENS.thinking;
  const verifiers = lists.map(({ problem, qualities }, k) => verifierOf(qualities, noise, `${problem} think ${k}`));
  const asked = (way: ThinkingWay) =>
    lists.map((list, k) =>
      play(list, verifiers[k] as (typeof verifiers)[number], way, k, (shown) => rules + candidate * shown),
    );
  let base: Played[] = [];
  return thinkingWays(FIRSTS).map((way) => {
    const played = asked(way);
    if (way.name === way.base) base = played;
    const whole = base;
    return {
      way,
      generations: sum(played, ({ generations }) => generations) / lists.length,
      cut: sum(played, ({ unread = 0 }) => unread) / sum(played, ({ generations }) => generations),
      undecided: sum(played, ({ undecided = 0 }) => undecided) / lists.length,
      tokens: tokensOf(played) / lists.length,
      share: tokensOf(played) / tokensOf(whole),
      tau: estimate(played, ({ tau }) => tau),
      gain: estimate(played, ({ tau }, at) => {
        const other = whole[at]?.tau ?? null;
        return tau === null || other === null ? null : tau - other;
      }),
    };
  });
}

const isThink = ({ way }: Row) => way.judge.think !== undefined;

function table(rows: readonly Row[]): string {
  const lines = rows.map(
    ({ way, generations, cut, undecided, tokens, share, tau, gain }) =>
      `| ${way.name} | ${generations.toFixed(0)} | ${percent(cut)} | ${undecided.toFixed(1)} | ${(tokens / 1000).toFixed(0)} | ${percent(share)} | ${interval(tau)} | ${way.name === way.base ? "-" : interval(gain)} |`,
  );
  return [
    "| asked | generations a list | cut | undecided pairs | thousand tokens a list | of those with all at once | tau-b | gain over all at once |",
    "|---|---|---|---|---|---|---|---|",
    ...lines,
  ].join("\n");
}

/** Whether another way of the same verifier is no dearer and reaches at least as much. */
const isBeaten = (row: Row, rows: readonly Row[]) =>
  rows.some((other) => !isThink(other) && other.tokens <= row.tokens && (other.tau.mean ?? -1) >= (row.tau.mean ?? 0));

/** What few tokens first cost by the votes of a pair, what the order loses, and what is cheaper. */
function headline(all: readonly (readonly Row[])[]): string {
  const think = all.flat().filter(isThink);
  const told = (some: readonly Row[]) => {
    const shares = some.map(({ share }) => share).sort((a, b) => a - b);
    const worse = some.filter(({ gain }) => (gain.ci95?.[1] ?? 0) < 0).length;
    return `${percent(shares[0] as number)} to ${percent(shares.at(-1) as number)}, tau-b below it in ${worse} of ${some.length}`;
  };
  const by = (base: string) => told(think.filter(({ way }) => way.base === base));
  const beaten = all.flatMap((rows) => rows.filter((row) => isThink(row) && isBeaten(row, rows))).length;
  return `Of the tokens of asking at once \`think\` takes, with one vote a pair, ${by("one order")}; with two ${by("both orders")}; with four ${by("both orders x 2")}. A way that asks no pair in two steps is as cheap and reaches as much in ${beaten} of ${think.length}.`;
}

function page(sections: readonly { title: string; rows: readonly Row[] }[], lists: number): string {
  const lengths = Object.entries(LENGTHS).map(
    ([name, { median, sigma, easier }]) => `| ${name} | ${median} | ${sigma} | ${easier} |`,
  );
  return `# Few tokens first: what \`judge.think\` costs and brings

**${headline(sections.map(({ rows }) => rows))}**

\`npm run study:think -- --set ${given.set} --n ${given.n} --draws ${given.draws}\`, ${lists} lists.

All pairs (\`round_robin\`) of the product's own contest, counted votes, the score \`soft\`. Three
ways of asking each pair: with ${THINKING_TOKENS} tokens at once, with few tokens alone ("2048
alone": what is cut has no vote), and with few first (\`think\`: [the rule](../schedules.md#think)).
Tokens are those generated; intervals are 95 %, drawn by problem; "below" is beyond them.

**The verifier is simulated**, by the noise \`usual\` of [the study of schedules](schedules.md);
no real model was measured. An answer's length is log-normal and says nothing of the answer;
"longer for close pairs" takes e^(0.25 x log-odds) off the median, so that what is cut is what is
hard. An answer under the same number is the same answer with more tokens, as of an engine that
heeds its seed.

| lengths | median at even odds | sigma | log of the median lost a unit of log-odds |
|---|---|---|---|
${lengths.join("\n")}

${sections.map(({ title, rows }) => `## ${title}\n\n${table(rows)}`).join("\n\n")}
`;
}

const lists = readLists(given.set, given.n, given.draws);
const sections = ["strong", "middle"].flatMap((level) =>
  Object.entries(LENGTHS).map(([name, length]) => {
    const strength = LEVELS[level] as (typeof LEVELS)[string];
    const noise: Noise = { ...strength, ...(NOISES.usual as (typeof NOISES)[string]), style: "thinking", length };
    return { title: `${level} verifier, lengths ${name}`, rows: rowsOf(lists, noise) };
  }),
);
writeFiles(dirname(given.out), { [basename(given.out)]: page(sections, lists.length) });
console.log(`${headline(sections.map(({ rows }) => rows))}\nwrote ${given.out}`);
