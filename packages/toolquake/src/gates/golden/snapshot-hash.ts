/** One hash for one answer. */
import type { JsonObject } from '@toolquake/sdk/core';
import { hashOf } from '../manifest/lock-text.js';
import type { Answer } from './answer.js';
import { withoutPaths } from './compare.js';

/** Blocks that carry bytes. */
export const mediaOf = (blocks: readonly JsonObject[]): readonly JsonObject[] =>
  blocks.filter(({ data, blob, resource }) => data !== undefined || blob !== undefined || resource !== undefined);

/** Over the data without what is ignored, and over what carries bytes. */
export const snapshotHash = ({ data, blocks, ignore }: Pick<Answer, 'data' | 'blocks' | 'ignore'>): string =>
  hashOf({ data: withoutPaths(data, ignore), media: mediaOf(blocks) });
