import type { View } from './define-view.ts';
import type { Report } from './report.ts';
import { views } from './views/index.gen.ts';

/** The view of a report. A report's kind and its view's kind are one and the same, which the types cannot follow. */
export function viewOf<K extends Report['kind']>({ kind }: { readonly kind: K }): View<K> {
  const view = views.find((each) => each.kind === kind);
  if (!view) throw new Error(`no view for a report of kind ${kind}`);
  return view as unknown as View<K>;
}
