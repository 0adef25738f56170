import manifest from '../package.json' with { type: 'json' };

/** As in package.json and in the Krew manifest, without a `v`. */
export const version: string = manifest.version;
