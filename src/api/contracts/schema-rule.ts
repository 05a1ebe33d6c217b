// Owns the words in which rules between fields are laid over a schema of the OpenAPI document.
// Their truth is the code that refuses.

/** A piece of JSON Schema that is laid over what zod generates. */
export interface Rule {
  readonly [keyword: string]: unknown;
}

export const fields = (properties: Rule): Rule => ({ properties });

export const elements = (field: string, items: Rule): Rule => fields({ [field]: { items } });

export const needs = (...required: string[]): Rule => ({ required });

/** Of an object: the fields are there and are of their kinds. */
export const has = (kinds: Rule): Rule => ({ ...needs(...Object.keys(kinds)), ...fields(kinds) });

export const not = (rule: Rule): Rule => ({ not: rule });

export const when = (condition: Rule, then: Rule): Rule => ({ if: condition, then });

export const size = (most: number, least?: number): Rule => ({
  maxItems: most,
  ...(least !== undefined && { minItems: least }),
});

export const contains = (rule: Rule): Rule => ({ contains: rule });
