// The style of the pages of runs, over that of the documentation.

export const RUNS_STYLE = `
:root { --shade: #0004; --warn: #a15c00; --calm: #0a6b4a; --series-a: #0072b2; --series-b: #c77700; --series-c: #00562a; --series-d: #ee4a7d; --series-e: #1c1c22; --series-f: #5a44ea; }
@media (prefers-color-scheme: dark) { :root { --shade: #fff5; --warn: #f0b161; --calm: #5fd3a3; --series-a: #56b4e9; --series-b: #e69f00; --series-c: #66f5a0; --series-d: #e62f7c; --series-e: #eef3f8; --series-f: #6275ff; } }
.runs main { max-width: 88rem; margin: 0 auto; padding: 1.2rem 1.25rem 4rem; }
.runs main[aria-busy] { opacity: 0.6; }
.runs h1 { margin: 0.4rem 0 0.8rem; overflow-wrap: anywhere; }
.runs h2 { margin: 1.8rem 0 0.4rem; font-size: 1.4rem; }
.part:first-child h2 { margin-top: 0.6rem; }
.runs main > p.soft { margin: 0.4rem 0; }
.soft { color: var(--soft); }
.fault { color: var(--required); }
.banner { border: 1px solid var(--warn); border-left-width: 6px; border-radius: 6px; padding: 0.5rem 0.8rem; color: var(--warn); font-weight: 600; }
/* A shade at an edge beyond which the content goes on: the covers scroll with the content, the shades stay. */
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: linear-gradient(to right, var(--bg) 50%, transparent) left / 3rem 100% no-repeat local, linear-gradient(to left, var(--bg) 50%, transparent) right / 3rem 100% no-repeat local, linear-gradient(to right, var(--shade), transparent) left / 1rem 100% no-repeat scroll, linear-gradient(to left, var(--shade), transparent) right / 1rem 100% no-repeat scroll, var(--bg); }
table { border-collapse: collapse; width: 100%; font-size: 0.92rem; }
caption { text-align: left; padding: 0.5rem 0.7rem; color: var(--soft); }
th, td { padding: 0.35rem 0.6rem; border-top: 1px solid var(--line); text-align: left; white-space: nowrap; }
th { white-space: normal; vertical-align: bottom; line-height: 1.3; }
caption { min-width: 12rem; }
th.number, td.number { padding-inline: 0.45rem; text-align: right; font-variant-numeric: tabular-nums; }
th button { all: unset; cursor: pointer; }
th button:focus-visible, td button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
th[aria-sort="descending"] button::after { content: " \\2193"; }
th[aria-sort="ascending"] button::after { content: " \\2191"; }
.said pre { white-space: pre-wrap; overflow-wrap: anywhere; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.5rem 0.7rem; margin: 0.3rem 0 0.8rem; }
.said h3 { font-size: 0.95rem; margin: 0.8rem 0 0; }
.said summary { padding: 0.25rem 0; cursor: pointer; }
.sides { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 24rem), 1fr)); gap: 0 1.5rem; align-items: start; }
.said { min-width: 0; }
.decided { margin: 0.2rem 0; }
.decided::first-letter { text-transform: uppercase; }
td .begins { display: block; max-width: 12rem; overflow: hidden; text-overflow: ellipsis; }
.run { border-left: 2px solid var(--line); padding-left: 0.8rem; margin: 0.4rem 0 1.2rem; }
.turn { margin: 0.6rem 0; }
.run h3 { margin: 0.6rem 0 0.2rem; font-size: 0.95rem; }
.run h3 .soft { font-weight: 400; }
.run pre { margin: 0.2rem 0; }
.words pre { font-family: inherit; background: none; border: 0; padding: 0; }
.call { margin: 0.3rem 0; }
.call b, .result > summary, .begun > summary { font-size: 0.88rem; }
.result > summary, .begun > summary, .cut > summary { cursor: pointer; color: var(--soft); }
.cut { border-left: 3px solid var(--warn); padding-left: 0.6rem; }
.cut > summary { color: var(--warn); }
.named { margin-left: 0.6rem; font-weight: 400; font-size: 0.82rem; color: var(--accent); border: 1px solid var(--accent); border-radius: 1rem; padding: 0 0.5rem; white-space: nowrap; }
.added { color: var(--calm); }
.removed { color: var(--required); }
tr[data-named] td { background: var(--panel); font-weight: 600; }
td button, .small { font: inherit; color: var(--accent); background: none; border: 1px solid var(--line); border-radius: 5px; padding: 0 0.4rem; cursor: pointer; }
.small { font-size: 0.75rem; margin-left: 0.6rem; font-weight: 400; }
.filters { display: flex; gap: 1rem; flex-wrap: wrap; align-items: center; }
select { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.3rem 0.5rem; }
input[type="search"], input[type="password"], input[type="text"], input[type="number"] { font: inherit; color: inherit; background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.35rem 0.6rem; min-width: 0; }
.compared .small { margin: 0 0.6rem 0 0; }
.compared td:last-child { white-space: normal; min-width: 10rem; }
.again { margin: 0.8rem 0; }
.again > summary { cursor: pointer; color: var(--accent); }
.again form { margin-top: 0.6rem; }
.again input[type="text"] { flex: 1 1 16rem; }
.again input[type="number"] { width: 6rem; }
.field { display: inline-flex; gap: 0.5rem; align-items: center; white-space: nowrap; }
.again .small, .filters .small { margin-left: 0; }
.again th, .again td { white-space: normal; }
.again .scroll { max-width: 40rem; margin-bottom: 0.6rem; }
.spark svg { flex: none; max-width: none; }
.spark { display: inline-flex; gap: 0.6rem; align-items: center; justify-content: flex-end; }
.alarms { display: inline-flex; flex-wrap: wrap; gap: 0 0.6rem; }
.alarms b { color: var(--required); font-weight: 600; }
.alarm-list { list-style: none; padding: 0; margin: 0.8rem 0; display: grid; grid-template-columns: minmax(0, 1fr); gap: 0.35rem; }
.alarm-list li { border-left: 3px solid var(--required); padding: 0.15rem 0.7rem; background: var(--panel); }
.alarm-list p { margin: 0.15rem 0; }
.alarm-list summary { cursor: pointer; list-style-position: inside; }
.alarm-list details:not([open]) summary { white-space: nowrap; overflow: hidden; text-overflow: ellipsis; }
.alarm-list li.over { border-color: var(--line); }
.alarm-list li.over b { font-weight: 400; color: var(--soft); }
.calm { color: var(--calm); margin: 0.4rem 0; }
.headlines { display: grid; grid-template-columns: repeat(auto-fit, minmax(9.5rem, 1fr)); gap: 0.5rem 1rem; margin: 0.6rem 0; }
.headlines dt { color: var(--soft); font-size: 0.85rem; }
.headlines dd { margin: 0; display: flex; flex-wrap: wrap; align-items: baseline; gap: 0 0.5rem; }
.headlines .plot { width: 6rem; }
.headlines b { font-size: 1.25rem; }
.charts { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); gap: 1rem; }
.chart { position: relative; border: 1px solid var(--line); border-radius: 8px; padding: 0.6rem 0.8rem; min-width: 0; }
.chart h3 { margin: 0 0 0.3rem; font-size: 0.95rem; }
.chart p { margin: 0 0 0.3rem; font-size: 0.85rem; }
@media (hover: hover) {
  .chart .tools { position: absolute; top: 0.4rem; right: 0.6rem; background: var(--bg); }
  .chart:not(:hover):not(:focus-within) .tools { opacity: 0; }
}
.frame .chart { min-height: 15rem; }
.chart figure { margin: 0; }
.plot { display: block; max-width: 100%; height: auto; color: var(--accent); background: none; overflow: visible; --plot-background: var(--panel); }
svg.plot { touch-action: pan-y; }
.charts svg.plot { cursor: crosshair; }
.plot .threshold text { fill: var(--warn); }
.plot .began text { fill: var(--required); }
.plot .change text { fill: var(--calm); }
.plot :is(.threshold, .began, .change) text { stroke: var(--bg); stroke-width: 3px; stroke-linejoin: round; paint-order: stroke; }
.plot .band { fill: var(--accent); fill-opacity: 0.15; pointer-events: none; }
.view input[type="number"] { width: 6.5rem; }
.view > * { margin: 0.3rem 0; }
.view > form { display: inline-flex; margin-right: 1.5rem; }
.view > p:last-child { display: inline-block; }
.view p > .small { margin-left: 0; }
.view summary { cursor: pointer; color: var(--accent); }
@media (min-width: 40.01rem) { .view summary { display: none; } }
.small:disabled { opacity: 0.5; cursor: default; }
.plot text, .plot tspan { white-space: pre; fill: var(--soft); }
.plot [aria-label="tip"] text, .plot [aria-label="tip"] tspan { fill: var(--text); }
.plot-swatches { font: 12px system-ui, sans-serif; color: var(--soft); display: flex; flex-wrap: wrap; gap: 0.2rem 0.8rem; margin-bottom: 0.3rem; }
.plot-swatches > span, .plot-swatch { display: inline-flex; align-items: center; gap: 0.3rem; }
@media (max-width: 40rem) {
  .runs main { padding-top: 0.6rem; }
  .runs main h1 { margin: 0.2rem 0 0.4rem; }
  .alarm-list { font-size: 0.9rem; margin: 0.5rem 0; }
  .alarm-list details:not([open]) summary { white-space: normal; }
  .alarm-list details:not([open]) .remedy { display: none; }
  td[data-title="group"], td .begins { max-width: 8.5rem; white-space: normal; overflow-wrap: anywhere; }
  .cards .field { white-space: normal; overflow-wrap: anywhere; }
  .runs h1 { font-size: 1.3rem; }
  .runs header nav { order: 1; }
  .runs header > button { margin-left: auto; }
  .headlines .plot { display: none; }
  .cards { border: 0; overflow: visible; }
  .cards table, .cards caption, .cards tbody { display: block; }
  .cards caption { padding-inline: 0; }
  .cards thead { display: flex; flex-wrap: wrap; }
  .cards thead tr { display: contents; }
  .cards thead th { border: 0; padding: 0.15rem 0.7rem 0.15rem 0; font-size: 0.85rem; }
  .cards tbody tr { display: block; border: 1px solid var(--line); border-radius: 8px; padding: 0.4rem 0.7rem; margin-top: 0.6rem; }
  .cards tbody td { display: flex; gap: 1rem; justify-content: space-between; border: 0; padding: 0.15rem 0; white-space: normal; }
  .cards .alarms { justify-content: flex-end; }
  .cards tbody td::before { content: attr(data-title); color: var(--soft); }
  .cards tbody td:first-child { font-weight: 600; font-size: 1.05rem; }
  .cards tbody td:first-child::before { content: none; }
}
.beside { display: flex; gap: 1.5rem; margin: 0.3rem 0; }
.picks { display: grid; grid-template-columns: repeat(auto-fit, minmax(14rem, 1fr)); gap: 1rem; }
.runs main :is(p, li) a { text-decoration: underline; }
.picks h2 { margin: 0 0 0.3rem; font-size: 1rem; }
.key { display: grid; gap: 0.6rem; max-width: 28rem; }
.key button { justify-self: start; font: inherit; padding: 0.35rem 1rem; border-radius: 6px; border: 1px solid var(--line); background: var(--panel); color: var(--text); cursor: pointer; }
@media (prefers-reduced-motion: reduce) { * { scroll-behavior: auto !important; } }
`;
