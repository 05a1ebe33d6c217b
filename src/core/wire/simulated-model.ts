// The names by which stand-ins for a judge sign their answers.

const PREFIX = "simulated";

/** The name under which a stand-in answers for a model. */
export const simulatedName = (model: string): string => (isSimulated(model) ? model : `${PREFIX}-${model}`);

/** The model's name without the stand-in's sign. */
export const withoutSign = (name: string): string =>
  name.startsWith(`${PREFIX}-`) ? name.slice(PREFIX.length + 1) : name;

/** Whether a stand-in answers under the name. */
export const isSimulated = (model: string): boolean => model.startsWith(PREFIX);
