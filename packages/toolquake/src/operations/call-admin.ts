/** Asks the admin routes of a running proxy for something, with the token of the environment. */
import { ToolquakeError, type JsonObject } from '@toolquake/sdk/core';
import { askAdminObject, askAdminRoutes, requireAdminUrl, type AdminQuestion } from '../proxies/ask-admin.js';

/** Where to ask, and for what. */
export type AdminCall = Omit<AdminQuestion, 'token'> & { readonly env: Readonly<Record<string, string | undefined>> };

/** Resolves to the answer. What the proxy refused is bad input; what it cannot be asked is the world. */
export const callAdmin = async (call: AdminCall): Promise<JsonObject> => askAdminObject(withToken(call));

/** Resolves to a response of status 200. */
export const askAdmin = async (call: AdminCall): Promise<Response> => askAdminRoutes(withToken(call));

function withToken({ env, ...call }: AdminCall): AdminQuestion {
  requireAdminUrl(call.url);
  const token = env['TOOLQUAKE_ADMIN_TOKEN'] || env['CHAOS_ADMIN_TOKEN'];
  if (token !== undefined && token !== '') return { ...call, token };
  throw new ToolquakeError('BAD_ARGUMENT', {
    message: 'There is no token to show to the proxy.',
    advice: 'Set TOOLQUAKE_ADMIN_TOKEN (or CHAOS_ADMIN_TOKEN) to the one that the proxy was started with.',
  });
}
