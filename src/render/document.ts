import type { Report } from './report.ts';

/** The version of every document that we print or write. */
export const apiVersion = 'kubectl-csi/v1';

export const documentOf = ({ kind, ...rest }: Report) => ({ apiVersion, kind, ...rest });
