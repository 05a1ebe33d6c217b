// Makes elements. Texts become text nodes: what a model wrote is never markup.

type Child = Node | string | null;
type Attributes = Readonly<Record<string, string | boolean | ((event: Event) => void)>>;

/**
 * An element; `on…` attributes are listeners, `true` is a bare attribute, `false` leaves it out.
 */
export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: readonly Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

export const link = (href: string, text: string): HTMLAnchorElement => el("a", { href }, text);

export interface Column<T> {
  title: string;
  /** Text or element of a cell. */
  cell: (row: T) => Node | string;
  /** The value that the column sorts by; absent: it does not. */
  sortValue?: (row: T) => number | string | null;
  number?: true;
}

export interface LiveTable<T> {
  element: HTMLElement;
  /** Shows other rows: what they are sorted by stays, and the focus on a link that is there still. */
  update(caption: string, rows: readonly T[]): void;
  /** Sorts by the column of this title. */
  sort(title: string, down: boolean): void;
}

/** A table whose titles sort it, the best known first; what has no value goes last. */
export function table<T>(
  caption: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
  attributesOf: (row: T) => Attributes = () => ({}),
): HTMLElement {
  return liveTable(caption, columns, rows, attributesOf).element;
}

/** The same, of rows that change while it is looked at. */
export function liveTable<T>(
  caption: string,
  columns: readonly Column<T>[],
  rows: readonly T[],
  attributesOf: (row: T) => Attributes = () => ({}),
): LiveTable<T> {
  let shown = rows;
  let order = (some: readonly T[]): readonly T[] => some;
  const body = el("tbody");
  const fill = (sorted: readonly T[]) =>
    body.replaceChildren(
      ...sorted.map((row) =>
        el(
          "tr",
          attributesOf(row),
          ...columns.map(({ title, cell, number }) =>
            el("td", { "data-title": title, ...(number && { class: "number" }) }, cell(row)),
          ),
        ),
      ),
    );
  const heads = columns.map(({ title, sortValue, number }) => {
    const head = el("th", { scope: "col", ...(number && { class: "number" }) });
    if (sortValue === undefined) head.append(title);
    else
      head.append(
        el(
          "button",
          { type: "button", onclick: () => sort(head, sortValue, head.getAttribute("aria-sort") !== "descending") },
          title,
        ),
      );
    return head;
  });
  const sort = (head: HTMLElement, sortValue: (row: T) => number | string | null, down: boolean) => {
    for (const other of heads) other.removeAttribute("aria-sort");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    order = (some) => [...some].sort((a, b) => compared(sortValue(a), sortValue(b), down));
    fill(order(shown));
  };
  fill(rows);
  const named = el("caption", {}, caption);
  const whole = el("table", {}, named, el("thead", {}, el("tr", {}, ...heads)), body);
  const element = el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption }, whole);
  const update = (now: string, some: readonly T[]) => {
    const focused = body.contains(document.activeElement) ? document.activeElement?.getAttribute("href") : null;
    shown = some;
    named.textContent = now;
    element.setAttribute("aria-label", now);
    fill(order(shown));
    const same = [...body.querySelectorAll("a")].find((a) => focused != null && a.getAttribute("href") === focused);
    same?.focus({ preventScroll: true });
  };
  const sortBy = (title: string, down: boolean) => {
    const at = columns.findIndex((column) => column.title === title);
    const [head, sortValue] = [heads[at], columns[at]?.sortValue];
    if (head !== undefined && sortValue !== undefined) sort(head, sortValue, down);
  };
  return { element, update, sort: sortBy };
}

function compared(a: number | string | null, b: number | string | null, down: boolean): number {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  const order = a < b ? -1 : a > b ? 1 : 0;
  return down ? -order : order;
}
