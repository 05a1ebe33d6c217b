// Shows a page's place, title and reading progress until its data has come.
import { el } from "./dom.ts";

/** Boxes where charts will be. */
const BOXES = 6;

/**
 * Shows the head of a page that is still read.
 * @param charts whether charts will follow
 * @returns says how far the page has been read
 */
export function showFrame(head: readonly HTMLElement[], charts = false): (text: string) => void {
  const status = el("p", { class: "soft", role: "status" }, "Loading ..");
  const boxes = Array.from({ length: BOXES }, () => el("div", { class: "chart" }));
  const room = charts ? [el("div", { class: "charts frame", "aria-hidden": "true" }, ...boxes)] : [];
  document.querySelector("main[aria-busy]")?.replaceChildren(...head, status, ...room);
  return (text) => {
    status.textContent = text;
  };
}
