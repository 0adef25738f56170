import assert from 'node:assert/strict';
import { parseDuration } from '../../../src/cli/duration.ts';
import { failureOf } from '../../../src/cli/failure.ts';
import { connectOptions } from '../../../src/cli/global-flags.ts';
import { oneOf, UsageError } from '../../../src/cli/usage-error.ts';
import { ApiError, ConnectionError, KubeconfigError } from '../../../src/cluster/errors.ts';
import { LeaseHeldError } from '../../../src/cluster/lease-errors.ts';
import { AgentError } from '../../../src/protocol/answers.ts';
import type { ErrorRecord } from '../../../src/protocol/protocol.gen.ts';
import { PodStartError } from '../../../src/reach/pod/debug-pod.ts';

const forbidden = new ApiError('pods is forbidden: User "ann" cannot list resource "pods"', {
  status: 403,
  reason: 'Forbidden',
  verb: 'list',
  group: '',
  resource: 'pods',
  namespace: 'kube-system',
});
const refusal = {
  kind: 'error',
  code: 'no-layer',
  what: 'no such layer',
  path: '/x',
  errno: null,
} as ErrorRecord;

describe('a failure', () => {
  const table: readonly (readonly [string, unknown, number, string])[] = [
    ['wrong usage', new UsageError('no', 'Say yes.'), 2, 'no\nSay yes.'],
    ['a kubeconfig', new KubeconfigError('no kubeconfig', 'Name one.'), 2, 'no kubeconfig\nName one.'],
    ['no answer', new ConnectionError('refused', 'h refuses', 'Is it up?'), 3, 'h refuses\nIs it up?'],
    ['a missing right', forbidden, 3, `${forbidden.message}\n${forbidden.next}`],
    ['an agent that refuses', new AgentError(refusal), 3, 'no such layer: /x'],
    [
      'an agent that the kernel refuses',
      new AgentError({ ...refusal, errno: 'EPERM' }),
      3,
      'no such layer: /x: EPERM',
    ],
    ['a pod that cannot start', new PodStartError('ErrImageNeverPull'), 3, 'ErrImageNeverPull'],
    ['a time limit', new DOMException('timed out', 'TimeoutError'), 3, 'timed out'],
    ['plain words', new Error('the watch ended'), 3, 'the watch ended'],
    ['no error at all', 'text', 3, 'text'],
  ];
  for (const [what, error, code, text] of table)
    it(`${what}: ${code}`, () => {
      assert.deepEqual(failureOf(error, false), { text, code });
    });

  it('after Ctrl-C is an interrupt, whatever broke', () => {
    assert.deepEqual(failureOf(forbidden, true), {
      text: 'interrupted; what was begun is finished or taken back',
      code: 130,
    });
  });

  it('of ours shows where', () => {
    const { text, code } = failureOf(new TypeError('x is undefined'), false);
    assert.equal(code, 3);
    assert.match(text, /TypeError: x is undefined\n\s+at /);
  });

  it('of a right names the verb and the resource', () => {
    assert.match(failureOf(forbidden, false).text, /Ask for the right to list pods/);
  });

  it('of a lease names who holds it and what to wait for', () => {
    const error = new LeaseHeldError('kubectl-csi-a', { holderIdentity: 'ann' }, '2026-01-02T03:04:05Z');
    assert.match(failureOf(error, false).text, /held by ann.*\nWait for ann/s);
  });
});

describe('a duration', () => {
  const table: readonly (readonly [string, number])[] = [
    ['30s', 30_000],
    ['2m', 120_000],
    ['1m30s', 90_000],
    ['1.5s', 1_500],
    ['250ms', 250],
    ['1h', 3_600_000],
    ['5', 5_000],
    ['0', 0],
    ['0s', 0],
    ['596h', 2_145_600_000],
  ];
  for (const [text, ms] of table)
    it(`${text} is ${ms} ms`, () => {
      assert.equal(parseDuration('x', text), ms);
    });
  for (const text of ['', '5x', 's', '1m 30s', '-5s', '1,5s', 'soon'])
    it(`"${text}" is none`, () => {
      const fault = { name: 'UsageError', message: `--node-timeout does not understand "${text}"` };
      assert.throws(() => parseDuration('node-timeout', text), fault);
    });
  for (const text of ['597h', '99999999'])
    it(`"${text}" is longer than a timer can wait`, () => {
      assert.throws(() => parseDuration('x', text), /--x .* is too long/);
    });
});

describe('a choice', () => {
  it('is what was typed', () => {
    assert.equal(oneOf('risk', 'safe', ['safe', 'bold']), 'safe');
  });
  it('lists what there is', () => {
    assert.throws(() => oneOf('risk', 'x', ['safe', 'bold']), {
      message: 'unknown risk "x"',
      next: 'Use one of: safe, bold.',
    });
  });
});

describe("kubectl's global flags", () => {
  it('become what a connection wants', () => {
    const env = { HOME: '/home/ann' };
    const flags = {
      kubeconfig: 'k',
      context: 'c',
      cluster: 'l',
      user: 'u',
      server: 's',
      token: 't',
      as: 'a',
      'as-group': ['g'],
      'as-uid': '7',
      'request-timeout': '2m',
      'tls-server-name': 'n',
      'insecure-skip-tls-verify': true,
    };
    assert.deepEqual(connectOptions(flags, env, '1.2.3'), {
      kubeconfig: 'k',
      context: 'c',
      cluster: 'l',
      user: 'u',
      server: 's',
      token: 't',
      as: 'a',
      asGroups: ['g'],
      asUid: '7',
      requestTimeoutMs: 120_000,
      tlsServerName: 'n',
      insecureSkipTlsVerify: true,
      userAgent: 'kubectl-csi/1.2.3',
      env,
    });
  });
  it('refuse a time limit that is none', () => {
    assert.throws(
      () => connectOptions({ 'request-timeout': 'soon' }, {}, '1'),
      /--request-timeout does not understand "soon"/,
    );
  });
});
