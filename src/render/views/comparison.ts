import { defineView } from '../define-view.ts';
import { unknown } from '../style.ts';
import { columns, wrap } from '../table.ts';

export default defineView({
  kind: 'Comparison',
  table({ nodes, differences, unseen }, style, wide) {
    const rows = differences.map(({ topic, item, values }) => [topic, item, ...values]);
    const fit = wide ? undefined : { width: style.width, cut: [1, 2, 3] };
    return [
      rows.length > 0
        ? columns(['TOPIC', 'ITEM', ...nodes], rows, fit)
        : `${nodes[0]} and ${nodes[1]} do not differ in what was compared.`,
      ...unseen.map((why) => wrap(`${unknown} ${why}`, style.width, '  ')),
    ].join('\n');
  },
  names: ({ differences }) => differences.map(({ topic, item }) => `${topic}/${item}`),
});
