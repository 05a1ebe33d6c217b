// Owns the page of a step: its groups, sortable by any measure, and the ones worth a look.
import { axisQuery, namedAxis, windowSpan } from "./axis.ts";
import { el, link, table } from "./dom.ts";
import { type GroupRow, groups } from "./log.ts";
import { counted, figure, percent } from "./numbers.ts";

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

interface Pick {
  title: string;
  by: (row: GroupRow) => number | null;
  /** The least go first. */
  least?: true;
  shown: (value: number | null) => string;
}

function picked({ title, by, least, shown }: Pick, rows: readonly GroupRow[]): HTMLElement {
  const sign = least === undefined ? 1 : -1;
  const known = rows.filter((row) => by(row) !== null).sort((a, b) => sign * ((by(b) as number) - (by(a) as number)));
  const items = known
    .slice(0, SHOWN)
    .map((row) => el("li", {}, link(`/groups/${row.id}`, row.result.group_id), ` ${shown(by(row))}`));
  return el("section", {}, el("h2", {}, title), el("ol", {}, ...items));
}

const mean = (row: GroupRow) => row.result.metrics.reward_mean;

const PICKS: readonly Pick[] = [
  { title: "Highest mean reward", by: mean, shown: figure },
  { title: "Lowest mean reward", by: mean, least: true, shown: figure },
  { title: "Most pairs tied or undecided", by: disputed, shown: percent },
];

function groupTable(rows: readonly GroupRow[], caption: string): HTMLElement {
  return table<GroupRow>(
    caption,
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
      { title: "mean reward", cell: (row) => figure(mean(row)), by: mean, number: true },
      {
        title: "its std",
        cell: ({ result }) => figure(result.metrics.reward_std),
        by: ({ result }) => result.metrics.reward_std,
        number: true,
      },
      { title: "best reward", cell: (row) => figure(best(row)), by: best, number: true },
      { title: "tied or undecided", cell: (row) => percent(disputed(row)), by: disputed, number: true },
      {
        title: "flip with the order",
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
  const axis = namedAxis(location.search);
  const { rows, more } = await groups(id, step, owner, axis);
  const query = `${axisQuery(axis)}${owner === null ? "" : `owner=${encodeURIComponent(owner)}`}`;
  const up = el(
    "nav",
    { "aria-label": "Where" },
    link("/runs", "Runs"),
    " / ",
    link(`/runs/${encodeURIComponent(id)}${query === "" ? "" : `?${query}`}`, id),
  );
  return [
    up,
    el("h1", {}, axis.by === "step" ? `Step ${step}` : `Window ${step}: ${windowSpan(axis, step)}`),
    el("div", { class: "picks" }, ...PICKS.map((pick) => picked(pick, rows))),
    groupTable(rows, more ? `the first ${counted(rows.length, "group")}` : counted(rows.length, "group")),
  ];
}
