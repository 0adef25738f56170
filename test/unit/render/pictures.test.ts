import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'mocha';
import { renderReport } from '../../../src/render/render.ts';
import type { BlastRadiusReport } from '../../../src/render/report.ts';
import { blastRadius } from '../support/impact-reports.ts';

const style = { color: false, width: 100 };

const named = (name: string): BlastRadiusReport => ({
  ...blastRadius,
  volumes: blastRadius.volumes.map((volume) => ({ ...volume, workload: `Deployment/${name}` })),
});
const render = (name: string, format: string) => renderReport(named(name), format, style);

describe('pictures of the blast radius', () => {
  it('write a name into DOT as one string', () => {
    const text = render('a"];evil[label="\\', 'dot');
    assert.ok(text.includes('Deployment/a\\"];evil[label=\\"\\\\\\n'), text);
  });

  it('write a name into mermaid as text', () => {
    const text = render('a"]:::x<b onclick=y>#quot;`end', 'mermaid');
    const codes = 'a#34;#93;:::x#60;b onclick#61;y#62;#35;quot#59;#96;end';
    assert.ok(text.includes(codes), text);
  });

  it('write a name into HTML as text, in elements and attributes', () => {
    const text = render(`</script><b a="'&`, 'html');
    assert.ok(text.includes('Deployment/&lt;/script&gt;&lt;b a=&quot;&#39;&amp;'), text);
    assert.equal(text.split('</script>').length, 2);
  });

  it('let a page run its own script and use its own style, and nothing else', () => {
    const text = render('web', 'html');
    for (const [, tag, content = ''] of text.matchAll(/<(script|style)>(.+?)<\/\1>/gs)) {
      const digest = createHash('sha256').update(content).digest('base64');
      assert.ok(text.includes(`${tag}-src 'sha256-${digest}'`), tag);
    }
    assert.match(text, /default-src 'none'/);
    assert.doesNotMatch(text, /\b(src|href|style|on\w+)="/);
  });

  it('draw volumes of one workload that are served alike as one box', () => {
    const text = renderReport(blastRadius, 'dot', style);
    assert.equal(text.split('shop/Deployment/web').length, 2);
    assert.match(text, /shop\/Deployment\/web\\n2 pods, 2 volumes/);
  });

  it('are of this report only', () => {
    const version = { kind: 'Version', client: {}, agents: {} } as const;
    assert.throws(() => renderReport(version, 'dot', style), { message: 'unknown output format "dot"' });
  });
});
