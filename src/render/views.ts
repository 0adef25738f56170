import { withoutControls } from './controls.ts';
import type { View } from './define-view.ts';
import type { Report } from './report.ts';
import { views } from './views/index.gen.ts';

/** The view of a report, which escapes what a terminal would obey. A report's kind and its view's kind are one and the same, which the types cannot follow. */
export function viewOf<K extends Report['kind']>({ kind }: { readonly kind: K }): View<K> {
  const view = views.find((each) => each.kind === kind);
  if (!view) throw new Error(`no view for a report of kind ${kind}`);
  const { table, names, pictures = [] } = view as unknown as View<K>;
  return {
    kind,
    table: (report, style, wide) => table(withoutControls(report), style, wide),
    names: (report) => names(withoutControls(report)),
    pictures: pictures.map(({ render, ...rest }) => ({
      ...rest,
      render: (report) => render(withoutControls(report)),
    })),
  };
}
