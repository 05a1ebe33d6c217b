// The model names under which simulated judges answer.

const PREFIX = "simulated";

/** The name under which a simulated judge answers for a model. */
export const simulatedName = (model: string): string => (isSimulated(model) ? model : `${PREFIX}-${model}`);

/** The model's name without the prefix of simulated judges. */
export const withoutSign = (name: string): string =>
  name.startsWith(`${PREFIX}-`) ? name.slice(PREFIX.length + 1) : name;

/** Whether a simulated judge answers under the name. */
export const isSimulated = (model: string): boolean => model.startsWith(PREFIX);
