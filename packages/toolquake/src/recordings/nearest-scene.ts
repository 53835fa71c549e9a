/** What to tell people about a request that was not recorded. Never says what arguments were: they may be secrets. */
import { nearestWord, type JsonObject } from '@toolquake/sdk/core';
import type { SceneBook } from './scene-book.js';
import { toolNamed } from './scene.js';

/** A message in words, without its arguments. */
export function describeMessage(message: JsonObject): string {
  const tool = toolNamed(message);
  return tool === undefined ? String(message['method']) : `${String(message['method'])} "${tool}"`;
}

/** What the recording has instead. */
export function nearestTo(message: JsonObject, book: SceneBook): string {
  const scenes = [...book.scenes.values()].flat().filter(({ id }) => id !== undefined);
  const method = String(message['method']);
  const tool = toolNamed(message);
  const same = scenes.filter((scene) => scene.method === method && scene.tool === tool);
  if (same.length > 0) return 'it was recorded with other parameters only';
  const tools = scenes.filter((scene) => scene.method === method).flatMap((scene) => scene.tool ?? []);
  const nearest = tools.length > 0 ? nearestWord(tool ?? '', tools) : nearestWord(method, new Set(scenes.map((scene) => scene.method)));
  return nearest === undefined ? 'nothing like it was recorded' : `the nearest that was recorded is "${nearest}"`;
}
