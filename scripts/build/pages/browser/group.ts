// The page of a group: rollouts side by side, who beat whom, and each verdict.

import { turnOfText } from "../../../../src/core/transcript/turns.ts";
import { isSimulated } from "../../../../src/core/wire/simulated-model.ts";
import { type Column, el, link, table } from "./dom.ts";
import { showFrame } from "./frame.ts";
import { groupNames } from "./groups-table.ts";
import {
  type GroupRow,
  groups,
  type LoggedText,
  type RequestRow,
  request,
  run,
  type StoredVerdict,
  texts,
  verdicts,
} from "./log.ts";
import { copyingName, nameLink, nameTitle, shortName } from "./names.ts";
import { isSimulatedGroup, noTexts, simulatedBanner } from "./notices.ts";
import { counted, figure, percent } from "./numbers.ts";
import { budgetsOf, drawnRun, promptOf, runOf, toldOf, type ViewSpec } from "./transcript.ts";
import { auditParts, matrices, outcomesOf, verdictTable, verdictTexts } from "./verdicts.ts";

type Rollout = GroupRow["result"]["rollouts"][number];

/** The parts of a group that its address names: `#rollout=0&pair=0-1`. */
interface Named {
  rollout: number | null;
  pair: readonly [number, number] | null;
}

function namedIn(hash: string): Named {
  const said = new URLSearchParams(hash.replace(/^#/, ""));
  const [, a, b] = /^(\d+)-(\d+)$/.exec(said.get("pair") ?? "") ?? [];
  const rollout = /^\d+$/.exec(said.get("rollout") ?? "");
  return {
    rollout: rollout === null ? null : Number(rollout[0]),
    pair: a === undefined || b === undefined ? null : [Number(a), Number(b)],
  };
}

/** The same address with another rollout or pair. */
function addressOf(other: Partial<Named>): string {
  const { rollout, pair } = { ...namedIn(location.hash), ...other };
  const parts = [rollout === null ? "" : `rollout=${rollout}`, pair === null ? "" : `pair=${pair.join("-")}`];
  return `#${parts.filter((part) => part !== "").join("&")}`;
}

/** Names the rollout in the address, beside the pair that may be named there already. */
function rolloutLink(rollout: number): HTMLElement {
  const name = (event: Event) => {
    event.preventDefault();
    location.hash = addressOf({ rollout });
  };
  return el("a", { href: addressOf({ rollout }), onclick: name }, `#${rollout}`);
}

const COUNTS = ["wins", "losses", "ties", "undecided", "unparsed"] as const;

type Row = Rollout & { index: number };

/** What is peculiar to a rollout, in words. */
const notesOf = ({ format_ok, jams_judge, duplicate_of, index }: Row, selected: number | null): string =>
  [
    index === selected ? "selected" : "",
    duplicate_of === null ? "" : `duplicate of #${duplicate_of}`,
    format_ok ? "" : "breaks a format rule",
    jams_judge ? "makes verdicts unreadable" : "",
  ]
    .filter((note) => note !== "")
    .join(", ");

const numberColumn = (
  title: string,
  sortValue: (row: Row) => number | null,
  cell = (row: Row) => figure(sortValue(row)),
): Column<Row> => ({ title, cell, sortValue, number: true });

/** Rewards and what decided them come first. What is 0 for each rollout has no column; the caption names it. */
function rolloutTable({ result, rewards, pass_rates, audit }: GroupRow): HTMLElement {
  const rows = result.rollouts.map((rollout, index) => ({ ...rollout, index }));
  const components = [...new Set(rows.flatMap((row) => Object.keys(row.components)))];
  const isZero = (name: string) => rows.every((row) => row.components[name] === 0);
  /** The one component of a reward without penalties says the same. */
  const isReward = (name: string) => rows.every((row) => row.components[name] === rewards[row.index]);
  const zeros = [...components.filter(isZero), ...COUNTS.filter((name) => rows.every((row) => row[name] === 0))];
  const caption = zeros.length === 0 ? "" : `; all zero: ${zeros.join(", ")}`;
  return table<Row>(
    `${counted(rows.length, "rollout")}${caption}`,
    [
      { title: "rollout", cell: ({ index }) => rolloutLink(index), sortValue: ({ index }) => index },
      numberColumn(
        "reward",
        ({ index }) => rewards[index] ?? null,
        ({ index, error }) => error ?? figure(rewards[index]),
      ),
      ...COUNTS.filter((name) => !zeros.includes(name)).map((name) => numberColumn(name, (row) => row[name])),
      ...(rows.every((row) => notesOf(row, result.selected) === "")
        ? []
        : [{ title: "notes", cell: (row: Row) => notesOf(row, result.selected) }]),
      ...(pass_rates.some((rate) => rate !== null) ? [passRate(pass_rates)] : []),
      ...(audit === undefined ? [] : [secondJudge(audit)]),
      ...(rows.some(({ shown }) => shown !== undefined) ? [shownShare] : []),
      ...components
        .filter((name) => !zeros.includes(name) && !isReward(name))
        .map((name) =>
          numberColumn(
            name,
            (row) => row.components[name] ?? null,
            (row) => row.errors?.[name] ?? figure(row.components[name]),
          ),
        ),
    ],
    rows,
    ({ index }) => ({ "data-rollout": `${index}` }),
  );
}

/** How much of a rollout of several turns the judge saw. */
const shownShare = numberColumn(
  "shown",
  ({ shown }) => shown ?? null,
  ({ shown }) => percent(shown),
);

/** The label of each rollout. */
const passRate = (rates: readonly (number | null)[]) =>
  numberColumn(
    "pass rate",
    ({ index }) => rates[index] ?? null,
    ({ index }) => percent(rates[index]),
  );

/** How the audit's judge scored each rollout. */
const secondJudge = (scores: readonly (number | null)[]) => numberColumn("audit", ({ index }) => scores[index] ?? null);

/** The prompt and the rollouts: turns as such, all else as the text that it is. */
async function loggedTexts(whole: RequestRow, group: GroupRow, said: readonly StoredVerdict[], written: LoggedText[]) {
  const { turns = [], result } = group;
  const runs = written.flatMap(({ rollout_index: r, text }) => (r === null ? [] : runOf(text, turns[r] ?? null)));
  const known = runs.some((run) => run !== null) ? await specOf(whole) : null;
  const every = runs.map((run, r) => run ?? { turns: turnOfText(written[r + 1]?.text ?? ""), files: [] });
  const budgets = budgetsOf(known, every, group);
  const reasoning = known?.candidate?.transcript?.reasoning ?? false;
  return written.map((entry) => {
    const { rollout_index: r, text } = entry;
    const run = r === null ? promptOf(text) : (runs[r] ?? null);
    const head = r === null ? "prompt" : `#${r}, ${rewardOf(group, r)}`;
    const decided = r === null ? [] : [decidedBy(group, said, r)];
    if (run === null) return loggedText(`${head}, ${counted(text.length, "character")}`, text, decided);
    const shared = r === null || known?.candidate?.extract !== "whole" ? 0 : (result.shared_turns ?? 0);
    const part =
      r === null ? { prefix: "P", budget: null, reasoning: true } : { budget: budgets?.[r] ?? null, reasoning };
    const caption = r === null ? head : `${head}, ${toldOf(run, result.rollouts[r] as Rollout)}`;
    const drawn = drawnRun({ run, shared, named: namedTurns(said, r), ...part });
    return el("details", { class: "said", open: true }, el("summary", {}, caption), ...decided, drawn);
  });
}

const rewardOf = ({ rewards, result }: GroupRow, rollout: number): string => {
  const reward = rewards[rollout] ?? null;
  return reward === null ? `no reward (${result.rollouts[rollout]?.error ?? "unknown"})` : `reward ${figure(reward)}`;
};

/** The pairs that decided a rollout's reward, each a link to its verdicts; of a duplicate, whose they are. */
function decidedBy({ result }: GroupRow, said: readonly StoredVerdict[], rollout: number): HTMLElement {
  const duplicateOf = result.rollouts[rollout]?.duplicate_of ?? null;
  if (duplicateOf !== null)
    return el("p", { class: "soft" }, `The same as #${duplicateOf}, which was judged for both.`);
  const known = Object.entries(outcomesOf(said, rollout)).filter(([, others]) => others.length > 0);
  const parts = known.flatMap(([how, others]: [string, number[]], at) => [
    `${at === 0 ? "" : "; "}${how} `,
    ...others.flatMap((other, i) => [i === 0 ? "" : ", ", link(addressOf({ pair: [rollout, other] }), `#${other}`)]),
  ]);
  return el("p", { class: "soft decided" }, ...parts);
}

/** How many verdicts name which turn of a rollout. */
function namedTurns(said: readonly StoredVerdict[], rollout: number | null): Map<number, number> {
  const named = new Map<number, number>();
  for (const { order, turns = [] } of said) {
    for (const [place, turn] of turns.entries()) {
      if (turn !== null && order[place] === rollout) named.set(turn, (named.get(turn) ?? 0) + 1);
    }
  }
  return named;
}

/** The spec of a request of a run; null where it has none, or it cannot be read. */
async function specOf({ run_id, owner, spec_hash }: RequestRow): Promise<ViewSpec | null> {
  if (run_id === null) return null;
  const detail = await run(run_id, owner).catch(() => null);
  return (detail?.specs.find((entry) => entry.spec_hash === spec_hash)?.spec ?? null) as ViewSpec | null;
}

/** A prompt or a rollout, folded where it is long. */
const loggedText = (caption: string, text: string, decided: readonly HTMLElement[]): HTMLElement =>
  el(
    "details",
    { class: "said", open: text.length <= FOLDED_FROM },
    el("summary", {}, caption),
    ...decided,
    el("pre", { tabindex: "0" }, text),
  );

/** Characters of a text that is not shown at once. */
const FOLDED_FROM = 2000;

/** Who is above the group: the runs, its run, its step. */
function trail({ run_id, step, owner }: RequestRow): HTMLElement {
  const query = owner === null ? "" : `?owner=${encodeURIComponent(owner)}`;
  const runPath = `/runs/${encodeURIComponent(run_id ?? "")}`;
  const links = [link("/runs", "Runs")];
  if (run_id !== null) links.push(nameLink(`${runPath}${query}`, run_id));
  if (run_id !== null && step !== null) links.push(link(`${runPath}/steps/${step}${query}`, `step ${step}`));
  return el("nav", { "aria-label": "Where" }, ...links.flatMap((item, i) => (i === 0 ? [item] : [" / ", item])));
}

/** Links to the groups beside it: of its request, else of its step, which is read for it. */
function beside({ run_id, step, owner, groups: ofRequest }: RequestRow, group: GroupRow): HTMLElement {
  const nav = el("nav", { "aria-label": "Groups", class: "beside" });
  const show = (rows: readonly GroupRow[]) => {
    const at = rows.findIndex(({ id }) => id === group.id);
    const [previous, next] = [rows[at - 1], rows[at + 1]];
    const names = groupNames(rows);
    const nameOf = ({ id }: GroupRow) => `Group ${shortName(names.get(id) as string)}`;
    const links = [
      ...(previous === undefined ? [] : [link(`/groups/${previous.id}`, `\u2190 ${nameOf(previous)}`)]),
      ...(next === undefined ? [] : [link(`/groups/${next.id}`, `${nameOf(next)} \u2192`)]),
    ];
    nav.replaceChildren(...links);
    nav.hidden = links.length === 0;
    return links.length;
  };
  if (show(ofRequest) < 2 && run_id !== null && step !== null)
    void groups(run_id, step, owner).then(
      ({ rows }) => show(rows),
      () => {},
    );
  return nav;
}

/** The verdicts, all or of one pair, and the pair's named in the address. */
function verdictList(
  all: readonly StoredVerdict[],
  audit: readonly StoredVerdict[],
  rollouts: readonly HTMLElement[],
): { list: HTMLElement; show: (a: number, b: number) => void; showAll: () => void } {
  const whole =
    audit.length === 0
      ? []
      : auditParts(
          audit.map(({ text: _, ...row }) => row),
          "",
        );
  const every = [verdictTable(all, counted(all.length, "verdict")), ...whole];
  const list = el("div", {}, ...every);
  const showAll = () => list.replaceChildren(...every);
  const back = () => {
    showAll();
    history.replaceState(null, "", addressOf({ pair: null }));
    list.querySelector<HTMLElement>(".scroll")?.focus();
  };
  const show = (a: number, b: number) => {
    const [some, second] = [all, audit].map((from) =>
      from.filter(({ order }) => order.includes(a) && order.includes(b)),
    ) as [StoredVerdict[], StoredVerdict[]];
    const suffix = ` of #${a} and #${b}`;
    // Copies: the texts stay in their places.
    const sides = [a, b].flatMap((r) => (rollouts[r]?.cloneNode(true) as HTMLElement | undefined) ?? []);
    for (const side of sides) side.setAttribute("open", "");
    const parts = [verdictTable(some, `${counted(some.length, "verdict")}${suffix}`), ...verdictTexts(some)];
    const others = el("button", { type: "button", class: "small", onclick: back }, "All verdicts");
    const both = el("div", { class: "sides" }, ...sides);
    list.replaceChildren(el("p", {}, others), both, ...parts, ...auditParts(second, suffix));
    history.replaceState(null, "", addressOf({ pair: [a, b] }));
    list.scrollIntoView({ block: "start" });
  };
  return { list, show, showAll };
}

const STATUS: Record<GroupRow["result"]["status"], string> = {
  ok: "every rollout has a reward",
  partial: "some rollouts have no reward",
  failed: "no rollout has a reward",
};

export async function groupPage(id: string): Promise<HTMLElement[]> {
  showFrame([el("nav", { "aria-label": "Where" }, link("/runs", "Runs")), el("h1", {}, "Group")]);
  const at = id.lastIndexOf(".");
  const [whole, { verdicts: all, audit = [] }, written] = await Promise.all([
    request(id.slice(0, at)),
    verdicts(id),
    texts(id),
  ]);
  const group = whole.groups.find((row) => row.id === id) as GroupRow;
  const drawn = await loggedTexts(whole, group, all, written);
  const [prompt, answers] = [drawn.slice(0, 1), drawn.slice(1)];
  const { list, show, showAll } = verdictList(all, audit, answers);
  const rollouts = rolloutTable(group);
  const point = () => {
    const { rollout, pair } = namedIn(location.hash);
    for (const row of rollouts.querySelectorAll("tr[data-rollout]")) {
      row.toggleAttribute("data-named", row.getAttribute("data-rollout") === `${rollout}`);
    }
    if (pair === null) showAll();
    else show(...pair);
  };
  queueMicrotask(point);
  addEventListener("hashchange", point);
  // The banner says what the warning of made-up verdicts does.
  const others = whole.warnings.filter((text) => !isSimulated(text));
  const warned = others.map((text) => el("li", { class: "fault" }, text));
  const raw = JSON.stringify({ group, verdicts: all, ...(audit.length > 0 && { audit }) }, null, 1);
  const description = [
    STATUS[group.result.status],
    `prompt hash ${group.prompt_hash.slice(0, 12)}`,
    group.language === null ? "language unknown" : `language ${group.language}`,
  ].join("; ");
  return [
    trail(whole),
    ...simulatedBanner(isSimulatedGroup(group.result)),
    nameTitle(group.result.group_id, "Group ", group.step === null ? "" : ` \u00b7 step ${group.step}`),
    ...(group.prompt_begins === undefined ? [] : [el("p", { class: "begins" }, group.prompt_begins)]),
    beside(whole, group),
    el("p", { class: "soft" }, description, copyingName(group.result.group_id)),
    ...(warned.length === 0 ? [] : [el("ul", { "aria-label": "Warnings of the request" }, ...warned)]),
    rollouts,
    el("h2", {}, "Who beat whom"),
    ...matrices(
      group.result.rollouts.map(({ duplicate_of }) => duplicate_of),
      all,
      show,
    ),
    el("h2", {}, "Prompt and rollouts"),
    ...(written.length === 0
      ? noTexts(whole, (await specOf(whole))?.log_texts === true)
      : [...prompt, el("div", { class: "sides" }, ...answers)]),
    el("h2", {}, "Verdicts"),
    list,
    el("details", {}, el("summary", {}, "As JSON"), el("pre", { tabindex: "0" }, raw)),
  ];
}
