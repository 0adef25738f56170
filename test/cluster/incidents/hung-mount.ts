import { signalFuseDaemons } from './actions.ts';
import { defineIncident } from './define.ts';

/** The daemon lives and answers nothing: whoever touches a volume waits for ever. */
export default defineIncident({
  id: 'hung-mount',
  title: 'the FUSE daemon of the volumes is stopped',
  cause: (scene) => signalFuseDaemons(scene, 'SIGSTOP'),
  restore: (scene) => signalFuseDaemons(scene, 'SIGCONT'),
});
