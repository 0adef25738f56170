import { cases } from '../e2e/publish/cases.ts';
import { type PublishCase, persistent } from '../e2e/publish/define-case.ts';
import { provePublish } from '../e2e/publish/suite.ts';

/** What only newer versions of Kubernetes know. */
const newer: readonly PublishCase[] = [
  {
    id: 'secret-tokens',
    says: 'tokens in the secrets, beside the secret that the volume names',
    driver: 'secret-tokens',
    volume: persistent({ csi: { nodePublishSecretRef: { name: 'publish', namespace: 'default' } } }),
    shows: { 'secrets.key': 'publish-value', volumeContext: undefined },
  },
];

provePublish([...cases, ...newer], { kubeVersion: 'v1.36.3' });
