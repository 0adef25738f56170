import assert from 'node:assert/strict';
import { format, inspect } from 'node:util';
import { describe, it } from 'mocha';
import { replayOf } from '../../../../src/kubelet/publish/index.ts';
import { Secret, withoutSecrets } from '../../../../src/kubelet/publish/secret.ts';
import { tokensText } from '../../../../src/kubelet/publish/tokens.ts';
import { seen } from '../../../../src/model/observed.ts';
import { csiDriver, input, persistentVolume, requested, token } from './fixture.ts';

const password = 'correct horse battery staple';
const jwt = 'eyJhbGciOi.J9.c2ln';

describe('a secret', () => {
  const reference = { name: 's', namespace: 'n' };
  const given = input({
    capabilities: new Set(['STAGE_UNSTAGE_VOLUME']),
    persistentVolume: seen(
      persistentVolume({}, { nodeStageSecretRef: reference, nodePublishSecretRef: reference }),
    ),
    stageSecret: seen({ password: new Secret(Buffer.from(password)) }),
    publishSecret: seen({ password: new Secret(Buffer.from(password)) }),
    csiDriver: seen(csiDriver({ tokenRequests: [{ audience: 'a' }] })),
    tokens: seen([token('a', jwt)]),
  });
  const replay = requested(replayOf(given));

  it('is in no printed form of the input or of the requests', () => {
    const bytes = [...Buffer.from(password)].join(',');
    for (const value of [given, replay, replay.publish, replay.stage]) {
      const printed = [
        JSON.stringify(value),
        inspect(value, { depth: null, showHidden: true }),
        format('%o %j %s', value, value, value),
        `${Object.values(replay.publish.secrets)}`,
      ];
      for (const text of printed) {
        for (const hidden of [password, jwt, bytes, Buffer.from(password).toString('hex')]) {
          assert(!text.includes(hidden), text);
        }
      }
      assert.match(printed[0] ?? '', /"password":"\[secret\]"/);
    }
  });

  it('is revealed where it is asked for', () => {
    const { secrets, volumeContext } = replay.publish;
    const values = Object.values({ ...secrets, ...volumeContext });
    const texts = values.map((value) => (value instanceof Secret ? value.reveal() : value));
    assert.deepEqual(texts, [
      password,
      `{"a":{"token":"${jwt}","expirationTimestamp":"2026-01-01T00:00:00Z"}}`,
    ]);
  });

  it('is masked in what a driver says, the longest first', () => {
    const parameters = { a: new Secret('secret-1'), b: new Secret('secret-1-longer'), c: new Secret('no') };
    const said = withoutSecrets('no secret-1-longer, no secret-1', [parameters, { plain: 'said' }]);
    assert.equal(said, 'no [secret], no [secret]');
  });

  it('is masked where a driver quotes a single token of several', () => {
    const one = `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.eyJzdWIiOiJ4In0.c2ln-X_1`;
    assert.equal(withoutSecrets(`token ${one}: expired`, []), 'token [secret]: expired');
  });
});

describe('the text of the tokens', () => {
  /** The expected text is what json.Marshal of Go 1.26 printed for a map of these keys. */
  it("is that of Go's encoding/json: keys by their bytes, HTML characters escaped", () => {
    const text = tokensText([
      token('\u{1f600}', 't'),
      token('\uff5e', 't'),
      token('<&>\u2028"', 't'),
      token('', 't'),
    ]);
    const status = '{"token":"t","expirationTimestamp":"2026-01-01T00:00:00Z"}';
    const keys = ['""', '"\\u003c\\u0026\\u003e\\u2028\\""', '"\uff5e"', '"\u{1f600}"'];
    assert.equal(text.reveal(), `{${keys.map((key) => `${key}:${status}`).join(',')}}`);
  });
});
