// Fills a resource's page with Swagger UI: the operations of the page's tag alone, from /openapi.json
// of the server that sent the page, which "Try it out" calls too. Asks no other host.
import swaggerUi, { type CreateElement, type Plugin } from "swagger-ui-dist/swagger-ui-es-bundle.js";

const place = document.querySelector<HTMLElement>("#reference");
if (place !== null) show(place, place.dataset.tag as string);

function show(place: HTMLElement, tag: string): void {
  const ofTag: Plugin = {
    statePlugins: {
      spec: {
        wrapSelectors: {
          taggedOperations:
            (original) =>
            (...given) => {
              const found = original(...given);
              return typeof found === "function" ? found : found.filter((_, name) => name === tag);
            },
        },
      },
    },
  };
  const ui = swaggerUi({
    url: "/openapi.json",
    domNode: place,
    deepLinking: true,
    // Swagger's public validator would get the document.
    validatorUrl: null,
    docExpansion: "list",
    syntaxHighlight: { theme: "obsidian" },
    showExtensions: true,
    layout: "Resource",
    plugins: [() => ofTag, ({ React }) => ({ components: resource(React.createElement) })],
  });
  addEventListener("hashchange", () => ui.layoutActions.parseDeepLinkHash(location.hash));
  new MutationObserver(() => makeAccessible(place)).observe(place, { childList: true, subtree: true });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
  dark.addEventListener("change", follow);
  follow();
}

/** Swagger UI's parts without its titles and its second `main`, which the page has. */
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
    // A link inside a button is reached by no keyboard.
    DeepLink: ({ text }) => createElement("span", null, text),
  };
}

/** Names what Swagger UI leaves without a name, lets the keyboard scroll code, and orders headings below `h1`. */
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
  // Says other words than the button shows.
  for (const button of within.querySelectorAll(".modal-btn[aria-label]")) button.removeAttribute("aria-label");
}
