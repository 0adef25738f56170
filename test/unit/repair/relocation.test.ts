import assert from 'node:assert/strict';
import type { RegistryEntry } from '../../../src/model/evidence.ts';
import { seen, unseen } from '../../../src/model/observed.ts';
import { relocationBar } from '../../../src/repair/relocation.ts';
import { captured, changed, existing, type Mutable, nodeOf } from '../support/captures.ts';

const well = captured('healthy');
type Entry = Mutable<RegistryEntry>;

/** Why the registry is not moved when this socket stands in it besides the driver's. */
const barWith = (change: (entry: Entry) => void) =>
  relocationBar(
    nodeOf(
      changed(well, ({ evidence, entry }) => {
        const other = { ...structuredClone(entry), name: 'other.sock' };
        change(other);
        evidence.entries = seen([entry, other]);
      }),
    ),
    false,
  );

const asType = (type: string) => (entry: Entry) => {
  const registration = existing(entry.socket, 'socket').registration;
  if (registration.seen) Object.assign(registration.value, { type, name: 'other' });
};
const mute = (entry: Entry) => {
  const socket = existing(entry.socket, 'socket');
  socket.registration = unseen('Registration/GetInfo: DeadlineExceeded');
};
const refusing = (entry: Entry) => {
  mute(entry);
  existing(entry.socket, 'socket').connect = { state: 'refused' };
};

describe('the registry', () => {
  it('is moved where every socket belongs to a CSI driver with a registrar of its own', () => {
    assert.equal(relocationBar(nodeOf(well), false), undefined);
  });
  for (const type of ['DRAPlugin', 'DevicePlugin'])
    it(`is not moved away from a ${type}, whose socket would be hidden`, () => {
      const path = '/var/lib/kubelet/plugins_registry/other.sock';
      assert.match(
        barWith(asType(type)) ?? '',
        new RegExp(`^${path} belongs to a ${type}: the move would hide it`),
      );
    });
  it('is not moved away from a socket that says nothing', () => {
    assert.match(barWith(mute) ?? '', /other\.sock does not answer GetInfo/);
  });
  it('is moved away from what kubelet ignores, and from what nobody serves', () => {
    assert.equal(
      barWith((entry) => {
        mute(entry);
        entry.name = '.other.sock';
      }),
      undefined,
    );
    assert.equal(barWith(refusing), undefined);
  });
  it('is not moved where its entries were not seen', () => {
    const blind = changed(well, ({ evidence }) => (evidence.entries = unseen('too many entries')));
    assert.equal(relocationBar(nodeOf(blind), false), 'too many entries');
  });
  it('is not moved where a driver shares its container with its registrar', () => {
    const shared = changed(well, ({ pod }) => (pod.otherContainers = []));
    assert.match(relocationBar(nodeOf(shared), false) ?? '', /share one container/);
  });
});
