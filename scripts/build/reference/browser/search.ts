// Owns the search of the documentation: over routes, fields and codes of the page, the codes of the
// pages beside it, and the guides and routes of docs/index.js, which is loaded with the first search.

interface Entry {
  title: string;
  about: string;
  /** All that is searched, in lower case. */
  text: string;
  href: string;
  /** A field's place; its sections are opened on the way to it. */
  at?: Element;
}

const HITS_MAX = 40;

const textOf = (within: Element, of: string): string => within.querySelector(of)?.textContent?.trim() ?? "";

/** The fields that a field lies in, outermost first. */
function namesAbove(item: Element): string[] {
  const above = item.parentElement?.closest(".fields li") ?? null;
  if (above === null) return [];
  return [...namesAbove(above), textOf(above, ":scope > details > summary code.name")];
}

function sectionEntries(section: Element): Entry[] {
  const [title, route] = [textOf(section, "h2, h3"), textOf(section, ".route")];
  const prose = [...section.querySelectorAll(":scope > p, :scope > dl")].map((part) => part.textContent).join(" ");
  const href = `#${section.id}`;
  const own = { title, about: route, text: `${title} ${route} ${section.id} ${prose}`.toLowerCase(), href };
  const fields = [...section.querySelectorAll(".fields code.name")].map((name) => {
    const item = name.closest("li") as Element;
    const said = textOf(item, ":scope > .about, :scope > details > .about");
    const about = `${[route || title, ...namesAbove(item)].join(" › ")}: ${said}`;
    return { title: name.textContent ?? "", about, text: `${name.textContent} ${said}`.toLowerCase(), href, at: item };
  });
  return [own, ...fields];
}

function entries(): Entry[] {
  const sections = [...document.querySelectorAll("main section[id]")].flatMap(sectionEntries);
  const beside = [...document.querySelectorAll<HTMLAnchorElement>("#beside a")].map((link) => {
    const [title, about] = [link.textContent ?? "", link.title];
    return { title, about, text: `${title} ${about}`.toLowerCase(), href: link.getAttribute("href") ?? "" };
  });
  return [...sections, ...beside];
}

type Indexed = readonly [title: string, about: string, href: string, words: string];
const INDEX = "/docs/index.js";

/** What other pages have; nothing where the index does not come. */
async function indexed(): Promise<Entry[]> {
  const loaded = await import(INDEX).catch(() => ({ default: [] }));
  const here = location.pathname;
  return (loaded.default as Indexed[])
    .filter(([, , href]) => href.split("#")[0] !== here)
    .map(([title, about, href, words]) => ({ title, about, text: words, href }));
}

const nearness = (name: string, word: string): number =>
  name === word ? 4 : name.startsWith(word) ? 3 : name.includes(word) ? 2 : 1;

/**
 * Higher for a word in the title, most for a title that is it; 0 where a word is nowhere. A page is
 * named by its address, too: `gathering`, whatever its heading says.
 */
function rank({ title, text, href, at }: Entry, words: readonly string[]): number {
  const names = [title.toLowerCase(), ...(href.includes("#") ? [] : [href.split("/").at(-1) ?? ""])];
  let sum = at === undefined ? 0.5 : 0;
  for (const word of words) {
    if (!text.includes(word) && !names.some((name) => name.includes(word))) return 0;
    sum += Math.max(...names.map((name) => nearness(name, word)));
  }
  return sum;
}

function open(entry: Entry): void {
  for (let part = entry.at ?? null; part !== null; part = part.parentElement) {
    if (part instanceof HTMLDetailsElement) part.open = true;
  }
  entry.at?.querySelector(":scope > details")?.setAttribute("open", "");
  entry.at?.scrollIntoView({ block: "center" });
  entry.at?.classList.add("found");
}

/** Without those that look the same, such as a field of several forms of one thing. */
const distinct = (all: readonly Entry[]): Entry[] =>
  [...new Map([...all].reverse().map((entry) => [`${entry.title} ${entry.about}`, entry])).values()].reverse();

function hit(entry: Entry, done: () => void): HTMLLIElement {
  const [item, link, about] = [
    document.createElement("li"),
    document.createElement("a"),
    document.createElement("span"),
  ];
  link.href = entry.href;
  link.textContent = entry.title;
  about.textContent = entry.about;
  link.append(about);
  link.addEventListener("click", (event) => {
    done();
    if (entry.at === undefined) return;
    event.preventDefault();
    history.pushState(null, "", entry.href);
    open(entry);
  });
  item.append(link);
  return item;
}

export function searchBox(): void {
  const form = document.getElementById("search");
  const input = form?.querySelector("input");
  const list = form?.querySelector("ul");
  const told = form?.querySelector("output");
  if (!form || !input || !list || !told) return;
  form.hidden = false;
  let known: Entry[] | null = null;
  const more = () => {
    known = entries();
    void indexed().then((others) => {
      // Of a code of a page beside this one the index says more.
      const again = new Set(others.map(({ href }) => href));
      known = [...(known ?? []).filter(({ href }) => !again.has(href)), ...others];
      if (input.value !== "") look();
    });
  };
  const close = () => {
    list.replaceChildren();
    list.hidden = true;
    told.textContent = "";
  };
  const look = () => {
    const words = input.value
      .toLowerCase()
      .split(/\s+/)
      .filter((word) => word !== "");
    for (const found of document.querySelectorAll(".found")) found.classList.remove("found");
    if (words.length === 0) return close();
    if (known === null) more();
    const ranked = (known ?? [])
      .map((entry) => ({ entry, value: rank(entry, words) }))
      .filter(({ value }) => value > 0);
    ranked.sort((a, b) => b.value - a.value);
    const hits = distinct(ranked.map(({ entry }) => entry));
    list.replaceChildren(...hits.slice(0, HITS_MAX).map((entry) => hit(entry, close)));
    list.hidden = hits.length === 0;
    told.textContent = hits.length === 0 ? "nothing found" : `${hits.length} found`;
  };
  input.addEventListener("input", look);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    list.querySelector("a")?.click();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLInputElement && event.target.type === "search";
    if (event.key === "/" && !typing) {
      event.preventDefault();
      input.focus();
    } else if (event.key === "Escape" && form.contains(document.activeElement)) {
      close();
      input.focus();
    } else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && form.contains(document.activeElement)) {
      const stops: HTMLElement[] = [input, ...list.querySelectorAll("a")];
      const next = stops.indexOf(document.activeElement as HTMLElement) + (event.key === "ArrowDown" ? 1 : -1);
      event.preventDefault();
      stops[Math.max(0, Math.min(next, stops.length - 1))]?.focus();
    }
  });
  document.addEventListener("click", ({ target }) => {
    if (!form.contains(target as Node)) close();
  });
}
