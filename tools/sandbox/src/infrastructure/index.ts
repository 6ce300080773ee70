export { localCertificates, type LocalCertificates } from "./certificate-authority.ts";
export { ChildFailedError, runLogged, spawnLogged, type Exit, type LoggedChild } from "./child-process.ts";
export { killOnExit, withParentDeathSignal } from "./die-with-parent.ts";
export { findNatsServer } from "./find-nats-server.ts";
export { freePort, isPortFree } from "./free-port.ts";
export { startNatsServer, type NatsServer } from "./nats-server.ts";
export { startPostgres, type Postgres } from "./postgres.ts";
export { provisionDatabase } from "./provision-database.ts";
export {
  AUDITOR,
  grantConnect,
  programOf,
  roleNames,
  schemaByService,
  auditedSchemas,
  schemaNames,
  schemaUrls,
  type RoleName,
  type RolePasswords,
  type SchemaName,
  type SchemaUrls,
  type ServiceName,
} from "@holdfast/installation";
export { withClient } from "./with-client.ts";
