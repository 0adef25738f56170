import { defineView } from '../define-view.ts';

export default defineView({
  kind: 'Version',
  table({ client, server }) {
    const lines = Object.entries(client).map(([name, value]) => `${name}: ${value}`);
    return [...lines, ...(server ? [`server: ${server}`] : [])].join('\n');
  },
  names: ({ client }) => [client.version ?? ''],
});
