import { emit, forward, type Effect } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { editFrame } from '../core/frame.js';
import { paramsOf, type JsonObject } from '../core/message.js';
import { count, ms, oneOf } from '../core/params.js';
import { editableMessage } from '../core/tool-result.js';

/** More requests with progress than this in one session: the oldest starts anew. */
const MAX_TOKENS = 64;
const MAX_TOKEN_LENGTH = 256;

/** What counts down when nobody says how much there is in all. */
const ASSUMED_TOTAL = 100;

/** How far each request was when it first said so. */
type Marks = Map<string | number, number>;

/** Where this request stands still; undefined when this is its first word. */
function markOf(marks: Marks, token: string | number, progress: number): number | undefined {
  const known = marks.get(token);
  if (known !== undefined) return known;
  if (marks.size >= MAX_TOKENS) marks.delete(marks.keys().next().value!);
  if (String(token).length <= MAX_TOKEN_LENGTH) marks.set(token, progress);
  return undefined;
}

const otherToken = (token: string | number): string | number => (typeof token === 'number' ? token + 1_000_000 : `${token}-1`);

/** Clients put off their timeouts for progress: what never advances keeps them waiting, what makes no sense breaks them. */
export const badProgress = defineFault({
  type: 'bad-progress',
  summary: 'Spoils the progress that a server reports.',
  carriers: ['mcp'],
  role: 'terminal',
  methods: ['notifications/progress'],
  hasFixedMethods: true,
  direction: 'to-client',
  params: {
    how: oneOf(['stall', 'flood', 'wrong-token', 'backwards'], {
      default: 'stall',
      about: 'What is wrong: it never advances, comes far too often, is about an unknown request, or goes down.',
    }),
    count: count({ default: 1000, min: 1, max: 100_000, unit: 'notices', about: 'For flood: how many copies of each notice follow it.' }),
    everyMs: ms({ default: 1, min: 1, about: 'For flood: time between two copies.' }),
  },
  memoryScope: 'session',
  memory: (): Marks => new Map(),
  decide: (event, { how, count: times, everyMs }, context) => {
    if (event.kind !== 'frame' || event.part !== 'request' || event.exchange.id !== undefined) return [];
    const message = editableMessage(event.frame);
    if (typeof message === 'string') return context.notDelivered(message);
    const params = paramsOf(message);
    const { progressToken: token, progress, total } = params;
    if ((typeof token !== 'string' && typeof token !== 'number') || typeof progress !== 'number') {
      return context.notDelivered('it reports no progress');
    }
    const edited = (change: JsonObject): ReturnType<typeof forward> =>
      forward(editFrame(event.frame, { ...message, params: { ...params, ...change } }));
    const saying = (other: number): readonly Effect[] =>
      other === progress ? context.notDelivered('it says the same as it would') : [edited({ progress: other })];
    switch (how) {
      case 'flood':
        return [forward(event.frame), emit(event.frame, { everyMs, count: times })];
      case 'wrong-token':
        return [edited({ progressToken: otherToken(token) })];
      case 'backwards':
        return saying((typeof total === 'number' ? total : ASSUMED_TOTAL) - progress);
      case 'stall': {
        const mark = markOf(context.memory, token, progress);
        return mark === undefined ? context.notDelivered('the first notice says where it stands still') : saying(mark);
      }
    }
  },
});
