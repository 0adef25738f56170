import { dump } from 'js-yaml';
import { defineFormat } from '../define-format.ts';
import { documentOf } from '../document.ts';

export default defineFormat({
  id: 'yaml',
  describe: 'the whole report as YAML',
  render: (report) => dump(documentOf(report), { noRefs: true, lineWidth: -1 }),
});
