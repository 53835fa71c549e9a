/** The admin routes that a line of the ledger, or a parameter, means: a URL and the name of the variable that holds the token. */
import { ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import { askAdminObject, requireAdminUrl, type AdminQuestion } from '../proxies/ask-admin.js';

/** Where, and by which variable. Never the token itself. */
export type AdminPlace = { readonly adminUrl: string; readonly tokenVariable: string };

const VARIABLE = /^[A-Za-z_]\w{0,199}$/;

/** Reads a place; throws where it is none. */
export function readAdminPlace({ adminUrl, tokenVariable }: JsonObject): AdminPlace {
  const url = typeof adminUrl === 'string' ? requireAdminUrl(adminUrl).origin : undefined;
  if (url !== undefined && typeof tokenVariable === 'string' && VARIABLE.test(tokenVariable)) return { adminUrl: url, tokenVariable };
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: 'Admin routes need an URL, and the name of the variable that holds their token.',
    advice: 'For example adminUrl: http://127.0.0.1:9901, tokenVariable: CHAOS_ADMIN_TOKEN.',
  });
}

/** Asks there for something. */
export async function askPlace(
  { adminUrl, tokenVariable }: AdminPlace,
  { env, signal }: { readonly env: Readonly<Record<string, string | undefined>>; readonly signal: AbortSignal },
  route: AdminQuestion['route'],
  body?: JsonObject,
): Promise<JsonObject> {
  const token = env[tokenVariable];
  if (token === undefined || token === '') {
    const message = `There is no token for the admin routes at ${adminUrl}.`;
    throw new ToolquakeError('BAD_ARGUMENT', { message, advice: `Set ${tokenVariable} to the one that they were opened with.` });
  }
  return askAdminObject({ url: adminUrl, route, body, token, signal });
}
