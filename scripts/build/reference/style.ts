// Style sheet of the documentation pages, for phone and desktop, light and dark mode.

export const STYLE = `
:root { color-scheme: light dark; --bg: #ffffff; --panel: #f5f6f8; --text: #1b1f24; --soft: #59636e; --line: #d9dee4; --accent: #0b5cad; --get: #0a6b4a; --post: #8a4b00; --put: #6b2fa0; --required: #b3261e; }
@media (prefers-color-scheme: dark) { :root { --bg: #14171b; --panel: #1d2127; --text: #e4e8ec; --soft: #9aa5b1; --line: #323942; --accent: #7ab8ff; --get: #5fd3a3; --post: #f0b161; --put: #c9a0f5; --required: #ff9a92; } }
* { box-sizing: border-box; }
html { scroll-padding-top: 3.1rem; }
body { margin: 0; background: var(--bg); color: var(--text); font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
a { color: var(--accent); text-decoration: none; }
a:hover, p a, dd a { text-decoration: underline; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
code, pre { font: 0.875em/1.5 ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.skip { position: absolute; left: -999px; }
.skip:focus { left: 1rem; top: 0.5rem; z-index: 3; background: var(--bg); padding: 0.5rem; }
header { position: sticky; top: 0; z-index: 2; display: flex; flex-wrap: wrap; gap: 0.3rem 1.5rem; align-items: baseline; padding: 0.7rem 1.25rem; background: var(--bg); border-bottom: 1px solid var(--line); }
.brand { font-weight: 700; font-size: 1.1rem; color: var(--text); }
.top { display: flex; flex-wrap: wrap; gap: 0.2rem 1.1rem; font-size: 0.95rem; }
.columns { display: grid; grid-template-columns: 19rem minmax(0, 1fr); max-width: 82rem; margin: 0 auto; }
aside { border-right: 1px solid var(--line); }
.narrow { display: none; }
aside .wide { position: sticky; top: 3.1rem; max-height: calc(100vh - 3.1rem); overflow-y: auto; padding: 1rem 1.25rem 2rem; }
aside { font-size: 0.9rem; }
aside h2 { margin: 1.1rem 0 0.4rem; font-size: 0.75rem; letter-spacing: 0.05em; text-transform: uppercase; color: var(--soft); }
aside ul { list-style: none; margin: 0; padding: 0; }
aside li a { display: flex; gap: 0.55rem; padding: 0.22rem 0; color: var(--text); overflow-wrap: anywhere; }
main { padding: 1.5rem 2.5rem 6rem; min-width: 0; max-width: 58rem; }
h1 { margin: 0.5rem 0 1rem; font-size: 2rem; line-height: 1.2; }
h1 small { font-size: 0.9rem; font-weight: 400; color: var(--soft); margin-left: 0.4rem; }
.routes { list-style: none; margin: 0.4rem 0; padding: 0; } .routes li { padding: 0.2rem 0; overflow-wrap: anywhere; } .routes li:target { background: var(--panel); outline: 2px solid var(--accent); outline-offset: 2px; }
main > h2 { margin: 3rem 0 0; font-size: 1.4rem; }
h3 { margin: 0 0 0.4rem; font-size: 1.15rem; line-height: 1.35; }
h3 a { color: var(--text); }
.operation { padding: 1.6rem 0; border-bottom: 1px solid var(--line); }
.method { display: inline-block; min-width: 2.9rem; font: 700 0.7rem/1.7 ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; color: var(--soft); }
.method.get { color: var(--get); } .method.post { color: var(--post); } .method.put { color: var(--put); } .method.delete { color: var(--required); }
p code, li code, dd code { background: var(--panel); padding: 0.08em 0.3em; border-radius: 4px; overflow-wrap: anywhere; }
summary { cursor: pointer; padding: 0.15rem 0; }
.status { font: 600 0.85em ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
summary { cursor: pointer; padding: 0.15rem 0; }
pre { margin: 0.4rem 0 0; padding: 0.9rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: 8px; overflow-x: auto; max-height: 26rem; }
.unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
section > h2 { margin: 0 0 0.5rem; font-size: 1.3rem; }
section > h2 a { color: var(--text); }
dl { display: grid; grid-template-columns: 5rem minmax(0, 1fr); gap: 0.35rem 0.8rem; margin: 0.6rem 0 0; }
dt { color: var(--soft); } dd { margin: 0; }
.guide { max-width: 52rem; } .guide p, .guide li { line-height: 1.6; }
.guide pre { background: var(--panel); border: 1px solid var(--line); border-radius: 6px; padding: 0.7rem 0.9rem; overflow-x: auto; }
.guide table { border-collapse: collapse; font-size: 0.92rem; } .guide .scroll { overflow-x: auto; margin: 0.8rem 0; }
.guide th, .guide td { text-align: left; vertical-align: top; padding: 0.35rem 0.7rem; border-top: 1px solid var(--line); min-width: 6rem; }
.guide blockquote { margin: 0.8rem 0; padding-left: 0.9rem; border-left: 3px solid var(--line); color: var(--soft); }
.guide code { overflow-wrap: anywhere; } .guide pre code { overflow-wrap: normal; }
.guide a { text-decoration: underline; } .guide h2 a, .guide h3 a { text-decoration: none; color: var(--text); }
nav ul ul { padding-left: 0.9rem; }
@media (prefers-reduced-motion: reduce) { *, ::before, ::after { transition: none !important; animation: none !important; } }
.lead { font-size: 1.15rem; max-width: 46rem; }
.front { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 20rem), 1fr)); gap: 0.8rem; }
.card { border: 1px solid var(--line); border-radius: 8px; padding: 0.8rem 1rem; } .card h2 { margin: 0; font-size: 1.1rem; } .card p { margin: 0.4rem 0 0; }
.card p a { text-decoration: underline; }
@media (max-width: 56rem) {
  html { scroll-padding-top: 0.5rem; }
  header { position: static; }
  .columns { grid-template-columns: minmax(0, 1fr); }
  aside { border-right: 0; border-bottom: 1px solid var(--line); }
  aside .wide { display: none; }
  .narrow { display: block; padding: 0.6rem 1.25rem; }
  .narrow summary { font-weight: 600; }
  .narrow[open] { padding-bottom: 1.2rem; }
  main { padding: 1rem 1.25rem 4rem; }
  h1 { font-size: 1.6rem; }
  dl { grid-template-columns: minmax(0, 1fr); gap: 0.1rem; } dd { margin-bottom: 0.5rem; }
}
`;

/** Overrides of Swagger UI's style: colours with enough contrast, and no links between operations. */
export const REFERENCE_STYLE = `
#reference {
  .wrapper { padding: 0; }
  .auth-wrapper { justify-content: flex-start; margin-bottom: 1rem; }
  .btn.authorize { margin-left: 0; }
  .parameter__in, .examples-select__section-label, .header-col { color: var(--text); }
  .response-col_links { display: none; }
}
html.dark-mode #reference { .btn.cancel { color: #ff8f8f; border-color: #ff8f8f; } }
html:not(.dark-mode) #reference {
  .opblock-get .opblock-summary-method, .btn.execute { background: #2165b0; border-color: #2165b0; }
  .opblock-post .opblock-summary-method { background: #1a7a4c; }
  .opblock-put .opblock-summary-method, .json-schema-2020-12__constraint--string { background: #8f5500; }
  .opblock-delete .opblock-summary-method { background: #c62828; }
  .btn.authorize { color: #1a7a4c; border-color: #1a7a4c; }
  .btn.cancel { color: #c62828; border-color: #c62828; }
  .download-contents { background: #4b5563; }
  .json-schema-2020-12-expand-deep-button { color: #505050; }
}
`;
