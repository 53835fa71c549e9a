import { forward } from '../core/effect.js';
import { defineFault } from '../core/fault.js';
import { text } from '../core/params.js';
import { changeTools } from '../core/tool-list.js';

/** The list is of another release than the server: the new name cannot be called, and the old one is not listed. */
export const renameTool = defineFault({
  type: 'rename-tool',
  summary: 'Lists tools under another name than the server knows them by.',
  carriers: ['mcp'],
  role: 'data',
  methods: ['tools/list'],
  hasFixedMethods: true,
  phases: ['post'],
  params: {
    prefix: text({ default: '', about: 'What stands before the old name in the new one.' }),
    suffix: text({ default: '_v2', about: 'What stands behind it.' }),
  },
  whyPointless: ({ prefix, suffix }) => (prefix === '' && suffix === '' ? 'prefix and suffix are empty, so no name changes' : undefined),
  decide: (event, { prefix, suffix }, context) => {
    if (event.kind !== 'frame' || event.part !== 'answer') return [];
    const edited = changeTools(event.frame, context.selectsTool, (tool, index) => {
      // Only tools with a name are handed to us.
      const name = `${prefix}${tool['name'] as string}${suffix}`;
      context.changed(`/tools/${index}/name`, tool['name'], name);
      return { ...tool, name };
    });
    return typeof edited === 'string' ? context.notDelivered(edited) : [forward(edited)];
  },
});
