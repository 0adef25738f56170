import { createHash } from 'node:crypto';
import type { Fate } from '../../model/impact.ts';
import type { Picture } from '../define-view.ts';
import { fateWords } from '../impact-words.ts';
import type { BlastRadiusReport } from '../report.ts';
import { escaped } from './page/escape.ts';
import { script } from './page/script.ts';
import { style } from './page/style.ts';
import { tree } from './page/tree.ts';

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** Nothing but this style and this script: no name of the cluster can become code, and no network is asked. */
const policy = `default-src 'none'; style-src ${hash(style)}; script-src ${hash(script)}; base-uri 'none'; form-action 'none'`;

const fates: readonly Fate[] = ['dies', 'dead', 'unknown', 'survives'];

const count = ({ volumes }: BlastRadiusReport, fate: Fate) =>
  [
    `<span class="plugin">${volumes.filter(({ onPluginRestart }) => onPluginRestart === fate).length}</span>`,
    `<span class="kubelet">${volumes.filter(({ onKubeletRestart }) => onKubeletRestart === fate).length}</span>`,
  ].join('');

const box = (report: BlastRadiusReport) => (fate: Fate) =>
  `<label><input type="checkbox" name="fate" value="${fate}" checked> <i class="swatch is-${fate}"></i> ${escaped(fateWords[fate])} ${count(report, fate)}</label>`;

const bar = (report: BlastRadiusReport) => `<div class="bar">
<fieldset><legend class="dim">When this restarts:</legend>
<label><input type="radio" name="trigger" value="plugin" checked> the node plugin</label>
<label><input type="radio" name="trigger" value="kubelet"> kubelet</label></fieldset>
<fieldset><legend class="dim">Show what</legend>${fates.map(box(report)).join('\n')}</fieldset>
<input type="search" id="search" placeholder="node, driver, pod, volume…" aria-label="Search">
<span><button type="button" id="open">Open all</button> <button type="button" id="close">Close all</button></span>
<output id="shown" class="dim"></output>
</div>`;

/** One file that needs nothing else: no network, no script but its own. */
const html: Picture<'BlastRadius'> = {
  id: 'html',
  describe: 'a page for a browser, in one file',
  render: (report) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>CSI blast radius</title>
<style>${style}</style>
</head>
<body data-trigger="plugin">
<h1>CSI blast radius</h1>
<p class="note">What dies with a restart, as seen at ${escaped(report.takenAt)}. A FUSE volume lives as long as the process that serves it.</p>
${bar(report)}
<main>
${tree(report) || '<p>No CSI driver was found on the nodes in scope.</p>'}
</main>
<script>${script}</script>
</body>
</html>
`,
};

export default html;
