import { defineView } from '../define-view.ts';
import { unknown } from '../style.ts';
import { columns } from '../table.ts';

const shortest = 60;
const cut = (text: string, wide: boolean) =>
  wide || text.length <= shortest ? text : `${text.slice(0, shortest - 1)}…`;

export default defineView({
  kind: 'Comparison',
  table({ nodes, differences, unseen }, _style, wide) {
    const rows = differences.map(({ topic, item, values: [a, b] }) => [
      topic,
      item,
      cut(a, wide),
      cut(b, wide),
    ]);
    return [
      rows.length > 0
        ? columns(['TOPIC', 'ITEM', ...nodes], rows)
        : `${nodes[0]} and ${nodes[1]} do not differ in what was compared.`,
      ...unseen.map((why) => `${unknown} ${why}`),
    ].join('\n');
  },
  names: ({ differences }) => differences.map(({ topic, item }) => `${topic}/${item}`),
});
