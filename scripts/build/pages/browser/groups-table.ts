// The table of a step's groups: a column a measure, sorted by what an alarm measures where one led here.
// Columns that say nothing of any group are left out, and values that all groups share are in the caption.
import { spearman } from "../../../../src/core/math/tau-b.ts";
import { CHART_TABLE } from "./chart-table.ts";
import { type Column, el, liveTable } from "./dom.ts";
import type { GroupRow } from "./log.ts";
import { nameLink } from "./names.ts";
import { figure, percent } from "./numbers.ts";

const total = (row: GroupRow, field: "ties" | "undecided" | "wins" | "losses") =>
  row.result.rollouts.reduce((sum, rollout) => sum + rollout[field], 0);

/** Share of pairs that are ties or undecided. */
export function disputed(row: GroupRow): number | null {
  const open = total(row, "ties") + total(row, "undecided");
  const pairs = open + total(row, "wins") + total(row, "losses");
  return pairs === 0 ? null : open / pairs;
}

const best = (row: GroupRow) => {
  const rewards = row.rewards.filter((reward) => reward !== null);
  return rewards.length === 0 ? null : Math.max(...rewards);
};

/**
 * Names of a step's groups by row id. Groups of several requests that have the same id, because the step was
 * logged more than once, are named with the number of their request.
 */
export function groupNames(rows: readonly GroupRow[]): ReadonlyMap<string, string> {
  const requests = [...new Set(rows.map(({ request_id }) => request_id))].sort();
  const alike = Map.groupBy(rows, ({ result }) => result.group_id);
  const nameOf = ({ request_id, result: { group_id } }: GroupRow) =>
    alike.get(group_id)?.length === 1 ? group_id : `${group_id}, request ${requests.indexOf(request_id) + 1}`;
  return new Map(rows.map((row) => [row.id, nameOf(row)]));
}

/** A link to a group's page. */
export const groupLink = ({ id, result }: GroupRow, names: ReadonlyMap<string, string>): HTMLAnchorElement =>
  nameLink(`/groups/${id}`, names.get(id) ?? result.group_id);

export const meanReward = (row: GroupRow) => row.result.metrics.reward_mean;

function medianLength({ length_tokens }: GroupRow): number | null {
  const known = length_tokens.filter((length) => length !== null).sort((a, b) => a - b);
  const [low, high] = [known[Math.ceil(known.length / 2) - 1], known[Math.floor(known.length / 2)]];
  return low === undefined || high === undefined ? null : (low + high) / 2;
}

/** Over its rollouts of several turns, the mean share that the judge saw; null without any. */
function shownMean({ result }: GroupRow): number | null {
  const known = result.rollouts.flatMap(({ shown }) => shown ?? []);
  return known.length === 0 ? null : known.reduce((sum, share) => sum + share, 0) / known.length;
}

/** Spearman's correlation within the group; null where either is all the same, or too few are known. */
function rewardAndLength({ rewards, length_tokens }: GroupRow): number | null {
  const both = rewards.flatMap((reward, r) => {
    const length = length_tokens[r] ?? null;
    return reward === null || length === null ? [] : [[reward, length] as const];
  });
  return spearman(
    both.map(([reward]) => reward),
    both.map(([, length]) => length),
  );
}

function codes({ result }: GroupRow): string {
  const errors = result.rollouts.flatMap(({ reward, error }) => (reward === null ? [error ?? "unknown"] : []));
  return errors.length === 0 ? "0" : `${errors.length}: ${[...new Set(errors)].join(", ")}`;
}

/** With labels that are equal, or missing, orders cannot be compared: the title says which. */
const tauOf = ({ result: { metrics } }: GroupRow): Node | string =>
  metrics.tau_b_undefined === null
    ? figure(metrics.tau_b)
    : el("span", { title: `undefined: ${metrics.tau_b_undefined}` }, figure(null));

const number = (title: string, sortValue: (row: GroupRow) => number | null, shown = figure): Column<GroupRow> => ({
  title,
  cell: (row) => shown(sortValue(row)),
  sortValue,
  number: true,
});
const rollouts = (title: string, is: (rollout: GroupRow["result"]["rollouts"][number]) => boolean) =>
  number(title, ({ result }) => result.rollouts.filter(is).length);

/** Whether a column says anything: not only nothing and none. */
const says = ({ sortValue }: Column<GroupRow>, rows: readonly GroupRow[]): boolean =>
  rows.some((row) => sortValue === undefined || (sortValue(row) ?? 0) !== 0);

/** The text of a column that is the same for several groups; null if it differs. */
function sharedText({ cell }: Column<GroupRow>, rows: readonly GroupRow[]): string | null {
  const texts = new Set(rows.map((row) => el("span", {}, cell(row)).textContent));
  return rows.length > 1 && texts.size === 1 ? ([...texts][0] ?? null) : null;
}

const nameColumn = (names: ReadonlyMap<string, string>): Column<GroupRow> => ({
  title: "group",
  cell: (row) => groupLink(row, names),
  sortValue: (row) => names.get(row.id) ?? null,
});

const PROMPT: Column<GroupRow> = {
  title: "prompt",
  cell: ({ prompt_begins = "" }) => el("span", { class: "begins", title: prompt_begins }, prompt_begins),
  sortValue: ({ prompt_begins = null }) => prompt_begins,
};

const SHOWN_ALWAYS: readonly Column<GroupRow>[] = [
  number("mean reward", meanReward),
  number("best reward", best),
  number("std", ({ result }) => result.metrics.reward_std),
];

const SHOWN_IF_ANY: readonly Column<GroupRow>[] = [
  number("rollouts", ({ rewards }) => rewards.length),
  { ...rollouts("without a reward", ({ reward }) => reward === null), cell: codes },
  number("median length", medianLength),
  number("reward and length", rewardAndLength),
  number("cut at the limit", ({ finish_reasons }) => finish_reasons.filter((reason) => reason === "length").length),
  rollouts("malformed", ({ format_ok }) => !format_ok),
  rollouts("duplicates", ({ duplicate_of }) => duplicate_of !== null),
  number("shown", shownMean, percent),
  rollouts("jams", ({ jams_judge }) => jams_judge),
  number("tied or undecided", disputed, percent),
  number("flips with order", ({ result }) => result.metrics.position_flip_rate, percent),
  number("parse rate", ({ result }) => result.metrics.parse_rate, percent),
  { ...number("tau-b", ({ result }) => result.metrics.tau_b), cell: tauOf },
  number("generations", ({ result }) => result.verifier.generations),
  number("failed generations", ({ result }) => result.verifier.failed),
  number("p99, ms", ({ result }) => result.verifier.latency_ms.p99),
];

/** @param alarm what led here; null: nothing did */
export function groupTable(rows: readonly GroupRow[], caption: string, alarm: string | null): HTMLElement {
  const [sorted, first] = CHART_TABLE.alarms[alarm ?? ""]?.groups_by ?? [];
  const telling = SHOWN_IF_ANY.filter((column) => column.title === sorted || says(column, rows));
  const inAll = new Map(
    telling.flatMap((column) => {
      const text = column.title === sorted ? null : sharedText(column, rows);
      return text === null ? [] : [[column, `${column.title} ${text}`]];
    }),
  );
  const shown = telling.filter((column) => !inAll.has(column));
  const said = inAll.size === 0 ? "" : `; in each group: ${[...inAll.values()].join(", ")}`;
  const columns = [
    nameColumn(groupNames(rows)),
    ...[PROMPT].filter((column) => says(column, rows)),
    ...SHOWN_ALWAYS,
    ...shown,
  ];
  const found = liveTable<GroupRow>(`${caption}${said}`, columns, rows);
  if (sorted === undefined) return found.element;
  found.sort(sorted, first === "most");
  const hint = `Sorted by ${sorted}, ${first} first, because the alarm ${alarm} looks at it.`;
  return el("div", {}, el("p", { class: "soft" }, hint), found.element);
}
