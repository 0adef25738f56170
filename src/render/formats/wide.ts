import { defineFormat } from '../define-format.ts';
import { viewOf } from '../views.ts';

export default defineFormat({
  id: 'wide',
  describe: 'for a person, with more columns',
  render: (report, style) => `${viewOf(report).table(report, style, true)}\n`,
});
