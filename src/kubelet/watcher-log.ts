import type { LogLine } from '../model/evidence.ts';

/** What fsnotify reports after kubelet's watch began (pluginwatcher/plugin_watcher.go, 1.23 to 1.37). */
const errorOfWatch = 'FsWatcher received error';

/** What kubelet says when its watch did not begin: no inotify instance (plugin_manager.go), or no watch, was left. */
const failuresOfStart = ['(plugin watcher) starts failed', 'Failed to traverse plugin socket path'];

/** Texts of the lines in kubelet's log that tell of its watch on the registry. */
export const watcherTexts: readonly string[] = [errorOfWatch, ...failuresOfStart];

/** fsnotify's ErrEventOverflow: the kernel dropped events. Other watches of kubelet's word it differently. */
export const isOverflow = ({ text }: LogLine) => text.includes(errorOfWatch) && text.includes('overflow');

/** Kubelet tries once: it goes on without the watch until it is restarted. */
export const isWatchFailure = ({ text }: LogLine) => failuresOfStart.some((words) => text.includes(words));
