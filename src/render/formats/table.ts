import { defineFormat } from '../define-format.ts';
import { viewOf } from '../views.ts';

export default defineFormat({
  id: 'table',
  describe: 'for a person, within 100 columns',
  render: (report, style) => `${viewOf(report).table(report, style, false)}\n`,
});
