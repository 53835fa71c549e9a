/**
 * The small vocabulary for a fault's parameters: plain data with default, range, unit and description.
 * Validation, JSON Schema, docs, CLI help and forms are derived from it, so it is written once.
 */

type Described<Kind extends string, Value> = { readonly kind: Kind; readonly default: Value; readonly about: string };

/** One parameter of a fault. */
export type ParamSpec =
  | (Described<'ms', number> & { readonly min: number; readonly max: number })
  | (Described<'count', number> & { readonly min: number; readonly max: number; readonly unit: string })
  | (Described<'ratio', number> & { readonly min: 0; readonly max: 1 })
  | (Described<'oneOf', string> & { readonly choices: readonly string[] })
  | Described<'text', string>
  | Described<'flag', boolean>
  | Described<'names', readonly string[]>;

/** The parameters of a fault, by name. */
export type ParamSpecs = { readonly [name: string]: ParamSpec };

/** The values that `decide` receives, derived from the specs. */
export type ParamValues<Specs extends ParamSpecs> = {
  readonly [Name in keyof Specs]: Specs[Name] extends { choices: readonly (infer Choice)[] } ? Choice : Specs[Name]['default'];
};

/** 24 hours: longer than any test, short enough for every timer. */
const MAX_MS = 86_400_000;

/** A duration in milliseconds. */
export const ms = (spec: {
  default: number;
  min?: number;
  max?: number;
  about: string;
}): Described<'ms', number> & { min: number; max: number } => ({
  kind: 'ms',
  default: spec.default,
  min: spec.min ?? 0,
  max: spec.max ?? MAX_MS,
  about: spec.about,
});

/** A whole number of something. */
export const count = (spec: {
  default: number;
  min?: number;
  max?: number;
  unit: string;
  about: string;
}): Described<'count', number> & { min: number; max: number; unit: string } => ({
  kind: 'count',
  default: spec.default,
  min: spec.min ?? 0,
  max: spec.max ?? Number.MAX_SAFE_INTEGER,
  unit: spec.unit,
  about: spec.about,
});

/** A share between 0 and 1. */
export const ratio = (spec: { default: number; about: string }): Described<'ratio', number> & { min: 0; max: 1 } => ({
  kind: 'ratio',
  default: spec.default,
  min: 0,
  max: 1,
  about: spec.about,
});

/** One word of a closed list. */
export const oneOf = <const Choice extends string>(
  choices: readonly Choice[],
  spec: { default: Choice; about: string },
): { readonly kind: 'oneOf'; readonly default: Choice; readonly about: string; readonly choices: readonly Choice[] } => ({
  kind: 'oneOf',
  choices,
  default: spec.default,
  about: spec.about,
});

/** Any text. */
export const text = (spec: { default: string; about: string }): Described<'text', string> => ({ kind: 'text', ...spec });

/** Yes or no. */
export const flag = (spec: { default: boolean; about: string }): Described<'flag', boolean> => ({ kind: 'flag', ...spec });

/** A list of names. */
export const names = (spec: { default: readonly string[]; about: string }): Described<'names', readonly string[]> => ({
  kind: 'names',
  ...spec,
});
