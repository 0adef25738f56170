import assert from 'node:assert/strict';
import { Spec, Validation } from '@cyclonedx/cyclonedx-library';
import { describe, it } from 'mocha';
import { billOfMaterials } from '../../../scripts/package/sbom.mjs';

const digest = 'ab'.repeat(32);

describe('the bill of materials', () => {
  const validator = new Validation.JsonStrictValidator(Spec.Version.v1dot6);
  const bill = billOfMaterials(['yargs', '@connectrpc/connect'], {
    'kubectl-csi-linux-amd64.tar.gz': digest,
  });

  it('is CycloneDX by the published schema', async () => {
    assert.equal(await validator.validate(JSON.stringify(bill)), null);
  });

  it('would be refused with a field that the schema does not know', async () => {
    const [first, ...others] = bill.components;
    const spoiled = { ...bill, components: [{ ...first, licence: 'MIT' }, ...others] };
    assert.notEqual(await validator.validate(JSON.stringify(spoiled)), null);
  });
});
