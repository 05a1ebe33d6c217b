// Finds out whether a run's reward compares answers within their group, so that its mean cannot show progress.

/** Mean of a group's rewards by the score of its tournament, the same for every policy. */
const MEANS: Readonly<Record<string, string>> = {
  win_rate: "0.5",
  net_win_rate: "0",
  copeland: "0",
  wins: "half of the opponents",
  top1: "1 / group size",
  rank: "fixed by the size of the group",
};

interface Spec {
  reward?: unknown;
  signals?: Readonly<Record<string, { kind?: unknown; score?: unknown } | undefined>>;
}

/** The score of the tournament that alone decides a spec's reward, but for penalties; null where another signal does. */
function tournamentScore({ reward, signals }: Spec): string | null {
  if (signals === undefined) return typeof reward === "string" ? reward : "win_rate";
  const kinds = Object.values(signals).map((signal) => signal?.kind);
  const penalties = ["tournament", "format", "overlong", "repetition"];
  const [tournament] = Object.values(signals).filter((signal) => signal?.kind === "tournament");
  if (tournament === undefined || kinds.some((kind) => !penalties.includes(String(kind)))) return null;
  return typeof tournament.score === "string" ? tournament.score : "win_rate";
}

/** A sentence for the chart of rewards where all specs of a run compare within groups; null elsewhere. */
export function relativeNote(specs: readonly { spec: unknown }[]): string | null {
  const scores = [...new Set(specs.map(({ spec }) => tournamentScore((spec ?? {}) as Spec)))];
  if (scores.length === 0 || scores.includes(null)) return null;
  const means = scores.map((score) => `${score}: ${MEANS[score as string] ?? "relative to the group"}`).join(", ");
  return `The mean reward cannot rise, because rewards compare answers within a group (mean before penalties: ${means}). Watch labels, malformed answers, ties and lengths instead.`;
}
