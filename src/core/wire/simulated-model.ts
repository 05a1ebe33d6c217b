// The model names that simulated judges use in their answers.

const PREFIX = "simulated";

/** The model name that a simulated judge uses when it replaces a model. */
export const simulatedName = (model: string): string => (isSimulated(model) ? model : `${PREFIX}-${model}`);

/** The model's name without the prefix for simulated judges. */
export const withoutSign = (name: string): string =>
  name.startsWith(`${PREFIX}-`) ? name.slice(PREFIX.length + 1) : name;

/** Whether the model name is that of a simulated judge. */
export const isSimulated = (model: string): boolean => model.startsWith(PREFIX);
