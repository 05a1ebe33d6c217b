// Fills a resource's page with Swagger UI. Shows the operations of the page's tag from /openapi.json of the
// server that sent the page, which "Try it out" also calls. Contacts no other host.
import swaggerUi, { type CreateElement, type Plugin } from "swagger-ui-dist/swagger-ui-es-bundle.js";

const place = document.querySelector<HTMLElement>("#reference");
if (place !== null)
  show(place, place.dataset.tag as string).catch((error: unknown) => {
    place.textContent = `This page could not load /openapi.json (${error}). Reload it to try again.`;
  });

/** The part of an OpenAPI document that this script reads. */
interface Document {
  paths: Record<string, Record<string, { tags?: string[] }>>;
  components: Record<string, Record<string, unknown>>;
}

/**
 * The document reduced to the operations of one tag and the components that they refer to. Swagger UI
 * processes everything it gets, which takes seconds for the whole document.
 */
function partOf({ paths, components, ...rest }: Document, tag: string): Document {
  const part: Document = { ...rest, paths: {}, components: {} };
  for (const [path, item] of Object.entries(paths)) {
    const ofTag = Object.entries(item).filter(([, { tags }]) => tags?.includes(tag));
    if (ofTag.length > 0) part.paths[path] = Object.fromEntries(ofTag);
  }
  if (components.securitySchemes !== undefined) part.components.securitySchemes = components.securitySchemes;
  const add = (from: unknown): void => {
    for (const [, kind = "", name = ""] of JSON.stringify(from).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)) {
      part.components[kind] ??= {};
      const ofKind = part.components[kind];
      if (name in ofKind) continue;
      ofKind[name] = components[kind]?.[name];
      add(ofKind[name]);
    }
  };
  add(part.paths);
  return part;
}

async function show(place: HTMLElement, tag: string): Promise<void> {
  const reply = await fetch("/openapi.json");
  if (!reply.ok) throw new Error(`status ${reply.status}`);
  const whole: Document = await reply.json();
  const ui = swaggerUi({
    spec: partOf(whole, tag),
    domNode: place,
    deepLinking: true,
    // By default, Swagger UI sends the document to a public validator.
    validatorUrl: null,
    docExpansion: "list",
    syntaxHighlight: { theme: "obsidian" },
    showExtensions: true,
    layout: "Resource",
    plugins: [({ React }) => ({ components: resource(React.createElement) })],
  });
  addEventListener("hashchange", () => ui.layoutActions.parseDeepLinkHash(location.hash));
  new MutationObserver(() => makeAccessible(place)).observe(place, { childList: true, subtree: true });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
}

/** A Swagger UI layout without titles and `main`, which the page already has. */
function resource(createElement: CreateElement): NonNullable<Plugin["components"]> {
  return {
    Resource({ getComponent }) {
      const parts = ["SvgAssets", "AuthorizeBtnContainer", "errors", "operations"];
      return createElement(
        "div",
        { className: "swagger-ui" },
        ...parts.map((name) => createElement(getComponent(name, true))),
      );
    },
    OperationTag: ({ children }) => createElement("div", null, children),
    // The keyboard cannot reach a link inside a button.
    DeepLink: ({ text }) => createElement("span", null, text),
  };
}

/** Adds the labels that Swagger UI lacks, makes code scrollable by keyboard, and corrects heading levels. */
function makeAccessible(within: Element): void {
  const set = (selector: string, attribute: string, value: string) => {
    for (const element of within.querySelectorAll(`${selector}:not([${attribute}])`))
      element.setAttribute(attribute, value);
  };
  set("select", "aria-label", "Example");
  set("textarea", "aria-label", "Request body");
  set(".close-modal", "aria-label", "Close");
  set("pre", "tabindex", "0");
  set("h3", "aria-level", "2");
  set("h4", "aria-level", "2");
  set("h5", "aria-level", "3");
  // The label differs from the button's visible text.
  for (const button of within.querySelectorAll(".modal-btn[aria-label]")) button.removeAttribute("aria-label");
}
