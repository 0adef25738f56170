import { defineFormat } from '../define-format.ts';
import { viewOf } from '../views.ts';

export default defineFormat({
  id: 'name',
  describe: 'names only, one a line',
  render: (report) =>
    viewOf(report)
      .names(report)
      .map((name) => `${name}\n`)
      .join(''),
});
