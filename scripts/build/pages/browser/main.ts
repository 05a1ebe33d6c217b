// Decides which page an address shows, and the form for a key.
import { el } from "./dom.ts";
import { groupPage } from "./group.ts";
import { forgetKey, hasKey, KeyNeeded, keepKey } from "./log.ts";
import { runPage } from "./run.ts";
import { runsPage } from "./runs.ts";
import { stepPage } from "./step.ts";

const main = document.querySelector("main") as HTMLElement;

function pageAt(path: string, owner: string | null): Promise<HTMLElement[]> {
  const [, place, id, below, step] = path.split("/").map(decodeURIComponent);
  if (place === "groups" && id !== undefined) return groupPage(id);
  if (id === undefined || id === "") return runsPage();
  return below === "steps" && step !== undefined ? stepPage(id, step, owner) : runPage(id, owner);
}

function keyForm(why: string): HTMLElement {
  const key = el("input", { type: "password", id: "key", autocomplete: "off", required: true });
  const submit = (event: Event) => {
    event.preventDefault();
    keepKey(key.value);
    void show();
  };
  return el(
    "form",
    { class: "key", onsubmit: submit },
    el("label", { for: "key" }, "API key with the scope logs"),
    key,
    el("button", { type: "submit" }, "Show"),
    el("p", { class: "soft" }, why === "" ? "Stored in this tab only, never in a URL." : why),
  );
}

/** A button that drops the key; there while one is kept. */
function forgetting(): void {
  const header = document.querySelector("header") as HTMLElement;
  header.querySelector("button")?.remove();
  if (!hasKey()) return;
  const forget = () => {
    forgetKey();
    void show();
  };
  header.append(el("button", { type: "button", class: "small", onclick: forget }, "Forget the key"));
}

async function show(): Promise<void> {
  main.setAttribute("aria-busy", "true");
  try {
    const parts = await pageAt(location.pathname, new URLSearchParams(location.search).get("owner"));
    main.replaceChildren(...parts);
    document.title = `${main.querySelector("h1")?.textContent ?? "Runs"} \u2013 Kritai`;
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    // The head that was shown during loading names the page that could not be read.
    const head = [...main.querySelectorAll<HTMLElement>(":scope > nav, :scope > h1")];
    main.replaceChildren(
      ...(head.length === 0 || error instanceof KeyNeeded ? [el("h1", {}, "Runs")] : head),
      error instanceof KeyNeeded ? keyForm(error.message) : el("p", { role: "alert", class: "fault" }, message),
    );
  }
  main.removeAttribute("aria-busy");
  forgetting();
  // A form that comes by script has no autofocus of the browser.
  main.querySelector<HTMLElement>("form.key input")?.focus();
}

void show();
