import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { formatIds, renderReport } from '../../../src/render/render.ts';
import { columns, wrap } from '../../../src/render/table.ts';
import { views } from '../../../src/render/views/index.gen.ts';
import { reports } from '../support/reports.ts';

const plain = { color: false, width: 100 };
const folder = new URL('../../fixtures/render/', import.meta.url);
const esc = String.fromCharCode(27);

describe('rendering', () => {
  it('has a fixed report for every view', () => {
    assert.deepEqual(reports.map(({ kind }) => kind).sort(), views.map(({ kind }) => kind).sort());
  });

  it('has a fixed text for every report and format, and no other', () => {
    const expected = reports.flatMap(({ kind }) =>
      formatIds(kind).map((format) => `${kind.toLowerCase()}.${format}.txt`),
    );
    assert.deepEqual(readdirSync(folder).sort(), expected.sort());
  });

  for (const report of reports)
    describe(report.kind, () => {
      for (const format of formatIds(report.kind))
        it(`as ${format} is the text of test/fixtures/render`, () => {
          const golden = readFileSync(new URL(`${report.kind.toLowerCase()}.${format}.txt`, folder), 'utf8');
          assert.equal(renderReport(report, format, plain), golden);
        });

      for (const width of [100, 140])
        it(`as table fits ${width} columns`, () => {
          for (const line of renderReport(report, 'table', { ...plain, width }).split('\n'))
            assert.ok(line.length <= width, `${line.length}: ${line}`);
        });

      it('has escape sequences only where colour is wanted, and the same words', () => {
        for (const format of formatIds(report.kind)) {
          const bare = renderReport(report, format, plain);
          const colored = renderReport(report, format, { ...plain, color: true });
          assert.ok(!bare.includes(esc), format);
          assert.equal(colored.replaceAll(new RegExp(`${esc}\\[[0-9;]*m`, 'g'), ''), bare);
        }
      });

      it('as json and as yaml is one document of a version and a kind', () => {
        const json = JSON.parse(renderReport(report, 'json', plain));
        assert.equal(json.apiVersion, 'kubectl-csi/v1');
        assert.equal(json.kind, report.kind);
        assert.deepEqual(parse(renderReport(report, 'yaml', plain)), json);
      });

      it('ends with a line break, and has no space at the end of a line', () => {
        for (const format of ['table', 'wide']) {
          const text = renderReport(report, format, plain);
          assert.match(text, /[^\n]\n$/);
          assert.doesNotMatch(text, /[ \t]\n/);
        }
      });
    });

  it('refuses a format that does not exist, and lists those that do', () => {
    const [report] = reports;
    assert.throws(() => report && renderReport(report, 'xml', plain), {
      message: 'unknown output format "xml"',
      next: 'Use one of: json, name, table, wide, yaml.',
    });
  });
});

describe('what has nothing in it', () => {
  const takenAt = '2026-01-02T03:04:05Z';
  const clear = { findings: [], blindSpots: [] };
  const table: readonly (readonly [Parameters<typeof renderReport>[0], RegExp])[] = [
    [
      { kind: 'Status', takenAt, deep: false, rows: [], diagnosis: clear, footers: [] },
      /^No CSI driver was found/,
    ],
    [{ kind: 'Doctor', takenAt, cases: [], diagnosis: clear }, /is well\.$/],
    [{ kind: 'Comparison', nodes: ['a', 'b'], differences: [], unseen: [] }, /^a and b do not differ/],
    [{ kind: 'Cleanup', removed: [], kept: [], failed: [] }, /^Nothing of kubectl csi is left/],
    [
      { kind: 'Plan', plan: { version: 1, maxRisk: 'safe', steps: [], refusals: [] }, diagnosis: clear },
      /^Nothing to repair\.$/,
    ],
  ];
  for (const [report, expected] of table)
    it(`${report.kind} says so`, () => {
      assert.match(renderReport(report, 'table', plain).trim(), expected);
    });
});

describe('control characters in names', () => {
  const evil = `a${esc}[2J\n\r\t\u0007\u007f\u009b31mü`;
  const shown = 'a\\x1b[2J\\n\\r\\t\\x07\\x7f\\x9b31mü';
  /** The report with the name put at the front of every text. */
  const poisoned = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(poisoned);
    if (typeof value !== 'object' || value === null) return value;
    const words = [
      'kind',
      'verdict',
      'severity',
      'result',
      'risk',
      'state',
      'by',
      'onPluginRestart',
      'onKubeletRestart',
    ];
    return Object.fromEntries(
      Object.entries(value).map(([key, each]) => {
        const free = typeof each === 'string' && !words.includes(key);
        return [key, free ? `${evil}${each}` : poisoned(each)];
      }),
    );
  };
  for (const report of reports)
    for (const format of ['table', 'wide', 'name'])
      it(`${report.kind} as ${format} escapes them`, () => {
        const text = renderReport(poisoned(report) as typeof report, format, { ...plain, width: 1000 });
        assert.doesNotMatch(text, /(?!\n)\p{Cc}/u);
        const lines = (each: string) => each.split('\n').length;
        assert.equal(lines(text), lines(renderReport(report, format, { ...plain, width: 1000 })));
      });
  it('are shown as what they are', () => {
    const text = renderReport({ kind: 'Cleanup', removed: [evil], kept: [], failed: [] }, 'table', {
      ...plain,
      color: true,
    });
    assert.ok(text.includes(shown), text);
  });
  it('are data in a document', () => {
    const report = { kind: 'Cleanup', removed: [evil], kept: [], failed: [] } as const;
    assert.deepEqual(JSON.parse(renderReport(report, 'json', plain)).removed, [evil]);
    assert.deepEqual(parse(renderReport(report, 'yaml', plain)).removed, [evil]);
    for (const format of ['json', 'yaml'])
      assert.ok(!renderReport(report, format, plain).includes(esc), format);
  });
});

describe('columns and lines', () => {
  it('cuts names in their middle, and only as far as needed', () => {
    const text = columns(['NAME', 'B'], [['gke-cluster-pool-1-abcdef-x7k2', 'yes']], { width: 25, cut: [0] });
    assert.match(text, /^gke-cluste…cdef-x7k2 {2}yes$/m);
  });
  it('never cuts a name to nothing', () => {
    const text = columns(['NAME'], [['abcdefghijklmnop']], { width: 3, cut: [0] });
    assert.match(text, /abcde….{4}/);
  });
  it('breaks between words, never within one', () => {
    assert.equal(wrap('  one two three', 9, '    '), '  one two\n    three');
    assert.equal(wrap('a-word-longer-than-that', 5, ' '), 'a-word-longer-than-that');
  });
  it('does not count what is not seen', () => {
    const red = `${esc}[31mone${esc}[39m`;
    assert.equal(wrap(`${red} two`, 7, ''), `${red} two`);
  });
});
