// The page of a step: its groups, sortable by any measure, and of many the ones worth a look.
import { el, link } from "./dom.ts";
import { showFrame } from "./frame.ts";
import { disputed, groupLink, groupNames, groupTable, meanReward } from "./groups-table.ts";
import { type GroupRow, groups, type RunDetail, run } from "./log.ts";
import { nameLink } from "./names.ts";
import { isSimulatedGroup, simulatedBanner } from "./notices.ts";
import { counted, figure, percent } from "./numbers.ts";

const SHOWN = 5;
/** With fewer groups the table itself shows the highest and the lowest. */
const MANY = 12;

interface Pick {
  title: string;
  selectValue: (row: GroupRow) => number | null;
  /** The least go first. */
  ascending?: true;
  shown: (value: number | null) => string;
}

function picked({ title, selectValue, ascending, shown }: Pick, rows: readonly GroupRow[]): HTMLElement {
  const sign = ascending === undefined ? 1 : -1;
  const known = rows
    .filter((row) => selectValue(row) !== null)
    .sort((a, b) => sign * ((selectValue(b) as number) - (selectValue(a) as number)));
  const names = groupNames(rows);
  const items = known
    .slice(0, SHOWN)
    .map((row) =>
      el(
        "li",
        {},
        groupLink(row, names),
        ` ${shown(selectValue(row))} `,
        el("span", { class: "soft" }, row.prompt_begins ?? ""),
      ),
    );
  return el("section", {}, el("h2", {}, title), el("ol", {}, ...items));
}

const PICKS: readonly Pick[] = [
  { title: "Highest mean reward", selectValue: meanReward, shown: figure },
  { title: "Lowest mean reward", selectValue: meanReward, ascending: true, shown: figure },
  { title: "Most pairs tied or undecided", selectValue: disputed, shown: percent },
];

/** The lists that tell groups apart; none of a few groups, which the table shows. */
function picks(rows: readonly GroupRow[]): HTMLElement[] {
  if (rows.length <= MANY) return [];
  const telling = PICKS.filter(
    ({ selectValue }) => new Set(rows.map(selectValue).filter((value) => value !== null)).size > 1,
  );
  return [el("div", { class: "picks" }, ...telling.map((pick) => picked(pick, rows)))];
}

/** Says which steps the run has, for a step without groups. */
function missing(step: string, { first_step: first, last_step: last }: RunDetail): string {
  const steps =
    first === null
      ? "the run has no steps"
      : first === last
        ? `the run has only step ${first}`
        : `the run has steps ${first} to ${last}`;
  return `This run has no groups at step ${step}: ${steps}.`;
}

/** Links to the steps beside it, or to the run's nearest. */
function beside(step: number, { first_step, last_step }: RunDetail, to: (step: number) => string): HTMLElement[] {
  if (first_step === null || last_step === null) return [];
  const previous = Math.min(step - 1, last_step);
  const next = Math.max(step + 1, first_step);
  const links = [
    ...(previous < first_step ? [] : [link(to(previous), `\u2190 Step ${previous}`)]),
    ...(next > last_step ? [] : [link(to(next), `Step ${next} \u2192`)]),
  ];
  return links.length === 0 ? [] : [el("nav", { "aria-label": "Steps", class: "beside" }, ...links)];
}

/** @param step as in the address, which may name no step */
export async function stepPage(id: string, step: string, owner: string | null): Promise<HTMLElement[]> {
  const alarm = new URLSearchParams(location.search).get("alarm");
  const query = owner === null ? "" : `?owner=${encodeURIComponent(owner)}`;
  const runPath = `/runs/${encodeURIComponent(id)}`;
  const up = el("nav", { "aria-label": "Where" }, link("/runs", "Runs"), " / ", nameLink(`${runPath}${query}`, id));
  const title = el("h1", {}, `Step ${step}`);
  showFrame([up, title]);
  const at = /^\d{1,15}$/.test(step) ? Number(step) : null;
  const found = at === null ? { rows: [], more: false } : groups(id, at, owner);
  const [{ rows, more }, detail] = await Promise.all([found, run(id, owner)]);
  const hrefOf = (other: number) => `${runPath}/steps/${other}${query}`;
  const head = [title, ...(at === null ? [] : beside(at, detail, hrefOf))];
  if (rows.length === 0) {
    title.append(" not found");
    return [up, ...head, el("p", { role: "status" }, missing(step, detail))];
  }
  return [
    up,
    ...simulatedBanner(rows.some(({ result }) => isSimulatedGroup(result))),
    ...head,
    ...picks(rows),
    groupTable(rows, more ? `the first ${counted(rows.length, "group")}` : counted(rows.length, "group"), alarm),
  ];
}
