// The part of Swagger UI that the reference uses; the package has no types.
declare module "swagger-ui-dist/swagger-ui-es-bundle.js" {
  type Component = string | ((properties: Properties) => unknown);
  interface Properties {
    getComponent(name: string, connected: true): Component;
    children: unknown;
    text: string;
  }
  export type CreateElement = (component: Component, properties?: object | null, ...children: unknown[]) => unknown;
  export interface Plugin {
    components?: Record<string, (properties: Properties) => unknown>;
  }
  export default function swaggerUi(options: {
    spec: object;
    domNode: Element;
    deepLinking: boolean;
    validatorUrl: null;
    docExpansion: "list";
    syntaxHighlight: { theme: string };
    showExtensions: boolean;
    layout: string;
    plugins: readonly ((system: { React: { createElement: CreateElement } }) => Plugin)[];
  }): { layoutActions: { parseDeepLinkHash(hash: string): void } };
}
