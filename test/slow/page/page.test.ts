import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { nodeName } from '../../../src/model/ids.ts';
import type { VolumeImpact } from '../../../src/model/impact.ts';
import { renderReport } from '../../../src/render/render.ts';
import type { BlastRadiusReport } from '../../../src/render/report.ts';
import { tollOf } from '../../../src/workload/impact/toll.ts';
import { blastRadius, volumes } from '../../unit/support/impact-reports.ts';
import { type Browser, type Page, startBrowser } from './browser.ts';

/** Names that no cluster allows, and that must do nothing all the same. */
const hostile = [
  '</script><script>window.hurt=1</script>',
  '<img src=x onerror="window.hurt=1">',
  `"><svg onload='window.hurt=1'>`,
  '</style><a href="javascript:window.hurt=1">x</a>',
];

/** 500 pods on 20 nodes, some with names that want to hurt. */
function large(): BlastRadiusReport {
  const all = Array.from({ length: 500 }, (_, index): VolumeImpact => {
    const base = volumes[index % volumes.length] as VolumeImpact;
    const name = hostile[index] ?? `${base.pod.name}-${index}`;
    return {
      ...base,
      node: nodeName(`worker-${index % 20}`),
      pod: { namespace: 'shop', name },
      volume: hostile[index] ?? 'data',
    };
  });
  const plugins = Array.from({ length: 20 }, (_, index) => {
    const own = all.filter(({ node }) => node === `worker-${index}`);
    return {
      ...(blastRadius.plugins[0] as BlastRadiusReport['plugins'][number]),
      node: `worker-${index}`,
      onPluginRestart: tollOf(own, ({ onPluginRestart }) => onPluginRestart),
      onKubeletRestart: tollOf(own, ({ onKubeletRestart }) => onKubeletRestart),
    };
  });
  return { ...blastRadius, volumes: all, plugins, unseen: [{ node: 'worker-99', why: 'no answer' }] };
}

describe('the page of blast-radius in a real browser', function () {
  this.timeout(60_000);
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-csi-page-'));
  const file = join(folder, 'radius.html');
  const report = large();
  let browser: Browser;
  let page: Page;

  before(async function () {
    this.timeout(600_000);
    writeFileSync(file, renderReport(report, 'html', { color: false, width: 100 }));
    browser = await startBrowser();
  });
  beforeEach(async () => {
    page = await browser.page();
    await page.send('Emulation.setDeviceMetricsOverride', {
      width: 1280,
      height: 900,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await page.open(pathToFileURL(file).href);
  });
  after(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const shown = () => page.value<string>("document.getElementById('shown').textContent");
  const visibleRows = () =>
    page.value<number>("document.querySelectorAll('tr[data-plugin]:not([hidden])').length");
  const dying = report.volumes.filter(({ onPluginRestart }) => onPluginRestart === 'dies').length;

  it('shows every node at a glance, and asks for nothing', async () => {
    assert.equal(await shown(), '500 of 500 volumes');
    const nodes = await page.value<number>("document.querySelectorAll('details.node').length");
    assert.equal(nodes, 21, 'with the node that nobody saw');
    const requests = page.events
      .filter(({ method }) => method === 'Network.requestWillBeSent')
      .map(({ params = {} }) => (params.request as { url: string }).url);
    assert.deepEqual(requests, [pathToFileURL(file).href]);
    const complaints = page.events.filter(({ method }) =>
      ['Log.entryAdded', 'Runtime.exceptionThrown', 'Runtime.consoleAPICalled'].includes(method ?? ''),
    );
    assert.deepEqual(complaints, []);
    const height = await page.value<number>('document.documentElement.scrollHeight');
    assert.ok(height < 3_000, `${height} pixels: closed nodes take little room`);
  });

  it('lets no name become code', async () => {
    await page.click('#open');
    assert.equal(await page.value('typeof window.hurt'), 'undefined');
    for (const name of hostile) {
      const found = await page.value(
        `[...document.querySelectorAll('td')].some((cell) => cell.textContent === ${JSON.stringify(name)})`,
      );
      assert.equal(found, true, name);
    }
    assert.equal(
      await page.value("document.querySelectorAll('main img, main svg, main a, main script').length"),
      0,
    );
  });

  it('finds a pod by its name, and opens what holds it', async () => {
    await page.click('#search');
    await page.type('web-6d5f-abcde-60');
    assert.equal(await shown(), '1 of 500 volumes');
    assert.equal(await visibleRows(), 1);
    assert.equal(await page.value("document.querySelectorAll('details.node:not([hidden])').length"), 1);
    const seen = await page.value(
      "document.querySelector('tr[data-plugin]:not([hidden])').checkVisibility()",
    );
    assert.equal(seen, true);
  });

  it('shows one fate alone', async () => {
    for (const fate of ['dead', 'unknown', 'survives']) await page.click(`input[value=${fate}]`);
    assert.equal(await visibleRows(), dying);
  });

  it('tells what dies with kubelet instead', async () => {
    const color = "getComputedStyle(document.querySelector('i[data-plugin=dies]')).backgroundColor";
    const before = await page.value(color);
    await page.click('input[value=kubelet]');
    assert.notEqual(await page.value(color), before);
    await page.click('#open');
    const words =
      "[...document.querySelectorAll('tr[data-plugin=dies] .fate')].filter((each) => each.checkVisibility()).map((each) => each.textContent)";
    assert.deepEqual(new Set(await page.value<string[]>(words)), new Set(['survives']));
  });

  it('is dark where people want it dark', async () => {
    const paper = 'getComputedStyle(document.body).backgroundColor';
    assert.equal(await page.value(paper), 'rgb(255, 255, 255)');
    const features = [{ name: 'prefers-color-scheme', value: 'dark' }];
    await page.send('Emulation.setEmulatedMedia', { features });
    assert.equal(await page.value(paper), 'rgb(20, 24, 30)');
  });

  it('fits a narrow window', async () => {
    await page.send('Emulation.setDeviceMetricsOverride', {
      width: 400,
      height: 800,
      deviceScaleFactor: 1,
      mobile: false,
    });
    await page.click('#open');
    const [inner, wide] = await page.value<[number, number]>(
      '[innerWidth, document.documentElement.scrollWidth]',
    );
    assert.ok(wide <= inner, `${wide} of ${inner}`);
  });
});
