/** Which addresses mean the machine that asks, so that they mean another one elsewhere. Pure. */

const NAMES = /^(?:localhost|.*\.localhost|127\.\d+\.\d+\.\d+|0\.0\.0\.0|\[(?:::1?|::ffff:7f[0-9a-f]{2}:[0-9a-f]{1,4})\])\.?$/;

/** The host name of a URL. Whoever connects to one of these reaches what listens on another. */
export const isThisMachine = (hostname: string): boolean => NAMES.test(hostname);

/** Does a URL mean the same from every host? */
export const isReachedFromAnywhere = (url: unknown): boolean =>
  typeof url === 'string' && URL.canParse(url) && !isThisMachine(new URL(url).hostname);
