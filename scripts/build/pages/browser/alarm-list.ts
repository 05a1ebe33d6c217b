// The list of a run's alarms, above all else of its page: what is on, and what was not looked at.
import { CHART_TABLE } from "./chart-table.ts";
import { el, link } from "./dom.ts";
import type { AlarmSpan, RunHealth } from "./log.ts";
import { counted, figure } from "./numbers.ts";

const needsOf = (names: readonly string[]): HTMLElement =>
  el(
    "ul",
    {},
    ...names.map((name) =>
      el("li", {}, link(`/docs/alarms#${name}`, name), ` needs ${CHART_TABLE.alarms[name]?.needs}`),
    ),
  );

/** Lists the alarms without data, because silence of such an alarm means nothing. */
function quiet({ rows, alarms, looked_at }: RunHealth): HTMLElement[] {
  const unseen = Object.keys(CHART_TABLE.alarms).filter((name) => !looked_at.includes(name));
  const all = looked_at.length + unseen.length;
  if (rows.length === 0)
    return [el("p", {}, "The alarms have no data, because no reward request of the run has a step.")];
  const calm = el("p", { class: "calm" }, `No alarm is active. ${counted(looked_at.length, "alarm")} had enough data.`);
  const none = el("p", {}, `No alarm has enough data yet: ${counted(rows.length, "step")} logged.`);
  const head = `${unseen.length} of ${all} alarms had too little data`;
  return [
    ...(alarms.length > 0 ? [] : [looked_at.length === 0 ? none : calm]),
    ...(unseen.length === 0
      ? []
      : [el("details", { "data-name": "too little data" }, el("summary", {}, head), needsOf(unseen))]),
  ];
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

/**
 * One alarm in one line: what is wrong and since when, and what to look at. When opened, all of it, with the
 * measured value and the groups at the worst step.
 */
function alarmItem({ alarm, level, from_step, to_step, says, evidence }: AlarmSpan, at: HTMLElement): HTMLElement {
  const when = to_step === null ? `since step ${from_step}` : `from step ${from_step} to ${to_step} (ended)`;
  const remedy =
    to_step === null ? el("span", { class: "remedy" }, ` Look at: ${CHART_TABLE.alarms[alarm]?.look_at}.`) : null;
  const measured = `${figure(evidence.value)}, threshold ${figure(evidence.threshold)}`;
  const details = el(
    "details",
    { "data-name": `${alarm} ${from_step}` },
    el("summary", {}, el("b", {}, `${sentence(says)}, ${when}.`), remedy),
    el("p", { class: "soft" }, link(`/docs/alarms#${alarm}`, alarm), ` ${level}: ${measured}. `, at),
  );
  return el("li", { class: to_step === null ? "on" : "over" }, details);
}

/** @param href the page of a step, which sorts its groups by what the alarm measures */
export function alarmList(looked: RunHealth, href: (step: number, alarm: string) => string): HTMLElement {
  // Alarms that are on stand first.
  const sorted = [...looked.alarms].sort((a, b) => Number(a.to_step !== null) - Number(b.to_step !== null));
  const items = sorted.map((span) => {
    const { step } = span.evidence;
    return alarmItem(span, link(href(step, span.alarm), `Groups of step ${step}, the alarm's worst step`));
  });
  const list = el("ul", { class: "alarm-list", "aria-label": "Alarms" }, ...items);
  return el("div", {}, ...(items.length === 0 ? [] : [list]), ...quiet(looked));
}
