// How a report looks on screen and on paper. Knows none of its content.

/**
 * The style sheet, to be put inline. Charts draw with `currentColor` on `--page`, so that they
 * follow the colour scheme.
 */
export const STYLE = `
:root { color-scheme: light dark; --page: #ffffff; --ink: #1b1f24; --faint: #59636e; --line: #d1d9e0; --tint: #f6f8fa; --link: #0a5cc2; }
@media (prefers-color-scheme: dark) {
  :root { --page: #0f1318; --ink: #e6edf3; --faint: #9aa5b1; --line: #333b45; --tint: #171c23; --link: #6cb1ff; }
}
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 2rem 1.25rem 4rem; max-width: 60rem; background: var(--page); color: var(--ink);
  font: 16px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; overflow-wrap: break-word; }
h1 { margin: 0; font-size: 1.75rem; line-height: 1.2; }
h2 { margin: 2.5rem 0 0.5rem; font-size: 1.25rem; border-bottom: 1px solid var(--line); padding-bottom: 0.25rem; }
.subtitle { margin: 0.25rem 0 1rem; color: var(--faint); }
p { max-width: 46rem; margin: 0.5rem 0; }
a { color: var(--link); }
code { font: 0.875em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; background: var(--tint); padding: 0.1em 0.3em; border-radius: 3px; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)); gap: 0.5rem 1.25rem; margin: 0;
  padding: 0.75rem 1rem; background: var(--tint); border: 1px solid var(--line); border-radius: 6px; }
dt { font-size: 0.75rem; color: var(--faint); }
dd { margin: 0; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
nav ul { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0; margin: 1rem 0 0; list-style: none; font-size: 0.875rem; }
figure.chart { margin: 1.25rem 0; }
figure.chart figcaption { font-weight: 600; margin-bottom: 0.25rem; }
figure.chart .about { font-weight: 400; color: var(--faint); font-size: 0.875rem; margin: 0; }
figure.chart figure { margin: 0; }
figure.chart svg { max-width: 100%; height: auto; --plot-background: var(--page); font-size: 12px; }
/* Below this the writing of a chart would be too small to read; it scrolls in its frame instead. */
.drawing { overflow-x: auto; }
.drawing > svg, .drawing > figure > svg { min-width: 40rem; }
.headline { font-size: 1.25rem; font-weight: 600; line-height: 1.4; margin: 0.25rem 0; }
.legend { display: flex; flex-wrap: wrap; gap: 0.25rem 1rem; padding: 0; margin: 0.5rem 0; list-style: none; font-size: 0.8125rem; }
.legend svg { vertical-align: middle; margin-right: 0.375rem; }
.scroll { overflow-x: auto; margin: 1rem 0; }
table { border-collapse: collapse; font-size: 0.875rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: 0.375rem; max-width: calc(100vw - 2.5rem); }
th, td { text-align: left; padding: 0.25rem 0.875rem 0.25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { color: var(--faint); font-weight: 600; vertical-align: bottom; }
tbody th { font-weight: 500; }
td.number { text-align: right; white-space: nowrap; }
td.long { min-width: 20rem; }
pre { overflow-x: auto; padding: 0.75rem 1rem; background: var(--tint); border-radius: 6px; }
pre code { background: none; padding: 0; }
details { margin: 0.5rem 0; font-size: 0.875rem; }
summary { cursor: pointer; color: var(--faint); }
@media print {
  :root { --page: #ffffff; --ink: #000000; --faint: #444444; --line: #bbbbbb; --tint: #ffffff; --link: #000000; }
  body { max-width: none; padding: 0; font-size: 10pt; }
  nav, details { display: none; }
  figure.chart, tr { break-inside: avoid; }
  h2 { break-after: avoid; }
  .scroll { overflow: visible; }
  table { font-size: 7.5pt; }
  th, td { padding-right: 0.4rem; }
}
`;
