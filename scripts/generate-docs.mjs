// Writes docs/rules.md from the rules and repairs themselves. Runs on the Node of node_modules.
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { rules } from '../src/diagnose/rules/index.gen.ts';
import { repairs } from '../src/repair/repairs/index.gen.ts';

const file = fileURLToPath(new URL('../docs/rules.md', import.meta.url));
const cures = (rule, reason) =>
  repairs
    .filter((repair) => repair.cures.some((each) => each.rule === rule && each.reasons.includes(reason)))
    .sort((a, b) => a.rank - b.rank)
    .map((repair) => `\`${repair.id}\`${repair.onRequest ? ' (asked for)' : ''}`);

function ruleText({ id, title, reasons, needs, scope, link }) {
  const rows = Object.entries(reasons).map(
    ([reason, words]) =>
      `| \`${reason}\` | ${words} | ${cures(id, reason).join(', ') || 'none: see the finding’s own words'} |`,
  );
  const seen = [
    needs.includes('agent') ? 'Seen by the agent on the node.' : 'Seen through the API server.',
    ...(scope === 'pod' ? [`Asked by \`doctor pod/NAME\`; breaks its link \`${link}\`.`] : []),
  ].join(' ');
  const table = rows.length > 0 ? ['', '| reason | means | cured by |', '|---|---|---|', ...rows] : [];
  return [`### \`${id}\`: ${title}`, '', seen, ...table].join('\n');
}

const section = (incident, heading) => [
  `## ${heading}`,
  ...rules.filter((rule) => rule.incident === incident).map(ruleText),
];

const repairRow = ({ id, title, risk }) => `| \`${id}\` | ${title} | ${risk} |`;

const text = `${[
  '# Rules and repairs',
  'Generated from the rules and repairs by `scripts/generate-docs.mjs`. Repairs are listed gentlest first; the next one is tried only after the first was verified not to have helped, and only up to `--max-risk`.',
  ...section('registration', 'A driver that kubelet never registered'),
  ...section('mounts', 'Volumes that died under their pods'),
  ...section('pods', 'Pods that do not start or do not end'),
  '## Repairs',
  [
    '| repair | what it does | risk |',
    '|---|---|---|',
    ...[...repairs].sort((a, b) => a.rank - b.rank).map(repairRow),
  ].join('\n'),
].join('\n\n')}\n`;

if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== text) {
    console.error('docs/rules.md is out of date: node scripts/generate-docs.mjs');
    process.exitCode = 1;
  }
} else writeFileSync(file, text);
