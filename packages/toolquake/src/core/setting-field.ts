/** What may stand in a file of settings: a table of keys, which is checked, published as JSON Schema and described in docs. Types only. */

/** One value. */
export type SettingField = { readonly about: string; readonly isRequired?: true } & (
  | {
      readonly kind: 'text';
      readonly pattern?: RegExp;
      readonly likeThis?: string;
      /** What stands there must not be repeated. */ readonly isSecret?: true;
    }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'flag' }
  | { readonly kind: 'whole'; readonly min: number; readonly max: number }
  | { readonly kind: 'number' }
  | { readonly kind: 'time'; /** 1 ms unless told otherwise. */ readonly min?: number; readonly max: number }
  | { readonly kind: 'names' }
  | { readonly kind: 'value' }
  | { readonly kind: 'group'; readonly fields: SettingFields }
  | { readonly kind: 'list'; readonly item: SettingField }
  | { readonly kind: 'map'; readonly item: SettingField }
  /** A mapping is read by `group`, everything else by `text`. */
  | { readonly kind: 'either'; readonly text: SettingField; readonly group: SettingField }
);

/** Keys by name. */
export type SettingFields = { readonly [name: string]: SettingField };
