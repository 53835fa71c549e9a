/** The texts that stand for somebody's right to do something: they are taken out of whatever a run writes down. */
import type { ConfiguredTarget } from '../config/configured-target.js';
import type { Experiment } from '../core/experiment.js';

type Env = Readonly<Record<string, string | undefined>>;

/** Variables whose names say what they hold. A server that quotes its own settings may know any of them. */
const SOUNDS_SECRET = /(TOKEN|SECRET|PASSWORD|PASSWD|API_?KEY|CREDENTIAL|PRIVATE_?KEY)/i;

/** Every secret that target and experiment name, and every variable that sounds like one. */
export function secretsOf({ target }: ConfiguredTarget, { monitor }: Pick<Experiment, 'monitor'>, env: Env): readonly string[] {
  const texts =
    target.kind === 'url'
      ? [...Object.values(target.headers ?? {}), ...authVariables(target.auth).map((name) => `\${${name}}`)]
      : Object.values(target.env ?? {});
  const external = monitor.external === undefined ? [] : [monitor.external.tokenVariable];
  const named = [...texts, ...monitor.webhooks].flatMap((text) =>
    [...text.matchAll(/\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g)].map(([, name = '']) => name),
  );
  const sounding = Object.keys(env).filter((name) => SOUNDS_SECRET.test(name));
  return [...new Set([...named, ...external, ...sounding])].flatMap((name) => env[name] ?? []);
}

function authVariables(auth: (ConfiguredTarget['target'] & { kind: 'url' })['auth']): readonly string[] {
  if (auth === undefined) return [];
  return auth.kind === 'bearer' ? [auth.tokenVariable] : [auth.clientIdVariable, auth.clientSecretVariable];
}
