import settings from '../krew/settings.json' with { type: 'json' };
import manifest from '../package.json' with { type: 'json' };

/** As in package.json and in the Krew manifest, without a `v`. */
export const version: string = manifest.version;

/** The plugin's name in Krew: what stands behind `kubectl`. */
export const pluginName: string = settings.plugin;
