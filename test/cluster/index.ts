export type { Cluster } from './cluster.ts';
export {
  type DeployedApp,
  type DeployedDriver,
  deployApp,
  deployDriver,
  driversOf,
  openDriver,
  removeObjects,
  waitPodReady,
} from './deploy.ts';
export type { Result } from './host/exec.ts';
export { driverImage, emptyImage, pauseImage, shellImage } from './images/names.ts';
export type { Incident } from './incidents/define.ts';
export { findIncident, incidents } from './incidents/index.ts';
export type { AppSpec } from './manifests/app.ts';
export type { DriverSpec } from './manifests/driver.ts';
export type { ClusterNode, KubeletLog } from './node/node.ts';
export { type Registry, startRegistry } from './registry.ts';
export type { S3Server } from './s3.ts';
export { attachCluster, type ClusterOptions, clustersFolder, defaultDir, startCluster } from './start.ts';
export { type Look, type WaitOptions, waitFor, waitUntil } from './wait.ts';
