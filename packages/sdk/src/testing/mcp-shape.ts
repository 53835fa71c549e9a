/** Is this message one that a peer of the era may send? The shape of JSON-RPC and of the results that faults touch. */
import { isObject, type JsonObject } from '../core/message.js';
import type { Era } from '../core/session.js';

/** What is wrong with a message; empty when it is valid. `method` is the request's, for an answer. */
export function messageProblems(message: unknown, { era, method }: { era: Era; method: string }): readonly string[] {
  if (!isObject(message)) return ['it is not an object'];
  const problems: string[] = [];
  if (message['jsonrpc'] !== '2.0') problems.push('jsonrpc is not "2.0"');
  if ('method' in message) {
    if (typeof message['method'] !== 'string' || message['method'] === '') problems.push('method is not a name');
    if ('result' in message || 'error' in message) problems.push('a request has no result and no error');
    return problems;
  }
  if (!isId(message['id'])) problems.push('id is neither text nor a whole number');
  if ('result' in message === 'error' in message) problems.push('it needs either a result or an error');
  if ('error' in message) problems.push(...errorProblems(message['error'], era));
  if ('result' in message) problems.push(...resultProblems(message['result'], era, method));
  return problems;
}

/** `null` stands in HTTP-level errors, where the request was not read. */
function isId(id: unknown): boolean {
  return typeof id === 'string' || id === null || Number.isInteger(id);
}

/** What a modern server may refuse a request for: wrong headers, a missing capability, another version. */
const MODERN_CODES = [-32020, -32021, -32022];

function errorProblems(error: unknown, era: Era): readonly string[] {
  if (!isObject(error)) return ['error is not an object'];
  const problems: string[] = [];
  const { code, message } = error;
  if (typeof code !== 'number' || !Number.isInteger(code)) problems.push('error.code is not a whole number');
  else if (code <= -32020 && code >= -32099 && !(era === 'modern' && MODERN_CODES.includes(code)))
    problems.push(`error.code ${code} belongs to the specification`);
  if (typeof message !== 'string' || message === '') problems.push('error.message is empty');
  return problems;
}

function resultProblems(result: unknown, era: Era, method: string): readonly string[] {
  if (!isObject(result)) return ['result is not an object'];
  const problems: string[] = [];
  if (era === 'modern' && typeof result['resultType'] !== 'string') problems.push('a modern result has a resultType');
  if (result['resultType'] === 'input_required') problems.push(...inputProblems(result, era));
  else if (method === 'tools/call') problems.push(...toolResultProblems(result));
  if (method === 'tools/list' && !namesTools(result['tools'])) problems.push('tools is not a list of named tools');
  return problems;
}

function inputProblems({ inputRequests, requestState }: JsonObject, era: Era): readonly string[] {
  if (era === 'legacy') return ['the legacy era has no results that ask for input'];
  return typeof requestState === 'string' || isObject(inputRequests)
    ? []
    : ['it asks for input, and says neither what nor with which state'];
}

function toolResultProblems(result: JsonObject): readonly string[] {
  const problems: string[] = [];
  const { content, structuredContent, isError } = result;
  const isBlocks = Array.isArray(content) && content.every((block) => isObject(block) && typeof block['type'] === 'string');
  if (!isBlocks) problems.push('content is not a list of blocks');
  if (structuredContent !== undefined && !isObject(structuredContent)) problems.push('structuredContent is not an object');
  if (isError !== undefined && typeof isError !== 'boolean') problems.push('isError is neither true nor false');
  return problems;
}

function namesTools(tools: unknown): boolean {
  return Array.isArray(tools) && tools.every((tool) => isObject(tool) && typeof tool['name'] === 'string' && isObject(tool['inputSchema']));
}
