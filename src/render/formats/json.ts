import { defineFormat } from '../define-format.ts';
import { documentOf } from '../document.ts';

export default defineFormat({
  id: 'json',
  describe: 'the whole report as JSON',
  render: (report) => `${JSON.stringify(documentOf(report), undefined, 2)}\n`,
});
