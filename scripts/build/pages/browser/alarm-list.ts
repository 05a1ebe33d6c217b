// Owns the list of a run's alarms, above all else of its page: what is on, and what was not looked at.
import { CHART_TABLE } from "./chart-table.ts";
import { el, link } from "./dom.ts";
import type { RunHealth } from "./log.ts";
import { counted, figure } from "./numbers.ts";

const needsOf = (names: readonly string[]): HTMLElement =>
  el(
    "ul",
    {},
    ...names.map((name) =>
      el("li", {}, link(`/docs/alarms#${name}`, name), ` needs ${CHART_TABLE.needs[name]?.replaceAll("`", "")}`),
    ),
  );

/** What silence means: of an alarm that had nothing to look at, nothing. */
function quiet({ by, rows, alarms, looked_at }: RunHealth): HTMLElement[] {
  const unseen = Object.keys(CHART_TABLE.needs).filter((name) => !looked_at.includes(name));
  const all = looked_at.length + unseen.length;
  if (rows.length === 0) return [el("p", {}, "No group is logged that alarms look at.")];
  const calm = el("p", { class: "calm" }, `No alarm, of ${looked_at.length} that had enough to look at.`);
  const none = el("p", {}, `Nothing to look at yet: ${counted(rows.length, by)} logged.`);
  const head = `${unseen.length} of ${all} alarms had nothing to look at`;
  const steps = by === "window" ? [el("p", { class: "soft" }, "A window counts as a step.")] : [];
  return [
    ...(alarms.length > 0 ? [] : [looked_at.length === 0 ? none : calm]),
    ...(unseen.length === 0 ? [] : [el("details", {}, el("summary", {}, head), ...steps, needsOf(unseen))]),
  ];
}

/** @param href the page of a step */
export function alarmList(looked: RunHealth, href: (step: number) => string): HTMLElement {
  const { by, alarms } = looked;
  const told = alarms.map(({ alarm, level, from_step, to_step, evidence }) => {
    const until = to_step === null ? "now" : `${by} ${to_step}`;
    return el(
      "li",
      { class: to_step === null ? "on" : "over" },
      link(`/docs/alarms#${alarm}`, alarm),
      ` ${level}, ${by} ${from_step} to ${until}: ${figure(evidence.value)} at `,
      link(href(evidence.step), `${by} ${evidence.step}`),
      ` (threshold ${figure(evidence.threshold)})`,
    );
  });
  const list = el("ul", { class: "alarm-list", "aria-label": "Alarms" }, ...told);
  return el("div", {}, ...(told.length === 0 ? [] : [list]), ...quiet(looked));
}
