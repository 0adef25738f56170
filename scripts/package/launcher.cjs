// What the executable starts: the bundle, compiled before where a code cache for this platform was packed.
'use strict';
const { getRawAsset, getAssetKeys } = require('node:sea');
const { Script } = require('node:vm');

// The bundle is ASCII (esbuild escapes the rest), and Latin-1 makes it a string of one byte a character.
const source = Buffer.from(getRawAsset('kubectl-csi.cjs')).latin1Slice();
const cachedData = getAssetKeys().includes('code-cache') ? Buffer.from(getRawAsset('code-cache')) : undefined;
const script = new Script(source, { filename: 'kubectl-csi.cjs', ...(cachedData && { cachedData }) });
script.runInThisContext()(require, module, exports, process.execPath, __dirname);
