import assert from 'node:assert/strict';
import { describe, it } from 'mocha';
import { withoutSecrets } from '../../../src/kubelet/secret-words.ts';

describe('secrets on the command line that runs kubelet', () => {
  const cases: Readonly<Record<string, readonly [string, string]>> = {
    'k3s, apart': [
      'k3s agent --token K10abc --server https://s',
      'k3s agent --token <masked> --server https://s',
    ],
    'k3s, joined': ['k3s agent --token=K10abc=x', 'k3s agent --token=<masked>'],
    'an agent token': ['rke2 server --agent-token K10', 'rke2 server --agent-token <masked>'],
    'a file is none': ['k3s agent --token-file /etc/token', 'k3s agent --token-file /etc/token'],
    'a flag follows': ['k3s agent --token --debug', 'k3s agent --token --debug'],
    'kubelet itself': [
      'kubelet --root-dir=/var/lib/kubelet --v=2',
      'kubelet --root-dir=/var/lib/kubelet --v=2',
    ],
    'a sub-command': ['k3s token list', 'k3s token list'],
  };
  for (const [what, [from, to]] of Object.entries(cases))
    it(what, () => assert.equal(withoutSecrets(from.split(' ')).join(' '), to));
});
