/** The page's style sheet. Whoever cannot tell the colours apart reads the words beside them. */
export const style = `
:root { color-scheme: light dark; --ink: #1d2430; --dim: #5d6776; --paper: #fff; --card: #f5f6f8; --line: #d5d9e0;
  --dies: #c62f2f; --dead: #77808c; --survives: #2f8a4c; --unknown: #b07b00; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --dim: #9aa4b2; --paper: #14181e; --card: #1d232c; --line: #343d4a;
    --dies: #ff7b72; --dead: #98a2b0; --survives: #56c47a; --unknown: #e3b341; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1.5rem; background: var(--paper); color: var(--ink);
  font: 15px/1.45 system-ui, sans-serif; }
h1 { margin: 0; font-size: 1.5rem; }
.dim, .note { color: var(--dim); }
.note { margin: .4rem 0 0; }
.bar { position: sticky; top: 0; z-index: 1; display: flex; flex-wrap: wrap; gap: .6rem 1.2rem; align-items: center;
  margin: 1rem -1.5rem; padding: .7rem 1.5rem; background: var(--paper); border-bottom: 1px solid var(--line); }
.bar fieldset { display: flex; flex-wrap: wrap; gap: .3rem 1rem; margin: 0; padding: 0; border: 0; }
.bar label { white-space: nowrap; }
input[type=search] { font: inherit; width: 17rem; max-width: 100%; padding: .3rem .6rem; color: inherit;
  background: var(--card); border: 1px solid var(--line); border-radius: .3rem; }
button { font: inherit; padding: .25rem .7rem; color: inherit; background: var(--card); border: 1px solid var(--line);
  border-radius: .3rem; cursor: pointer; }
details.node { margin: .7rem 0; padding: .2rem .9rem; background: var(--card); border: 1px solid var(--line);
  border-radius: .5rem; }
details details { margin: .2rem 0 .2rem 1rem; }
summary { padding: .35rem 0; cursor: pointer; overflow-wrap: anywhere; }
summary b { margin-right: .5rem; }
.squares { display: flex; flex-wrap: wrap; gap: 2px; padding: .2rem 0 .3rem 1.1rem; }
.squares i { width: .7rem; height: .7rem; border-radius: 2px; background: var(--fate); }
.fate { color: var(--fate); font-weight: 600; white-space: nowrap; }
.swatch { display: inline-block; width: .7rem; height: .7rem; border-radius: 2px; background: var(--fate); }
.wide { overflow-x: auto; }
table { width: 100%; min-width: 44rem; table-layout: fixed; margin: .3rem 0 .8rem; border-collapse: collapse; font-size: .92em; }
th, td { padding: .25rem .8rem .25rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere; }
th:nth-child(1) { width: 20%; } th:nth-child(2) { width: 14%; } th:nth-child(3) { width: 28%; } th:nth-child(4) { width: 9%; }
th { color: var(--dim); font-weight: 500; }
body[data-trigger=plugin] .kubelet, body[data-trigger=kubelet] .plugin { display: none; }
.is-dies, body[data-trigger=plugin] [data-plugin=dies], body[data-trigger=kubelet] [data-kubelet=dies] { --fate: var(--dies); }
.is-dead, body[data-trigger=plugin] [data-plugin=dead], body[data-trigger=kubelet] [data-kubelet=dead] { --fate: var(--dead); }
.is-survives, body[data-trigger=plugin] [data-plugin=survives], body[data-trigger=kubelet] [data-kubelet=survives] { --fate: var(--survives); }
.is-unknown, body[data-trigger=plugin] [data-plugin=unknown], body[data-trigger=kubelet] [data-kubelet=unknown] { --fate: var(--unknown); }
[hidden] { display: none !important; }
@media print { .bar { display: none; } }
`;
