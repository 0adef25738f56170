import { registrarContainer } from '../manifests/driver.ts';
import { ensureRegistered, signalContainer } from './actions.ts';
import { defineIncident } from './define.ts';

/** Kubelet holds the driver: what hangs is noticed when it has to register again. */
export default defineIncident({
  id: 'registrar-mute',
  title: 'the registrar is stopped: its socket takes connections and never answers',
  cause: (scene) => signalContainer(scene, registrarContainer, 'SIGSTOP'),
  restore: async (scene) => {
    await signalContainer(scene, registrarContainer, 'SIGCONT');
    await ensureRegistered(scene);
  },
});
