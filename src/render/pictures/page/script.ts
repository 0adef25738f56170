/** The page's own script: filters what is there, and asks nobody for anything. */
export const script = `
'use strict';
const all = (selector, from = document) => [...from.querySelectorAll(selector)];
const rows = all('tr[data-plugin]');
const search = document.getElementById('search');
const texts = new Map(rows.map((row) => {
  const path = [];
  for (let at = row.closest('details'); at; at = at.parentElement.closest('details'))
    path.push(at.querySelector('summary').textContent);
  return [row, (row.textContent + ' ' + path.join(' ')).toLowerCase()];
}));
const squares = new Map(all('i[data-volume]').map((square) => [square, document.getElementById(square.dataset.volume)]));

function filter() {
  const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
  const trigger = document.body.dataset.trigger;
  const fates = new Set(all('input[name=fate]:checked').map((box) => box.value));
  let shown = 0;
  for (const row of rows) {
    const fits = fates.has(row.dataset[trigger]) && words.every((word) => texts.get(row).includes(word));
    row.hidden = !fits;
    shown += fits ? 1 : 0;
  }
  for (const [square, row] of squares) square.hidden = row.hidden;
  const narrowed = words.length > 0 || fates.size < 4;
  for (const group of all('details').reverse()) {
    const has = all('tr[data-plugin]', group).some((row) => !row.hidden);
    group.hidden = narrowed && !has;
    if (words.length > 0) group.open = has;
  }
  document.getElementById('shown').textContent = shown + ' of ' + rows.length + ' volumes';
}

for (const radio of all('input[name=trigger]'))
  radio.addEventListener('change', () => { document.body.dataset.trigger = radio.value; filter(); });
for (const box of all('input[name=fate]')) box.addEventListener('change', filter);
search.addEventListener('input', filter);
const openAll = (open) => () => { for (const group of all('details')) group.open = open; };
document.getElementById('open').addEventListener('click', openAll(true));
document.getElementById('close').addEventListener('click', openAll(false));
filter();
`;
