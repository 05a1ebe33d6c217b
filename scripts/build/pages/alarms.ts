// The page of alarms, from what each says of itself and what docs/alarms.md says besides.
import { pageOf } from "../../../src/core/health/alarm.ts";
import { ALARMS } from "../../../src/core/health/alarms/table.ts";
import { alarmsBesides } from "../guides/files.ts";
import { type Html, html, inline } from "../reference/html.ts";
import { frame } from "../reference/page.ts";

/** `[text](page.md#part)` as its text: those pages are in the repository only. */
const plain = (text: string): Html[] => inline(text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1"));

export function alarmsPage(): string {
  const nav = html`<h2>Alarms</h2><ul>${ALARMS.map(({ name }) => html`<li><a href="#${name}">${name}</a></li>`)}</ul>`;
  const main = html`<h1>Alarms</h1><p>Rules over the last steps of a run: <code>GET /v1/runs/:run_id/health</code>, and the page of a run.</p>${ALARMS.map(
    (alarm) => {
      const { rule, ends_at, needs, look_at } = pageOf(alarm);
      return html`<section class="operation" id="${alarm.name}"><h2><a href="#${alarm.name}"><code>${alarm.name}</code></a></h2>
<dl><dt>Rule</dt><dd>${plain(rule)}</dd><dt>Ends at</dt><dd>${plain(ends_at)}</dd><dt>Needs</dt><dd>${plain(needs)}</dd><dt>Look at</dt><dd>${plain(look_at)}</dd></dl></section>`;
    },
  )}<article class="guide">${alarmsBesides()}</article>`;
  return frame("Kritai alarms", nav, main);
}
