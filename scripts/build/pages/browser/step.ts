// Owns the page of a step: its groups, sortable by any measure, and the ones worth a look.
import { el, link, table } from "./dom.ts";
import { type GroupRow, groups } from "./log.ts";
import { figure, percent } from "./numbers.ts";

const SHOWN = 5;

const total = (row: GroupRow, field: "ties" | "undecided" | "wins" | "losses") =>
  row.result.rollouts.reduce((sum, rollout) => sum + rollout[field], 0);

/** Share of pairs that are ties or undecided. */
function disputed(row: GroupRow): number | null {
  const open = total(row, "ties") + total(row, "undecided");
  const pairs = open + total(row, "wins") + total(row, "losses");
  return pairs === 0 ? null : open / pairs;
}

const best = (row: GroupRow) => {
  const rewards = row.rewards.filter((reward) => reward !== null);
  return rewards.length === 0 ? null : Math.max(...rewards);
};

function picked(title: string, rows: readonly GroupRow[], by: (row: GroupRow) => number | null): HTMLElement {
  const known = rows.filter((row) => by(row) !== null).sort((a, b) => (by(b) as number) - (by(a) as number));
  const items = known
    .slice(0, SHOWN)
    .map((row) => el("li", {}, link(`/groups/${row.id}`, row.result.group_id), ` ${figure(by(row))}`));
  return el("section", {}, el("h2", {}, title), el("ol", {}, ...items));
}

const mean = (row: GroupRow) => row.result.metrics.reward_mean;

function groupTable(rows: readonly GroupRow[]): HTMLElement {
  return table<GroupRow>(
    `${rows.length} groups`,
    [
      {
        title: "group",
        cell: (row) => link(`/groups/${row.id}`, row.result.group_id),
        by: (row) => row.result.group_id,
      },
      { title: "status", cell: ({ result }) => result.status, by: ({ result }) => result.status },
      {
        title: "rollouts",
        cell: ({ rewards }) => figure(rewards.length),
        by: ({ rewards }) => rewards.length,
        number: true,
      },
      { title: "mean", cell: (row) => figure(mean(row)), by: mean, number: true },
      {
        title: "std",
        cell: ({ result }) => figure(result.metrics.reward_std),
        by: ({ result }) => result.metrics.reward_std,
        number: true,
      },
      { title: "best", cell: (row) => figure(best(row)), by: best, number: true },
      { title: "disputed", cell: (row) => percent(disputed(row)), by: disputed, number: true },
      {
        title: "flips",
        cell: ({ result }) => percent(result.metrics.position_flip_rate),
        by: ({ result }) => result.metrics.position_flip_rate,
        number: true,
      },
      {
        title: "parse rate",
        cell: ({ result }) => percent(result.metrics.parse_rate),
        by: ({ result }) => result.metrics.parse_rate,
        number: true,
      },
      {
        title: "tau-b",
        cell: ({ result }) => figure(result.metrics.tau_b),
        by: ({ result }) => result.metrics.tau_b,
        number: true,
      },
      {
        title: "generations",
        cell: ({ result }) => figure(result.verifier.generations),
        by: ({ result }) => result.verifier.generations,
        number: true,
      },
    ],
    rows,
  );
}

export async function stepPage(id: string, step: number, owner: string | null): Promise<HTMLElement[]> {
  const rows = await groups(id, step, owner);
  const query = owner === null ? "" : `?owner=${encodeURIComponent(owner)}`;
  const up = el(
    "nav",
    { "aria-label": "Where" },
    link("/runs", "Runs"),
    " / ",
    link(`/runs/${encodeURIComponent(id)}${query}`, id),
  );
  return [
    up,
    el("h1", {}, `Step ${step}`),
    el(
      "div",
      { class: "picks" },
      picked("Best", rows, mean),
      picked("Worst", rows, (row) => (mean(row) === null ? null : -(mean(row) as number))),
      picked("Most disputed", rows, disputed),
    ),
    groupTable(rows),
  ];
}
