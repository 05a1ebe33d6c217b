// The page of a group: rollouts side by side, who beat whom, and each verdict.

import { turnOfText } from "../../../../src/core/transcript/turns.ts";
import { isSimulated } from "../../../../src/core/wire/simulated-model.ts";
import { el, link, table } from "./dom.ts";
import {
  type GroupRow,
  type LoggedText,
  type RequestRow,
  request,
  run,
  type StoredVerdict,
  texts,
  verdicts,
} from "./log.ts";
import { isSimulatedGroup, noTexts, simulatedBanner } from "./notices.ts";
import { counted, figure, percent } from "./numbers.ts";
import { budgetsOf, drawnRun, promptOf, runOf, toldOf, type ViewSpec } from "./transcript.ts";
import { auditParts, matrices, verdictTable, verdictTexts } from "./verdicts.ts";

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

/** What is 0 for each rollout has no column; the caption names it. */
function rolloutTable({ result, rewards, pass_rates, audit }: GroupRow): HTMLElement {
  const every = [...new Set(result.rollouts.flatMap(({ components }) => Object.keys(components)))];
  const says = (name: string) => result.rollouts.some(({ components }) => components[name] !== 0);
  const names = every.filter((name) => name === "base" || says(name));
  const rows = result.rollouts.map((rollout, index) => ({ ...rollout, index }));
  type Row = Rollout & { index: number };
  const zeros = [
    ...every.filter((name) => !names.includes(name)),
    ...COUNTS.filter((name) => rows.every((row) => row[name] === 0)),
  ];
  const count = (title: (typeof COUNTS)[number]) => ({
    title,
    cell: (row: Row) => figure(row[title]),
    sortValue: (row: Row) => row[title],
    number: true as const,
  });
  return table<Row>(
    [counted(rows.length, "rollout"), ...(zeros.length === 0 ? [] : [`All zero: ${zeros.join(", ")}`])].join("; "),
    [
      {
        title: "rollout",
        cell: ({ index }) => rolloutLink(index),
        sortValue: ({ index }) => index,
      },
      {
        title: "reward",
        cell: ({ index, error }) => error ?? figure(rewards[index]),
        sortValue: ({ index }) => rewards[index] ?? null,
        number: true,
      },
      ...names.map((name) => ({
        title: name,
        cell: ({ components, errors }: Row) => errors?.[name] ?? figure(components[name]),
        sortValue: ({ components }: Row) => components[name] ?? null,
        number: true as const,
      })),
      ...(pass_rates.some((rate) => rate !== null) ? [passRate(pass_rates)] : []),
      ...(audit === undefined ? [] : [secondJudge(audit)]),
      ...(rows.some(({ shown }) => shown !== undefined) ? [shownShare] : []),
      ...COUNTS.filter((name) => rows.some((row) => row[name] > 0)).map(count),
      {
        title: "notes",
        cell: ({ format_ok, jams_judge, duplicate_of, index }) =>
          [
            format_ok ? "" : "breaks a format rule",
            jams_judge ? "makes verdicts unreadable" : "",
            duplicate_of === null ? "" : `duplicate of #${duplicate_of}`,
            result.selected === index ? "selected" : "",
          ]
            .filter((note) => note !== "")
            .join(", "),
      },
    ],
    rows,
    ({ index }) => ({ "data-rollout": `${index}` }),
  );
}

/** How much of a rollout of several turns the judge saw. */
const shownShare = {
  title: "shown",
  cell: ({ shown }: Rollout) => percent(shown),
  sortValue: ({ shown }: Rollout) => shown ?? null,
  number: true as const,
};

/** The label of each rollout. */
const passRate = (rates: readonly (number | null)[]) => ({
  title: "pass rate",
  cell: ({ index }: { index: number }) => percent(rates[index]),
  sortValue: ({ index }: { index: number }) => rates[index] ?? null,
  number: true as const,
});

/** How the audit's judge scored each rollout. */
const secondJudge = (scores: readonly (number | null)[]) => ({
  title: "audit",
  cell: ({ index }: { index: number }) => figure(scores[index]),
  sortValue: ({ index }: { index: number }) => scores[index] ?? null,
  number: true as const,
});

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
    if (run === null) return loggedText(entry);
    const shared = r === null || known?.candidate?.extract !== "whole" ? 0 : (result.shared_turns ?? 0);
    const part =
      r === null ? { prefix: "P", budget: null, reasoning: true } : { budget: budgets?.[r] ?? null, reasoning };
    const caption = r === null ? "prompt" : `#${r}, ${toldOf(run, result.rollouts[r] as Rollout)}`;
    const drawn = drawnRun({ run, shared, named: namedTurns(said, r), ...part });
    return el("details", { class: "said", open: true }, el("summary", {}, caption), drawn);
  });
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
function loggedText({ rollout_index, text }: LoggedText): HTMLElement {
  const name = rollout_index === null ? "prompt" : `#${rollout_index}`;
  return el(
    "details",
    { class: "said", open: text.length <= FOLDED_FROM },
    el("summary", {}, `${name}, ${figure(text.length)} characters`),
    el("pre", { tabindex: "0" }, text),
  );
}

/** Characters of a text that is not shown at once. */
const FOLDED_FROM = 2000;

/** Who is above the group: the runs, its run, its step. */
function trail({ run_id, step, owner }: RequestRow): HTMLElement {
  const query = owner === null ? "" : `?owner=${encodeURIComponent(owner)}`;
  const runPath = `/runs/${encodeURIComponent(run_id ?? "")}`;
  const links = [link("/runs", "Runs")];
  if (run_id !== null) links.push(link(`${runPath}${query}`, run_id));
  if (run_id !== null && step !== null) links.push(link(`${runPath}/steps/${step}${query}`, `step ${step}`));
  return el("nav", { "aria-label": "Where" }, ...links.flatMap((item, i) => (i === 0 ? [item] : [" / ", item])));
}

const heading = ({ step, result }: GroupRow) =>
  `Group ${result.group_id}${step === null ? "" : ` \u00b7 step ${step}`}`;

/** Links to the groups beside it in its request. */
function beside({ groups }: RequestRow, group: GroupRow): HTMLElement[] {
  const at = groups.findIndex(({ id }) => id === group.id);
  const [previous, next] = [groups[at - 1], groups[at + 1]];
  const links = [
    ...(previous === undefined ? [] : [link(`/groups/${previous.id}`, `\u2190 Group ${previous.result.group_id}`)]),
    ...(next === undefined ? [] : [link(`/groups/${next.id}`, `Group ${next.result.group_id} \u2192`)]),
  ];
  return links.length === 0 ? [] : [el("nav", { "aria-label": "Groups", class: "beside" }, ...links)];
}

const FIRST_CHARS = 120;

/** The first words of the prompt, or of the last message of a chat. */
function firstWords(written: readonly LoggedText[]): HTMLElement[] {
  const prompt = written.find(({ rollout_index }) => rollout_index === null)?.text;
  if (prompt === undefined) return [];
  const parts = promptOf(prompt)?.turns.at(-1)?.parts;
  const said = (parts?.flatMap((part) => (part.kind === "text" ? [part.text] : [])).join(" ") ?? prompt).trim();
  const line = said.replace(/\s+/g, " ");
  return [el("p", { class: "begins" }, line.length > FIRST_CHARS ? `${line.slice(0, FIRST_CHARS)}\u2026` : line)];
}

/** The verdicts, all or of one pair, and the pair's named in the address. */
function verdictList(
  all: readonly StoredVerdict[],
  audit: readonly StoredVerdict[],
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
    const parts = [verdictTable(some, `${counted(some.length, "verdict")}${suffix}`), ...verdictTexts(some)];
    const others = el("button", { type: "button", class: "small", onclick: back }, "All verdicts");
    list.replaceChildren(el("p", {}, others), ...parts, ...auditParts(second, suffix));
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
  const at = id.lastIndexOf(".");
  const [whole, { verdicts: all, audit = [] }, written] = await Promise.all([
    request(id.slice(0, at)),
    verdicts(id),
    texts(id),
  ]);
  const group = whole.groups.find((row) => row.id === id) as GroupRow;
  const { list, show, showAll } = verdictList(all, audit);
  const drawn = await loggedTexts(whole, group, all, written);
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
    el("h1", {}, heading(group)),
    ...beside(whole, group),
    ...firstWords(written),
    el("p", { class: "soft" }, description),
    ...(warned.length === 0 ? [] : [el("ul", { "aria-label": "Warnings of the request" }, ...warned)]),
    rollouts,
    el("h2", {}, "Who beat whom"),
    ...matrices(
      group.result.rollouts.map(({ duplicate_of }) => duplicate_of),
      all,
      show,
    ),
    el("h2", {}, "Verdicts"),
    list,
    el("h2", {}, "Prompt and rollouts"),
    ...(written.length === 0 ? noTexts(whole, (await specOf(whole))?.log_texts === true) : drawn),
    el("details", {}, el("summary", {}, "As JSON"), el("pre", { tabindex: "0" }, raw)),
  ];
}
