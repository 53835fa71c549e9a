/** `--call 'search {"q":"shoes"}'` to calls. */
import { isObject, ToolquakeError } from '@toolquake/sdk/core';
import type { BenchCall } from '../gates/latency/measure.js';

const EXAMPLE = `For example: --call 'search {"q":"shoes"}'`;

/** Reads the calls of a command line. Several come joined by ";", which arguments may hold as well. */
export function parseCalls(text: string): readonly BenchCall[] {
  const calls: BenchCall[] = [];
  let pending = '';
  const pieces = text.split(';');
  for (const [index, piece] of pieces.entries()) {
    pending = pending === '' ? piece : `${pending};${piece}`;
    const call = parseCall(pending);
    if (call === undefined) {
      if (index === pieces.length - 1) throw badCall(pending);
      continue;
    }
    pending = '';
    if (calls.some(({ tool }) => tool === call.tool)) {
      throw new ToolquakeError('BAD_ARGUMENT', {
        message: `--call names ${call.tool} twice.`,
        advice: 'One call per tool and comparison: results are told by tool. Compare twice for two sets of arguments.',
      });
    }
    calls.push(call);
  }
  return calls;
}

/** A tool's name, and an object when there are arguments. */
function parseCall(text: string): BenchCall | undefined {
  const [, tool, json = ''] = /^\s*([^\s{]+)\s*([^]*)$/.exec(text) ?? [];
  if (tool === undefined) return undefined;
  if (json.trim() === '') return { tool, arguments: {} };
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? { tool, arguments: value } : undefined;
  } catch {
    return undefined;
  }
}

function badCall(text: string): ToolquakeError {
  return new ToolquakeError('BAD_ARGUMENT', {
    message: `--call must be the name of a tool and a JSON object of arguments, not "${text.slice(0, 200)}".`,
    advice: EXAMPLE,
  });
}
